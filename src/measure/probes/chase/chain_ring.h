/*
 * One ring that many chains go through at once, from starting points equally far apart in its
 * order. All points of a round share it: it is built when the first of them is prepared and found
 * there by the others, because building costs more than measuring.
 */
#ifndef FATHOM_MEASURE_PROBES_CHASE_CHAIN_RING_H
#define FATHOM_MEASURE_PROBES_CHASE_CHAIN_RING_H

#include "measure/engine/plan.h"

struct chain_ring {
    size_t bytes, line_bytes;
    uint64_t settled_bytes; /* a chase over this much memory settles every cache */
    size_t states;          /* workers that need a state in the arena */
    size_t starts_most;     /* starting points that are asked for at once; 0: few */
};

/* Where the ring stands in a round's arena. */
struct chain_places;

/* What the ring, its places and the states take of an arena. */
size_t chain_ring_arena_bytes(const struct chain_ring *);
/* Builds it, or finds it as it was built for this round. */
struct chain_places *chain_ring_places(const struct chain_ring *, const struct trial *);
/* The same memory has held another ring since: it is built anew. */
void chain_ring_forget(const struct chain_ring *, const struct arena *);
/* The i-th of n starting points, which are equally far apart; the first is `turn` (0 to 1) of the
 * way round the ring. All lie on different lines if n is at most starts_most and at most the ring's
 * number of lines. */
void *chain_ring_start(const struct chain_places *, double turn, size_t i, size_t n);
/* Leaves the caches as a long walk of n chains that arrives at these starting points would: filled
 * with what lies right behind each. */
void chain_ring_settle(const struct chain_ring *, struct chain_places *, double turn, size_t n);
/* The same, but only once in a round: for trials that each begin where no other did. */
void chain_ring_settle_once(const struct chain_ring *, struct chain_places *, double turn,
                            size_t n);
/* Room for the i-th worker's state, on lines of its own. */
enum { CHAIN_STATE_BYTES = 1024 };
void *chain_ring_state(const struct chain_ring *, const struct arena *, size_t i);

#endif
