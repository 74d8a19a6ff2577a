#include "measure.h"

#include "stats/order.h"
#include "stats/undisturbed.h"

#include <stdio.h>
#include <string.h>

static const uint64_t GIB = UINT64_C(1) << 30;

static void describe_machine(struct measurement *measurement)
{
    const struct model_machine *machine = measurement->machine;
    for (unsigned level = 0; level < machine->level_count; level++)
        measurement->caches[level] = (struct cache_facts){
            (int)level + 1,      level == 0 ? "data" : "unified", machine->caches[level].bytes,
            machine->line_bytes, machine->caches[level].ways,     "0"};
    const unsigned cpus = machine->cpus ? machine->cpus : 1;
    for (unsigned i = 0; i < cpus; i++) {
        measurement->places[i] = (struct cpu_place){.id = (int)i, .core = (int)i};
        measurement->cpu_ids[i] = (int)i;
    }
    measurement->facts = (struct machine){
        .facts = {.caches = measurement->caches, .cache_count = machine->level_count},
        .cpus = measurement->places,
        .cpu_count = cpus,
        .allowed = {measurement->cpu_ids, cpus},
        .memory_available_bytes = 16 * GIB,
    };
}

bool measurement_begin(struct measurement *measurement, const struct model_machine *machine,
                       size_t arena_bytes, uint64_t seed)
{
    *measurement = (struct measurement){.machine = machine, .seed = seed};
    describe_machine(measurement);
    measurement->model = model_create(machine, arena_bytes, seed);
    return measurement->model;
}

/* The document's factors have texts of the settings. */
static void forget_probe(struct measurement *measurement)
{
    struct pool *pool = &measurement->document.pool;
    pool_take(pool, &measurement->settings.pool);
    for (size_t i = 0; i < measurement->run.turn_count; i++)
        pool_take(pool, &measurement->run.turns[i].settings.pool);
    run_release(&measurement->run);
    settings_free(&measurement->settings);
    measurement->trials = NULL; /* in the pool */
    measurement->trial_count = 0;
    measurement->arena_bytes = 0;
}

void measurement_end(struct measurement *measurement)
{
    forget_probe(measurement);
    model_free(measurement->model);
    document_free(&measurement->document);
}

/* The observer is a task of the probe that is watched. */
static struct measurement *measurement_of(const void *task)
{
    const struct probe *watched = ((const struct probe_task *)task)->probe;
    return (struct measurement *)((char *)watched - offsetof(struct measurement, watched));
}

static void keep_trial(void *task, const struct observation *seen)
{
    struct measurement *measurement = measurement_of(task);
    if (measurement->probe->observe)
        measurement->probe->observe(task, seen);
    struct kept_trial *kept =
        pool_append(&measurement->document.pool, (void **)&measurement->trials,
                    &measurement->trial_count, sizeof *kept);
    if (!kept)
        return;
    if (measurement->arena_bytes < seen->trial->arena->bytes)
        measurement->arena_bytes = seen->trial->arena->bytes;
    kept->point = *seen->trial->point;
    kept->repeats = seen->repeats;
    kept->at_s = model_now_s(measurement->model);
    kept->batches = seen->batch_count < BATCHES_MAX ? seen->batch_count : BATCHES_MAX;
    double sorted[BATCHES_MAX];
    for (unsigned i = 0; i < kept->batches; i++)
        sorted[i] = kept->batch_ns[i] =
            seen->batches[i].ns / (seen->trial->operations * (double)seen->repeats);
    sort_ascending(sorted, kept->batches);
    const struct undisturbed undisturbed = undisturbed_of(sorted, kept->batches);
    kept->value_ns = undisturbed.value;
    kept->shift = undisturbed.shift;
}

static int read_options(struct measurement *measurement, const char *const *options)
{
    struct settings *settings = &measurement->settings;
    struct error *error = &measurement->error;
    char seed[24];
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)measurement->seed);
    int code = settings_add(settings, probe_common_options, error);
    if (code == 0)
        code = settings_add(settings, measurement->probe->help->options, error);
    if (code == 0)
        code = settings_set(settings, "seed", seed, error);
    if (code == 0)
        code = settings_set(settings, "budget", "600", error);
    for (; code == 0 && options && *options; options += 2)
        code = settings_set(settings, options[0], options[1], error);
    return code;
}

static int plan_and_measure(struct measurement *measurement)
{
    struct error *error = &measurement->error;
    measurement->timing = model_timing(measurement->model);
    measurement->run = (struct run){.machine = &measurement->facts,
                                    .settings = &measurement->settings,
                                    .probes = measurement->watched_alone,
                                    .document = &measurement->document,
                                    .model = &measurement->timing};
    int code = run_plan(&measurement->run, error);
    if (code == 0)
        code = run_measure(&measurement->run, error);
    if (code == 0)
        measurement->result = *measurement->run.turns[0].task.result;
    if (code == 0 && measurement->result.status != PROBE_OK)
        code = error_set(error, ERROR_SYSTEM, "%s", measurement->result.reason);
    return code;
}

int measurement_run(struct measurement *measurement, const struct probe *probe,
                    const char *const *options)
{
    const size_t before = measurement->document.probe_count;
    forget_probe(measurement);
    measurement->probe = probe;
    measurement->watched = *probe;
    measurement->watched_alone[0] = &measurement->watched;
    measurement->watched.observe = keep_trial;
    int code = read_options(measurement, options);
    if (code == 0)
        code = plan_and_measure(measurement);
    if (code < 0)
        measurement->document.probe_count = before;
    return code;
}
