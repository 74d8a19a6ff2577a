#include "cache.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Large tables are looked into at random: in small pages that costs more than the look. */
enum { HUGE_PAGE = 2 << 20 };

static const uint64_t first_order = UINT64_C(0xfedcba9876543210);

static uint64_t line_count(uint64_t bytes, uint64_t line_bytes)
{
    return bytes / line_bytes ? bytes / line_bytes : 1;
}

bool cache_create(struct cache *cache, uint64_t bytes, uint64_t line_bytes, uint64_t ways)
{
    /* As many sets as the fewest ways would need, so that it can be shaped anew. */
    uint64_t lines = line_count(bytes, line_bytes);
    const size_t bytes_kept = (size_t)(lines / ways + 1) * sizeof *cache->set;
    void *memory;
    if (posix_memalign(&memory, bytes_kept >= HUGE_PAGE ? HUGE_PAGE : sizeof *cache->set,
                       bytes_kept))
        return false;
    madvise(memory, bytes_kept, MADV_HUGEPAGE);
    cache->set = memory;
    cache_shape(cache, bytes, line_bytes, ways);
    return true;
}

void cache_shape(struct cache *cache, uint64_t bytes, uint64_t line_bytes, uint64_t ways)
{
    uint64_t lines = line_count(bytes, line_bytes);
    cache->ways = (uint32_t)(lines < ways ? lines : ways);
    cache->sets = (uint32_t)(lines / cache->ways);
    cache->bits = (unsigned)__builtin_ctz(cache->sets);
    cache->odd = cache->sets >> cache->bits;
    cache_clear(cache);
}

void cache_free(struct cache *cache)
{
    free(cache->set);
    cache->set = NULL;
}

void cache_clear(struct cache *cache)
{
    memset(cache->set, 0, cache->sets * sizeof *cache->set);
    for (uint32_t i = 0; i < cache->sets; i++)
        cache->set[i].order = first_order;
}

static struct cache_set *set_of(const struct cache *cache, uint32_t line)
{
    const uint32_t mask = (1u << cache->bits) - 1, row = line >> cache->bits;
    const uint32_t round = row / cache->odd;
    uint32_t column = line & mask;
    if (cache->bits)
        for (uint32_t rest = round; rest; rest >>= cache->bits)
            column ^= rest & mask;
    return &cache->set[((row - round * cache->odd) << cache->bits) + column];
}

/* All ways at once, in vectors that every compiler knows: the look is what a model spends its time
 * on. */
typedef uint32_t four __attribute__((vector_size(16)));

static int way_of(const struct cache_set *set, uint32_t tag)
{
    const four wanted = {tag, tag, tag, tag};
    four bits = {1, 2, 4, 8}, found = {0, 0, 0, 0}, tags;
    for (unsigned i = 0; i < CACHE_WAYS; i += 4, bits <<= 4) {
        memcpy(&tags, &set->tags[i], sizeof tags);
        found |= (four)(tags == wanted) & bits;
    }
    uint32_t ways = found[0] | found[1] | found[2] | found[3];
    return ways ? __builtin_ctz(ways) : -1;
}

/* Moves a way to the front of the order: finds its nibble, and shifts those before it up. */
static uint64_t order_first(uint64_t order, uint64_t way)
{
    const uint64_t ones = UINT64_C(0x1111111111111111);
    uint64_t other = order ^ way * ones;
    uint64_t zero = (other - ones) & ~other & 8 * ones;
    unsigned at = (unsigned)__builtin_ctzll(zero) & ~3u;
    uint64_t before = (UINT64_C(1) << at) - 1;
    uint64_t through = before << 4 | 15;
    return (order & ~through) | (order & before) << 4 | way;
}

struct cache_look cache_access(struct cache *cache, uint32_t line, uint8_t sectors, bool write)
{
    struct cache_set *set = set_of(cache, line);
    struct cache_look look = {0, 0};
    int way = way_of(set, line + 1);
    uint8_t written = (uint8_t)(write ? sectors << CACHE_SECTORS : 0);
    if (way < 0) {
        way = (int)(set->order >> 4 * (cache->ways - 1) & 15);
        look = (struct cache_look){sectors, (uint8_t)(set->sectors[way] >> CACHE_SECTORS)};
        set->tags[way] = line + 1;
        set->sectors[way] = (uint8_t)(sectors | written);
    } else {
        look.absent = (uint8_t)(sectors & ~set->sectors[way]);
        set->sectors[way] = (uint8_t)(set->sectors[way] | sectors | written);
    }
    set->order = order_first(set->order, (uint64_t)way);
    return look;
}

uint8_t cache_peek(const struct cache *cache, uint32_t line)
{
    const struct cache_set *set = set_of(cache, line);
    int way = way_of(set, line + 1);
    return way < 0 ? 0 : (uint8_t)(set->sectors[way] & ((1u << CACHE_SECTORS) - 1));
}
