/*
 * What one operation costs by the state of the line: modified, exclusive, shared, or in no cache
 * (the states of MESI; Papamarcos and Patel, "A low-overhead coherence solution for multiprocessors
 * with private cache memories", ISCA 1984). A helper on another CPU brings the lines of a ring into
 * the state, then the measuring CPU goes round once and does the operation on each line in turn.
 *
 * The helper prepares them in the untimed first part of a batch, so that only the operations are
 * timed (its repeats and the measuring worker's are counted in twos: prepare, measure).
 */
#include "measure/probes/sharing/coherence.h"
#include "document/flag.h"
#include "measure/kernels/ring.h"

#include <string.h>

/* The lines lie an odd number of lines apart, so that they spread evenly over a cache's sets and no
 * prefetcher of line pairs fetches one with another. 512 of them fit the helper's first-level or
 * second-level cache. */
enum { LINES = 512, LINES_APART = 3, RINGS = 8, CONTROL_BYTES = 256 };

enum { BY_ALL, BY_STATE, BY_SIZE };
/* The states' share of the time where sizes follow; and the most seconds for all, unless more are
 * asked for. */
static const double states_share = 0.45, most_s = 18;

#include "coherence.help.h"

/* --- planning --- */

/* The nearest cache that both use; 0: none is known. */
static int common_cache(const struct machine *machine, int a, int b)
{
    for (size_t i = 0; i < machine->cache_count; i++)
        if (cpulist_has(&machine->caches[i].cpus, a) && cpulist_has(&machine->caches[i].cpus, b))
            return machine->caches[i].level;
    return 0;
}

enum nearness { ONE_CORE, ONE_CACHE, ONE_NODE, ONE_PACKAGE, TWO_PACKAGES, NEARNESSES };
static enum nearness nearness_of(const struct machine *machine, const struct cpu_place *a,
                                 const struct cpu_place *b)
{
    if (a->core >= 0 && a->core == b->core)
        return ONE_CORE;
    if (a->package != b->package)
        return TWO_PACKAGES;
    if (a->node != b->node)
        return ONE_PACKAGE;
    return common_cache(machine, a->id, b->id) ? ONE_CACHE : ONE_NODE;
}

const char *nearness_text(const struct probe_task *task, int cpu, int other)
{
    static const char *const texts[] = {[ONE_CORE] = "threads of one core",
                                        [ONE_NODE] = "cores of one node",
                                        [ONE_PACKAGE] = "two nodes of one package",
                                        [TWO_PACKAGES] = "two packages"};
    const struct machine *machine = task->machine;
    const struct cpu_place *a = machine_cpu(machine, cpu), *b = machine_cpu(machine, other);
    const enum nearness nearness = a && b ? nearness_of(machine, a, b) : ONE_NODE;
    return nearness == ONE_CACHE
               ? pool_printf(task->pool, "cores with one L%d", common_cache(machine, cpu, other))
               : texts[nearness];
}

/* Which of the task's CPUs hold lines for the first one: all of them, or one of each nearness. */
static const bool *choose_holders(const struct probe_task *task, bool all)
{
    const struct cpulist *cpus = &task->cpus;
    const struct cpu_place *first = machine_cpu(task->machine, cpus->ids[0]);
    bool *holds = pool_alloc(task->pool, cpus->count, sizeof *holds), seen[NEARNESSES] = {false};
    for (size_t i = 1; i < cpus->count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, cpus->ids[i]);
        const enum nearness nearness =
            first && place ? nearness_of(task->machine, first, place) : ONE_NODE;
        holds[i] = all || !seen[nearness];
        seen[nearness] = true;
    }
    return holds;
}

static bool shares_core(const struct probe_task *task, int a, int b)
{
    return machine_core(task->machine, a) == machine_core(task->machine, b);
}

/* A third CPU that shares the lines with the holder, so that the measuring CPU has no copy; -1 if
 * there is none. It must be on a third core: threads of the holder's core use the same copy, and a
 * thread of the measuring core would bring the lines there. */
static int choose_sharer(const struct probe_task *task, int holder)
{
    const struct cpulist *cpus = &task->cpus;
    for (size_t i = cpus->count; i-- > 1;)
        if (!shares_core(task, cpus->ids[i], holder) &&
            !shares_core(task, cpus->ids[i], cpus->ids[0]))
            return cpus->ids[i];
    return -1;
}

/* An operation on lines in each state. */
static void plan_states(struct probe_task *task)
{
    const struct coherence_options *asked = task->options;
    struct plan *plan = &task->plan;
    struct coherence_state *state = task->state;
    const bool *holds = choose_holders(task, task->common.cpus.has);
    /* Notes each holder, followed by what shares its lines, because the topology is needed for
     * that: a CPU, or "core" if the measuring CPU is a thread of the holder's core, or "self" if
     * the measuring CPU itself must share them. */
    struct factor *sharers = build_note_list(task, "sharers");
    for (size_t i = 1; i < task->cpus.count; i++) {
        const int holder = task->cpus.ids[i], sharer = choose_sharer(task, holder);
        if (!holds[i])
            continue;
        build_element(task, sharers, holder);
        if (sharer >= 0)
            build_element(task, sharers, sharer);
        else
            build_word(task, sharers,
                       shares_core(task, task->cpus.ids[0], holder) ? "core" : "self");
    }
    state->stride = (size_t)LINES_APART * state->line_bytes;
    state->ring_bytes = CONTROL_BYTES + (size_t)asked->lines.number * state->stride;
    if (asked->by.choice == BY_ALL)
        plan->share = states_share;
    plan->arena_life = ARENA_WHOLE_STAGE;
    /* A batch goes once round a ring that was prepared for it. */
    plan->batches = 1;
    plan->repeats = plan->warm_repeats = 1;
    plan->trials_per_visit = RINGS;
    plan->trials_min = 3 * RINGS;
    plan->trials_max = plan->trials_max > 6 * RINGS ? plan->trials_max : 6 * RINGS;
    if (!task->common.precision.has)
        plan->precision = 0.05;
    /* A series for each operation and state; its index encodes both. */
    for (enum touch_op op = 0; op < TOUCH_OPS; op++) {
        build_note_text(task, pool_printf(task->pool, "memory_order.%s", touch_of(op)->name),
                        touch_of(op)->order);
        for (enum line_state line_state = 0; line_state < LINE_STATES; line_state++) {
            const unsigned series =
                build_series(task, (struct series){.name = "operation",
                                                   .matrix = true,
                                                   .headline = !plan->series_count,
                                                   .x = {"cpu", ""},
                                                   .y = {"latency", "ns"}});
            build_factor_text(task, series, "op", touch_of(op)->name);
            build_factor_text(task, series, "state", line_state_names[line_state]);
            if (!line_state_possible(line_state))
                continue;
            for (size_t i = 1; i < task->cpus.count; i++)
                if (holds[i]) {
                    const int first = task->cpus.ids[0], holder = task->cpus.ids[i];
                    const int sharer = line_state == LINE_SHARED ? choose_sharer(task, holder) : -1;
                    const int cpus[] = {first, holder, sharer};
                    struct plan_point *point =
                        build_point(task, series, 0, cpus, sharer >= 0 ? 3 : 2, PARTNER);
                    point->from = first;
                    point->to = holder;
                    point->arena_bytes = RINGS * state->ring_bytes;
                    point->index = series;
                }
        }
    }
}

/* The stages have that share of the time. */
static void limit(struct probe_task *task, double share)
{
    if (!task->common.budget.has && !task->common.thorough.has)
        task->plan.lasts_s = most_s * share;
}

static void plan_coherence(struct probe_task *task)
{
    const struct coherence_options *asked = task->options;
    struct coherence_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->line_bytes = machine_line_bytes(task->machine);
    if (asked->by.choice != BY_STATE) {
        const bool *holds = choose_holders(task, false);
        int *holders = pool_alloc(task->pool, task->cpus.count, sizeof *holders);
        for (size_t i = 1; i < task->cpus.count; i++)
            if (holds[i])
                holders[state->holder_count++] = task->cpus.ids[i];
        state->holders = holders;
        held_note(task);
    }
    if (asked->by.choice != BY_SIZE) {
        state->first_held = SIZE_MAX;
        plan_states(task);
    } else if (!held_plan(task)) {
        build_skip(task, "there is no memory for a set: free memory");
    }
    limit(task, task->plan.share);
}

static bool next_coherence(struct probe_task *task)
{
    const struct coherence_options *asked = task->options;
    if (task->stage > 1 || asked->by.choice != BY_ALL)
        return false;
    probe_plan_clear(task);
    limit(task, 1 - states_share);
    return held_plan(task);
}

/* --- measuring --- */

static void prepare_state(struct trial *trial)
{
    const struct coherence_state *state = trial->probe_state;
    const struct plan_point *point = trial->point;
    const enum line_state line_state = (enum line_state)(point->index % LINE_STATES);
    const enum touch_op op = (enum touch_op)(point->index / LINE_STATES);
    unsigned char *memory = trial->arena->memory + trial->number % RINGS * state->ring_bytes;
    uint64_t *stage = (uint64_t *)memory;
    struct ring ring = {.memory = memory + CONTROL_BYTES,
                        .count = (state->ring_bytes - CONTROL_BYTES) / state->stride,
                        .stride = state->stride,
                        .order = RING_RANDOM,
                        .seed = trial->seed};
    ring_build(&ring);
    for (size_t i = 0; i < ring.count; i++)
        *(uint64_t *)(ring.memory + i * ring.stride + sizeof(void *)) = 0;
    *stage = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        struct line_ring *part = (struct line_ring *)trial->workers[i].room;
        bool touches_lines = i == 0;
        *part = (struct line_ring){.first = ring.memory,
                                   .lines = ring.count,
                                   .stage = stage,
                                   .turn = touches_lines ? point->seat_count - 1 : i - 1,
                                   .step = point->seat_count,
                                   .state = line_state,
                                   .rests = true,
                                   .flushed = line_flush_possible(),
                                   .second = i == 2,
                                   .own_copy = touches_lines && line_state == LINE_SHARED &&
                                               point->seat_count == 2};
        trial->workers[i].state = part;
        trial->workers[i].run = touches_lines ? touch_of(op)->run : line_helper_run;
    }
    trial->operations = (double)ring.count;
}

static void prepare_coherence(struct trial *trial)
{
    const struct coherence_state *state = trial->probe_state;
    if (trial->point->series >= state->first_held)
        held_prepare(trial);
    else
        prepare_state(trial);
}

/* --- concluding --- */

/* Where the lines were, in words. */
static const char *where(struct analysis *analysis, enum line_state state,
                         const struct point *point)
{
    static const char *const places[] = {
        [LINE_MODIFIED] = "modified in the cache of CPU %d",
        [LINE_EXCLUSIVE] = "exclusive, and clean, in the cache of CPU %d",
        [LINE_INVALID] = "in no cache; CPU %d had it last",
    };
    size_t count;
    const struct factor *list = analysis_list(analysis, "sharers", &count), *sharer = NULL;
    for (size_t i = 0; i + 1 < count; i += 2)
        if (!list[i].text && list[i].number == point->to)
            sharer = &list[i + 1];
    if (state != LINE_SHARED) /* the table has its text */
        return pool_printf(analysis->pool, places[state], point->to);
    if (!sharer)
        return pool_printf(analysis->pool, "shared by CPU %d", point->to);
    if (!sharer->text)
        return pool_printf(analysis->pool, "shared by CPUs %d and %.0f", point->to, sharer->number);
    if (strcmp(sharer->text, "core") == 0)
        return pool_printf(analysis->pool,
                           "in the cache that CPU %d and the measuring CPU have in common, as they "
                           "are threads of one core: a CPU of another core would show it shared",
                           point->to);
    return pool_printf(analysis->pool,
                       "shared by CPU %d and the measuring CPU itself: a CPU of a third core would "
                       "show it without a copy of one's own",
                       point->to);
}

static void analyse_coherence(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    const bool known = analysis_parameter(analysis, "sharers"),
               guest = analysis->machine && analysis->machine->hypervisor;
    if (!known)
        analysis_keep(analysis, "coherence.*.shared",
                      "the document does not say which CPU shared the lines");
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        if (!series->matrix)
            continue;
        const char *op = analysis_factor(series, "op"), *held = analysis_factor(series, "state");
        enum line_state state = 0;
        while (state < LINE_STATES && strcmp(line_state_names[state], held) != 0)
            state++;
        if (state == LINE_STATES || (state == LINE_SHARED && !known))
            continue;
        for (size_t p = 0; p < series->point_count; p++) {
            const struct point *point = &series->points[p];
            const int low = point->from < point->to ? point->from : point->to,
                      high = point->from < point->to ? point->to : point->from;
            if (!point->y.n)
                continue;
            struct finding *finding = analysis_add_point(
                analysis,
                pool_printf(analysis->pool, "coherence.%s.%s", op, line_state_names[state]), "ns",
                point, point->flags | (guest ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0));
            finding->cpus = pool_printf(analysis->pool, "%d,%d", low, high);
            finding->text = pool_printf(analysis->pool, "%s by CPU %d, the line %s", op,
                                        point->from, where(analysis, state, point));
        }
        analysis_read_off(analysis, series);
    }
    held_analyse(analysis);
}

#include "coherence.findings.h"

const struct probe coherence_probe = {
    .name = "coherence",
    .place = 100,
    .help = &help,
    .needs = NEEDS_TWO_CPUS,
    .thorough = true,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_coherence,
    .next = next_coherence,
    .prepare = prepare_coherence,
    .analyse = analyse_coherence,
};
