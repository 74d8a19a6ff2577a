/*
 * Hand-off latency between cores: two CPUs pass a turn to and fro through a cache line, and half a
 * round trip is what it takes one to see what the other wrote.
 *
 * Which line it is matters more than anything else: the same two cores differ by a third from line
 * to line, because a line's home (the slice of the last-level cache that keeps its directory
 * entry) depends on its address, while one line repeats within a thousandth. So a trial is a line,
 * and every pair is measured on the same many lines, and on each at two times, which tells the
 * lines' share of the scatter from that of time.
 */
#include "measure/probes/cores/cores.h"

#include "base/random.h"
#include "conclude/registry/finding.h"
#include "measure/probes/kit/probe.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

/* The line lies at some step of its slot, with its payload behind it: homes differ by more than
 * the page. */
enum { SLOT_STEP = 256, STATE_BYTES = 128, WARM_ROUND_TRIPS = 4, VISITS = 8 };
/* Beyond this number of pairs, each is visited once for all its lines. */
enum { PAIRS_VISITED_OFTEN = 2048 };
static const double reference_every_s = 0.5;
/* Shares of the time that is left, so that each of the other homes gets as much. */
static const double share_of_rounds = 0.5, share_of_check = 0.3, share_of_pairs = 0.9;

int cores_out_of_memory(struct error *error)
{
    return error_set(error, ERROR_SYSTEM,
                     "out of memory for that many pairs: choose fewer CPUs with --cpus");
}

static int by_cpu(const void *a, const void *b)
{
    const struct cores_rank *x = a, *y = b;
    return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int rank_cpus(struct cores_state *state, struct pool *pool)
{
    state->ranks = pool_alloc(pool, state->cpu_count, sizeof *state->ranks);
    if (!state->ranks)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < state->cpu_count; i++)
        state->ranks[i] = (struct cores_rank){state->cpus[i], (int)i};
    qsort(state->ranks, state->cpu_count, sizeof *state->ranks, by_cpu);
    return 0;
}

int cores_rank(const struct cores_state *state, int cpu)
{
    const struct cores_rank key = {cpu, 0}, *found = bsearch(&key, state->ranks, state->cpu_count,
                                                             sizeof key, by_cpu);
    return found ? found->rank : 0;
}

/* --- lines --- */

size_t cores_extent(const struct cores_state *state)
{
    return HANDOFF_PAYLOAD_OFFSET + (size_t)state->payload_lines * state->line_bytes +
           2 * STATE_BYTES;
}

unsigned char *cores_line(const struct trial *trial, const struct cores_state *state)
{
    size_t line = trial->number % state->lines;
    size_t slot = (size_t)trial->point->region * state->lines + line;
    uint64_t steps = (state->slot_bytes - cores_extent(state)) / SLOT_STEP + 1;
    uint64_t step = random_mix(state->seed + line) % steps;
    return trial->arena->memory + slot * state->slot_bytes + step * SLOT_STEP;
}

/* The sides' states lie at the end of the slot: where a line comes twice in one visit, which
 * prepares everything first, the second time goes on from what the first one left. */
static void prepare_cores(struct trial *trial)
{
    const struct cores_state *state = trial->probe_state;
    const struct handoff *handoff = state->handoffs[trial->point->what];
    const struct handoff_place place = {cores_line(trial, state), state->payload_lines,
                                        state->line_bytes};
    size_t offset = (size_t)(place.line - trial->arena->memory);
    unsigned char *end =
        trial->arena->memory + (offset / state->slot_bytes + 1) * state->slot_bytes;
    for (int side = 0; side < 2; side++) {
        trial->workers[side].run = handoff->run[side];
        trial->workers[side].state = end - (side + 1) * STATE_BYTES;
    }
    handoff->set_up(trial->workers[0].state, trial->workers[1].state, &place);
    trial->operations = 2; /* hand-offs a round trip */
}

/* --- plans --- */

/* What is common to all plans: lines, batches, memory. */
static void plan_lines(struct probe_task *task, size_t pairs)
{
    struct plan *plan = &task->plan;
    const struct cores_state *state = task->state;
    const struct settings *settings = task->settings;
    unsigned trials = state->lines * state->passes;
    unsigned samples = (unsigned)settings_number(settings, "samples");
    const unsigned fewest_for_interval = plan->trials_min;
    int node = state->homes[state->home_now];
    plan->trials_min = plan->trials_max = trials;
    plan->passes = state->passes;
    plan->trials_per_visit =
        pairs > PAIRS_VISITED_OFTEN || state->passes == 1 ? trials : (trials + VISITS - 1) / VISITS;
    plan->batches = (samples + state->passes - 1) / state->passes;
    plan->batch_ns = 5e3;
    plan->repeats = settings_has(settings, "iterations")
                        ? (uint64_t)settings_number(settings, "iterations")
                        : 0;
    plan->warm_repeats = WARM_ROUND_TRIPS;
    plan->span_s = 0; /* the trials are lines: their number makes up for the time */
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->node = node;
    plan->touch_cpu = state->cpus[0];
    for (size_t i = state->cpu_count; node >= 0 && i-- > 0;) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        if (place && place->node == node)
            plan->touch_cpu = state->cpus[i];
    }
    if (state->lines < fewest_for_interval)
        plan->precision = INFINITY; /* too few lines were asked for to give an interval */
    else if (!settings_has(settings, "precision"))
        plan->precision = 0.1; /* of the median over lines that do differ */
}

static int plan_matrix(struct probe_task *task, bool parallel, struct error *error)
{
    struct cores_state *state = task->state;
    struct plan *plan = &task->plan;
    int code = parallel ? cores_add_rounds(task, error) : cores_add_pairs(task, error);
    if (code < 0 || !plan->point_count)
        return code;
    plan_lines(task, plan->point_count);
    size_t homes_left = state->home_count - state->home_now;
    bool more = homes_left > 1 || state->ends || parallel;
    plan->share = !more ? 1 : (parallel ? share_of_rounds : share_of_pairs) / (double)homes_left;
    plan->correct_drift = settings_has(task->settings, "correct-drift");
    if (plan->point_count > 2 || plan->correct_drift)
        plan->reference_every_s = reference_every_s;
    if (state->home_now == 0)
        state->visit_count = 0;
    static const uint32_t one_pair[] = {0};
    plan->look = one_pair;
    plan->look_count = 1;
    return 0;
}

static struct series *add_series(struct probe_task *task, const char *name, enum handoff_op op)
{
    const struct cores_state *state = task->state;
    struct factor *factor = pool_alloc(task->pool, 2, sizeof *factor);
    struct series *series = &task->plan.series[task->plan.series_count++];
    *series = (struct series){
        .name = name, .matrix = true, .x = {"cpu", ""}, .y = {"latency", "ns"}, .factors = factor};
    if (!factor)
        return NULL;
    factor[series->factor_count++] = (struct factor){"op", handoff_names[op], 0};
    if (op == HANDOFF_PAYLOAD)
        factor[series->factor_count++] =
            (struct factor){"payload_lines", NULL, state->payload_lines};
    return series;
}

static int note_order(struct probe_task *task, const char *parameter, const struct handoff *handoff,
                      struct error *error)
{
    struct factor *order = probe_add_parameter(task, parameter);
    if (!order)
        return cores_out_of_memory(error);
    order->text = handoff->order;
    return 0;
}

static void plan_cores(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct plan *plan = &task->plan;
    struct cores_state *state = pool_alloc(task->pool, 1, sizeof *state);
    if (!state)
        return (void)pool_check(task->pool, cores_out_of_memory(error));
    task->state = state;
    int code = cores_choose(task, state, error);
    if (code == 0) {
        plan->series =
            pool_alloc(task->pool, SERIES_MATRICES + state->home_count, sizeof *plan->series);
        code = plan->series ? 0 : cores_out_of_memory(error);
    }
    if (code == 0 && rank_cpus(state, task->pool) < 0)
        code = cores_out_of_memory(error);
    if (code == 0)
        code = note_order(task, "memory_order", state->handoffs[state->op], error);
    if (code == 0 && state->ends)
        code =
            note_order(task, "readwrite_memory_order", state->handoffs[HANDOFF_READWRITE], error);
    struct series *matrix = code == 0 ? add_series(task, "hand-off", state->op) : NULL;
    if (code == 0 && !matrix)
        code = cores_out_of_memory(error);
    if (matrix)
        matrix->headline = true;
    return (void)pool_check(task->pool,
                            code == 0 ? plan_matrix(task, state->parallel, error) : code);
}

/* --- what comes next --- */

/* Some of the points that were measured side by side again, on the same lines, each alone. 0 where
 * none were side by side. */
static int plan_check(struct probe_task *task, const struct plan *done, struct error *error)
{
    struct cores_state *state = task->state;
    if (!state->alone)
        state->alone = (unsigned)task->plan.series_count;
    int code = cores_add_check(task, done, state->alone, error);
    pool_give_back(task->pool, done->points);
    if (code < 0 || !task->plan.point_count)
        return code;
    if (state->alone == task->plan.series_count && !add_series(task, "hand-off alone", state->op))
        return cores_out_of_memory(error);
    state->stage = CORES_CHECK;
    plan_lines(task, task->plan.point_count);
    task->plan.share = share_of_check / (double)(state->home_count - state->home_now);
    return 1;
}

static int plan_ends(struct probe_task *task, struct error *error)
{
    struct cores_state *state = task->state;
    const struct point *least, *most;
    series_extremes(&task->plan.series[SERIES_MATRIX], &least, &most);
    if (!least)
        return 0;
    if (!cores_reserve(task, 2) || !add_series(task, "hand-off", HANDOFF_READWRITE))
        return cores_out_of_memory(error);
    unsigned series = (unsigned)task->plan.series_count - 1;
    cores_set_point(&task->plan, state, series, HANDOFF_READWRITE, 0, least->from, least->to);
    if (most != least)
        cores_set_point(&task->plan, state, series, HANDOFF_READWRITE, 0, most->from, most->to);
    state->home_now = 0;
    plan_lines(task, 2);
    return 1;
}

static int plan_homes(struct probe_task *task, enum cores_stage stage, size_t home,
                      struct error *error)
{
    struct cores_state *state = task->state;
    state->stage = stage;
    state->home_now = home;
    int code = plan_matrix(task, state->parallel && stage == CORES_MATRIX, error);
    return code < 0 ? code : 1;
}

/* Whether side by side was as good as alone, once all homes have been checked. 1: it was not, and
 * every pair is planned anew. */
static int judge_check(struct probe_task *task, struct error *error)
{
    struct cores_state *state = task->state;
    if (state->alone >= task->plan.series_count) {
        state->parallel = false; /* no home had two pairs that share no core */
        return 0;
    }
    double bias;
    int code = cores_bias(task, &task->plan.series[state->alone], &bias, error);
    if (code < 0 || !(fabs(bias) > state->bias_limit))
        return code;
    struct series *matrix = &task->plan.series[SERIES_MATRIX];
    pool_give_back(task->pool, matrix->points);
    matrix->points = NULL;
    matrix->point_count = 0;
    state->homes_verified = 0;
    state->parallel = false;
    return plan_homes(task, CORES_AGAIN, 0, error);
}

static bool next_cores(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct cores_state *state = task->state;
    (void)stage;
    const enum cores_stage done = state->stage;
    int node = state->homes[state->home_now];
    state->began_s += outcome->elapsed_s;
    if (done != CORES_CHECK && done != CORES_ENDS)
        state->homes_verified +=
            node >= 0 ? outcome->placement.node == node : outcome->placement.node >= 0;
    const struct plan last = task->plan;
    const bool last_home = state->home_now + 1 == state->home_count;
    int code = 0;
    probe_plan_clear(task);
    if (done == CORES_MATRIX && state->parallel)
        code = plan_check(task, &last, error);
    else
        pool_give_back(task->pool, last.points); /* a thousand CPUs' are 42 MB */
    if (code != 0)
        return pool_check(task->pool, code) > 0;
    if (done != CORES_ENDS && !last_home)
        return pool_check(task->pool,
                          plan_homes(task, done == CORES_AGAIN ? CORES_AGAIN : CORES_MATRIX,
                                     state->home_now + 1, error)) > 0;
    if (done != CORES_ENDS && state->parallel)
        code = judge_check(task, error);
    if (code != 0 || done == CORES_ENDS || !state->ends)
        return pool_check(task->pool, code) > 0;
    state->stage = CORES_ENDS;
    return pool_check(task->pool, plan_ends(task, error)) > 0;
}

/* --- observing --- */

/* Time of one hand-off: the median of the trial's batches. */
static double trial_ns(const struct observation *seen)
{
    double values[seen->batch_count];
    for (unsigned i = 0; i < seen->batch_count; i++)
        values[i] = seen->batches[i].ns;
    sort_ascending(values, seen->batch_count);
    return median(values, seen->batch_count) / (seen->trial->operations * (double)seen->repeats);
}

/* The trials of one visit end at the same time. */
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
    state->trial_values[state->trial_count++] = trial_ns(seen);
    sort_ascending(state->trial_values, state->trial_count);
    last->ns = median(state->trial_values, state->trial_count);
    last->lines = state->trial_count;
}

static void observe_cores(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct cores_state *state = task->state;
    if (!seen->batch_count)
        return;
    if (seen->reference)
        add_to_reference(task, seen);
    if (state->samples) {
        cores_samples_add(state->samples, state, seen);
        task->unfinished = cores_samples_unfinished(state->samples);
    }
    if (state->ways && seen->trial->point->what == HANDOFF_ONE_WAY)
        cores_ways_add(state->ways, state, seen);
}

static void release_cores(struct probe_task *task)
{
    struct cores_state *state = task->state;
    if (state)
        cores_samples_free(state->samples);
    task->state = NULL;
}

const struct probe cores_probe = {
    .name = "cores",
    .place = 40,
    .title = "Hand-off latency between cores",
    .summary = "how long one core takes to see what another wrote, for every pair",
    .about =
        "Two CPUs pass a turn to and fro through memory; half a round trip is one hand-off. Every "
        "pair is measured in both directions on the same many cache lines, on each at two times, "
        "and the figure is the median over the lines. With cas both sides compare-and-swap one "
        "line; with readwrite each writes a line of its own and waits for the other's, about two "
        "line transfers. Where no --op is named, the nearest and the farthest pair are measured "
        "with readwrite too. With --quick, one pair stands for all.\n"
        "What moves it: which core, cluster or socket each CPU is in; the line's home, which its "
        "address decides (hence the many lines; the spread over them is shown); the clock of the "
        "interconnect. In a virtual machine, where the CPUs really sit is unknown.\n"
        "Above 32 CPUs pairs that share no core are measured side by side; one pair in 20 (6 to "
        "512 of them) is measured again alone, and where that differs by more than --bias, every "
        "pair is. --sequential measures one pair at a time from the start.\n"
        "--lines 1 --samples 500 --iterations 4000 measures as single-line tools do.",
    .needs = NEEDS_TWO_CPUS,
    .weight = 3,
    .quick = true,
    .options = cores_options,
    .findings = {cores_lines, cores_experiment},
    .plan = plan_cores,
    .prepare = prepare_cores,
    .observe = observe_cores,
    .next = next_cores,
    .conclude = cores_conclude,
    .analyse = cores_analyse,
    .release = release_cores,
};
