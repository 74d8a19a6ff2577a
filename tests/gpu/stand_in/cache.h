/*
 * One modelled cache, or table of translations: sets of at most 16 ways, least recently used first
 * out, a tag a line and a bit for each of up to four sectors.
 *
 * The set of a line is its number, turned within its row of `sets` lines by a hash of the row's. So
 * any contiguous block fills all sets alike and the edge of the capacity is sharp (from full to all
 * lost within 1 / ways), as real hashes are made to be, while no stride falls on few sets.
 */
#ifndef FATHOM_TESTS_GPU_CACHE_H
#define FATHOM_TESTS_GPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum { CACHE_WAYS = 16, CACHE_SECTORS = 4 };

struct cache_set {
    uint32_t tags[CACHE_WAYS];   /* line + 1, 0 where empty */
    uint8_t sectors[CACHE_WAYS]; /* which are there, and four bits higher which were written to */
    uint64_t order;              /* the ways, one a nibble, the latest lowest */
} __attribute__((aligned(128))); /* two lines of the host, fetched as a pair */

struct cache {
    uint32_t sets, ways;
    struct cache_set *set;
};

/* What an access came to. */
struct cache_look {
    uint8_t absent;  /* sectors asked for that were not there */
    uint8_t written; /* sectors written back, of the line that had to go */
};

/* As many lines as fit into `bytes`, at least one; fewer ways where there are fewer lines. False
 * without memory. */
bool cache_create(struct cache *, uint64_t bytes, uint64_t line_bytes, uint64_t ways);
void cache_free(struct cache *);
void cache_clear(struct cache *);
/* Empties it and gives it another size, no larger than it was created with. */
void cache_shape(struct cache *, uint64_t bytes, uint64_t line_bytes, uint64_t ways);
/* Looks the sectors of a line (a number below 2^32 - 1) up, and takes them in. */
struct cache_look cache_access(struct cache *, uint32_t line, uint8_t sectors, bool write);
/* The same, but takes nothing in: which sectors are there. */
uint8_t cache_peek(const struct cache *, uint32_t line);

#endif
