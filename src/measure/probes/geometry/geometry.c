/*
 * How the first two levels of cache are built: line size, ways and way stride, and whether the
 * second level includes the first.
 *
 * Ways: a chain through k lines, a stride apart. Lines a way stride apart are in one set, and with
 * one line more than the set has ways, the latency steps up (Saavedra and Smith, "Measuring cache
 * and TLB performance and their effect on benchmark run times", IEEE Trans. Computers 44(10),
 * 1995). Second levels are indexed by physical addresses, so this needs huge pages; third levels
 * hash their index, so no stride stays in one set.
 *
 * Line: pairs of loads, in random order over more lines than the level holds. The second load of a
 * pair hits if both are in one line. A plain sweep of strides would show the prefetchers.
 *
 * Inclusion: a hot line that always hits in the first level is never used in the second, so
 * contending lines evict it there. If its loads then miss, the second level is inclusive: the
 * eviction also removed the line from the first.
 */
#include "conclude/geometry.h"
#include "document/flag.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/trial_values.h"
#include "measure/probes/geometry/chain.h"
#include "measure/probes/kit/build.h"
#include "stats/curve.h"
#include "stats/order.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct axis latency_axis = {"latency", "ns"};

/* Names of series, and of the factor with the number of complete rounds that could vote. */
static const char conflicts[] = "conflicts", fitting_lines[] = "lines that fit",
                  lines_by_vote[] = "line by vote", hot_lines[] = "hot lines",
                  rounds_factor[] = "rounds";

enum {
    GEOMETRY_TRIALS = 9, /* one of them may differ: see stats/order.h */
    GEOMETRY_VOTES = 7,  /* votes on the line size, each from the medians of three trials */
    GEOMETRY_TRIALS_A_VOTE = 3,
    GEOMETRY_DISTANCES = 6, /* between the two loads of a pair */
    GEOMETRY_STRIDE_LEAST = 1 << 10,
    GEOMETRY_STRIDE_MOST = 1 << 20,
    GEOMETRY_STRIDES = 11,
    GEOMETRY_LINES_EACH = 24, /* every number of lines up to this, then even numbers only */
    GEOMETRY_LINES_MOST = 42,
    GEOMETRY_COUNTS = GEOMETRY_LINES_EACH + (GEOMETRY_LINES_MOST - GEOMETRY_LINES_EACH) / 2,
};

struct geometry_state {
    const struct seat *seat;
    size_t line_bytes;
    struct geometry_chain *chains; /* one for each point of the stage */
    size_t chain_count;
    struct trial_values values;
    int conflicts[GEOMETRY_STRIDES]; /* series, by stride */
    int fitting[GEOMETRY_LEVELS];    /* series; -1: none */
    int pairs[GEOMETRY_LEVELS], hot;
    bool small_pages;
};

/* --- planning --- */

static const double trial_ns = 100e3;
enum { SWEPT_LOADS = 512 }; /* at least twelve rounds of the ring */

static void plan_stage(struct probe_task *task)
{
    struct geometry_state *state = task->state;
    struct plan *plan = probe_plan_begin(task, state->seat->cpu, PAGES_AUTO, 0);
    state->chains = NULL;
    state->chain_count = 0;
    plan->trials_min = plan->trials_max = GEOMETRY_TRIALS;
    probe_plan_short_batches(plan, trial_ns);
    plan->precision = fmax(plan->precision, 0.1); /* enough for a step to be seen */
    plan->span_s = task->common.quick.has ? 0 : 0.5;
    plan->share = 0.7;
}

/* Adds a curve over `x`, or with `room` > 0 a series of the trials' results in `y`; returns its
 * index. */
static int add_series(struct probe_task *task, const char *name, const char *factor, double value,
                      struct axis x, struct axis y, size_t room)
{
    const unsigned series = build_series(task, (struct series){.name = name, .x = x, .y = y});
    build_factor(task, series, factor, value);
    if (room)
        task->plan.series[series].points = pool_alloc(task->pool, room, sizeof(struct point));
    return (int)series;
}

static void add_point(struct probe_task *task, int series, double x,
                      const struct geometry_chain *chain)
{
    struct geometry_state *state = task->state;
    struct geometry_chain *kept =
        pool_append(task->pool, (void **)&state->chains, &state->chain_count, sizeof *kept);
    struct plan_point *point =
        build_point(task, (unsigned)series, x, &state->seat->cpu, 1, MEASURED);
    *kept = *chain;
    point->arena_bytes = geometry_chain_bytes(chain);
    point->index = state->chain_count - 1;
}

/* --- results of the trials --- */

enum { ENDS = 6 };
static const double least_rise = 1.5; /* cycles: the first two levels differ by at least this */
/* At this many times the floor's latency lines certainly do not fit. Values are cut off there,
 * because otherwise a larger step to a farther level could hide the step to the next one. */
static const double off = 1.5;

/* The index-th number of lines of the sweep. */
static size_t lines_at(int index)
{
    return (size_t)(index < GEOMETRY_LINES_EACH
                        ? index + 1
                        : GEOMETRY_LINES_EACH + 2 * (index - GEOMETRY_LINES_EACH + 1));
}

/* The points of the sweep are ordered by stride, then by number of lines. */
static double conflict(const struct geometry_state *state, int stride, int count, unsigned trial)
{
    return trial_value(&state->values, (size_t)(stride * GEOMETRY_COUNTS + count), trial);
}

/* The most lines of one stride that fit a level in a trial. `floor` is the level's latency (NAN:
 * that of a single line). NAN if no number of lines fits, or all do. Known values are added at both
 * ends, enough for a floor and a top to be found: a single line fits, and more lines than any set
 * holds do not. */
static double lines_fitting(const struct geometry_state *state, int stride, double floor,
                            unsigned trial)
{
    enum { VALUES = ENDS + GEOMETRY_COUNTS + ENDS };
    double values[VALUES], scratch[2 * VALUES];
    double nearest = isnan(floor) ? conflict(state, stride, 0, trial) : floor;
    /* With a low floor the values are cut off below `least_rise`, so a smaller rise must count. */
    const double rise = fmin(least_rise, 0.9 * (off - 1) * nearest);
    struct step step;
    for (int i = 0; i < ENDS; i++) {
        values[i] = nearest;
        values[ENDS + GEOMETRY_COUNTS + i] = off * nearest;
    }
    for (int i = 0; i < GEOMETRY_COUNTS; i++) {
        double value = conflict(state, stride, i, trial);
        if (isnan(value))
            return NAN;
        values[ENDS + i] = fmin(fmax(value, isnan(floor) ? 0 : floor), off * nearest);
    }
    if (!step_find(values, VALUES, rise, &step, scratch) || step.last < ENDS ||
        step.last + 1 >= ENDS + GEOMETRY_COUNTS)
        return NAN;
    return (double)lines_at((int)step.last - ENDS);
}

/* The second level's latency in a trial: lines that contend for a set of the first level only. */
static double second_latency(const struct geometry_state *state, const struct geometry_ways *first,
                             unsigned trial)
{
    double values[GEOMETRY_COUNTS];
    size_t n = 0;
    int stride = (int)lround(log2(first->way_stride / (double)GEOMETRY_STRIDE_LEAST));
    for (int i = 0; i < GEOMETRY_COUNTS; i++)
        if ((double)lines_at(i) >= 1.5 * first->ways)
            values[n++] = conflict(state, stride, i, trial);
    return median_of(values, n);
}

/* Adds the series of how many lines fit a level, by stride; `first` is NULL for the first level. */
static void keep_fitting(struct probe_task *task, int level, const struct geometry_ways *first)
{
    struct geometry_state *state = task->state;
    const int index =
        add_series(task, fitting_lines, "level", level + 1, (struct axis){"stride", "B"},
                   (struct axis){"lines", ""}, GEOMETRY_STRIDES);
    state->fitting[level] = index;
    build_factor(task, (unsigned)index, rounds_factor, trial_values_rounds(&state->values));
    const struct machine_facts *facts = &task->machine->facts;
    double page = (double)facts_page_bytes(facts);
    for (int s = 0; s < GEOMETRY_STRIDES; s++) {
        double stride = (double)((size_t)GEOMETRY_STRIDE_LEAST << s), votes[GEOMETRY_TRIALS];
        size_t n = 0;
        /* On small pages, lines farther apart contend for a set of the TLB as well. */
        if (state->small_pages && stride > 2 * page)
            break;
        for (unsigned trial = 0; trial < state->values.trials && trial < GEOMETRY_TRIALS; trial++) {
            double floor = first ? second_latency(state, first, trial) : NAN;
            double lines = first && isnan(floor) ? NAN : lines_fitting(state, s, floor, trial);
            if (!isnan(lines))
                votes[n++] = lines;
        }
        if (3 * n > GEOMETRY_TRIALS)
            trial_series_tell(&task->plan.series[index], stride, votes, n);
    }
}

/* The latency of `lines` lines, or of the next larger number, in one stride's conflicts; NAN if it
 * was not measured. */
static double conflict_of(const struct series *series, double lines)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x >= lines)
            return (double)series->points[i].y.median;
    return NAN;
}

/* The latency of the fewest lines, in the unit of the trials' values: cycles if known, else ns. NAN
 * if it was not measured. */
static double nearest_of(const struct series *series)
{
    if (!series || !series->point_count)
        return NAN;
    const struct point *point = &series->points[0];
    const bool cycles = isfinite(point->cycles.median);
    return (double)(cycles ? finding_cycles_of(point) : finding_time_of(point)).median;
}

/* The median of a point's trials in one vote; NAN if a trial is missing. */
static double vote_value(const struct geometry_state *state, size_t point, unsigned vote)
{
    double values[GEOMETRY_TRIALS_A_VOTE];
    for (unsigned i = 0; i < GEOMETRY_TRIALS_A_VOTE; i++) {
        values[i] = trial_value(&state->values, point, vote * GEOMETRY_TRIALS_A_VOTE + i);
        if (isnan(values[i]))
            return NAN;
    }
    return median_of(values, GEOMETRY_TRIALS_A_VOTE);
}

/* Adds the line size of a level by groups of trials, because a single trial is too easily
 * disturbed. */
static void keep_lines(struct probe_task *task, int level)
{
    struct geometry_state *state = task->state;
    if (state->pairs[level] < 0)
        return;
    const int index = add_series(task, lines_by_vote, "level", level + 1, (struct axis){"vote", ""},
                                 (struct axis){"line", "B"}, GEOMETRY_VOTES);
    build_factor(task, (unsigned)index, rounds_factor, trial_values_rounds(&state->values));
    for (unsigned vote = 0; vote < GEOMETRY_VOTES; vote++) {
        double latencies[GEOMETRY_DISTANCES], distances[GEOMETRY_DISTANCES];
        size_t n = 0;
        for (size_t i = 0; i < task->plan.point_count && n < GEOMETRY_DISTANCES; i++)
            if (task->plan.points[i].series == (size_t)state->pairs[level]) {
                latencies[n] = vote_value(state, i, vote);
                distances[n++] = task->plan.points[i].x;
            }
        double line = geometry_line_of(latencies, distances, n,
                                       nearest_of(&task->plan.series[state->conflicts[0]]));
        if (!isnan(line))
            trial_series_tell(&task->plan.series[index], vote, &line, 1);
    }
}

/* --- planning the second stage --- */

enum { DISTANCE_LEAST = 8, DISTANCE_MOST = DISTANCE_LEAST << (GEOMETRY_DISTANCES - 1) };
static const uint64_t region_most = 64 << 20;

static double capacity_found(const struct document *document, int level)
{
    char name[16];
    snprintf(name, sizeof name, "L%d.capacity", level);
    const struct finding *finding = document ? document_finding(document, name) : NULL;
    return finding && finding->value > 0 ? finding->value : NAN;
}

static double capacity_of(const struct probe_task *task, int level)
{
    const struct geometry_state *state = task->state;
    const struct cache_facts *cache = cache_of_cpu(&task->machine->facts, level, state->seat->cpu);
    double found = capacity_found(task->document, level);
    return !isnan(found) ? found : cache ? (double)cache->size_bytes : NAN;
}

static void plan_hot(struct probe_task *task, const struct geometry_ways *first,
                     const struct geometry_ways *second)
{
    struct geometry_state *state = task->state;
    if (second->why || second->way_stride <= first->way_stride)
        return;
    /* Half as many again as the ways, so that all lines miss. */
    struct geometry_chain chain = {.kind = GEOMETRY_HOT,
                                   .count = (size_t)(second->ways * 1.5),
                                   .stride = (size_t)second->way_stride,
                                   .line_bytes = state->line_bytes};
    state->hot = add_series(task, hot_lines, "contending", (double)chain.count,
                            (struct axis){"in the same set", ""}, latency_axis, 0);
    build_factor(task, (unsigned)state->hot, "hot", (double)geometry_chain_hot(&chain));
    for (int same = 0; same < 2; same++) {
        chain.aside = same ? 0 : (size_t)first->way_stride;
        add_point(task, state->hot, same, &chain);
    }
}

static bool plan_second(struct probe_task *task)
{
    struct geometry_state *state = task->state;
    unsigned flags = 0;
    for (int s = 0; s < GEOMETRY_STRIDES; s++)
        flags |= series_flags(&task->plan.series[state->conflicts[s]]);
    state->small_pages = flags & FLAG_BIT(FLAG_SMALL_PAGES);
    keep_fitting(task, 0, NULL);
    struct geometry_ways first = geometry_ways_of(&task->plan.series[state->fitting[0]], 0);
    struct geometry_ways second = {NAN, NAN, "the first level's ways were not found"};
    if (!first.why && !state->small_pages) {
        keep_fitting(task, 1, &first);
        second = geometry_ways_of(&task->plan.series[state->fitting[1]], first.ways);
    }
    plan_stage(task);
    task->plan.trials_min = task->plan.trials_max = GEOMETRY_VOTES * GEOMETRY_TRIALS_A_VOTE;
    for (int level = 0; level < GEOMETRY_LEVELS; level++) {
        /* Pairs over more lines than the level holds, but few enough for the next level if there is
         * one. Plans nothing if no size does that, or memory is short. */
        double size = capacity_of(task, level + 1), beyond = capacity_of(task, level + 2);
        if (isnan(size) || !(isnan(beyond) || beyond >= 4 * size))
            continue;
        double touched = isnan(beyond) ? 4 * size : fmin(4 * size, sqrt(size * beyond));
        struct geometry_chain chain = {.kind = GEOMETRY_PAIRS,
                                       .count = (size_t)(touched / 2) / state->line_bytes,
                                       .line_bytes = state->line_bytes};
        if (geometry_chain_bytes(&chain) > region_most ||
            geometry_chain_bytes(&chain) > machine_memory_budget(task->machine))
            continue;
        state->pairs[level] = add_series(task, "pairs", "level", level + 1,
                                         (struct axis){"distance", "B"}, latency_axis, 0);
        for (chain.stride = DISTANCE_LEAST; chain.stride <= DISTANCE_MOST; chain.stride *= 2)
            add_point(task, state->pairs[level], (double)chain.stride, &chain);
    }
    plan_hot(task, &first, &second);
    trial_values_reserve(task, &state->values, 0);
    return task->plan.point_count > 0;
}

/* --- measuring --- */

static void prepare_geometry(struct trial *trial)
{
    const struct geometry_state *state = trial->probe_state;
    const struct geometry_chain *wanted = &state->chains[trial->point->index];
    chases_begin(trial, geometry_chain_build(wanted, trial->arena->memory, trial->seed),
                 geometry_chain_loads(wanted));
}

/* --- findings --- */

/* The series of that name in which the factor has that number; NULL if there is none. */
static const struct series *series_with(const struct analysis *analysis, const char *name,
                                        const char *factor, double number)
{
    const struct factor with[] = {{factor, NULL, number}, {.name = NULL}};
    return series_find(analysis->result->series, analysis->result->series_count, name, with);
}

/* Whether the third level held all lines at the widest stride, which it can't without a hashed
 * index. */
static bool third_held(const struct analysis *analysis, const struct geometry_evidence *evidence)
{
    const struct series *fitting[] = {evidence->levels[0].fitting, evidence->levels[1].fitting};
    if (!fitting[0] || !fitting[1])
        return false;
    const struct geometry_ways first = geometry_ways_of(fitting[0], 0);
    if (first.why)
        return false;
    const struct geometry_ways second = geometry_ways_of(fitting[1], first.ways);
    if (second.why)
        return false;
    const struct series *widest = series_with(analysis, conflicts, "stride", GEOMETRY_STRIDE_MOST),
                        *own = series_with(analysis, conflicts, "stride", second.way_stride);
    return widest && own &&
           conflict_of(widest, GEOMETRY_LINES_MOST) < 1.5 * conflict_of(own, 3 * second.ways);
}

/* Old documents hold the votes, but not how many trials could vote. */
static bool holds_rounds(const struct series *votes)
{
    return !votes || series_factor(votes, rounds_factor);
}

#include "geometry.findings.h"

/* --- plan, next, analyse --- */

static void plan_geometry(struct probe_task *task)
{
    struct geometry_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    *state = (struct geometry_state){.line_bytes = machine_line_bytes(task->machine),
                                     .fitting = {-1, -1},
                                     .pairs = {-1, -1},
                                     .hot = -1};
    state->seat = chases_seat(task, task->options);
    if (!((const struct setting *)task->options)->has)
        build_note(task, "cpu", state->seat->cpu);
    if (machine_memory_budget(task->machine) < (uint64_t)GEOMETRY_STRIDE_MOST * GEOMETRY_LINES_MOST)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "lines that contend for a set lie over %d MiB, and that much memory is not "
                   "free: free some",
                   GEOMETRY_STRIDE_MOST / 1024 * GEOMETRY_LINES_MOST / 1024);
    plan_stage(task);
    probe_plan_sweeps(&task->plan, GEOMETRY_TRIALS, SWEPT_LOADS);
    for (int s = 0; s < GEOMETRY_STRIDES; s++) {
        const size_t stride = (size_t)GEOMETRY_STRIDE_LEAST << s;
        state->conflicts[s] = add_series(task, conflicts, "stride", (double)stride,
                                         (struct axis){"lines", ""}, latency_axis, 0);
        for (int i = 0; i < GEOMETRY_COUNTS; i++) {
            const struct geometry_chain chain = {.kind = GEOMETRY_CONFLICT,
                                                 .count = lines_at(i),
                                                 .stride = stride,
                                                 .line_bytes = state->line_bytes};
            add_point(task, state->conflicts[s], (double)chain.count, &chain);
        }
    }
    trial_values_reserve(task, &state->values, GEOMETRY_TRIALS);
}

static bool next_geometry(struct probe_task *task)
{
    if (task->stage == 1)
        return plan_second(task);
    for (int level = 0; level < GEOMETRY_LEVELS; level++)
        keep_lines(task, level);
    return false;
}

static void analyse_geometry(struct analysis *analysis)
{
    const struct series *hot = analysis_series(analysis, hot_lines, NULL, NULL);
    const struct probe_result *result = analysis->result;
    unsigned flags = 0;
    for (size_t i = 0; i < result->series_count; i++)
        if (strcmp(result->series[i].name, conflicts) == 0)
            flags |= series_flags(&result->series[i]);
    struct geometry_evidence evidence = {
        .hot = hot,
        .hot_lines = series_number(hot, "hot"),
        .hot_others = series_number(hot, "contending"),
        .nearest = nearest_of(series_with(analysis, conflicts, "stride", GEOMETRY_STRIDE_LEAST)),
        .small_pages = flags & FLAG_BIT(FLAG_SMALL_PAGES),
        .lines_most = GEOMETRY_LINES_MOST,
        .stride_most = GEOMETRY_STRIDE_MOST,
        .declared = analysis->machine,
        .cpu = probe_cpu(result)};
    bool whole = !hot || isfinite(evidence.hot_lines);
    for (int level = 0; level < GEOMETRY_LEVELS; level++) {
        const struct series *fitting = series_with(analysis, fitting_lines, "level", level + 1),
                            *lines = series_with(analysis, lines_by_vote, "level", level + 1);
        whole = whole && holds_rounds(fitting) && holds_rounds(lines);
        evidence.levels[level] =
            (struct geometry_level){.fitting = fitting,
                                    .lines = lines,
                                    .capacity = capacity_found(analysis->document, level + 1)};
        if (fitting) /* a third of the rounds is too few for a vote */
            evidence.too_few_for_ways =
                3 * series_number(fitting, rounds_factor) <= GEOMETRY_TRIALS;
        if (!lines)
            continue;
        const double rounds = series_number(lines, rounds_factor);
        evidence.too_few_for_lines = 3 * rounds <= GEOMETRY_VOTES * GEOMETRY_TRIALS_A_VOTE;
        evidence.line_votes = analysis_count(rounds) / GEOMETRY_TRIALS_A_VOTE;
    }
    if (!whole) {
        analysis_keep(analysis,
                      "L<n>.line, L<n>.ways, L<n>.way_stride, L<n>.inclusive, L<n>.disagreement",
                      "the document does not hold how many rounds voted");
        return;
    }
    evidence.third_held = third_held(analysis, &evidence);
    findings_geometry(analysis->result, analysis->pool, &evidence);
}

#include "geometry.help.h"

const struct probe geometry_probe = {
    .name = "geometry",
    .place = 30,
    .help = &help,
    .weight = 5,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_geometry,
    .prepare = prepare_geometry,
    .observe = trial_values_observe,
    .next = next_geometry,
    .analyse = analyse_geometry,
};
