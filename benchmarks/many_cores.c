/*
 * What `fathom cores` costs without the measuring, on machines of any size: the real probe, plan,
 * engine and summaries, on a synthetic topology, with a model in place of the hardware that takes
 * no time itself.
 *
 * usage: many_cores CPUS     prints pairs, seconds of CPU time, modelled seconds of measuring,
 *                            seconds predicted at the beginning, seconds of CPU time for showing
 *                            and writing it all, and peak memory in bytes
 */
#include "base/random.h"
#include "measure/run/run.h"
#include "show/render/output.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { CPUS_A_PACKAGE = 32, CPUS_A_CORE = 2 };

/* Latencies of hand-offs within a core, within a package and between packages, and what the line
 * adds. */
struct model {
    int partner; /* the CPU that the next measured one talks to: its call comes first */
    int last;
    double predicted_s, measured_s, planned_s, written_s;
};

static uint64_t hand_off_ps(const struct model *model, int cpu, const void *state)
{
    int other = cpu == model->last ? model->partner : model->last;
    uint64_t base = cpu / CPUS_A_CORE == other / CPUS_A_CORE         ? 8000
                    : cpu / CPUS_A_PACKAGE == other / CPUS_A_PACKAGE ? 45000
                                                                     : 110000;
    uint64_t line = random_mix((uint64_t)(uintptr_t)state) % (base / 4);
    return base + line;
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct model *model = self;
    if (cpu != model->last) {
        model->partner = model->last;
        model->last = cpu;
    }
    return 2 * repeats * hand_off_ps(model, cpu, state);
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    return count * 400; /* 2.5 GHz */
}

static void note_prediction(void *argument, const char *probe, double done, double left_s,
                            const char *so_far)
{
    struct model *model = argument;
    if (done <= 0)
        model->predicted_s += left_s; /* a stage each */
}

static double used_s(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Writes all outputs: the file, the screen and both tables. */
static int write_all(const struct document *document, struct error *error)
{
    static const char *const forms[] = {"json", "text", "csv", "csv-matrix"};
    struct output_content content = {.documents = &document, .count = 1, .style = {.width = 80}};
    FILE *out = fopen("/dev/null", "w");
    int code = out ? 0 : error_set(error, ERROR_SYSTEM, "/dev/null can't be written to");
    for (size_t i = 0; i < sizeof forms / sizeof *forms && code == 0; i++)
        code = output_render(output_by_name(forms[i]), out, &content, error);
    content.probe = &document->probes[0];
    if (code == 0)
        code = output_render(output_by_name("text"), out, &content, error);
    if (out)
        fclose(out);
    return code;
}

static int measure(const struct machine *machine, struct model *model, struct error *error)
{
    const struct probe *const chosen[] = {probe_by_name("cores"), NULL};
    const struct timing_model timing = {.self = model, .work = work, .additions = additions};
    struct settings settings = {0};
    struct document document = {0};
    struct run run = {.machine = machine,
                      .settings = &settings,
                      .probes = chosen,
                      .document = &document,
                      .model = &timing,
                      .listener = {.progress = note_prediction, .argument = model}};
    int code = settings_add(&settings, probe_common_options, error);
    if (code == 0)
        code = settings_set(&settings, "seed", "1", error);
    if (code == 0)
        code = settings_set(&settings, "budget", "1e6", error);
    if (code == 0)
        code = run_plan(&run, error);
    if (code == 0)
        code = run_measure(&run, error);
    if (code == 0 && document.probes[0].status != PROBE_OK)
        code = error_set(error, ERROR_IMPOSSIBLE, "%s", document.probes[0].reason);
    model->measured_s = run.turns ? run.turns[0].outcome.elapsed_s : 0;
    model->planned_s = used_s();
    if (code == 0)
        code = write_all(&document, error);
    model->written_s = used_s() - model->planned_s;
    run_release(&run);
    settings_free(&settings);
    document_free(&document);
    return code;
}

int main(int argc, char **argv)
{
    char topology[128];
    int cpus = argc > 1 ? atoi(argv[1]) : 0;
    struct machine machine;
    struct error error = {0};
    struct model model = {.last = -1};
    if (cpus < CPUS_A_PACKAGE || cpus % CPUS_A_PACKAGE) {
        fprintf(stderr, "usage: many_cores CPUS, a multiple of %d\n", CPUS_A_PACKAGE);
        return 2;
    }
    snprintf(topology, sizeof topology, "pack:%d l3:1 core:%d pu:%d", cpus / CPUS_A_PACKAGE,
             CPUS_A_PACKAGE / CPUS_A_CORE, CPUS_A_CORE);
    int code = machine_read(&machine, &(struct machine_source){.synthetic = topology}, &error);
    if (code == 0)
        code = measure(&machine, &model, &error);
    machine_free(&machine);
    if (code < 0) {
        fprintf(stderr, "many_cores: %s\n", error.text);
        return 1;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%zu %.3f %.3f %.3f %.3f %zu\n", (size_t)cpus * (size_t)(cpus - 1), model.planned_s,
           model.measured_s, model.predicted_s, model.written_s, (size_t)usage.ru_maxrss * 1024);
    return 0;
}
