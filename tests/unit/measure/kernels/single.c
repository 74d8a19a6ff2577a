/* Every load is counted once, at its time; its instructions are asserted by tests/kernels/loops. */
#include "measure/kernels/single.h"

#include "measure/kernels/contention.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { LOADS = 2000, LINES = 64, LINE_BYTES = 64, ROOM = 512 };

static _Alignas(128) unsigned char memory[LINES * LINE_BYTES];
static uint32_t bins[SINGLE_BINS];
static struct gap loads[ROOM];
static unsigned counted;

static void count(struct gap_counts *counts)
{
    counts->switches = ++counted;
}

static struct single fresh(uint64_t over, bool flush)
{
    memset(bins, 0, sizeof bins);
    counted = 0;
    return (struct single){.memory = memory,
                           .lines = LINES,
                           .line_bytes = LINE_BYTES,
                           .random = 5,
                           .flush = flush,
                           .pause_bits = 4,
                           .over = over,
                           .check = UINT64_MAX,
                           .count = count,
                           .bins = bins,
                           .log = loads,
                           .room = ROOM};
}

static void each_load_is_counted_once(void **state)
{
    for (int flush = 0; flush <= line_flush_possible(); flush++) {
        struct single single = fresh(SINGLE_BINS, flush);
        uint64_t sum = 0;
        single_run(&single, LOADS);
        for (size_t i = 0; i < SINGLE_BINS; i++)
            sum += bins[i];
        assert_int_equal(sum + single.used + single.missed, LOADS);
        assert_true(single.timed <= single.last_ticks);
        assert_int_equal(counted, 1); /* none was long enough to be looked at */
        assert_true(single.random != 5);
    }
}

static void all_are_logged_in_order(void **state)
{
    struct single single = fresh(0, false);
    single.check = 0;
    single_run(&single, ROOM);
    assert_int_equal(single.used, ROOM);
    assert_int_equal(counted, ROOM + 1);
    for (size_t i = 0; i < ROOM; i++) {
        assert_int_equal(loads[i].switches, 1);
        assert_true(i == 0 || loads[i].at >= loads[i - 1].at + loads[i - 1].ticks);
    }
    single_run(&single, 3);
    assert_int_equal(single.missed, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_load_is_counted_once),
        cmocka_unit_test(all_are_logged_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
