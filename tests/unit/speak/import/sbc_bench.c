#include "desk.h"

#define RAMLAT "Executing ramlat on cpu0 (Cortex-A53), results in ns:\n\n size:  1x32 1xPTR\n"

static void one_cpu_needs_no_name(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &sbc_bench_format, RAMLAT " 4k: 2.6 2.0\r\n 8k: 2.6 2.0"), 0);
    const struct probe_result *latency = document_probe(&desk->document, "latency");
    assert_int_equal(latency->series_count, 2);
    assert_string_equal(series_factor(&latency->series[0], "loads")->text, "1x32");
    assert_false(latency->series[0].headline);
    assert_true(latency->series[1].headline && latency->series[1].factor_count == 0);
    assert_true(latency->series[1].points[0].x == 4096);
}

static void what_is_not_read_is_counted(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &sbc_bench_format,
                               " C frobnicate : 1400.0 MB/s (2)\n C copy : 1400.0 MB/s (2)\n"),
                     0);
    assert_int_equal(desk->text.unread, 1);
    assert_string_equal(desk->text.unread_shown, "C frobnicate : 1400.0 MB/s (2)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(one_cpu_needs_no_name),
        DESK_TEST(what_is_not_read_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
