/*
 * Chains that show how a cache is built: lines that contend for a set, pairs of loads some distance
 * apart, and lines that the first level keeps while the second loses them.
 */
#ifndef FATHOM_MEASURE_PROBES_GEOMETRY_CHAIN_H
#define FATHOM_MEASURE_PROBES_GEOMETRY_CHAIN_H

#include <stddef.h>
#include <stdint.h>

enum geometry_kind {
    /* `count` lines, `stride` bytes apart. */
    GEOMETRY_CONFLICT,
    /* Blocks of GEOMETRY_BLOCK bytes in a random order; in each one two loads, `stride` bytes
     * apart, on both sides of the middle of an aligned unit of twice that: they share every aligned
     * unit that is larger than `stride`, and none that is not. */
    GEOMETRY_PAIRS,
    /* `count` lines, `stride` bytes apart, that contend for a set of the second level, and between
     * each two of them a load of one of a few hot lines, which so stay in the first level. These
     * lie in that same set of the second level where `aside` is 0, or `aside` bytes from it. */
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

/* Bytes that it takes, whatever its seed. */
size_t geometry_chain_bytes(const struct geometry_chain *);
/* Loads in one round. */
size_t geometry_chain_loads(const struct geometry_chain *);
/* Hot lines of GEOMETRY_HOT: each holds a pointer a visit. */
size_t geometry_chain_hot(const struct geometry_chain *);
/* Links it in memory of that size, aligned to a page; returns where it begins. */
void *geometry_chain_build(const struct geometry_chain *, unsigned char *memory, uint64_t seed);

#endif
