#include "desk.h"

static void tests_are_named_with_threads_and_working_set(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &likwid_bench_format, "tools/likwid-bench.txt");
    assert_true(value_of(desk, "bandwidth.read.all") == 24e9);
    assert_string_equal(factor_of(desk, "bandwidth.read.all", "test"), "load_avx");
    assert_string_equal(factor_of(desk, "bandwidth.read.all", "threads"), "2");
    assert_string_equal(factor_of(desk, "bandwidth.read.all", "working set"), "1000000000 B");
    assert_true(value_of(desk, "bandwidth.triad.1") == 90e9); /* likwid's stream */
    assert_int_equal(desk->text.unread, 0);
    assert_int_equal(
        read_text(desk, &likwid_bench_format,
                  "Test: triad\nUsing 1 threads\nMByte/s: 10\nTest: daxpy_avx\nMByte/s: 20"),
        0);
    assert_true(value_of(desk, "bandwidth.triad4.1") == 10e6); /* of four arrays */
    assert_true(value_of(desk, "bandwidth.daxpy") == 20e6);    /* of an unknown number of CPUs */
    assert_string_equal(factor_of(desk, "bandwidth.daxpy", "threads"), "not said");
    /* What grep left of it. */
    assert_string_equal(recognised(desk, "a.log:MByte/s: 10\na.log:MByte/s: 12\n"), "likwid-bench");
    assert_int_equal(read_text(desk, &likwid_bench_format, "a.log:MByte/s: 10\n"), 0);
    assert_true(value_of(desk, "bandwidth.unnamed") == 10e6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(tests_are_named_with_threads_and_working_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
