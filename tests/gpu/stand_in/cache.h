/*
 * One modelled cache, or table of translations: sets of at most 16 ways, least recently used first
 * out, a tag a line and a bit for each of up to four sectors.
 *
 * There are 2^bits * odd sets. A line's number, above its low bits, is divided by `odd`: the rest
 * chooses among the latter, and the low bits, folded with the quotient, among the former. So a
 * block of lines, as well as every 2^n-th line, fills all sets alike: the edge of the capacity is
 * sharp (from the first line lost to all lost within 1 / ways), and no stride falls on few sets.
 * Real hashes fold likewise (Maurice et al., "Reverse Engineering Intel Last-Level Cache Complex
 * Addressing", RAID 2015).
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
    uint32_t sets, ways, odd;
    unsigned bits;
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
