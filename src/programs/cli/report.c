#include "conclude/complete.h"
#include "programs/cli/options.h"
#include "programs/cli/output.h"
#include "programs/cli/redact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Imported documents may have no command. */
const struct probe_result *output_only_probe(const struct document *document)
{
    const struct run_facts *run = &document->run;
    const bool of_run = run->command_count > 1 && strcmp(run->command[1], run_command.name) == 0;
    return document->probe_count == 1 && !of_run ? &document->probes[0] : NULL;
}

static int read_one(struct document *document, const struct invocation *invocation, size_t operand,
                    struct error *error)
{
    const int code = experiment_read(document, invocation->operands[operand], error);
    return code == 0 && invocation->options.redact.has ? redact_read(document, error) : code;
}

static int report(struct invocation *invocation, struct error *error)
{
    const struct outlet outlet = output_choose(&invocation->options);
    if (outlet.output->takes_several) {
        /* A page shows any number of documents side by side. */
        size_t count = (size_t)invocation->operand_count, read = 0;
        struct document *documents = calloc(count, sizeof *documents);
        const struct document **list = calloc(count, sizeof *list);
        int code = documents && list ? 0 : error_out_of_memory(error);
        for (; code == 0 && read < count; read++) {
            list[read] = &documents[read];
            code = read_one(&documents[read], invocation, read, error);
        }
        if (code == 0)
            code = count == 1 ? outlet_write(&outlet, list[0], output_only_probe(list[0]), error)
                              : outlet_write_several(&outlet, list, count, NAN, error);
        for (size_t i = 0; i < read; i++)
            document_free(&documents[i]);
        free(documents);
        free(list);
        return code;
    }
    if (invocation->operand_count > 1)
        return error_set(error, ERROR_USAGE,
                         "--format %s shows one document, and %d were given: give one, or --format "
                         "html or svg for a page or a picture of several",
                         outlet.output->name, invocation->operand_count);
    struct document document = {0};
    int code = read_one(&document, invocation, 0, error);
    if (code == 0)
        code =
            output_document(&invocation->options, &document, output_only_probe(&document), error);
    document_free(&document);
    return code;
}

#include "report.help.h"
static const struct option_spec *const options[] = {format_options, points_options, output_options,
                                                    chart_options,  redact_options, NULL};

const struct command report_command = {
    .name = "report",
    .operands = "FILE...",
    .summary = "show a document that a run has written",
    .about = about,
    .options = options,
    .run = report,
};
