/*
 * Chains that show how a cache is built: lines that contend for a set, pairs of loads at a
 * distance, and lines that the first level keeps while the second evicts them.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum geometry_kind {
    /* `count` lines, `stride` bytes apart. */
    GEOMETRY_CONFLICT,
    /* Blocks of GEOMETRY_BLOCK bytes in a random order. Each block has two loads, `stride` bytes
     * apart, in the two halves of an aligned unit of 2 * stride: a line that is larger than
     * `stride` holds both, a smaller one does not. */
    GEOMETRY_PAIRS,
    /* `count` lines, `stride` bytes apart, that contend for one set of the second level. Between
     * every two of them is a load of one of a few hot lines, which therefore stay in the first
     * level. The hot lines are in the same set of the second level if `aside` is 0, else `aside`
     * bytes from it. */
    GEOMETRY_HOT,
};
enum { GEOMETRY_BLOCK = 512 };

struct geometry_chain {
    enum geometry_kind kind;
    size_t count;
    size_t stride;
    size_t aside; /* bytes; a multiple of the first level's way stride */
    size_t line_bytes;
};

/* Bytes that the chain takes with any seed. */
size_t geometry_chain_bytes(const struct geometry_chain *);
/* Loads in one round. */
size_t geometry_chain_loads(const struct geometry_chain *);
/* Number of hot lines of GEOMETRY_HOT: each holds one pointer for each of its loads. */
size_t geometry_chain_hot(const struct geometry_chain *);
/* Links the chain in `memory`, which has geometry_chain_bytes() and is aligned to a page; returns
 * the first element. */
void *geometry_chain_build(const struct geometry_chain *, unsigned char *memory, uint64_t seed);
