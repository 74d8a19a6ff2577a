/*
 * Which pairs of CPUs may be measured side by side: a round-robin tournament. Cores, not CPUs, are
 * its teams, so that in no round two pairs share a core, whose hardware threads would slow each
 * other down: in each round of the cores (the circle method: one stands still, the others walk
 * around; Kirkman 1847) every core meets one other, and their threads meet one pair at a time. The
 * threads of one core meet one another in rounds of their own, all cores at once.
 *
 * N CPUs on cores of one thread have N - 1 rounds of N / 2 pairs (N rounds where N is odd), and as
 * many again in the other direction.
 */
#ifndef FATHOM_MEASURE_PROBES_CORES_TOURNAMENT_H
#define FATHOM_MEASURE_PROBES_CORES_TOURNAMENT_H

#include "base/pool.h"

#include <stddef.h>

struct pairing {
    int first, second; /* indexes into the list of CPUs */
};

struct tournament {
    struct pairing *pairings; /* round after round; each ordered pair once */
    size_t pairing_count;
    unsigned *rounds; /* pairings of each round, none of them 0 */
    size_t round_count;
};

/* cores[n] tells each CPU's core; below 0: unknown, a core of its own. Steps of the pool
 * (base/pool.h), in which everything lives. */
struct tournament tournament_plan(const int *cores, size_t n, struct pool *);
/* How many pairings the widest round has. */
size_t tournament_width(const int *cores, size_t n, struct pool *);

#endif
