/*
 * Hand-off latency between cores: two CPUs pass a turn to and fro through a cache line, and half a
 * round trip is the time until one sees what the other wrote.
 *
 * The choice of the line matters most: between the same two cores, latencies differ by a third from
 * line to line, because a line's home (the slice of the last-level cache that keeps its directory
 * entry) depends on its address; on one line they repeat within a thousandth. So a trial is a line,
 * and every pair is measured on the same lines, on each at two times, which separates the lines'
 * share of the scatter from that of time.
 */
#include "measure/probes/cores/cores.h"

#include "base/cpulist.h"
#include "base/random.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

/* The line lies at a random step of its slot, followed by its payload: a line's home depends on
 * more address bits than the page's. */
enum { SLOT_STEP = 256, STATE_BYTES = 128, WARM_ROUND_TRIPS = 4, VISITS = 8 };
/* The only pair is measured in so many parts, which are spread over the run: a host moves CPUs
 * among cores that differ every few seconds. */
enum { PARTS = 24 };
/* Above this number of pairs, each pair is visited once for all its lines. */
enum { PAIRS_VISITED_OFTEN = 2048 };
static const double reference_every_s = 0.5;
/* Shares of the remaining time; they are divided by the homes that are left, so that each gets as
 * much. */
static const double share_of_rounds = 0.5, share_of_check = 0.3, share_of_pairs = 0.9;

int cores_rank(const struct cores_state *state, int cpu)
{
    const struct cores_rank key = {cpu, 0}, *found = bsearch(&key, state->ranks, state->cpu_count,
                                                             sizeof key, cpulist_by_id);
    return found ? found->rank : 0;
}

/* --- lines --- */

size_t cores_extent(const struct cores_state *state)
{
    return HANDOFF_PAYLOAD_OFFSET + (size_t)state->payload_lines * state->line_bytes +
           2 * STATE_BYTES;
}

/* The trial's line: the same for every pair, except for pairs side by side, which have separate
 * regions. */
static unsigned char *line_of(const struct trial *trial, const struct cores_state *state)
{
    size_t line = trial->number % state->lines;
    size_t slot = (size_t)trial->point->region * state->lines + line;
    uint64_t steps = (state->slot_bytes - cores_extent(state)) / SLOT_STEP + 1;
    uint64_t step = random_mix(state->seed + line) % steps;
    return trial->arena->memory + slot * state->slot_bytes + step * SLOT_STEP;
}

/* The sides' states lie at the end of the slot. A visit prepares all its trials first, so if it has
 * a line twice, the second trial continues from the first one's state. */
static void prepare_cores(struct trial *trial)
{
    const struct cores_state *state = trial->probe_state;
    const struct handoff *handoff = state->handoffs[trial->point->what];
    const struct handoff_place place = {line_of(trial, state), state->payload_lines,
                                        state->line_bytes};
    size_t offset = (size_t)(place.line - trial->arena->memory);
    unsigned char *end =
        trial->arena->memory + (offset / state->slot_bytes + 1) * state->slot_bytes;
    for (int side = 0; side < 2; side++) {
        trial->workers[side].run = handoff->run[side];
        trial->workers[side].state = end - (side + 1) * STATE_BYTES;
    }
    handoff->set_up(trial->workers[0].state, trial->workers[1].state, &place);
    trial->operations = 2; /* hand-offs per round trip */
    trial->passes_on = true;
}

/* --- plans --- */

static bool is_only_pair(const struct cores_state *state)
{
    return state->cpu_count == 2;
}

/* The settings that all plans share: lines, batches, memory. */
static void plan_lines(struct probe_task *task)
{
    struct plan *plan = &task->plan;
    const struct cores_state *state = task->state;
    const struct cores_options *asked = task->options;
    const unsigned trials = state->lines * state->passes, samples = (unsigned)asked->samples.number;
    const unsigned fewest_for_interval = plan->trials_min;
    const bool in_one_go = plan->point_count > PAIRS_VISITED_OFTEN || state->passes == 1;
    plan->trials_min = plan->trials_max = trials;
    plan->passes = state->passes;
    const unsigned visits = is_only_pair(state) ? PARTS : VISITS;
    plan->trials_per_visit = in_one_go ? trials : (trials + visits - 1) / visits;
    plan->look_trials = is_only_pair(state) && !task->named ? plan->trials_per_visit : 0;
    plan->batches = (samples + state->passes - 1) / state->passes;
    plan->batch_ns = 5e3;
    plan->repeats = (uint64_t)asked->iterations.number;
    plan->warm_repeats = WARM_ROUND_TRIPS;
    plan->span_s = 0; /* trials are lines: many of them replace a span of time */
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->node = state->homes[state->home_now];
    plan->touch_cpu = state->cpus[0];
    for (size_t i = state->cpu_count; plan->node >= 0 && i-- > 0;) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        if (place && place->node == plan->node)
            plan->touch_cpu = state->cpus[i];
    }
    if (state->lines < fewest_for_interval)
        plan->precision = INFINITY; /* --lines gives too few for an interval */
    else if (!task->common.precision.has)
        plan->precision = 0.1; /* of the median over lines, which do differ */
}

static unsigned add_series(struct probe_task *task, const char *name, enum handoff_op op)
{
    const struct cores_state *state = task->state;
    const unsigned series = build_series(
        task,
        (struct series){.name = name, .matrix = true, .x = {"cpu", ""}, .y = {"latency", "ns"}});
    build_factor_text(task, series, "op", handoff_names[op]);
    if (op == HANDOFF_PAYLOAD)
        build_factor(task, series, "payload_lines", state->payload_lines);
    return series;
}

static void plan_matrix(struct probe_task *task, enum cores_stage stage, size_t home)
{
    static const uint32_t first[] = {0, 1, 2, 3};
    struct cores_state *state = task->state;
    struct plan *plan = &task->plan;
    const bool parallel = state->parallel && stage == CORES_MATRIX;
    state->stage = stage;
    state->home_now = home;
    if (home == 0)
        state->visit_count = 0;
    cores_add_pairs(task, parallel);
    if (!plan->point_count)
        return;
    if (is_only_pair(state) && state->ends) {
        const unsigned series = add_series(task, "hand-off", HANDOFF_READWRITE);
        for (int i = 0; i < 2; i++)
            cores_add_pair(task, series, HANDOFF_READWRITE, 0, state->cpus[i], state->cpus[!i]);
        state->ends = false;
    }
    plan_lines(task);
    const size_t homes_left = state->home_count - home;
    const bool more = homes_left > 1 || state->ends || parallel;
    plan->share = !more ? 1 : (parallel ? share_of_rounds : share_of_pairs) / (double)homes_left;
    plan->correct_drift = ((const struct cores_options *)task->options)->correct_drift.has;
    if (plan->point_count > 2 || plan->correct_drift)
        plan->reference_every_s = reference_every_s;
    plan->look = first;
    plan->look_count = is_only_pair(state) ? plan->point_count : 1;
}

static void plan_cores(struct probe_task *task)
{
    struct cores_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    cores_choose(task, state);
    state->ranks = pool_alloc(task->pool, state->cpu_count, sizeof *state->ranks);
    for (size_t i = 0; i < state->cpu_count; i++)
        state->ranks[i] = (struct cores_rank){state->cpus[i], (int)i};
    qsort(state->ranks, state->cpu_count, sizeof *state->ranks, cpulist_by_id);
    build_note_text(task, "memory_order", state->handoffs[state->op]->order);
    if (state->ends)
        build_note_text(task, "readwrite_memory_order", state->handoffs[HANDOFF_READWRITE]->order);
    add_series(task, "hand-off", state->op);
    task->plan.series[SERIES_MATRIX].headline = true;
    plan_matrix(task, CORES_MATRIX, 0);
}

/* --- what comes next --- */

/* Plans some of the points that were measured side by side again, alone and on the same lines.
 * False if none were measured side by side. */
static bool plan_check(struct probe_task *task, const struct plan *done)
{
    struct cores_state *state = task->state;
    if (!state->alone)
        state->alone = (unsigned)task->plan.series_count;
    cores_add_check(task, done, state->alone);
    pool_give_back(task->pool, done->points);
    if (!task->plan.point_count)
        return false;
    if (state->alone == task->plan.series_count)
        add_series(task, "hand-off alone", state->op);
    state->stage = CORES_CHECK;
    plan_lines(task);
    task->plan.share = share_of_check / (double)(state->home_count - state->home_now);
    return true;
}

static bool plan_ends(struct probe_task *task)
{
    struct cores_state *state = task->state;
    const struct point *least, *most;
    series_extremes(&task->plan.series[SERIES_MATRIX], &least, &most);
    state->stage = CORES_ENDS;
    if (!least)
        return false;
    const unsigned series = add_series(task, "hand-off", HANDOFF_READWRITE);
    task->plan.points = pool_alloc(task->pool, 2, sizeof *task->plan.points);
    cores_add_pair(task, series, HANDOFF_READWRITE, 0, least->from, least->to);
    if (most != least)
        cores_add_pair(task, series, HANDOFF_READWRITE, 0, most->from, most->to);
    state->home_now = 0;
    plan_lines(task);
    return true;
}

/* After the checks of all homes: whether pairs measured side by side had the same values as alone.
 * Else plans the pairs that changed once more, one at a time. */
static bool is_unbiased(struct probe_task *task)
{
    struct cores_state *state = task->state;
    const bool checked = state->alone < task->plan.series_count;
    if (checked && !cores_bias(task))
        return true;
    state->parallel = state->kept != NULL;
    if (!checked)
        return true; /* no home had two pairs without a common core */
    struct series *matrix = &task->plan.series[SERIES_MATRIX];
    size_t kept = 0;
    for (size_t i = 0; state->kept && i < matrix->point_count; i++) {
        const size_t row = (size_t)cores_rank(state, matrix->points[i].from),
                     column = (size_t)cores_rank(state, matrix->points[i].to);
        if (state->kept[row * state->cpu_count + column])
            matrix->points[kept++] = matrix->points[i];
    }
    matrix->point_count = kept;
    if (!kept) {
        pool_give_back(task->pool, matrix->points);
        matrix->points = NULL;
    }
    plan_matrix(task, CORES_AGAIN, 0);
    return false;
}

static bool next_cores(struct probe_task *task)
{
    struct cores_state *state = task->state;
    const enum cores_stage done = state->stage;
    const int node = state->homes[state->home_now];
    const struct plan last = task->plan;
    state->began_s += task->outcome->elapsed_s;
    const int obtained = task->outcome->placement.node;
    const bool verified = node >= 0 ? obtained == node : obtained >= 0;
    if (done == CORES_MATRIX)
        state->homes_verified += verified;
    else if (done == CORES_AGAIN && last.point_count && !verified && state->homes_verified)
        state->homes_verified--;
    probe_plan_clear(task);
    if (done == CORES_MATRIX && state->parallel) {
        if (plan_check(task, &last))
            return true;
    } else {
        pool_give_back(task->pool, last.points); /* 42 MB for a thousand CPUs */
    }
    if (done == CORES_ENDS)
        return false;
    if (state->home_now + 1 < state->home_count) {
        plan_matrix(task, done == CORES_AGAIN ? CORES_AGAIN : CORES_MATRIX, state->home_now + 1);
        return true;
    }
    return (state->parallel && done != CORES_AGAIN && !is_unbiased(task)) ||
           (state->ends && plan_ends(task));
}

/* --- observing --- */

/* All trials of a visit report the same time at_s. */
static void add_to_reference(struct probe_task *task, const struct observation *seen)
{
    struct cores_state *state = task->state;
    struct cores_visit *last = state->visit_count ? &state->visits[state->visit_count - 1] : NULL;
    const double at_s = state->began_s + seen->at_s;
    if (!last || last->at_s < at_s || last->home != state->home_now ||
        state->trial_count >= state->lines * state->passes) {
        last = pool_append(task->pool, (void **)&state->visits, &state->visit_count, sizeof *last);
        state->trial_count = 0;
    }
    if (!last)
        return;
    last->at_s = at_s;
    last->home = state->home_now;
    last->from = seen->trial->point->from;
    last->to = seen->trial->point->to;
    double batches[seen->batch_count]; /* a trial's value is their median */
    for (unsigned i = 0; i < seen->batch_count; i++)
        batches[i] = seen->batches[i].ns;
    state->trial_values[state->trial_count++] =
        median_of(batches, seen->batch_count) / (seen->trial->operations * (double)seen->repeats);
    last->ns = median_of(state->trial_values, state->trial_count);
}

static void observe_cores(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    const struct cores_state *state = task->state;
    if (seen->batch_count && seen->reference)
        add_to_reference(task, seen);
    if (seen->batch_count && state->ways && seen->trial->point->what == HANDOFF_ONE_WAY)
        cores_ways_add(state->ways, state, seen);
}

#include "cores.help.h"

const struct probe cores_probe = {
    .name = "cores",
    .place = 40,
    .help = &help,
    .needs = NEEDS_TWO_CPUS,
    .weight = 3,
    .quick = true,
    .findings = {cores_lines, cores_experiment},
    .plan = plan_cores,
    .prepare = prepare_cores,
    .observe = observe_cores,
    .next = next_cores,
    .conclude = cores_conclude,
    .analyse = cores_analyse,
};
