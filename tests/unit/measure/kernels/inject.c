/* Which lines traffic goes to, and what it does to them. */
#include "measure/kernels/inject.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, COUNT = 64, BYTES = LINE * COUNT };

struct bench {
    uint64_t *memory; /* each line's first word counts how often it was modified */
    struct inject_mix mix;
    struct injector injector;
    const char *lacks; /* what inject_mix_make() says */
};

static struct bench *lay_out(unsigned read_percent, enum inject_order order, uint64_t delay)
{
    static struct bench bench;
    bench = (struct bench){.memory = aligned_alloc(4096, 2 * BYTES)};
    assert_non_null(bench.memory);
    memset(bench.memory, 0, 2 * BYTES);
    const struct inject_lines lines = {.memory = (unsigned char *)bench.memory + BYTES / 2,
                                       .mask = BYTES - LINE,
                                       .step = LINE,
                                       .delay = delay};
    bench.lacks = inject_mix_make(&bench.mix, read_percent, order, LINE);
    bench.injector = (struct injector){.lines = lines, .apart = lines, .mix = &bench.mix};
    return &bench;
}

/* The number of modifications of all lines; asserts that only first words were modified. */
static uint64_t count(const struct bench *bench)
{
    uint64_t sum = 0;
    const size_t words = BYTES / sizeof *bench->memory, own = words / 2;
    for (size_t i = 0; i < 2 * words; i++) {
        if (i < own || i >= own + words || i % (LINE / 8) != 0)
            assert_int_equal(bench->memory[i], 0);
        sum += bench->memory[i];
    }
    return sum;
}

/* In 100 repeats of any mix, lines that are modified and lines that are written are as many as make
 * its share of reads, to one turn. */
static void every_share_of_reads_is_kept(void **state)
{
    enum { REPEATS = 100 };
    const double lines = REPEATS * inject_lines_each;
    for (unsigned percent = 0; percent <= 100; percent++)
        for (enum inject_order order = 0; order < INJECT_ORDERS; order++) {
            struct bench *bench = lay_out(percent, order, 1);
            const struct inject_mix *mix = &bench->mix;
            const double others = lines * mix->others / mix->of, reads = percent / 100.0;
            if (!bench->lacks)
                inject_run(&bench->injector, REPEATS);
            if (percent >= 50) {
                assert_null(bench->lacks);
                assert_true(fabs((double)count(bench) - others) <= 3);
                assert_true(fabs(lines / (lines + others) - reads) < 1e-9);
                assert_true(fabs((lines + others) / lines - mix->moved) < 1e-9);
            } else if (!bench->lacks) {
                assert_true(fabs((lines - others) / (2 * lines - others) - reads) < 1e-9);
                assert_true(fabs((2 * lines - others) / lines - mix->moved) < 1e-9);
            }
            free(bench->memory);
        }
}

/* All words of the lines that it goes to hold the pause, and no other words. */
static void what_is_written_past_the_caches_are_whole_lines(void **state)
{
    struct bench *bench = lay_out(0, INJECT_SEQUENTIAL, 3);
    if (bench->lacks)
        skip();
    inject_run(&bench->injector, 1);
    const size_t words = BYTES / sizeof *bench->memory, first = words / 2 + LINE / 8;
    for (size_t i = 0; i < 2 * words; i++)
        assert_int_equal(bench->memory[i],
                         i >= first && i < first + inject_lines_each * LINE / 8 ? 3 : 0);
    free(bench->memory);
}

static void sequential_traffic_goes_on_and_round(void **state)
{
    struct bench *bench = lay_out(50, INJECT_SEQUENTIAL, 3);
    for (size_t lines = 0; lines < 2 * COUNT + 32; lines += inject_lines_each)
        inject_run(&bench->injector, 1);
    const uint64_t *words = bench->memory + BYTES / 16;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t rounds = words[(i + 1) % COUNT * (LINE / 8)];
        assert_in_range(rounds, 2, 3);
        assert_true(i == 0 || rounds <= words[i * (LINE / 8)]); /* the first lines are ahead */
    }
    free(bench->memory);
}

static void random_traffic_reaches_every_line_in_no_order(void **state)
{
    struct bench *bench = lay_out(50, INJECT_RANDOM, 1);
    bench->injector.lines.position = 5;
    inject_run(&bench->injector, 100);
    const uint64_t *words = bench->memory + BYTES / 16;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t visits = words[i * (LINE / 8)];
        least = visits < least ? visits : least;
        most = visits > most ? visits : most;
    }
    assert_true(least > 0);
    assert_true(most > least + 1); /* a walk in order would visit all equally often */
    free(bench->memory);
}

static void a_pause_changes_no_line(void **state)
{
    uint64_t ends[2];
    for (int i = 0; i < 2; i++) {
        struct bench *bench = lay_out(75, INJECT_RANDOM, i ? 100 : 1);
        ends[i] = inject_run(&bench->injector, 9);
        assert_int_equal(ends[i], bench->injector.lines.position);
        assert_int_equal(count(bench), 9 * inject_lines_each / 3);
        free(bench->memory);
    }
    assert_true(ends[0] == ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_share_of_reads_is_kept),
        cmocka_unit_test(what_is_written_past_the_caches_are_whole_lines),
        cmocka_unit_test(sequential_traffic_goes_on_and_round),
        cmocka_unit_test(random_traffic_reaches_every_line_in_no_order),
        cmocka_unit_test(a_pause_changes_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
