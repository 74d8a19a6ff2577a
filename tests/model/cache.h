/*
 * One modelled cache, or set-associative TLB: which lines it holds, and which one it gives up.
 *
 * Lines are small numbers below a limit that is known beforehand, so that finding one is a look
 * into a table; the index that chooses the set is given apart, because it may be physical.
 */
#ifndef FATHOM_TESTS_MODEL_CACHE_H
#define FATHOM_TESTS_MODEL_CACHE_H

#include "base/random.h"
#include "model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where a line is in each of the levels stands side by side, for they are asked in a row. */
enum { CACHE_WAYS_MAX = 16, CACHE_PLACES = 4 };

struct cache {
    uint32_t sets, ways, ways_now; /* neighbours may take some of the ways */
    unsigned hash_bits;            /* 0: the plain index */
    enum model_replacement replacement;
    uint32_t *line_of; /* [sets][ways]: line + 1, 0 where empty */
    uint64_t *order;   /* [sets]: of LRU the ways, one a nibble, the latest lowest; of a tree its
                          bits */
    uint8_t *used;     /* [sets]: ways filled */
    uint8_t *way_of;   /* [lines][CACHE_PLACES], of which it has the first: way + 1, 0 where
                          absent; not its own */
    struct random random;
};

/* `sets` is a power of two; `way_of` is zeroed and has room for all lines that there are. False
 * without memory. */
bool cache_create(struct cache *, uint32_t sets, uint32_t ways, enum model_replacement, bool hashed,
                  uint8_t *way_of);
void cache_free(struct cache *);
/* Forgets lines [first, end), which must be all that it holds. */
void cache_clear(struct cache *, size_t first, size_t end);

/* Puts in a line that it does not hold; returns the one that had to go, + 1, or 0. */
uint32_t cache_insert(struct cache *, uint32_t line, uint32_t index);
void cache_remove(struct cache *, uint32_t line, uint32_t index);
void cache_touch_tree(struct cache *, uint32_t set, unsigned way);

static inline uint8_t *cache_way(const struct cache *cache, uint32_t line)
{
    return &cache->way_of[(size_t)line * CACHE_PLACES];
}

/* The folded index of a hashed cache spreads any aligned block evenly, as the hashes of real
 * last-level caches do (Maurice et al., "Reverse Engineering Intel Last-Level Cache Complex
 * Addressing", RAID 2015). */
static inline uint32_t cache_set(const struct cache *cache, uint32_t index)
{
    if (cache->hash_bits)
        index ^= index >> cache->hash_bits ^ index >> 2 * cache->hash_bits;
    return index & (cache->sets - 1);
}

/* Moves a way to the front of the order: finds its nibble, and shifts those before it up. */
static inline uint64_t order_first(uint64_t order, uint64_t way)
{
    const uint64_t ones = UINT64_C(0x1111111111111111);
    uint64_t other = order ^ way * ones;
    uint64_t zero = (other - ones) & ~other & 8 * ones;
    unsigned at = (unsigned)__builtin_ctzll(zero) & ~3u;
    uint64_t before = (UINT64_C(1) << at) - 1;
    return (order & ~(before << 4 | 15)) | (order & before) << 4 | way;
}

/* Brings what will be asked of that line nearer. */
static inline void cache_expect(const struct cache *cache, uint32_t index)
{
    uint32_t set = cache_set(cache, index);
    __builtin_prefetch(&cache->order[set]);
    __builtin_prefetch(&cache->line_of[(size_t)set * cache->ways]);
}

/* Looks the line up, and notes its use. */
static inline bool cache_hit(struct cache *cache, uint32_t line, uint32_t index)
{
    unsigned way = *cache_way(cache, line);
    if (way == 0)
        return false;
    uint32_t set = cache_set(cache, index);
    if (cache->replacement == MODEL_LRU)
        cache->order[set] = order_first(cache->order[set], way - 1);
    else if (cache->replacement == MODEL_TREE_PLRU)
        cache_touch_tree(cache, set, way - 1);
    return true;
}

#endif
