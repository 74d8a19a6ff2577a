/* Which pairs are measured by which way, and which of them side by side. */
#include "measure/probes/cores/tournament.h"
#include "measure/probes/wake/wake.h"

#include <stdlib.h>

/* Above this number of CPUs only the first way is measured between all pairs, and the others from
 * the first CPU to every other one: five matrices of 500 CPUs would take an hour. */
enum { ALL_WAYS_UP_TO = 32 };

static bool is_of_stage(const struct wake_state *state, int way)
{
    return state->chosen[way] && (way == BELL_SPIN) == (state->stage == WAKE_SPINNING);
}

static void add_point(struct plan *plan, const struct wake_state *state, int way, size_t region,
                      int from, int to)
{
    plan->points[plan->point_count++] = (struct plan_point){.series = (unsigned)state->series[way],
                                                            .from = from,
                                                            .to = to,
                                                            .seat_count = 2,
                                                            .what = (unsigned)way,
                                                            .region = (unsigned)region};
}

/* One round of pairs, in groups that are not too large. */
static void add_round(struct probe_task *task, int way, const struct pairing *pairings,
                      unsigned count, unsigned *groups)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    const int *cpus = task->cpus.ids;
    for (unsigned i = 0; i < count; i++) {
        const size_t region = i % state->regions;
        if (region == 0)
            groups[plan->group_count++] = 0;
        groups[plan->group_count - 1]++;
        add_point(plan, state, way, region, cpus[pairings[i].first], cpus[pairings[i].second]);
    }
}

static void add_way(struct probe_task *task, int way, const struct tournament *rounds,
                    unsigned *groups, bool all)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    const struct cpulist *cpus = &task->cpus;
    const struct pairing *pairing = rounds->pairings;
    for (size_t round = 0; all && round < rounds->round_count; pairing += rounds->rounds[round++])
        add_round(task, way, pairing, rounds->rounds[round], groups);
    for (size_t i = 1; !all && i < (state->whole ? cpus->count : 2); i++) {
        groups[plan->group_count++] = 1;
        add_point(plan, state, way, 0, cpus->ids[0], cpus->ids[i]);
    }
}

int wake_add_pairs(struct probe_task *task, struct error *error)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    const size_t cpus = task->cpus.count, pairs = cpus * (cpus - 1);
    struct tournament rounds = {0};
    struct pool scratch = {0};
    int *cores = calloc(cpus, sizeof *cores);
    unsigned *groups = pool_alloc(task->pool, BELL_KINDS * pairs, sizeof *groups);
    plan->points = pool_alloc(task->pool, BELL_KINDS * pairs, sizeof *plan->points);
    plan->point_count = plan->group_count = 0;
    for (size_t i = 0; cores && i < cpus; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, task->cpus.ids[i]);
        cores[i] = place ? place->core : -1;
    }
    int code = cores && groups && plan->points ? tournament_plan(&rounds, cores, cpus, &scratch)
                                               : ERROR_SYSTEM;
    bool first = true;
    for (int way = 0; way < BELL_KINDS && code == 0; way++)
        if (is_of_stage(state, way)) {
            add_way(task, way, &rounds, groups, state->whole && (first || cpus <= ALL_WAYS_UP_TO));
            first = false;
        }
    plan->groups = groups;
    free(cores);
    pool_free(&scratch);
    return code < 0 ? error_set(error, ERROR_SYSTEM,
                                "out of memory for that many pairs: choose fewer CPUs with --cpus")
                    : 0;
}
