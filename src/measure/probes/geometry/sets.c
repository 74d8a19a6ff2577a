/*
 * What the trials answer: how many lines fit a set, by stride; and the line size, by the distance
 * at which the second load of a pair still hits.
 */
#include "conclude/registry/finding.h"
#include "measure/probes/geometry/state.h"
#include "measure/probes/kit/build.h"
#include "stats/quantile.h"
#include "stats/step.h"

#include <math.h>

enum { ENDS = 6 };
static const double least_rise = 1.5; /* cycles: no second level is nearer to the first */
/* From this many times the floor's latency on, lines certainly do not fit. Values are cut off
 * there, or the step to the next level would hide behind the one after it. */
static const double off = 1.5;

size_t geometry_lines_at(int index)
{
    return (size_t)(index < GEOMETRY_LINES_EACH
                        ? index + 1
                        : GEOMETRY_LINES_EACH + 2 * (index - GEOMETRY_LINES_EACH + 1));
}

/* The points of the sweep stand stride by stride. */
static double conflict(const struct geometry_state *state, int stride, int count, unsigned trial)
{
    return trial_value(&state->values, (size_t)(stride * GEOMETRY_COUNTS + count), trial);
}

/* What a trial says of one stride: the most lines that were no slower than `floor`, the latency of
 * the level (NAN: that of a single line); NAN where no number of lines was, or all were. On both
 * ends stands what is known beforehand, as often as it takes to tell a floor and a top: a single
 * line fits, and more lines than any set holds don't. */
static double lines_fitting(const struct geometry_state *state, int stride, double floor,
                            unsigned trial)
{
    enum { VALUES = ENDS + GEOMETRY_COUNTS + ENDS };
    double values[VALUES], scratch[2 * VALUES];
    double nearest = isnan(floor) ? conflict(state, stride, 0, trial) : floor;
    /* All that is left of a rise, where the floor is so low that the cut comes before it. */
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
    return (double)geometry_lines_at((int)step.last - ENDS);
}

/* The second level's latency in a trial: of lines that contend for the first level's set alone. */
static double second_latency(const struct geometry_state *state, const struct geometry_ways *first,
                             unsigned trial)
{
    double values[GEOMETRY_COUNTS];
    size_t n = 0;
    int stride = (int)lround(log2(first->way_stride / (double)GEOMETRY_STRIDE_LEAST));
    for (int i = 0; i < GEOMETRY_COUNTS; i++)
        if ((double)geometry_lines_at(i) >= 1.5 * first->ways)
            values[n++] = conflict(state, stride, i, trial);
    if (n == 0)
        return NAN;
    sort_ascending(values, n);
    return median(values, n);
}

void geometry_keep_fitting(struct probe_task *task, int level, const struct geometry_ways *first)
{
    struct geometry_state *state = task->state;
    const int index = geometry_add_series(task, geometry_fitting, "level", level + 1,
                                          (struct axis){"stride", "B"}, (struct axis){"lines", ""},
                                          GEOMETRY_STRIDES);
    state->fitting[level] = index;
    build_factor(task, (unsigned)index, geometry_rounds, trial_values_rounds(&state->values));
    const struct machine_facts *facts = &task->machine->facts;
    double page = facts->page_size_count ? (double)facts->page_sizes[0] : 4096;
    for (int s = 0; s < GEOMETRY_STRIDES; s++) {
        double stride = (double)((size_t)GEOMETRY_STRIDE_LEAST << s), votes[GEOMETRY_TRIALS];
        size_t n = 0;
        /* On small pages, lines further apart contend for a TLB's set as well. */
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

double geometry_conflict(const struct series *series, double lines)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].x >= lines)
            return (double)series->points[i].y.median;
    return NAN;
}

double geometry_nearest(const struct series *series)
{
    if (!series || !series->point_count)
        return NAN;
    const struct point *point = &series->points[0];
    const bool cycles = isfinite(point->cycles.median);
    return (double)(cycles ? finding_quiet_cycles_of(point) : finding_quiet_time_of(point)).median;
}

/* The median of a vote's trials of a point; NAN where one is missing. */
static double vote_value(const struct geometry_state *state, size_t point, unsigned vote)
{
    double values[GEOMETRY_TRIALS_A_VOTE];
    for (unsigned i = 0; i < GEOMETRY_TRIALS_A_VOTE; i++) {
        values[i] = trial_value(&state->values, point, vote * GEOMETRY_TRIALS_A_VOTE + i);
        if (isnan(values[i]))
            return NAN;
    }
    sort_ascending(values, GEOMETRY_TRIALS_A_VOTE);
    return median(values, GEOMETRY_TRIALS_A_VOTE);
}

void geometry_keep_lines(struct probe_task *task, int level)
{
    struct geometry_state *state = task->state;
    if (state->pairs[level] < 0)
        return;
    const int index =
        geometry_add_series(task, geometry_lines, "level", level + 1, (struct axis){"vote", ""},
                            (struct axis){"line", "B"}, GEOMETRY_VOTES);
    build_factor(task, (unsigned)index, geometry_rounds, trial_values_rounds(&state->values));
    for (unsigned vote = 0; vote < GEOMETRY_VOTES; vote++) {
        double latencies[GEOMETRY_DISTANCES], distances[GEOMETRY_DISTANCES];
        size_t n = 0;
        for (size_t i = 0; i < task->plan.point_count && n < GEOMETRY_DISTANCES; i++)
            if (task->plan.points[i].series == (size_t)state->pairs[level]) {
                latencies[n] = vote_value(state, i, vote);
                distances[n++] = task->plan.points[i].x;
            }
        double line = geometry_line_of(latencies, distances, n,
                                       geometry_nearest(&task->plan.series[state->conflicts[0]]));
        if (!isnan(line))
            trial_series_tell(&task->plan.series[index], vote, &line, 1);
    }
}
