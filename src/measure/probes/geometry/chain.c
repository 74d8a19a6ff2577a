#include "measure/probes/geometry/chain.h"

#include "base/random.h"
#include "measure/kernels/ring.h"

#include <string.h>

static void put_link(unsigned char *from, unsigned char *to)
{
    memcpy(from, &to, sizeof to);
}

static unsigned char *link_of(const unsigned char *from)
{
    unsigned char *to;
    memcpy(&to, from, sizeof to);
    return to;
}

size_t geometry_chain_hot(const struct geometry_chain *chain)
{
    size_t links = chain->line_bytes / sizeof(void *);
    return (chain->count + links - 1) / links;
}

size_t geometry_chain_loads(const struct geometry_chain *chain)
{
    return chain->kind == GEOMETRY_CONFLICT ? chain->count : 2 * chain->count;
}

size_t geometry_chain_bytes(const struct geometry_chain *chain)
{
    switch (chain->kind) {
    case GEOMETRY_PAIRS:
        return chain->count * GEOMETRY_BLOCK;
    case GEOMETRY_HOT:
        return (chain->count + geometry_chain_hot(chain) + 1) * chain->stride + chain->aside;
    default:
        return chain->count * chain->stride;
    }
}

static unsigned char *build_ring(const struct geometry_chain *chain, unsigned char *memory,
                                 size_t stride, uint64_t seed)
{
    struct ring ring = {.memory = memory,
                        .count = chain->count,
                        .stride = stride,
                        .order = RING_RANDOM,
                        .seed = seed};
    ring_build(&ring);
    return memory;
}

/* The offset in the block at which the pair begins: a random word in the first half of a random
 * aligned unit of twice the distance, so that the pairs use all sets of a cache. */
static size_t pair_begin(const struct geometry_chain *chain, size_t block, uint64_t seed)
{
    const size_t unit = 2 * chain->stride, word = sizeof(void *);
    uint64_t random = random_mix(seed + block);
    return (size_t)(random % (GEOMETRY_BLOCK / unit)) * unit +
           (size_t)((random >> 32) % (chain->stride / word)) * word;
}

/* Goes round the ring once and redirects every link through a word of the next hot line. */
static unsigned char *build_hot(const struct geometry_chain *chain, unsigned char *memory,
                                uint64_t seed)
{
    const size_t hot = geometry_chain_hot(chain);
    unsigned char *first = build_ring(chain, memory, chain->stride, seed), *at = first;
    unsigned char *lines = memory + chain->count * chain->stride + chain->aside;
    for (size_t i = 0; i < chain->count; i++) {
        unsigned char *next = link_of(at);
        unsigned char *word = lines + i % hot * chain->stride + i / hot * sizeof(void *);
        put_link(at, word);
        put_link(word, next);
        at = next;
    }
    return first;
}

void *geometry_chain_build(const struct geometry_chain *chain, unsigned char *memory, uint64_t seed)
{
    if (chain->kind == GEOMETRY_PAIRS) {
        build_ring(chain, memory, GEOMETRY_BLOCK, seed);
        for (size_t i = 0; i < chain->count; i++) {
            unsigned char *block = memory + i * GEOMETRY_BLOCK;
            size_t next = (size_t)(link_of(block) - memory) / GEOMETRY_BLOCK;
            unsigned char *first = block + pair_begin(chain, i, seed);
            put_link(first, first + chain->stride);
            put_link(first + chain->stride,
                     memory + next * GEOMETRY_BLOCK + pair_begin(chain, next, seed));
        }
        return memory + pair_begin(chain, 0, seed);
    }
    /* Every trial uses another set, so that a set that other programs use disturbs few trials. */
    size_t lines = chain->stride / chain->line_bytes;
    memory += (size_t)(random_mix(seed) % (lines ? lines : 1)) * chain->line_bytes;
    return chain->kind == GEOMETRY_HOT ? build_hot(chain, memory, seed)
                                       : build_ring(chain, memory, chain->stride, seed);
}
