#include "cache.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t first_order = UINT64_C(0xfedcba9876543210);

bool cache_create(struct cache *cache, uint32_t sets, uint32_t ways,
                  enum model_replacement replacement, bool hashed, uint8_t *way_of)
{
    *cache = (struct cache){.sets = sets,
                            .ways = ways,
                            .ways_now = ways,
                            .hash_bits = hashed ? (unsigned)__builtin_ctz(sets) : 0,
                            .replacement = replacement,
                            .line_of = calloc((size_t)sets * ways, sizeof *cache->line_of),
                            .order = calloc(sets, sizeof *cache->order),
                            .used = calloc(sets, sizeof *cache->used),
                            .way_of = way_of};
    if (!cache->line_of || !cache->order || !cache->used)
        return false;
    for (uint32_t set = 0; set < sets && replacement == MODEL_LRU; set++)
        cache->order[set] = first_order;
    return true;
}

void cache_free(struct cache *cache)
{
    free(cache->line_of);
    free(cache->order);
    free(cache->used);
    *cache = (struct cache){0};
}

/* Which way is named next follows the tree's bits away from what was used last. */
void cache_touch_tree(struct cache *cache, uint32_t set, unsigned way)
{
    uint64_t bits = cache->order[set];
    for (unsigned node = 1, half = cache->ways_now / 2; half; half /= 2) {
        unsigned right = (way & half) != 0;
        bits = right ? bits & ~(UINT64_C(1) << node) : bits | UINT64_C(1) << node;
        node = 2 * node + right;
    }
    cache->order[set] = bits;
}

static unsigned tree_victim(const struct cache *cache, uint32_t set)
{
    unsigned way = 0;
    for (unsigned node = 1, half = cache->ways_now / 2; half; half /= 2) {
        unsigned right = cache->order[set] >> node & 1;
        way += right ? half : 0;
        node = 2 * node + right;
    }
    return way;
}

static unsigned choose_way(struct cache *cache, uint32_t set)
{
    const uint32_t *lines = cache->line_of + (size_t)set * cache->ways;
    if (cache->used[set] < cache->ways_now)
        for (unsigned way = 0; way < cache->ways_now; way++)
            if (!lines[way])
                return way;
    switch (cache->replacement) {
    case MODEL_LRU:
        return (unsigned)(cache->order[set] >> 4 * (cache->ways_now - 1)) & 15;
    case MODEL_TREE_PLRU:
        return tree_victim(cache, set);
    default:
        return (unsigned)random_below(&cache->random, cache->ways_now);
    }
}

static void note_use(struct cache *cache, uint32_t set, unsigned way)
{
    if (cache->replacement == MODEL_LRU)
        cache->order[set] = order_first(cache->order[set], way);
    else if (cache->replacement == MODEL_TREE_PLRU)
        cache_touch_tree(cache, set, way);
}

uint32_t cache_insert(struct cache *cache, uint32_t line, uint32_t index)
{
    uint32_t set = cache_set(cache, index);
    unsigned way = choose_way(cache, set);
    uint32_t *slot = &cache->line_of[(size_t)set * cache->ways + way];
    uint32_t victim = *slot;
    if (victim)
        *cache_way(cache, victim - 1) = 0;
    else
        cache->used[set]++;
    *slot = line + 1;
    *cache_way(cache, line) = (uint8_t)(way + 1);
    note_use(cache, set, way);
    return victim;
}

void cache_remove(struct cache *cache, uint32_t line, uint32_t index)
{
    unsigned way = *cache_way(cache, line);
    if (way == 0)
        return;
    uint32_t set = cache_set(cache, index);
    cache->line_of[(size_t)set * cache->ways + way - 1] = 0;
    *cache_way(cache, line) = 0;
    cache->used[set]--;
}

void cache_clear(struct cache *cache, size_t first, size_t end)
{
    size_t slots = (size_t)cache->sets * cache->ways;
    if (end - first <= slots)
        for (size_t line = first; line < end; line++)
            cache->way_of[line * CACHE_PLACES] = 0;
    else
        for (size_t slot = 0; slot < slots; slot++)
            if (cache->line_of[slot])
                *cache_way(cache, cache->line_of[slot] - 1) = 0;
    memset(cache->line_of, 0, slots * sizeof *cache->line_of);
    memset(cache->used, 0, cache->sets);
    for (uint32_t set = 0; set < cache->sets; set++)
        cache->order[set] = cache->replacement == MODEL_LRU ? first_order : 0;
}
