#include "measure/run/run.h"

#include "base/random.h"
#include "machine/conditions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double budget_alone_s = 25, budget_quick_s = 4, budget_thorough_s = 600;
static const double default_precision = 0.01;

/* --- which probes, and how much time each may have --- */

/* A whole run on a twin measures what the document's run measured. */
static bool is_due(const struct run *run, const struct probe *probe)
{
    const struct probe *const *only = run->only;
    while (only && *only && *only != probe)
        only++;
    if (only && !*only)
        return false;
    if (run->twin && !run->probes)
        return document_probe(&run->twin->document, probe->name);
    const bool whole = probe->weight > 0 ? probe->quick || !run->asked.quick.has
                                         : probe->thorough && run->asked.thorough.has;
    return run->probes || (whole && !(run->no_devices && probe->findings.of_devices));
}

static int skip(struct run_turn *turn, const struct probe *probe, struct probe_result *result,
                const char *why)
{
    turn->task.probe = probe;
    turn->task.result = result;
    turn->task.plan.look_count = 0;
    *result = (struct probe_result){.name = probe->name,
                                    .title = probe->help->title,
                                    .about = probe->help->about,
                                    .status = PROBE_SKIPPED,
                                    .reason = why};
    return 0;
}

/* --- levels first --- */

/* Where no cache is declared, a curve of a second finds L1 and L2 for probes that measure in them.
 */
static const double curve_s = 1;

static const struct probe *curve_before(const struct run *run)
{
    const struct probe *latency = probe_by_name("latency");
    bool wanted = false;
    for (size_t i = 0; run->probes && run->probes[i] && !run->twin; i++) {
        if (run->probes[i] == latency)
            return NULL;
        wanted = wanted || run->probes[i]->sized_by_found;
    }
    return wanted && !machine_last_cache(run->machine) &&
                   !document_probe(run->document, latency->name)
               ? latency
               : NULL;
}

/* The curve takes the CPUs that a person chose for the named probes, and none of their other
 * options, which mean something else for the curve. */
static int set_curve(const struct run *run, struct settings *settings, struct error *error)
{
    static const char *const shared[] = {"cpu", "cpus", "seed"};
    int code = settings_set(settings, "quick", NULL, error);
    if (code == 0)
        code = settings_set(settings, "to", "16M", error);
    const struct setting *given;
    for (size_t i = 0; (given = settings_at(run->settings, i)) && code == 0; i++)
        for (size_t k = 0; k < sizeof shared / sizeof *shared && code == 0; k++)
            if (given->given && strcmp(given->spec->name, shared[k]) == 0)
                code = settings_set(settings, shared[k], given->text, error);
    return code;
}

/* --- planning --- */

static int plan_turn(struct run *run, struct run_turn *turn, const struct probe *probe,
                     struct probe_result *result, struct error *error)
{
    const bool curve = run->levels_first && turn == run->turns;
    turn->settings.given = curve ? NULL : run->settings;
    turn->task.named = run->probes;
    turn->task.several = !run->probes || run->probes[1];
    turn->task.seed = run->seed;
    turn->task.document = run->document;
    turn->task.model = run->model;
    int code = settings_add(&turn->settings, probe->help->options, error);
    if (code == 0)
        code = settings_add(&turn->settings, probe_common_options, error);
    if (code == 0 && run->asked.quick.has)
        code = settings_set(&turn->settings, "quick", NULL, error);
    if (code == 0 && curve)
        code = set_curve(run, &turn->settings, error);
    if (code == 0 && run->twin && probe->no_twin)
        return skip(turn, probe, result, probe->no_twin);
    if (code == 0)
        code = probe_prepare(&turn->task, probe, &turn->settings, run->machine,
                             &run->document->pool, result, error);
    if (code == 0 && !run->probes && (probe->needs & WANTS_TWO_NODES) &&
        run->machine->facts.node_count < 2)
        return skip(turn, probe, result, "this machine has a single NUMA node");
    if (code == 0 && run->twin && result->status == PROBE_OK && twin_lacks(run->twin, &turn->task))
        return skip(turn, probe, result, "the document holds no figure of it");
    return code;
}

static int plan_turns_after(struct run *run, const struct probe *curve, struct error *error)
{
    const struct probe *const *list = run->probes ? run->probes : probes;
    run->levels_first = curve != NULL;
    size_t count = run->levels_first;
    for (size_t i = 0; list[i]; i++)
        count += is_due(run, list[i]);
    struct document *document = run->document;
    struct probe_result *results =
        pool_alloc(&document->pool, document->probe_count + count, sizeof *results);
    run->turns = calloc(count ? count : 1, sizeof *run->turns);
    if (!results || !run->turns)
        return error_out_of_memory(error);
    for (size_t i = 0; i < document->probe_count; i++) /* results of earlier runs */
        results[i] = document->probes[i];
    document->probes = results;
    results += document->probe_count;
    int code = 0;
    if (curve) {
        struct run_turn *turn = &run->turns[run->turn_count++];
        code = plan_turn(run, turn, curve, &results[0], error);
        turn->task.weight_s = curve_s;
    }
    for (size_t i = 0; list[i] && code == 0; i++)
        if (is_due(run, list[i])) {
            const size_t turn = run->turn_count++;
            code = plan_turn(run, &run->turns[turn], list[i], &results[turn], error);
        }
    return code;
}

/* No curve is measured for probes of which none can be. */
static int plan_turns(struct run *run, struct error *error)
{
    int code = plan_turns_after(run, curve_before(run), error);
    bool possible = !run->levels_first;
    for (size_t i = 1; i < run->turn_count; i++)
        possible = possible || run->turns[i].task.result->status != PROBE_SKIPPED;
    if (code == 0 && !possible) {
        run_release(run);
        code = plan_turns_after(run, NULL, error);
    }
    return code;
}

/* The turn's weight in seconds: what the probe planned, else the weight in its table, else the
 * default of a probe that no ordinary run has; 0 where there is nothing to measure. */
double run_weight(const struct run *run, size_t turn)
{
    const struct probe_task *task = &run->turns[turn].task;
    return task->result->status == PROBE_SKIPPED ? 0
           : task->weight_s > 0                  ? task->weight_s
           : task->probe->weight > 0             ? task->probe->weight
                                                 : budget_alone_s;
}

static double weight_from(const struct run *run, size_t first)
{
    double weight = 0;
    for (size_t i = first; i < run->turn_count; i++)
        weight += run_weight(run, i);
    return weight;
}

double run_share(const struct run *run, size_t turn)
{
    const double weight = run_weight(run, turn);
    return weight > 0 ? weight / weight_from(run, turn) : 0;
}

/* A whole run takes the sum of its probes' weights; a probe that is named alone gets more time. */
static double budget_of(const struct run *run)
{
    const struct common_options *asked = &run->asked;
    if (asked->budget.has)
        return asked->budget.number;
    if (run->twin && !asked->thorough.has && run->twin->document.run.budget_s > 0)
        return fmin(run->twin->document.run.budget_s, 1e6); /* as --budget */
    if (asked->quick.has || asked->thorough.has)
        return asked->quick.has ? budget_quick_s : budget_thorough_s;
    const double weight = weight_from(run, 0);
    return run->probes && run->turn_count == 1u + run->levels_first ? fmax(weight, budget_alone_s)
                                                                    : weight;
}

/* --- what the document says of the run --- */

void run_on_twin(struct run *run, struct twin *twin)
{
    run->twin = twin;
    run->model = &twin->model;
    run->machine = &twin->machine;
    run->no_devices = true;
}

int run_plan(struct run *run, struct error *error)
{
    settings_fill(run->settings, probe_common_options, &run->asked);
    if (run->twin && !run->asked.thorough.has && !run->asked.budget.has)
        run->asked.quick.has = run->asked.quick.has || run_was_quick(&run->twin->document.run);
    run->planned_ns = timing_now_ns(run->model);
    if (!run->began_ns)
        run->began_ns = run->planned_ns;
    if (run->model || !os_work(&run->planned_work))
        run->planned_work = (struct os_work){0};
    /* 48 bits: a seed that any JSON reader can hold. */
    run->seed =
        run->asked.seed.has ? (uint64_t)run->asked.seed.number
        : run->twin
            ? run->twin->document.run.seed
            : random_mix((uint64_t)time(NULL) ^ run->began_ns ^ (uint64_t)getpid() << 32) >> 16;
    if (run->nth)
        run->seed = random_mix(run->seed + run->nth) >> 16;
    /* A model or a recorded machine has no condition that could spoil a measurement. */
    struct conditions *conditions = &run->document->conditions;
    struct checks checks;
    int code = 0;
    if (!run->model && run->machine->live)
        code = conditions_read(run->machine, &(struct machine_source){0}, &run->document->pool,
                               conditions, &checks, error);
    conditions->stolen_s = conditions->others_cpus = NAN;
    if (run->twin)
        *conditions = run->twin->document.conditions;
    conditions->core_hz = NAN;
    if (code == 0)
        code = plan_turns(run, error);
    if (code == 0 && !run->model && !run->machine->live)
        code = error_set(error, ERROR_IMPOSSIBLE,
                         "FATHOM_ROOT or an HWLOC_ variable of the environment names another "
                         "machine, which can be looked at (fathom doctor) but not measured: unset "
                         "it");
    if (code < 0)
        return code;
    run->budget_s = budget_of(run);
    struct document *document = run->document;
    struct run_facts *facts = &document->run;
    const uint64_t mixed = run->seed ^ os_raw_ns() ^ (uint64_t)getpid() << 40;
    char started[32];
    time_t now = time(NULL);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    facts->id = pool_printf(&document->pool, "%016llx", (unsigned long long)random_mix(mixed));
    facts->started = pool_strdup(&document->pool, started);
    facts->seed = run->seed;
    facts->precision =
        run->asked.precision.has ? run->asked.precision.number / 100 : default_precision;
    facts->budget_s = run->budget_s;
    document->machine = run->machine->facts;
    for (size_t i = 0; i < run->turn_count; i++)
        if (run->turns[i].task.gpu_count) {
            document->machine.gpus = run->turns[i].task.gpus;
            document->machine.gpu_count = run->turns[i].task.gpu_count;
        }
    return facts->id && facts->started ? 0 : error_out_of_memory(error);
}
