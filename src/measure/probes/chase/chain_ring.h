/*
 * One ring through which many chains go at once, from starting points equally far apart in its
 * order. All points of a round share it, because building costs more than measuring: the first
 * point builds it, and the others reuse it.
 */
#pragma once

#include "measure/engine/plan.h"

struct chain_ring {
    size_t bytes, line_bytes;
    uint64_t settled_bytes; /* a chase over this much memory settles every cache */
    size_t states;          /* number of workers that need a state in the arena */
    size_t starts_most;     /* largest number of starting points of one trial; 0: few */
};

/* A built ring and its possible starting points, in a round's arena. */
struct chain_places;

/* Bytes of an arena for the ring, its places and the states. */
size_t chain_ring_arena_bytes(const struct chain_ring *);
/* Builds the ring, or returns the one that was built for this round. */
struct chain_places *chain_ring_places(const struct chain_ring *, const struct trial *);
/* The same for several threads: where `*built` is false, each of them has one of `parts` parts to
 * build by chain_ring_build(), all at the same time. The starting points are known before. */
struct chain_places *chain_ring_parts(const struct chain_ring *, const struct trial *,
                                      unsigned parts, bool *built);
struct chain_places *chain_ring_build(const struct chain_ring *, const struct arena *,
                                      unsigned part);
/* Call this after another ring was built in the same memory: the ring is then built anew. */
void chain_ring_forget(const struct chain_ring *, const struct arena *);
/* The i-th of n starting points, which are equally far apart; the first is at the share `turn` (0
 * to 1) of the way round the ring. All are on different lines if n is at most starts_most and at
 * most the ring's number of lines. */
void *chain_ring_start(const struct chain_places *, double turn, size_t i, size_t n);
/* Fills the caches as a long walk of n chains that ends at these starting points would: with the
 * lines right before each of them in the ring's order; before `count` of them from `first` on. */
void chain_ring_settle_part(const struct chain_ring *, const struct arena *, double turn,
                            size_t first, size_t count, size_t n);
/* Before all of them, but only once in a round: for trials that each have their own starting
 * points. */
void chain_ring_settle_once(const struct chain_ring *, const struct arena *, double turn, size_t n);
/* Memory for the i-th worker's state, on lines of its own. */
enum { CHAIN_STATE_BYTES = 1024 };
void *chain_ring_state(const struct chain_ring *, const struct arena *, size_t i);
