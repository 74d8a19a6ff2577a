#include "measure/probes/cores/tournament.h"

#include <stdlib.h>

/* The CPUs sorted by core: core c has those from begin[c] to before begin[c + 1]. */
struct cores {
    int *cpus;
    size_t *begin;
    size_t count, most; /* threads of the largest core */
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

/* Ends the round that began at pairing `begin`: the same pairings follow in the other direction. */
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

static void within_cores(struct tournament *tournament, const struct cores *cores)
{
    for (size_t i = 0; i < cores->most; i++)
        for (size_t j = i + 1; j < cores->most; j++) {
            size_t begin = tournament->pairing_count;
            for (size_t core = 0; core < cores->count; core++)
                if (j < threads_of(cores, core))
                    tournament->pairings[tournament->pairing_count++] =
                        (struct pairing){cpu_of(cores, core, i), cpu_of(cores, core, j)};
            end_round(tournament, begin);
        }
}

/* The core on chair `chair` in that round: the last one keeps its seat. */
static size_t on_chair(size_t chair, size_t round, size_t chairs)
{
    return chair == chairs - 1 ? chair : (chair + round) % (chairs - 1);
}

static void between_cores(struct tournament *tournament, const struct cores *cores)
{
    size_t chairs = cores->count + cores->count % 2; /* an empty one where they are odd */
    for (size_t round = 0; round + 1 < chairs; round++)
        for (size_t meeting = 0; meeting < cores->most * cores->most; meeting++) {
            size_t begin = tournament->pairing_count;
            for (size_t chair = 0; chair < chairs / 2; chair++) {
                size_t a = on_chair(chair, round, chairs);
                size_t b = chair == 0 ? chairs - 1 : on_chair(chairs - 1 - chair, round, chairs);
                if (a >= cores->count || b >= cores->count)
                    continue;
                size_t width = threads_of(cores, b);
                if (meeting < threads_of(cores, a) * width)
                    tournament->pairings[tournament->pairing_count++] = (struct pairing){
                        cpu_of(cores, a, meeting / width), cpu_of(cores, b, meeting % width)};
            }
            end_round(tournament, begin);
        }
}

struct tournament tournament_plan(const int *core_of, size_t n, struct pool *pool)
{
    const struct cores cores = sort_into_cores(core_of, n, pool);
    const size_t rounds = 2 * cores.most * cores.most * (cores.count + 2);
    struct tournament tournament = {.pairings =
                                        pool_alloc(pool, n * n, sizeof *tournament.pairings),
                                    .rounds = pool_alloc(pool, rounds, sizeof *tournament.rounds)};
    within_cores(&tournament, &cores);
    between_cores(&tournament, &cores);
    return tournament;
}

/* Within the cores all those meet that have two threads, between them every core meets another. */
size_t tournament_width(const int *core_of, size_t n, struct pool *pool)
{
    const struct cores cores = sort_into_cores(core_of, n, pool);
    size_t within = 0;
    for (size_t c = 0; c < cores.count; c++)
        within += threads_of(&cores, c) > 1;
    return within > cores.count / 2 ? within : cores.count / 2;
}
