/*
 * Which pairs a plan measures and in what order: one after the other, or in rounds of pairs that
 * share no core. Also chooses the pairs that are measured again alone after a round.
 */
#include "measure/probes/cores/cores.h"

#include "base/random.h"

#include <stdlib.h>

/* One in twenty of the pairs measured side by side is measured again alone. Six pairs are the
 * fewest that give an interval, and 512 are enough to show a bias of 1 % for any number of
 * pairs. */
enum { CHECK_ONE_IN = 20, CHECK_LEAST = 6, CHECK_MOST = 512 };

/* --- the tournament --- */

/* The CPUs sorted by core: core c has cpus[begin[c]] up to, not including, cpus[begin[c + 1]]. */
struct cores {
    int *cpus;
    size_t *begin;
    size_t count, most; /* most: threads of the largest core */
};

struct entry {
    int core, cpu;
};

static int by_core(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->core != y->core ? (x->core > y->core) - (x->core < y->core)
                              : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static struct cores sort_into_cores(const int *core_of, size_t n, struct pool *pool)
{
    struct entry *entries = pool_alloc(pool, n, sizeof *entries);
    struct cores cores = {.cpus = pool_alloc(pool, n, sizeof *cores.cpus),
                          .begin = pool_alloc(pool, n + 1, sizeof *cores.begin)};
    for (size_t i = 0; i < n; i++)
        entries[i] = (struct entry){core_of[i], (int)i};
    qsort(entries, n, sizeof *entries, by_core);
    for (size_t i = 0; i < n; i++) {
        cores.cpus[i] = entries[i].cpu;
        if (i == 0 || entries[i].core < 0 || entries[i].core != entries[i - 1].core)
            cores.begin[cores.count++] = i;
    }
    cores.begin[cores.count] = n;
    for (size_t c = 0; c < cores.count; c++) {
        const size_t threads = cores.begin[c + 1] - cores.begin[c];
        cores.most = threads > cores.most ? threads : cores.most;
    }
    return cores;
}

static size_t threads_of(const struct cores *cores, size_t core)
{
    return cores->begin[core + 1] - cores->begin[core];
}

static int cpu_of(const struct cores *cores, size_t core, size_t thread)
{
    return cores->cpus[cores->begin[core] + thread];
}

/* Ends the round that began at pairing `begin` and adds a round of the same pairings in the other
 * direction. */
static void end_round(struct tournament *tournament, size_t begin)
{
    size_t count = tournament->pairing_count - begin;
    if (!count)
        return;
    for (size_t i = 0; i < count; i++) {
        struct pairing pairing = tournament->pairings[begin + i];
        tournament->pairings[tournament->pairing_count++] =
            (struct pairing){pairing.second, pairing.first};
    }
    tournament->rounds[tournament->round_count++] = (unsigned)count;
    tournament->rounds[tournament->round_count++] = (unsigned)count;
}

/* The core on chair `chair` in that round. The core on the last chair stays there. */
static size_t on_chair(size_t chair, size_t round, size_t chairs)
{
    return chair == chairs - 1 ? chair : (chair + round) % (chairs - 1);
}

struct tournament tournament_plan(const int *core_of, size_t n, struct pool *pool)
{
    const struct cores cores = sort_into_cores(core_of, n, pool);
    const size_t rounds = 2 * cores.most * cores.most * (cores.count + 2);
    struct tournament tournament = {.pairings =
                                        pool_alloc(pool, n * n, sizeof *tournament.pairings),
                                    .rounds = pool_alloc(pool, rounds, sizeof *tournament.rounds)};
    for (size_t i = 0; i < cores.most; i++)
        for (size_t j = i + 1; j < cores.most; j++) {
            size_t begin = tournament.pairing_count;
            for (size_t core = 0; core < cores.count; core++)
                if (j < threads_of(&cores, core))
                    tournament.pairings[tournament.pairing_count++] =
                        (struct pairing){cpu_of(&cores, core, i), cpu_of(&cores, core, j)};
            end_round(&tournament, begin);
        }
    size_t chairs = cores.count + cores.count % 2; /* one is empty if the count is odd */
    for (size_t round = 0; round + 1 < chairs; round++)
        for (size_t meeting = 0; meeting < cores.most * cores.most; meeting++) {
            size_t begin = tournament.pairing_count;
            for (size_t chair = 0; chair < chairs / 2; chair++) {
                size_t a = on_chair(chair, round, chairs);
                size_t b = chair == 0 ? chairs - 1 : on_chair(chairs - 1 - chair, round, chairs);
                if (a >= cores.count || b >= cores.count)
                    continue;
                size_t width = threads_of(&cores, b);
                if (meeting < threads_of(&cores, a) * width)
                    tournament.pairings[tournament.pairing_count++] = (struct pairing){
                        cpu_of(&cores, a, meeting / width), cpu_of(&cores, b, meeting % width)};
            }
            end_round(&tournament, begin);
        }
    return tournament;
}

/* Rounds within cores have a pair for each core with two threads, rounds between cores one for
 * every two cores. */
size_t tournament_width(const int *core_of, size_t n, struct pool *pool)
{
    const struct cores cores = sort_into_cores(core_of, n, pool);
    size_t within = 0;
    for (size_t c = 0; c < cores.count; c++)
        within += threads_of(&cores, c) > 1;
    return within > cores.count / 2 ? within : cores.count / 2;
}

/* --- plans --- */

void cores_add_pair(struct probe_task *task, unsigned series, unsigned op, unsigned region,
                    int from, int to)
{
    struct plan *plan = &task->plan;
    const struct cores_state *state = task->state;
    plan->points[plan->point_count++] =
        (struct plan_point){.series = series,
                            .from = from,
                            .to = to,
                            .seat_count = 2,
                            .arena_bytes = state->regions * state->lines * state->slot_bytes,
                            .what = op,
                            .region = region};
}

int *tournament_cores(const struct probe_task *task, const int *cpus, size_t count)
{
    int *cores = pool_alloc(task->pool, count, sizeof *cores);
    for (size_t i = 0; i < count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, cpus[i]);
        cores[i] = place ? place->core : -1;
    }
    return cores;
}

size_t cores_width(const struct probe_task *task, const struct cores_state *state)
{
    return tournament_width(tournament_cores(task, state->cpus, state->cpu_count), state->cpu_count,
                            task->pool);
}

/* Adds the pair if its home is the current one. */
static void add_at_home(struct probe_task *task, unsigned region, int from, int to)
{
    const struct cores_state *state = task->state;
    const struct cpu_place *place =
        machine_cpu(task->machine, state->home == HOME_FIRST ? from : to);
    if (state->home_count == 1 || !place || place->node == state->homes[state->home_now])
        cores_add_pair(task, SERIES_MATRIX, state->op, region, from, to);
}

void cores_add_pairs(struct probe_task *task, bool parallel)
{
    const struct cores_state *state = task->state;
    struct plan *plan = &task->plan;
    const size_t count = state->cpu_count;
    plan->points = pool_alloc(task->pool, count * count, sizeof *plan->points);
    for (size_t i = 0; i < count && !parallel; i++)
        for (size_t j = 0; j < count; j++)
            if (i != j && !(state->kept && state->kept[i * count + j]))
                add_at_home(task, 0, state->cpus[i], state->cpus[j]);
    if (!parallel)
        return;
    const struct tournament rounds =
        tournament_plan(tournament_cores(task, state->cpus, state->cpu_count), count, task->pool);
    const size_t parts = (count / 2 + CORES_SIDE_BY_SIDE - 1) / CORES_SIDE_BY_SIDE;
    unsigned *groups = pool_alloc(task->pool, rounds.round_count * parts + 1, sizeof *groups);
    const struct pairing *pairing = rounds.pairings;
    size_t before = 0;
    for (size_t round = 0; round < rounds.round_count; round++)
        for (unsigned i = 0; i < rounds.rounds[round]; i++, pairing++) {
            add_at_home(task, i % CORES_SIDE_BY_SIDE, state->cpus[pairing->first],
                        state->cpus[pairing->second]);
            const bool full = (i + 1) % CORES_SIDE_BY_SIDE == 0 || i + 1 == rounds.rounds[round];
            if (full && plan->point_count > before) {
                groups[plan->group_count++] = (unsigned)(plan->point_count - before);
                before = plan->point_count;
            }
        }
    plan->groups = groups;
    pool_give_back(task->pool, rounds.pairings);
}

void cores_add_check(struct probe_task *task, const struct plan *done, unsigned series)
{
    const struct cores_state *state = task->state;
    const size_t homes = state->home_count; /* they share the limits */
    const size_t least = (CHECK_LEAST + homes - 1) / homes, most = (CHECK_MOST + homes - 1) / homes;
    size_t left = 0; /* points of the plan that were measured side by side */
    for (size_t i = 0; i < done->group_count; i++)
        left += done->groups[i] > 1 ? done->groups[i] : 0;
    size_t wanted = left / CHECK_ONE_IN;
    wanted = wanted < least ? least : wanted > most ? most : wanted;
    wanted = wanted < left ? wanted : left;
    task->plan.points = pool_alloc(task->pool, wanted, sizeof *task->plan.points);
    struct random random = {state->seed + state->home_now};
    const struct plan_point *point = done->points;
    /* Each of the remaining pairs is equally likely to be chosen (Knuth's algorithm S). */
    for (size_t group = 0; group < done->group_count; group++)
        for (unsigned i = 0; i < done->groups[group]; i++, point++)
            if (done->groups[group] > 1 &&
                random_below(&random, left--) < wanted - task->plan.point_count)
                cores_add_pair(task, series, point->what, point->region, point->from, point->to);
}
