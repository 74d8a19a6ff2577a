#include "measure.h"

#include "engine/visit.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

static const uint64_t GIB = UINT64_C(1) << 30;
enum { SMALL_PAGE = 4096, HUGE_PAGE = 2 << 20 };

static void describe_machine(struct measurement *measurement)
{
    const struct model_machine *machine = measurement->machine;
    for (unsigned level = 0; level < machine->level_count; level++)
        measurement->caches[level] = (struct cache_facts){
            (int)level + 1,      level == 0 ? "data" : "unified", machine->caches[level].bytes,
            machine->line_bytes, machine->caches[level].ways,     "0"};
    measurement->facts = (struct machine){
        .facts = {.caches = measurement->caches, .cache_count = machine->level_count},
        .cpus = &measurement->place,
        .cpu_count = 1,
        .allowed = {&measurement->place.id, 1},
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

static void forget_probe(struct measurement *measurement)
{
    probe_release(&measurement->task);
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

/* The observer is the task, and the task is the measurement's. */
static struct measurement *measurement_of(void *task)
{
    return (struct measurement *)((char *)task - offsetof(struct measurement, task));
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
    if (measurement->arena_bytes == 0)
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
    kept->value_ns = median(sorted, kept->batches);
}

/* The arena is real, and this system may give it other pages than the model gives its own. */
static struct stage_outcome as_modelled(const struct measurement *measurement,
                                        const struct stage_outcome *outcome)
{
    const struct plan *plan = &measurement->task.plan;
    bool huge = measurement->machine->huge_pages && plan->pages != PAGES_SMALL;
    struct stage_outcome modelled = *outcome;
    modelled.placement.page_bytes = huge ? HUGE_PAGE : SMALL_PAGE;
    modelled.placement.huge_share = huge;
    return modelled;
}

static int next_modelled(struct probe_task *task, const struct stage_outcome *outcome,
                         unsigned stage, struct error *error)
{
    const struct measurement *measurement = measurement_of(task);
    const struct stage_outcome modelled = as_modelled(measurement, outcome);
    return measurement->probe->next(task, &modelled, stage, error);
}

static int conclude_modelled(struct probe_task *task, const struct stage_outcome *outcome,
                             struct error *error)
{
    const struct measurement *measurement = measurement_of(task);
    const struct stage_outcome modelled = as_modelled(measurement, outcome);
    struct probe_result *result = task->result;
    const char *pages =
        modelled.placement.page_bytes == HUGE_PAGE ? "huge (2 MiB)" : "small (4 KiB)";
    for (size_t i = 0; i < result->parameter_count; i++)
        if (strcmp(result->parameters[i].name, "pages_obtained") == 0)
            result->parameters[i].text = pages; /* which the findings go by */
    return measurement->probe->conclude ? measurement->probe->conclude(task, &modelled, error) : 0;
}

static int read_options(struct measurement *measurement, const struct probe *probe,
                        const char *const *options)
{
    struct settings *settings = &measurement->settings;
    struct error *error = &measurement->error;
    int code = settings_add(settings, probe_common_options, error);
    if (code == 0)
        code = settings_add(settings, probe->options, error);
    if (code == 0)
        code = settings_set(settings, "seed", "1", error);
    for (; code == 0 && options && *options; options += 2)
        code = settings_set(settings, options[0], options[1], error);
    return code;
}

static int plan_and_measure(struct measurement *measurement, const struct probe *watched)
{
    struct error *error = &measurement->error;
    struct document *document = &measurement->document;
    struct stage_outcome outcome;
    int code = probe_prepare(&measurement->task, watched, &measurement->settings,
                             &measurement->facts, &document->pool, &measurement->result, error);
    if (code < 0)
        return code;
    struct team *team;
    code = team_create(&team, NULL, error);
    if (code < 0)
        return code;
    measurement->task.document = document;
    struct timing_model timing = model_timing(measurement->model);
    struct clock clock = {.name = "model", .hz = 1e9};
    struct engine engine = {.machine = &measurement->facts,
                            .clock = &clock,
                            .team = team,
                            .seed = measurement->seed,
                            .model = &timing};
    const double budget_s = 600;
    code = probe_measure(&measurement->task, &engine, budget_s, &outcome, error);
    team_free(team);
    if (code == 0 && measurement->result.status != PROBE_OK)
        code = error_set(error, ERROR_SYSTEM, "%s", measurement->result.reason);
    return code;
}

int measurement_run(struct measurement *measurement, const struct probe *probe,
                    const char *const *options)
{
    struct document *document = &measurement->document;
    forget_probe(measurement);
    measurement->probe = probe;
    int code = read_options(measurement, probe, options);
    if (code < 0)
        return code;
    struct probe watched = *probe;
    watched.observe = keep_trial;
    watched.next = probe->next ? next_modelled : NULL;
    watched.conclude = conclude_modelled;
    code = plan_and_measure(measurement, &watched);
    measurement->task.probe = probe;
    struct probe_result *result = code < 0
                                      ? NULL
                                      : pool_append(&document->pool, (void **)&document->probes,
                                                    &document->probe_count, sizeof *result);
    if (code == 0 && !result)
        return error_set(&measurement->error, ERROR_SYSTEM, "out of memory");
    if (result)
        *result = measurement->result;
    return code;
}
