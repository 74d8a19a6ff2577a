/*
 * Writes the document of one modelled machine to standard output: document SEED [RUN]. Runs of one
 * seed are of one machine. It is measured as any other, but the machine is made up, the time is the
 * model's, and the document says so: its processor is named a modelled one, its verdict and every
 * value are flagged.
 */
#include "base/pool.h"
#include "conclude/verdict.h"
#include "document/json.h"
#include "machines.h"
#include "measure.h"
#include "programs/library/version.h"

#include <stdio.h>
#include <stdlib.h>

enum { ARENA_MOST = 512 << 20 };

/* What is measured, and with which options. */
static const struct {
    const char *probe;
    const char *options[3];
} measured[] = {{"latency", {NULL}}, {"tlb", {"pages", "small", NULL}}};

int main(int argc, char **argv)
{
    static struct measurement measurement;
    struct model_machine machine;
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t run = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    if (!seed || !run) {
        fputs("usage: document SEED [RUN], numbers from 1 on\n", stderr);
        return 2;
    }
    machine_random(&machine, seed);
    struct error *error = &measurement.error;
    int code =
        measurement_begin(&measurement, &machine, ARENA_MOST, run) ? 0 : error_out_of_memory(error);
    struct document *document = &measurement.document;
    measurement.facts.facts.os = "none";
    measurement.facts.facts.cores = measurement.facts.facts.threads = 1;
    measurement.facts.facts.cpu_model =
        pool_printf(&document->pool, "modelled machine %s (tests/model)", argv[1]);
    for (size_t i = 0; i < sizeof measured / sizeof *measured && code == 0; i++) {
        const struct probe *probe = probe_by_name(measured[i].probe);
        code = probe ? measurement_run(&measurement, probe, measured[i].options)
                     : error_set(error, ERROR_USAGE, "no probe is called %s", measured[i].probe);
    }
    document->tool = (struct tool_facts){
        .version = FATHOM_VERSION, .commit = FATHOM_COMMIT, .compiler = __VERSION__};
    document->run.command = (const char **)argv;
    document->run.command_count = (size_t)argc;
    argv[0] = (char[]){"model-document"};
    if (code == 0)
        code = verdict_note(document, error);
    if (code == 0)
        code = document_write(document, stdout, error);
    if (code < 0)
        fprintf(stderr, "model-document: %s\n", error->text);
    measurement_end(&measurement);
    return code < 0 || fflush(stdout) == EOF;
}
