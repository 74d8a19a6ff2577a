/* Which lines traffic goes to, and what it does to them. */
#include "measure/kernels/inject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 64, COUNT = 64, BYTES = LINE * COUNT };

struct bench {
    uint64_t *memory; /* each line's first word counts how often it was modified */
    struct injector injector;
};

static struct bench lay_out(uint64_t delay)
{
    struct bench bench = {.memory = aligned_alloc(4096, 2 * BYTES)};
    assert_non_null(bench.memory);
    memset(bench.memory, 0, 2 * BYTES);
    bench.injector =
        (struct injector){(unsigned char *)bench.memory + BYTES / 2, BYTES - LINE, LINE, 0, delay};
    return bench;
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

static void a_third_of_the_lines_is_modified_for_every_quarter_of_writes(void **state)
{
    (void)state;
    assert_int_equal(inject_lines % 3, 0);
    for (int i = 0; i < INJECTIONS; i++)
        for (int order = 0; order < INJECT_ORDERS; order++) {
            const struct injection *injection = &injections[i];
            struct bench bench = lay_out(1);
            injection->run[order](&bench.injector, 10);
            assert_int_equal(count(&bench), 10 * inject_lines / 3 * injection->modified);
            /* The share of reads, in percent, where three lines are read and `modified` of them are
             * written back. */
            assert_int_equal(injection->read_percent, 300 / (3 + injection->modified));
            free(bench.memory);
        }
}

static void sequential_traffic_goes_on_and_round(void **state)
{
    (void)state;
    struct bench bench = lay_out(3);
    kernel_function *modify = injections[INJECTIONS - 1].run[INJECT_SEQUENTIAL];
    for (size_t lines = 0; lines < 2 * COUNT + 32; lines += inject_lines)
        modify(&bench.injector, 1);
    const uint64_t *words = bench.memory + BYTES / 16;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t rounds = words[(i + 1) % COUNT * (LINE / 8)];
        assert_in_range(rounds, 2, 3);
        assert_true(i == 0 || rounds <= words[i * (LINE / 8)]); /* the first lines are ahead */
    }
    free(bench.memory);
}

static void random_traffic_reaches_every_line_in_no_order(void **state)
{
    (void)state;
    struct bench bench = lay_out(1);
    bench.injector.position = 5;
    injections[INJECTIONS - 1].run[INJECT_RANDOM](&bench.injector, 100);
    const uint64_t *words = bench.memory + BYTES / 16;
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t visits = words[i * (LINE / 8)];
        least = visits < least ? visits : least;
        most = visits > most ? visits : most;
    }
    assert_true(least > 0);
    assert_true(most > least + 1); /* a walk in order would visit all equally often */
    free(bench.memory);
}

static void a_pause_changes_no_line(void **state)
{
    (void)state;
    uint64_t ends[2];
    for (int i = 0; i < 2; i++) {
        struct bench bench = lay_out(i ? 100 : 1);
        ends[i] = injections[1].run[INJECT_RANDOM](&bench.injector, 7);
        assert_int_equal(ends[i], bench.injector.position);
        assert_int_equal(count(&bench), 7 * inject_lines / 3);
        free(bench.memory);
    }
    assert_true(ends[0] == ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_third_of_the_lines_is_modified_for_every_quarter_of_writes),
        cmocka_unit_test(sequential_traffic_goes_on_and_round),
        cmocka_unit_test(random_traffic_reaches_every_line_in_no_order),
        cmocka_unit_test(a_pause_changes_no_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
