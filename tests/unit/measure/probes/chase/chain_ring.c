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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starting_points_are_equally_far_apart),
        cmocka_unit_test(many_chains_begin_on_lines_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
