#include "measure/kernels/ring.h"

#include "base/random.h"

#include <stdbool.h>
#include <string.h>

/* A bijection on [0, 2^bits): x -> x * odd + add, xorshift, three times. With two times one
 * distance between elements made up to 16 % of all steps in a ring of 512, with three up to 5 %. */
enum { TIMES = 3 };
struct bijection {
    uint64_t mask;
    unsigned shift; /* at least half the bits, so that the xorshift is its own inverse */
    uint64_t odd[TIMES], inverse[TIMES], add[TIMES];
};

static uint64_t invert_odd(uint64_t odd)
{
    uint64_t inverse = odd; /* right to 3 bits; each Newton step doubles the number of right bits */
    for (int i = 0; i < 5; i++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

static struct bijection bijection_make(size_t count, uint64_t seed)
{
    struct random random = {seed};
    unsigned bits = 0;
    while (bits < 63 && (uint64_t)1 << bits < count)
        bits++;
    struct bijection bijection = {.mask = ((uint64_t)1 << bits) - 1, .shift = (bits + 1) / 2};
    for (int i = 0; i < TIMES; i++) {
        bijection.odd[i] = random_next(&random) | 1;
        bijection.inverse[i] = invert_odd(bijection.odd[i]);
        bijection.add[i] = random_next(&random);
    }
    return bijection;
}

static inline uint64_t bijection_forward(const struct bijection *b, uint64_t x)
{
    for (int i = 0; i < TIMES; i++) {
        x = (x * b->odd[i] + b->add[i]) & b->mask;
        x ^= x >> b->shift;
    }
    return x;
}

static inline uint64_t bijection_inverse(const struct bijection *b, uint64_t x)
{
    for (int i = TIMES - 1; i >= 0; i--) {
        x ^= x >> b->shift;
        x = ((x - b->add[i]) * b->inverse[i]) & b->mask;
    }
    return x;
}

/* The order within one block: from place `start` all around to `start` again, without places that
 * map to elements beyond the block. Each block has its own start, or all would have the same
 * order. */
struct block {
    const struct bijection *bijection;
    size_t first; /* element of the ring that the block begins with */
    size_t count;
    uint64_t start;
};

static struct block block_make(const struct bijection *bijection, size_t first, size_t count,
                               uint64_t seed)
{
    return (struct block){bijection, first, count, random_mix(seed ^ first) & bijection->mask};
}

/* Moves `place` to the next one that holds an element and returns that element within the block;
 * `*done` is set when `place` is back at the block's start. */
static inline uint64_t block_next(const struct block *block, uint64_t *place, bool *done)
{
    uint64_t element;
    do {
        *place = (*place + 1) & block->bijection->mask;
        if (*place == block->start) {
            *done = true;
            return 0;
        }
        element = bijection_forward(block->bijection, *place);
    } while (element >= block->count);
    return element;
}

/* The element that many places from the block's start, or at the next place that holds one; an
 * index in the ring. */
static size_t block_from(const struct block *block, uint64_t places, uint64_t *place)
{
    *place = (block->start + places) & block->bijection->mask;
    uint64_t element = bijection_forward(block->bijection, *place);
    bool done = false;
    if (element >= block->count)
        element = block_next(block, place, &done);
    return block->first + (size_t)element;
}

static size_t block_first(const struct block *block, uint64_t *place)
{
    return block_from(block, 0, place);
}

/* All blocks of a ring. The last may be shorter and then has a bijection of its own. */
struct blocks {
    struct bijection full, last;
    size_t size, count;
};

static struct blocks blocks_make(const struct ring *ring)
{
    size_t size = ring->block && ring->block < ring->count ? ring->block : ring->count;
    size_t rest = ring->count % size;
    return (struct blocks){
        .full = bijection_make(size, ring->seed),
        .last = bijection_make(rest ? rest : size, ring->seed),
        .size = size,
        .count = ring->count / size + (rest != 0),
    };
}

static struct block blocks_get(const struct ring *ring, const struct blocks *blocks, size_t index)
{
    size_t first = index * blocks->size;
    size_t left = ring->count - first;
    bool full = left >= blocks->size;
    return block_make(full ? &blocks->full : &blocks->last, first, full ? blocks->size : left,
                      ring->seed);
}

static inline void *element(const struct ring *ring, size_t index)
{
    return ring->memory + index * ring->stride;
}

/* Copies bytes, because elements may lie at unaligned addresses. */
static inline void link_element(const struct ring *ring, size_t from, size_t to)
{
    uint64_t index = to;
    void *next = element(ring, to);
    if (ring->link == RING_INDEXES)
        memcpy(element(ring, from), &index, sizeof index);
    else
        memcpy(element(ring, from), &next, sizeof next);
}

/* A part of a ring's elements. */
struct range {
    size_t from, end;
};

static struct range range_of(size_t count, unsigned part, unsigned parts)
{
    return (struct range){count * part / parts, count * (part + 1) / parts};
}

static void build_block(const struct ring *ring, const struct block *block, size_t next_first,
                        struct range range)
{
    const size_t from = range.from > block->first ? range.from - block->first : 0,
                 end = range.end - block->first;
    for (size_t i = from; i < end && i < block->count; i++) {
        uint64_t place = bijection_inverse(block->bijection, i);
        bool done = false;
        uint64_t next = block_next(block, &place, &done);
        link_element(ring, block->first + i, done ? next_first : block->first + (size_t)next);
    }
}

static void build_random(const struct ring *ring, struct range range)
{
    struct blocks blocks = blocks_make(ring);
    for (size_t i = range.from / blocks.size; i * blocks.size < range.end; i++) {
        struct block block = blocks_get(ring, &blocks, i);
        struct block next = blocks_get(ring, &blocks, (i + 1) % blocks.count);
        uint64_t place;
        build_block(ring, &block, block_first(&next, &place), range);
    }
}

/* --- blocks in a random order, each visited forward --- */

static bool in_shuffled_blocks(const struct ring *ring)
{
    return ring->order == RING_FORWARD && ring->block && ring->block < ring->count;
}

static size_t block_count(const struct ring *ring)
{
    return (ring->count + ring->block - 1) / ring->block;
}

static size_t block_end(const struct ring *ring, size_t index)
{
    size_t left = ring->count - index * ring->block;
    return index * ring->block + (left < ring->block ? left : ring->block);
}

static void build_shuffled(const struct ring *ring, struct range blocks)
{
    struct bijection bijection = bijection_make(block_count(ring), ring->seed);
    struct block cycle = block_make(&bijection, 0, block_count(ring), ring->seed);
    uint64_t start;
    size_t first = block_first(&cycle, &start);
    for (size_t i = blocks.from; i < blocks.end; i++) {
        size_t end = block_end(ring, i);
        for (size_t at = i * ring->block; at + 1 < end; at++)
            link_element(ring, at, at + 1);
        uint64_t place = bijection_inverse(&bijection, i);
        bool done = false;
        size_t next = (size_t)block_next(&cycle, &place, &done);
        link_element(ring, end - 1, (done ? first : next) * ring->block);
    }
}

void ring_build(const struct ring *ring)
{
    ring_build_part(ring, 0, 1);
}

void ring_build_part(const struct ring *ring, unsigned part, unsigned parts)
{
    const size_t count = ring->count;
    const struct range range = range_of(count, part, parts);
    if (ring->order == RING_RANDOM)
        build_random(ring, range);
    else if (in_shuffled_blocks(ring))
        build_shuffled(ring, range_of(block_count(ring), part, parts));
    else
        for (size_t i = range.from; i < range.end; i++)
            link_element(ring, i,
                         ring->order == RING_FORWARD ? (i + 1) % count : (i + count - 1) % count);
}

/* Loads both ends, because an element may lie across two lines. */
static void load(const void *address)
{
    const volatile unsigned char *bytes = address;
    (void)bytes[0];
    (void)bytes[sizeof(uint64_t) - 1];
}

static void *warm_random(const struct ring *ring, unsigned part, unsigned parts, size_t visits)
{
    struct blocks blocks = blocks_make(ring);
    size_t index = range_of(blocks.count, part, parts).from;
    uint64_t skipped = blocks.count > 1 ? 0 : (blocks.full.mask + 1) / parts * part;
    for (;; index = (index + 1) % blocks.count, skipped = 0) {
        struct block block = blocks_get(ring, &blocks, index);
        uint64_t place;
        size_t at = block_from(&block, skipped, &place);
        for (bool done = false; !done;) {
            if (visits-- == 0)
                return element(ring, at);
            load(element(ring, at));
            at = block.first + (size_t)block_next(&block, &place, &done);
        }
    }
}

void ring_mark(const struct ring *ring, size_t n, void **marks)
{
    struct blocks blocks = blocks_make(ring);
    size_t visits = 0, marked = 0, next = 0;
    for (size_t index = 0; marked < n; index++) {
        struct block block = blocks_get(ring, &blocks, index);
        uint64_t place;
        size_t at = block_first(&block, &place);
        for (bool done = false; !done && marked < n; visits++) {
            while (marked < n && next == visits) {
                marks[marked++] = element(ring, at);
                next = (size_t)((uint64_t)marked * ring->count / n);
            }
            at = block.first + (size_t)block_next(&block, &place, &done);
        }
    }
}

static void *warm_shuffled(const struct ring *ring, unsigned part, unsigned parts, size_t visits)
{
    struct bijection bijection = bijection_make(block_count(ring), ring->seed);
    struct block cycle = block_make(&bijection, 0, block_count(ring), ring->seed);
    for (uint64_t skipped = (bijection.mask + 1) / parts * part;; skipped = 0) {
        uint64_t place;
        size_t block = block_from(&cycle, skipped, &place);
        for (bool done = false; !done;) {
            for (size_t at = block * ring->block; at < block_end(ring, block); at++) {
                if (visits-- == 0)
                    return element(ring, at);
                load(element(ring, at));
            }
            block = (size_t)block_next(&cycle, &place, &done);
        }
    }
}

void *ring_warm(const struct ring *ring, size_t visits)
{
    return ring_warm_part(ring, 0, 1, visits);
}

void *ring_warm_part(const struct ring *ring, unsigned part, unsigned parts, size_t visits)
{
    if (ring->order == RING_RANDOM)
        return warm_random(ring, part, parts, visits);
    if (in_shuffled_blocks(ring))
        return warm_shuffled(ring, part, parts, visits);
    const size_t count = ring->count;
    const size_t ahead = range_of(count, part, parts).from;
    size_t at = ring->order == RING_FORWARD ? ahead : (count - ahead) % count;
    for (; visits; visits--) {
        load(element(ring, at));
        at = ring->order == RING_FORWARD ? (at + 1) % count : (at + count - 1) % count;
    }
    return element(ring, at);
}
