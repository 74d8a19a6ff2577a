#include "measure/probes/chase/chain_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64 };

struct bench {
    struct chain_ring ring;
    struct arena arena;
    struct trial trial;
};

static void set_up(struct bench *bench, size_t bytes, uint64_t settled, size_t starts)
{
    *bench = (struct bench){.ring = {bytes, LINE, settled, 3, starts}};
    bench->arena.bytes = (chain_ring_arena_bytes(&bench->ring) + 4095) / 4096 * 4096;
    bench->arena.memory = aligned_alloc(4096, bench->arena.bytes);
    assert_non_null(bench->arena.memory);
    memset(bench->arena.memory, 0, bench->arena.bytes);
    bench->trial = (struct trial){.arena = &bench->arena, .seed = 11};
}

/* Steps from one element to another; `most` where it takes more. */
static size_t distance(const void *from, const void *to, size_t most)
{
    size_t steps = 0;
    for (; from != to && steps < most; steps++)
        from = *(void *const *)from;
    return steps;
}

static void check_spread(size_t lines, size_t n, double turn)
{
    struct bench bench;
    set_up(&bench, lines * LINE, 1 << 30, 0);
    struct chain_places *places = chain_ring_places(&bench.ring, &bench.trial);
    size_t least = lines, most = 0, sum = 0;
    for (size_t i = 0; i < n; i++) {
        const void *from = chain_ring_start(places, turn, i, n);
        size_t steps = distance(from, chain_ring_start(places, turn, (i + 1) % n, n), lines);
        least = steps < least ? steps : least;
        most = steps > most ? steps : most;
        sum += n > 1 ? steps : lines;
    }
    assert_int_equal(sum, lines); /* once round */
    /* Places are known to 1 in 4096. */
    if (n > 1)
        assert_true(most - least <= 1 + 2 * (lines / 4096));
    free(bench.arena.memory);
}

static void starting_points_are_equally_far_apart(void **state)
{
    (void)state;
    static const size_t lines[] = {128, 256, 1000, 4096, 5000, 20000};
    static const size_t counts[] = {1, 2, 3, 7, 13, 16, 64};
    for (size_t l = 0; l < sizeof lines / sizeof *lines; l++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            check_spread(lines[l], counts[c], 0);
            check_spread(lines[l], counts[c], 0.73);
        }
}

/* A wide machine's threads: neighbouring chains must not be one chain. */
static void many_chains_begin_on_lines_of_their_own(void **state)
{
    (void)state;
    static const size_t lines[] = {2 * 171 * 24, 40000};
    enum { STARTS = 171 * 24 };
    for (size_t l = 0; l < 2; l++) {
        struct bench bench;
        set_up(&bench, lines[l] * LINE, 1 << 30, STARTS);
        struct chain_places *places = chain_ring_places(&bench.ring, &bench.trial);
        unsigned char *taken = calloc(lines[l], 1);
        assert_non_null(taken);
        for (size_t i = 0; i < STARTS; i++) {
            unsigned char *start = chain_ring_start(places, 0.37, i, STARTS);
            const size_t line = (size_t)(start - bench.arena.memory) / LINE;
            assert_true(line < lines[l]);
            assert_int_equal(taken[line]++, 0);
        }
        /* What follows the marks in the arena is the workers'. */
        memset(chain_ring_state(&bench.ring, &bench.arena, 0), 0xff, CHAIN_STATE_BYTES);
        const size_t each = lines[l] / STARTS;
        for (size_t i = 0; i + 1 < STARTS; i++) {
            const void *from = chain_ring_start(places, 0, i, STARTS);
            const size_t steps =
                distance(from, chain_ring_start(places, 0, i + 1, STARTS), lines[l]);
            assert_true(steps >= each / 2 && steps <= 2 * each);
        }
        free(taken);
        free(bench.arena.memory);
    }
}

static void a_round_has_one_ring(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench, 300 * LINE, 1 << 30, 0);
    struct chain_places *places = chain_ring_places(&bench.ring, &bench.trial);
    void *first = chain_ring_start(places, 0, 0, 1), *next = *(void **)first;
    bench.trial.seed = 12; /* another point of the same round */
    assert_ptr_equal(chain_ring_places(&bench.ring, &bench.trial), places);
    assert_ptr_equal(chain_ring_start(places, 0, 0, 1), first);
    assert_ptr_equal(*(void **)first, next);
    /* Fresh memory, another order. */
    memset(bench.arena.memory, 0, bench.arena.bytes);
    places = chain_ring_places(&bench.ring, &bench.trial);
    size_t same = 0, at = 0;
    unsigned char *memory = bench.arena.memory;
    for (void *walk = memory; at < 300; at++, walk = *(void **)walk)
        same += distance(walk, memory + (at * LINE), 1) == 0;
    assert_true(same < 30);
    assert_int_equal(distance(*(void **)(void *)memory, memory, 300), 299);
    free(bench.arena.memory);
}

static void settling_leaves_the_ring_as_it_is(void **state)
{
    (void)state;
    static const uint64_t settled[] = {64 << 10, 1 << 30};
    for (size_t s = 0; s < 2; s++)
        for (size_t n = 1; n <= 200; n += 61) {
            struct bench bench;
            set_up(&bench, 5000 * LINE, settled[s], n);
            struct chain_places *places = chain_ring_places(&bench.ring, &bench.trial);
            unsigned char *copy = malloc(bench.ring.bytes);
            assert_non_null(copy);
            memcpy(copy, bench.arena.memory, bench.ring.bytes);
            chain_ring_settle(&bench.ring, places, 0.4, n);
            chain_ring_settle_once(&bench.ring, places, 0.4, n);
            chain_ring_settle_once(&bench.ring, places, 0.4, n);
            assert_memory_equal(copy, bench.arena.memory, bench.ring.bytes);
            free(copy);
            free(bench.arena.memory);
        }
}

static void states_have_room_of_their_own(void **state)
{
    (void)state;
    struct bench bench;
    set_up(&bench, 1000 * LINE, 1 << 20, 0);
    struct chain_places *places = chain_ring_places(&bench.ring, &bench.trial);
    unsigned char *before = NULL, *end = bench.arena.memory + bench.arena.bytes;
    for (size_t i = 0; i < bench.ring.states; i++) {
        unsigned char *own = chain_ring_state(&bench.ring, &bench.arena, i);
        assert_true(own >= (unsigned char *)places + sizeof(void *));
        assert_true(own >= bench.arena.memory + bench.ring.bytes);
        assert_true(own + CHAIN_STATE_BYTES <= end);
        assert_int_equal((uintptr_t)own % 128, 0);
        assert_true(!before || own >= before + CHAIN_STATE_BYTES);
        memset(own, 0xff, CHAIN_STATE_BYTES);
        before = own;
    }
    /* Nothing of the ring was in them. */
    assert_int_equal(distance(*(void **)chain_ring_start(places, 0, 0, 1),
                              chain_ring_start(places, 0, 0, 1), 1000),
                     999);
    free(bench.arena.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_points_are_equally_far_apart),
        cmocka_unit_test(many_chains_begin_on_lines_of_their_own),
        cmocka_unit_test(a_round_has_one_ring),
        cmocka_unit_test(settling_leaves_the_ring_as_it_is),
        cmocka_unit_test(states_have_room_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
