/* A ring is one cycle that visits every element once, whatever the size, stride and order. */
#include "measure/kernels/ring.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ring make(size_t count, size_t stride, enum ring_order order, size_t block,
                        uint64_t seed)
{
    unsigned char *memory = malloc(count * stride);
    assert_non_null(memory);
    memset(memory, 0xff, count * stride);
    struct ring ring = {memory, count, stride, order, block, seed, RING_POINTERS};
    ring_build(&ring);
    return ring;
}

static size_t index_of(const struct ring *ring, const void *element)
{
    size_t offset = (size_t)((const unsigned char *)element - ring->memory);
    assert_int_equal(offset % ring->stride, 0);
    assert_true(offset / ring->stride < ring->count);
    return offset / ring->stride;
}

/* Follows the ring once round and asserts that it comes back after exactly all elements. Where
 * `order` is given, it receives the indexes in the order visited. */
static void assert_single_cycle(const struct ring *ring, size_t *order)
{
    unsigned char *seen = calloc(ring->count, 1);
    assert_non_null(seen);
    void *start = ring_warm(ring, 0), *at = start;
    for (size_t i = 0; i < ring->count; i++) {
        size_t index = index_of(ring, at);
        assert_false(seen[index]);
        seen[index] = 1;
        if (order)
            order[i] = index;
        at = *(void **)at;
    }
    assert_ptr_equal(at, start);
    free(seen);
}

static void check_cycles(size_t count, size_t stride)
{
    static const enum ring_order orders[] = {RING_RANDOM, RING_FORWARD, RING_BACKWARD};
    for (size_t o = 0; o < 3; o++) {
        struct ring ring = make(count, stride, orders[o], 0, count * 31 + stride);
        assert_single_cycle(&ring, NULL);
        free(ring.memory);
    }
}

static void every_small_count_is_one_cycle(void **state)
{
    for (size_t count = 1; count <= 260; count++)
        check_cycles(count, 64);
}

static void odd_counts_and_strides_are_one_cycle(void **state)
{
    static const size_t counts[] = {1, 2, 3, 7, 511, 512, 513, 1023, 4097, 9973, 65537};
    static const size_t strides[] = {sizeof(void *), 24, 64, 72, 128, 200};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
            check_cycles(counts[c], strides[s]);
}

static void blocks_are_one_cycle_and_visited_one_after_another(void **state)
{
    static const size_t blocks[] = {1, 2, 3, 16, 37, 64, 100, 999, 1000, 1001};
    const size_t count = 1000;
    size_t order[1000];
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        size_t block = blocks[b];
        struct ring ring = make(count, 64, RING_RANDOM, block, 5 + block);
        assert_single_cycle(&ring, order);
        for (size_t i = 0; block < count && i < count; i++)
            assert_int_equal(order[i] / block, i / block);
        free(ring.memory);
    }
}

/* Forward within each block, and a block is followed by its neighbour no more often than by
 * chance. */
static void forward_blocks_follow_in_random_order(void **state)
{
    static const size_t blocks[] = {1, 2, 3, 7, 16, 64, 333, 999};
    const size_t count = 1000;
    size_t order[1000];
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        size_t block = blocks[b], jumps = 0, neighbours = 0;
        struct ring ring = make(count, 64, RING_FORWARD, block, 11 + block);
        assert_single_cycle(&ring, order);
        for (size_t i = 0; i + 1 < count; i++) {
            bool ends = order[i] % block == block - 1 || order[i] == count - 1;
            if (!ends)
                assert_int_equal(order[i + 1], order[i] + 1);
            else
                assert_int_equal(order[i + 1] % block, 0);
            jumps += ends;
            neighbours += ends && order[i + 1] == order[i] + 1;
        }
        assert_int_equal(jumps + 1, (count + block - 1) / block);
        if (jumps > 30)
            assert_true(neighbours <= 10);
        free(ring.memory);
    }
}

/* Wherever the elements lie: every architecture copies from everywhere. */
static void indexes_and_odd_addresses_make_the_same_ring(void **state)
{
    enum { COUNT = 501, STRIDE = 24 };
    static const enum ring_order orders[] = {RING_RANDOM, RING_FORWARD, RING_BACKWARD};
    unsigned char *memory = malloc(COUNT * STRIDE + 8);
    assert_non_null(memory);
    for (size_t o = 0; o < 3; o++)
        for (size_t offset = 0; offset < 8; offset += 3) {
            struct ring by_address = {memory + offset, COUNT, STRIDE, orders[o], 40, 9,
                                      RING_POINTERS};
            size_t expected[COUNT];
            ring_build(&by_address);
            for (size_t i = 0; i < COUNT; i++) {
                void *next;
                memcpy(&next, by_address.memory + i * STRIDE, sizeof next);
                expected[i] = index_of(&by_address, next);
            }
            struct ring by_index = by_address;
            by_index.link = RING_INDEXES;
            ring_build(&by_index);
            for (size_t i = 0; i < COUNT; i++) {
                uint64_t next;
                memcpy(&next, by_index.memory + i * STRIDE, sizeof next);
                assert_int_equal(next, expected[i]);
            }
            assert_ptr_equal(ring_warm(&by_index, 77), ring_warm(&by_address, 77));
        }
    free(memory);
}

static void forward_and_backward_go_by_address(void **state)
{
    size_t order[100];
    struct ring ring = make(100, 64, RING_FORWARD, 0, 1);
    assert_single_cycle(&ring, order);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(order[i], i);
    ring.order = RING_BACKWARD;
    ring_build(&ring);
    assert_single_cycle(&ring, order);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(order[i], (100 - i) % 100);
    free(ring.memory);
}

static void same_seed_same_ring_other_seed_other_ring(void **state)
{
    enum { COUNT = 777 };
    size_t first[COUNT], again[COUNT], other[COUNT];
    struct ring ring = make(COUNT, 64, RING_RANDOM, 0, 42);
    assert_single_cycle(&ring, first);
    ring_build(&ring);
    assert_single_cycle(&ring, again);
    assert_memory_equal(first, again, sizeof first);
    ring.seed = 43;
    ring_build(&ring);
    assert_single_cycle(&ring, other);
    assert_memory_not_equal(first, other, sizeof first);
    free(ring.memory);
}

/* In a random order the distance of a step is spread as if both ends were uniform: its mean is a
 * third of the count, and steps to a neighbour, which a prefetcher would follow, are rare. */
static void random_order_has_no_short_or_repeated_steps(void **state)
{
    enum { COUNT = 50000 };
    size_t *order = calloc(COUNT, sizeof *order);
    assert_non_null(order);
    struct ring ring = make(COUNT, sizeof(void *), RING_RANDOM, 0, 7);
    assert_single_cycle(&ring, order);
    double sum = 0;
    size_t near = 0, repeated = 0;
    ptrdiff_t before = 0;
    for (size_t i = 0; i + 1 < COUNT; i++) {
        ptrdiff_t step = (ptrdiff_t)order[i + 1] - (ptrdiff_t)order[i];
        sum += (double)(step < 0 ? -step : step);
        near += step >= -8 && step <= 8;
        repeated += step == before;
        before = step;
    }
    double mean = sum / (COUNT - 1);
    assert_true(fabs(mean / ((double)COUNT / 3.0) - 1) < 0.03);
    assert_true(near < 8 * 16); /* 16 expected */
    assert_true(repeated < 20); /* fewer than one expected of independent steps */
    free(order);
    free(ring.memory);
}

/* Of independent steps of such a ring the commonest distance makes 1.4 % at most. */
static void no_distance_makes_many_steps_of_a_small_ring(void **state)
{
    enum { COUNT = 512, SEEDS = 200 };
    static size_t order[COUNT];
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        unsigned steps[2 * COUNT] = {0}, most = 0;
        struct ring ring = make(COUNT, sizeof(void *), RING_RANDOM, 0, seed);
        assert_single_cycle(&ring, order);
        for (size_t i = 0; i + 1 < COUNT; i++) {
            unsigned *as_far = &steps[order[i + 1] + COUNT - order[i]];
            ++*as_far;
            most = *as_far > most ? *as_far : most;
        }
        assert_true(most < COUNT / 12);
        free(ring.memory);
    }
}

/* Threads that build a part each make the ring that one builds. */
static void parts_make_the_whole_ring(void **state)
{
    static const struct {
        size_t count, block;
        enum ring_order order;
    } kinds[] = {{1000, 0, RING_RANDOM},   {1000, 64, RING_RANDOM},  {1000, 0, RING_FORWARD},
                 {1000, 64, RING_FORWARD}, {1000, 0, RING_BACKWARD}, {3, 0, RING_RANDOM}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (unsigned parts = 1; parts <= 7; parts++) {
            struct ring ring = make(kinds[k].count, 8, kinds[k].order, kinds[k].block, 5);
            const size_t bytes = ring.count * ring.stride;
            unsigned char *whole = malloc(bytes);
            assert_non_null(whole);
            memcpy(whole, ring.memory, bytes);
            memset(ring.memory, 0, bytes);
            for (unsigned part = 0; part < parts; part++)
                ring_build_part(&ring, part, parts);
            assert_memory_equal(ring.memory, whole, bytes);
            free(whole);
            free(ring.memory);
        }
}

static void warming_ends_where_a_chase_would(void **state)
{
    static const size_t visits[] = {0, 1, 5, 98, 99, 100, 101, 250};
    static const enum ring_order orders[] = {RING_RANDOM, RING_FORWARD, RING_BACKWARD};
    for (size_t o = 0; o < 3; o++)
        for (size_t block = 0; block < 40; block += 13) {
            struct ring ring = make(99, 64, orders[o], block, 3);
            for (size_t v = 0; v < sizeof visits / sizeof *visits; v++) {
                void *at = ring_warm(&ring, 0);
                for (size_t i = 0; i < visits[v]; i++)
                    at = *(void **)at;
                assert_ptr_equal(ring_warm(&ring, visits[v]), at);
            }
            free(ring.memory);
        }
}

/* Where threads begin is as far apart in the order as their parts are long. */
static void parts_are_warmed_far_apart(void **state)
{
    static const struct {
        enum ring_order order;
        size_t block;
    } kinds[] = {{RING_RANDOM, 0},
                 {RING_RANDOM, 500},
                 {RING_FORWARD, 0},
                 {RING_FORWARD, 50},
                 {RING_BACKWARD, 0}};
    enum { COUNT = 20000, PARTS = 4 };
    static size_t order[COUNT], place[COUNT];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct ring ring = make(COUNT, 8, kinds[k].order, kinds[k].block, 3);
        assert_single_cycle(&ring, order);
        for (size_t i = 0; i < COUNT; i++)
            place[order[i]] = i;
        for (unsigned part = 0; part < PARTS; part++) {
            const size_t
                from = place[index_of(&ring, ring_warm_part(&ring, part, PARTS, 7))],
                to = place[index_of(&ring, ring_warm_part(&ring, (part + 1) % PARTS, PARTS, 7))];
            const size_t apart = (to + COUNT - from) % COUNT;
            assert_in_range(apart, COUNT / PARTS - COUNT / 20, COUNT / PARTS + COUNT / 20);
        }
        free(ring.memory);
    }
}

static void marks_are_equally_far_apart_in_the_order(void **state)
{
    static const size_t counts[] = {1, 2, 97, 256, 1000}, parts[] = {1, 2, 3, 64, 97};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t p = 0; p < sizeof parts / sizeof *parts; p++)
            for (size_t block = 0; block < 40; block += 13) {
                struct ring ring = make(counts[c], 64, RING_RANDOM, block, 5);
                void *marks[97], *at = ring_warm(&ring, 0);
                ring_mark(&ring, parts[p], marks);
                for (size_t i = 0, visits = 0; i < parts[p]; i++) {
                    for (; visits < i * counts[c] / parts[p]; visits++)
                        at = *(void **)at;
                    assert_ptr_equal(marks[i], at);
                }
                free(ring.memory);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_equally_far_apart_in_the_order),
        cmocka_unit_test(every_small_count_is_one_cycle),
        cmocka_unit_test(odd_counts_and_strides_are_one_cycle),
        cmocka_unit_test(blocks_are_one_cycle_and_visited_one_after_another),
        cmocka_unit_test(forward_blocks_follow_in_random_order),
        cmocka_unit_test(indexes_and_odd_addresses_make_the_same_ring),
        cmocka_unit_test(forward_and_backward_go_by_address),
        cmocka_unit_test(same_seed_same_ring_other_seed_other_ring),
        cmocka_unit_test(random_order_has_no_short_or_repeated_steps),
        cmocka_unit_test(no_distance_makes_many_steps_of_a_small_ring),
        cmocka_unit_test(parts_make_the_whole_ring),
        cmocka_unit_test(parts_are_warmed_far_apart),
        cmocka_unit_test(warming_ends_where_a_chase_would),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
