/*
 * Which pairs a plan measures, and in what order: one after the other, or in rounds of pairs that
 * share no core; and which of those that were measured side by side are measured again alone.
 */
#include "measure/probes/cores/cores.h"

#include "base/random.h"
#include "measure/probes/cores/tournament.h"

#include <stdlib.h>

/* Of pairs measured side by side, one in twenty is measured again alone. Six give an interval,
 * and 512 show 1 %, however many there are. */
enum { CHECK_ONE_IN = 20, CHECK_LEAST = 6, CHECK_MOST = 512 };

static bool at_home(const struct probe_task *task, const struct cores_state *state, int from,
                    int to)
{
    const struct cpu_place *place =
        machine_cpu(task->machine, state->home == HOME_FIRST ? from : to);
    return state->home_count == 1 || !place || place->node == state->homes[state->home_now];
}

void cores_set_point(struct plan *plan, const struct cores_state *state, unsigned series,
                     enum handoff_op op, unsigned region, int from, int to)
{
    plan->points[plan->point_count++] =
        (struct plan_point){.series = series,
                            .from = from,
                            .to = to,
                            .seat_count = 2,
                            .arena_bytes = state->regions * state->lines * state->slot_bytes,
                            .what = op,
                            .region = region};
}

bool cores_reserve(struct probe_task *task, size_t pairs)
{
    task->plan.points = pool_alloc(task->pool, pairs, sizeof *task->plan.points);
    task->plan.point_count = 0;
    return task->plan.points;
}

int cores_add_pairs(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    if (!cores_reserve(task, state->cpu_count * (state->cpu_count - 1)))
        return cores_out_of_memory(error);
    for (size_t i = 0; i < state->cpu_count; i++)
        for (size_t j = 0; j < state->cpu_count; j++)
            if (i != j && at_home(task, state, state->cpus[i], state->cpus[j]))
                cores_set_point(&task->plan, state, SERIES_MATRIX, state->op, 0, state->cpus[i],
                                state->cpus[j]);
    return 0;
}

/* --- side by side --- */

/* The core of each CPU, for the tournament. */
static int *list_cores(const struct probe_task *task, const struct cores_state *state)
{
    int *cores = pool_alloc(task->pool, state->cpu_count, sizeof *cores);
    for (size_t i = 0; i < state->cpu_count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        cores[i] = place ? place->core : -1;
    }
    return cores;
}

int cores_width(const struct probe_task *task, const struct cores_state *state, size_t *width)
{
    *width = tournament_width(list_cores(task, state), state->cpu_count, task->pool);
    return 0;
}

int cores_add_rounds(struct probe_task *task, struct error *error)
{
    const struct cores_state *state = task->state;
    struct plan *plan = &task->plan;
    cores_reserve(task, state->cpu_count * (state->cpu_count - 1));
    const struct tournament rounds =
        tournament_plan(list_cores(task, state), state->cpu_count, task->pool);
    size_t parts = (state->cpu_count / 2 + CORES_SIDE_BY_SIDE - 1) / CORES_SIDE_BY_SIDE;
    unsigned *groups = pool_alloc(task->pool, rounds.round_count * parts + 1, sizeof *groups);
    const struct pairing *pairing = rounds.pairings;
    for (size_t round = 0; round < rounds.round_count; round++) {
        size_t before = plan->point_count;
        for (unsigned i = 0; i < rounds.rounds[round]; i++, pairing++) {
            int from = state->cpus[pairing->first], to = state->cpus[pairing->second];
            if (at_home(task, state, from, to))
                cores_set_point(plan, state, SERIES_MATRIX, state->op, i % CORES_SIDE_BY_SIDE, from,
                                to);
            bool full = (i + 1) % CORES_SIDE_BY_SIDE == 0 || i + 1 == rounds.rounds[round];
            if (full && plan->point_count > before) {
                groups[plan->group_count++] = (unsigned)(plan->point_count - before);
                before = plan->point_count;
            }
        }
    }
    plan->groups = groups;
    pool_give_back(task->pool, rounds.pairings);
    return 0;
}

/* --- again alone --- */

/* Points of the plan that had others beside them. */
static size_t count_beside(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->group_count; i++)
        count += plan->groups[i] > 1 ? plan->groups[i] : 0;
    return count;
}

/* The homes share the bounds, each having a plan of its own. */
static size_t choose_count(size_t beside, size_t homes)
{
    const size_t least = (CHECK_LEAST + homes - 1) / homes, most = (CHECK_MOST + homes - 1) / homes;
    size_t wanted = beside / CHECK_ONE_IN;
    wanted = wanted < least ? least : wanted > most ? most : wanted;
    return wanted < beside ? wanted : beside;
}

int cores_add_check(struct probe_task *task, const struct plan *done, unsigned series,
                    struct error *error)
{
    const struct cores_state *state = task->state;
    size_t left = count_beside(done), wanted = choose_count(left, state->home_count);
    if (!cores_reserve(task, wanted + 1))
        return cores_out_of_memory(error);
    struct random random = {state->seed + state->home_now};
    const struct plan_point *point = done->points;
    /* Each of what is left is as likely to be chosen (Knuth's algorithm S). */
    for (size_t group = 0; group < done->group_count; group++)
        for (unsigned i = 0; i < done->groups[group]; i++, point++)
            if (done->groups[group] > 1 &&
                random_below(&random, left--) < wanted - task->plan.point_count)
                cores_set_point(&task->plan, state, series, (enum handoff_op)point->what,
                                point->region, point->from, point->to);
    return 0;
}
