#include "desk.h"

#define RATE "1024.00 MiB transferred (4096.00 MiB/sec)\n"

static void the_block_stands_beside_the_rate(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &sysbench_format, "tools/sysbench.txt");
    assert_true(value_of(desk, "bandwidth.write.all") == 7812.5 * 1048576);
    assert_string_equal(factor_of(desk, "bandwidth.write.all", "block"), "1KiB");
    assert_string_equal(factor_of(desk, "bandwidth.write.all", "threads"), "4");
    assert_string_equal(factor_of(desk, "bandwidth.write.all", "scope"), "global");
    assert_int_equal(desk->text.unread, 0);
    assert_int_equal(read_text(desk, &sysbench_format,
                               "Number of threads: 1\n block size: 8KiB\n operation: read\n" RATE),
                     0);
    assert_true(value_of(desk, "bandwidth.read.1") == 4294967296);
}

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &sysbench_format, "", "holds no");
    assert_refused(desk, &sysbench_format, RATE, "line 1: a rate without 'operation: read'");
    assert_refused(desk, &sysbench_format, "operation: none\n" RATE, "line 2: a rate without");
    assert_refused(desk, &sysbench_format,
                   "operation: read\n1,5 MiB transferred (4096,00 MiB/sec)\n",
                   "line 2: sysbench prints a positive rate");
}

static void long_texts_are_read(void **state)
{
    struct desk *desk = *state;
    char *text = long_text("operation: read\n", "1 MiB transferred (%zu.5 MiB/sec)\n", 200000);
    assert_int_equal(read_text(desk, &sysbench_format, text), 0);
    free(text);
    assert_int_equal(desk->document.probes[0].finding_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(the_block_stands_beside_the_rate),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(long_texts_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
