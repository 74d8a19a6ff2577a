/*
 * What a ring takes beside neighbours. The modelled memory is not followed step by step, because
 * what is taken changes within a batch: for each amount of room that a trial meets, the ring is
 * followed once through what is left of the caches and TLBs, and what its steps asked for is
 * counted. A batch is then added up over the neighbours' times, each at its own pace.
 *
 * What a neighbour took is gone at once; when it leaves, one round of the ring still misses it.
 */
#ifndef FATHOM_TESTS_MODEL_BESIDE_H
#define FATHOM_TESTS_MODEL_BESIDE_H

#include "memory.h"
#include "neighbours.h"
#include "path.h"

enum { BESIDE_KNOWN_MOST = 16 };

/* What a step of the ring asks for on the mean, with that much room. */
struct demand {
    struct memory_room room;
    double hits[MODEL_LEVELS_MAX], row_hits, row_misses, second, walks;
    double variation; /* of a step's time: its variance over its mean squared */
};

/* How fast the machine is at this moment, neighbours aside. */
struct pace {
    double core_hz, beyond, dram; /* the last two: how many times as long */
    double each_cycles;           /* that every step takes besides */
};

struct beside {
    const struct model_machine *machine;
    struct neighbours neighbours;
    /* of the trial */
    enum model_pages pages;
    uint64_t memory_seed;
    struct demand known[BESIDE_KNOWN_MOST];
    unsigned known_count;
    const struct demand *now; /* by which the ring goes */
    const struct demand *next;
    double refilling; /* steps until it goes by `next` */
};

void beside_begin(struct beside *, const struct model_machine *, uint64_t seed);
/* A trial whose ring was read. */
void beside_trial(struct beside *, enum model_pages, uint64_t memory_seed);
/* `steps` steps of the ring, from *now_s on, which moves on: picoseconds. */
double beside_steps(struct beside *, struct memory *, struct path *, const struct pace *,
                    unsigned cpu, double steps, double *now_s);
/* Core cycles that ask for no memory: of operations one after the other, or `wide`, of many side
 * by side, which another thread of the core takes its part of. */
double beside_cycles(struct beside *, const struct pace *, unsigned cpu, double cycles, bool wide,
                     double *now_s);
/* The variance of the batch's time over its mean squared, that the choice of its steps makes: none
 * of whole rounds. */
double beside_variation(const struct beside *, const struct path *, double steps);

#endif
