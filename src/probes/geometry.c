/*
 * How the first two levels of cache are built: line size, ways and way stride, and whether the
 * second level includes the first.
 *
 * Ways: a chain through k lines, a stride apart. Lines a way stride apart meet in one set, and one
 * more than it has ways no longer fits: the latency steps (Saavedra and Smith, "Measuring cache and
 * TLB performance and their effect on benchmark run times", IEEE Trans. Computers 44(10), 1995).
 * Second levels are indexed by physical addresses, so that this takes huge pages; third levels
 * hash their index, so that no stride meets in one set.
 *
 * Line: loads in pairs, in random order over more lines than the level holds. The second load of a
 * pair hits while both are in one line. A plain sweep of strides would show the prefetchers.
 *
 * Inclusion: a hot line that the first level never gives up is not used in the second any more, so
 * that contending lines push it out there. If it then misses, the second level took it along.
 */
#include "findings/geometry.h"
#include "base/units.h"
#include "kernels/chase.h"
#include "probes/chases.h"
#include "probes/geometry_chain.h"
#include "probes/probes.h"
#include "probes/trial_values.h"
#include "result/flag.h"
#include "stats/quantile.h"
#include "stats/step.h"

#include <math.h>
#include <stdio.h>

enum {
    TRIALS = 9, /* one of them may differ: see stats/interval.h */
    VOTES = 7,  /* on the line size, each by the medians of three trials */
    TRIALS_A_VOTE = 3,
    STRIDE_LEAST = 1 << 10,
    STRIDE_MOST = 1 << 20,
    STRIDES = 11,
    LINES_EACH = 24, /* every number of lines up to it, and even ones beyond: the double of ways */
    LINES_MOST = 42,
    COUNTS = LINES_EACH + (LINES_MOST - LINES_EACH) / 2,
    DISTANCE_LEAST = 8,
    DISTANCE_MOST = 256,
    DISTANCES = 6,
    ENDS = 6,
};
static const double least_rise = 1.5; /* cycles: no second level is nearer to the first */
/* A latency over the floor's at which lines don't fit for certain: how far beyond does not matter,
 * or the step to the next level would hide behind the one after it. */
static const double off = 1.5;
static const struct axis latency_axis = {"latency", "ns"};
static const uint64_t region_most = 64 << 20;

struct geometry_state {
    const struct seat *seat;
    size_t line_bytes;
    struct geometry_chain *chains; /* one a point of the stage */
    size_t chain_count;
    struct trial_values values;
    int conflicts[STRIDES];       /* series, by stride */
    int fitting[GEOMETRY_LEVELS]; /* series; -1: none */
    int pairs[GEOMETRY_LEVELS], lines[GEOMETRY_LEVELS], hot;
    double hot_lines, hot_others;
    bool small_pages, third_held;
};

static const struct option_spec options[] = {
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

/* --- planning --- */

static void plan_stage(struct probe_task *task)
{
    struct geometry_state *state = task->state;
    struct plan *plan = &task->plan;
    probe_plan_afresh(task);
    state->chains = NULL;
    state->chain_count = 0;
    plan->touch_cpu = state->seat->cpu;
    plan->trials_min = plan->trials_max = TRIALS;
    plan->batches = 3;
    plan->batch_ns = 30e3;
    plan->precision = fmax(plan->precision, 0.1); /* what a step needs to be seen */
    plan->span_s = settings_has(task->settings, "quick") ? 0 : 0.5;
    plan->share = 0.7;
}

/* A curve over `x`, or what trials answer of `y` where there is `room`. `factor` may be NULL. */
static int add_series(struct probe_task *task, const char *name, const char *factor, double value,
                      struct axis x, struct axis y, size_t room, struct error *error)
{
    struct factor *factors = pool_alloc(task->pool, 1, sizeof *factors);
    if (!factors)
        return error_out_of_memory(error);
    *factors = (struct factor){factor, NULL, value};
    return trial_series_add(
        task,
        &(struct series){
            .name = name, .factors = factors, .factor_count = factor ? 1 : 0, .x = x, .y = y},
        room, error);
}

static int add_point(struct probe_task *task, int series, double x,
                     const struct geometry_chain *chain, struct error *error)
{
    struct geometry_state *state = task->state;
    struct plan *plan = &task->plan;
    struct geometry_chain *kept =
        pool_append(task->pool, (void **)&state->chains, &state->chain_count, sizeof *kept);
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    if (!kept || !point)
        return error_out_of_memory(error);
    *kept = *chain;
    point->series = (unsigned)series;
    point->x = x;
    point->seats = state->seat;
    point->seat_count = 1;
    point->arena_bytes = geometry_chain_bytes(chain);
    point->detail = state->chain_count - 1;
    return 0;
}

static size_t lines_of(int index)
{
    return (size_t)(index < LINES_EACH ? index + 1 : LINES_EACH + 2 * (index - LINES_EACH + 1));
}

static int plan_geometry(struct probe_task *task, struct error *error)
{
    struct geometry_state *state = pool_alloc(task->pool, 1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    task->state = state;
    *state = (struct geometry_state){.line_bytes = machine_line_bytes(task->machine),
                                     .fitting = {-1, -1},
                                     .pairs = {-1, -1},
                                     .lines = {-1, -1},
                                     .hot = -1};
    int code = chases_seat(task, &state->seat, error);
    if (code < 0)
        return code;
    if (machine_memory_budget(task->machine) < (uint64_t)STRIDE_MOST * LINES_MOST)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "lines that contend for a set lie over %d MiB, and so much memory is not "
                         "free: free some",
                         STRIDE_MOST / 1024 * LINES_MOST / 1024);
    plan_stage(task);
    for (int s = 0; s < STRIDES; s++) {
        size_t stride = (size_t)STRIDE_LEAST << s;
        int series = add_series(task, "conflicts", "stride", (double)stride,
                                (struct axis){"lines", ""}, latency_axis, 0, error);
        state->conflicts[s] = series;
        for (int i = 0; i < COUNTS && series >= 0; i++) {
            struct geometry_chain chain = {.kind = GEOMETRY_CONFLICT,
                                           .count = lines_of(i),
                                           .stride = stride,
                                           .line_bytes = state->line_bytes};
            code = add_point(task, series, (double)chain.count, &chain, error);
            if (code < 0)
                return code;
        }
        if (series < 0)
            return series;
    }
    return trial_values_reserve(&state->values, &task->plan, task->pool, error);
}

/* --- measuring --- */

static void prepare_geometry(struct trial *trial)
{
    const struct geometry_state *state = trial->probe_state;
    const struct geometry_chain *wanted = &state->chains[trial->point->detail];
    struct worker *worker = &trial->workers[0];
    struct chase *chase = (struct chase *)worker->room;
    chase->position = geometry_chain_build(wanted, trial->arena->memory, trial->seed);
    chase_run(chase, 2 * geometry_chain_loads(wanted) / chase_steps + 1);
    worker->run = chase_run;
    worker->state = chase;
    trial->operations = chase_steps;
}

static void observe_geometry(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct geometry_state *state = task->state;
    trial_values_keep(&state->values, &task->plan, seen);
}

/* --- how many lines fit --- */

/* The points of the sweep stand stride by stride. */
static double conflict(const struct geometry_state *state, int stride, int count, unsigned trial)
{
    return trial_value(&state->values, (size_t)(stride * COUNTS + count), trial);
}

/* What a trial says of one stride: the most lines that were no slower than `floor`, the latency of
 * the level (NAN: that of a single line); NAN where no number of lines was, or all were. On both
 * ends stands what is known beforehand, as often as it takes to tell a floor and a top: a single
 * line fits, and more lines than any set holds don't. */
static double lines_fitting(const struct geometry_state *state, int stride, double floor,
                            unsigned trial)
{
    enum { VALUES = ENDS + COUNTS + ENDS };
    double values[VALUES], scratch[2 * VALUES];
    double nearest = isnan(floor) ? conflict(state, stride, 0, trial) : floor;
    struct step step;
    for (int i = 0; i < ENDS; i++) {
        values[i] = nearest;
        values[ENDS + COUNTS + i] = off * nearest;
    }
    for (int i = 0; i < COUNTS; i++) {
        double value = conflict(state, stride, i, trial);
        if (isnan(value))
            return NAN;
        values[ENDS + i] = fmin(fmax(value, isnan(floor) ? 0 : floor), off * nearest);
    }
    if (!step_find(values, VALUES, least_rise, &step, scratch) || step.last < ENDS ||
        step.last + 1 >= ENDS + COUNTS)
        return NAN;
    return (double)lines_of((int)step.last - ENDS);
}

/* The second level's latency in a trial: of lines that contend for the first level's set alone. */
static double second_latency(const struct geometry_state *state, const struct geometry_ways *first,
                             unsigned trial)
{
    double values[COUNTS];
    size_t n = 0;
    int stride = (int)lround(log2(first->way_stride / STRIDE_LEAST));
    for (int i = 0; i < COUNTS; i++)
        if ((double)lines_of(i) >= 1.5 * first->ways)
            values[n++] = conflict(state, stride, i, trial);
    if (n == 0)
        return NAN;
    sort_ascending(values, n);
    return median(values, n);
}

/* Adds the series of how many lines fit a level, by stride; `first` is NULL for the first level. */
static int add_fitting(struct probe_task *task, int level, const struct geometry_ways *first,
                       struct error *error)
{
    struct geometry_state *state = task->state;
    int index = add_series(task, "lines that fit", "level", level + 1, (struct axis){"stride", "B"},
                           (struct axis){"lines", ""}, STRIDES, error);
    state->fitting[level] = index;
    if (index < 0)
        return index;
    struct series *series = &task->plan.series[index];
    const struct machine_facts *facts = &task->machine->facts;
    double page = facts->page_size_count ? (double)facts->page_sizes[0] : 4096;
    for (int s = 0; s < STRIDES; s++) {
        double stride = (double)((size_t)STRIDE_LEAST << s), votes[TRIALS];
        size_t n = 0;
        /* On small pages, lines further apart contend for a TLB's set as well. */
        if (state->small_pages && stride > 2 * page)
            break;
        for (unsigned trial = 0; trial < state->values.trials && trial < TRIALS; trial++) {
            double floor = first ? second_latency(state, first, trial) : NAN;
            double lines = first && isnan(floor) ? NAN : lines_fitting(state, s, floor, trial);
            if (!isnan(lines))
                votes[n++] = lines;
        }
        if (3 * n <= TRIALS)
            continue;
        struct point *point = &series->points[series->point_count++];
        *point = (struct point){.x = stride, .cycles = {NAN, NAN, NAN}, .scatter = {NAN, NAN, NAN}};
        summarize(votes, n, votes, &point->y);
    }
    return 0;
}

static double conflict_median(const struct probe_task *task, double stride, double lines)
{
    const struct geometry_state *state = task->state;
    int s = (int)lround(log2(stride / STRIDE_LEAST));
    const struct series *series =
        s >= 0 && s < STRIDES ? &task->plan.series[state->conflicts[s]] : NULL;
    for (size_t i = 0; series && i < series->point_count; i++)
        if (series->points[i].x >= lines)
            return (double)series->points[i].y.median;
    return NAN;
}

/* --- the second stage --- */

static double capacity_found(const struct probe_task *task, int level)
{
    char name[16];
    snprintf(name, sizeof name, "L%d.capacity", level);
    const struct finding *finding = task->document ? document_finding(task->document, name) : NULL;
    return finding && finding->value > 0 ? finding->value : NAN;
}

static double capacity_of(const struct probe_task *task, int level)
{
    const struct cache_facts *cache = machine_cache(task->machine, level);
    double found = capacity_found(task, level);
    return !isnan(found) ? found : cache ? (double)cache->size_bytes : NAN;
}

/* Pairs over so many lines that the level misses them and the next one, where there is one, holds
 * them. */
static int plan_pairs(struct probe_task *task, int level, struct error *error)
{
    struct geometry_state *state = task->state;
    double size = capacity_of(task, level + 1), beyond = capacity_of(task, level + 2);
    if (isnan(size) || !(isnan(beyond) || beyond >= 4 * size))
        return 0;
    double touched = isnan(beyond) ? 4 * size : fmin(4 * size, sqrt(size * beyond));
    struct geometry_chain chain = {.kind = GEOMETRY_PAIRS,
                                   .count = (size_t)(touched / 2) / state->line_bytes,
                                   .line_bytes = state->line_bytes};
    if (geometry_chain_bytes(&chain) > region_most ||
        geometry_chain_bytes(&chain) > machine_memory_budget(task->machine))
        return 0;
    int code = add_series(task, "pairs", "level", level + 1, (struct axis){"distance", "B"},
                          latency_axis, 0, error);
    state->pairs[level] = code;
    for (chain.stride = DISTANCE_LEAST; code >= 0 && chain.stride <= DISTANCE_MOST;
         chain.stride *= 2)
        code = add_point(task, state->pairs[level], (double)chain.stride, &chain, error);
    return code < 0 ? code : 0;
}

static int plan_hot(struct probe_task *task, const struct geometry_ways *first,
                    const struct geometry_ways *second, struct error *error)
{
    struct geometry_state *state = task->state;
    if (second->why || second->way_stride <= first->way_stride)
        return 0;
    /* Half as many again as fit, so that all of them miss. */
    struct geometry_chain chain = {.kind = GEOMETRY_HOT,
                                   .count = (size_t)(second->ways * 1.5),
                                   .stride = (size_t)second->way_stride,
                                   .line_bytes = state->line_bytes};
    state->hot_others = (double)chain.count;
    state->hot_lines = (double)geometry_chain_hot(&chain);
    int code = add_series(task, "hot lines", NULL, 0, (struct axis){"in the same set", ""},
                          latency_axis, 0, error);
    state->hot = code;
    for (int same = 0; code >= 0 && same < 2; same++) {
        chain.aside = same ? 0 : (size_t)first->way_stride;
        code = add_point(task, state->hot, same, &chain, error);
    }
    return code < 0 ? code : 0;
}

static int after_conflicts(struct probe_task *task, struct error *error)
{
    struct geometry_state *state = task->state;
    unsigned flags = 0;
    for (int s = 0; s < STRIDES; s++) {
        const struct series *series = &task->plan.series[state->conflicts[s]];
        for (size_t i = 0; i < series->point_count; i++)
            flags |= series->points[i].flags;
    }
    state->small_pages = flags & FLAG_BIT(FLAG_SMALL_PAGES);
    int code = add_fitting(task, 0, NULL, error);
    if (code < 0)
        return code;
    struct geometry_ways first = geometry_ways_of(&task->plan.series[state->fitting[0]], 0);
    struct geometry_ways second = {NAN, NAN, "unknown"};
    if (!first.why && !state->small_pages) {
        code = add_fitting(task, 1, &first, error);
        if (code == 0)
            second = geometry_ways_of(&task->plan.series[state->fitting[1]], first.ways);
    }
    plan_stage(task);
    task->plan.trials_min = task->plan.trials_max = VOTES * TRIALS_A_VOTE;
    for (int level = 0; level < GEOMETRY_LEVELS && code == 0; level++)
        code = plan_pairs(task, level, error);
    if (code == 0)
        code = plan_hot(task, &first, &second, error);
    if (code == 0 && !second.why)
        state->third_held = conflict_median(task, STRIDE_MOST, LINES_MOST) <
                            1.5 * conflict_median(task, second.way_stride, 3 * second.ways);
    if (code < 0 || task->plan.point_count == 0)
        return code;
    code = trial_values_reserve(&state->values, &task->plan, task->pool, error);
    return code < 0 ? code : 1;
}

/* In the unit of the trials' values: cycles where there are any. */
static double nearest_latency(const struct probe_task *task)
{
    const struct geometry_state *state = task->state;
    const struct series *series = &task->plan.series[state->conflicts[0]];
    if (!series->point_count)
        return NAN;
    const struct point *point = &series->points[0];
    return (double)(isfinite(point->cycles.median) ? point->cycles.median : point->y.median);
}

/* The median of a vote's trials of a point; NAN where one is missing. */
static double vote_value(const struct geometry_state *state, size_t point, unsigned vote)
{
    double values[TRIALS_A_VOTE];
    for (unsigned i = 0; i < TRIALS_A_VOTE; i++) {
        values[i] = trial_value(&state->values, point, vote * TRIALS_A_VOTE + i);
        if (isnan(values[i]))
            return NAN;
    }
    sort_ascending(values, TRIALS_A_VOTE);
    return median(values, TRIALS_A_VOTE);
}

/* The line size of a level, as groups of trials tell it: one alone is too easily disturbed. */
static int keep_lines(struct probe_task *task, int level, struct error *error)
{
    struct geometry_state *state = task->state;
    if (state->pairs[level] < 0)
        return 0;
    int index = add_series(task, "line by vote", "level", level + 1, (struct axis){"vote", ""},
                           (struct axis){"line", "B"}, VOTES, error);
    state->lines[level] = index;
    if (index < 0)
        return index;
    struct series *series = &task->plan.series[index];
    for (unsigned vote = 0; vote < VOTES; vote++) {
        double latencies[DISTANCES], distances[DISTANCES];
        size_t n = 0;
        for (size_t i = 0; i < task->plan.point_count && n < DISTANCES; i++)
            if (task->plan.points[i].series == (size_t)state->pairs[level]) {
                latencies[n] = vote_value(state, i, vote);
                distances[n++] = task->plan.points[i].x;
            }
        double line = geometry_line_of(latencies, distances, n, nearest_latency(task));
        if (!isnan(line))
            trial_series_tell(series, vote, &line, 1);
    }
    return 0;
}

static int next_geometry(struct probe_task *task, const struct sampled *sampled, unsigned stage,
                         struct error *error)
{
    (void)sampled;
    if (stage == 1)
        return after_conflicts(task, error);
    int code = 0;
    for (int level = 0; level < GEOMETRY_LEVELS && code == 0; level++)
        code = keep_lines(task, level, error);
    return code;
}

/* --- concluding --- */

static const struct series *series_at(const struct probe_task *task, int index)
{
    return index < 0 ? NULL : &task->result->series[index];
}

static int conclude_geometry(struct probe_task *task, const struct sampled *sampled,
                             struct error *error)
{
    (void)sampled;
    const struct geometry_state *state = task->state;
    struct geometry_evidence evidence = {.hot = series_at(task, state->hot),
                                         .hot_lines = state->hot_lines,
                                         .hot_others = state->hot_others,
                                         .nearest = nearest_latency(task),
                                         .small_pages = state->small_pages,
                                         .lines_most = LINES_MOST,
                                         .stride_most = STRIDE_MOST,
                                         .third_held = state->third_held,
                                         .declared = &task->machine->facts};
    for (int level = 0; level < GEOMETRY_LEVELS; level++)
        evidence.levels[level] =
            (struct geometry_level){.fitting = series_at(task, state->fitting[level]),
                                    .lines = series_at(task, state->lines[level]),
                                    .capacity = capacity_found(task, level + 1)};
    return findings_geometry(task->result, task->pool, &evidence, error);
}

const struct probe geometry_probe = {
    .name = "geometry",
    .title = "How the caches are built",
    .summary = "line size, ways and way stride of the first two levels, and inclusion",
    .about = "A cache is a table of sets with a few ways each. Lines that lie a way stride apart "
             "meet in one set, and of these only as many stay as it has ways: data laid out in "
             "such strides (rows of a power of two) fits far less than the capacity. A line is "
             "what one miss brings.\n"
             "Numbers are reported where the trials agree on them, beside what the machine "
             "declares. The second level takes huge pages, because it is indexed by physical "
             "addresses; third levels hash their index, and no stride tells their ways. Where the "
             "second level includes the first, a line that it gives up is lost to both.",
    .weight = 5,
    .quick = false,
    .options = options,
    .plan = plan_geometry,
    .prepare = prepare_geometry,
    .observe = observe_geometry,
    .next = next_geometry,
    .conclude = conclude_geometry,
};
