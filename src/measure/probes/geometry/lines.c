/*
 * The line size: loads in pairs, over more lines than a level holds. The second load of a pair hits
 * while both are in one line.
 */
#include "measure/probes/geometry/state.h"
#include "stats/quantile.h"

#include <math.h>

enum {
    DISTANCE_LEAST = 8,
    DISTANCE_MOST = 256,
    DISTANCES = 6,
};
static const uint64_t region_most = 64 << 20;

static double capacity_of(const struct probe_task *task, int level)
{
    const struct cache_facts *cache = machine_cache(task->machine, level);
    double found = geometry_capacity_found(task->document, level);
    return !isnan(found) ? found : cache ? (double)cache->size_bytes : NAN;
}

int geometry_plan_pairs(struct probe_task *task, int level, struct error *error)
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
    int code =
        geometry_add_series(task, "pairs", "level", level + 1, (struct axis){"distance", "B"},
                            (struct axis){"latency", "ns"}, 0, error);
    state->pairs[level] = code;
    for (chain.stride = DISTANCE_LEAST; code >= 0 && chain.stride <= DISTANCE_MOST;
         chain.stride *= 2)
        code = geometry_add_point(task, state->pairs[level], (double)chain.stride, &chain, error);
    return code < 0 ? code : 0;
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

int geometry_keep_lines(struct probe_task *task, int level, struct error *error)
{
    struct geometry_state *state = task->state;
    if (state->pairs[level] < 0)
        return 0;
    int index =
        geometry_add_series(task, geometry_lines, "level", level + 1, (struct axis){"vote", ""},
                            (struct axis){"line", "B"}, GEOMETRY_VOTES, error);
    if (index < 0)
        return index;
    struct series *series = &task->plan.series[index];
    geometry_add_factor(series, geometry_rounds, trial_values_rounds(&state->values));
    for (unsigned vote = 0; vote < GEOMETRY_VOTES; vote++) {
        double latencies[DISTANCES], distances[DISTANCES];
        size_t n = 0;
        for (size_t i = 0; i < task->plan.point_count && n < DISTANCES; i++)
            if (task->plan.points[i].series == (size_t)state->pairs[level]) {
                latencies[n] = vote_value(state, i, vote);
                distances[n++] = task->plan.points[i].x;
            }
        double line = geometry_line_of(latencies, distances, n,
                                       geometry_nearest(&task->plan.series[state->conflicts[0]]));
        if (!isnan(line))
            trial_series_tell(series, vote, &line, 1);
    }
    return 0;
}
