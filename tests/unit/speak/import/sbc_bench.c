#include "desk.h"

#define RAMLAT "Executing ramlat on cpu0 (Cortex-A53), results in ns:\n\n size:  1x32 1xPTR\n"
#define BLOCKS "block size : single random read / dual random read, [MADV_HUGEPAGE]\n"

static const struct series *series_of(const struct desk *desk, const char *probe,
                                      const char *factor, const char *text)
{
    const struct probe_result *result = document_probe(&desk->document, probe);
    for (size_t i = 0; result && i < result->series_count; i++) {
        const struct factor *found = series_factor(&result->series[i], factor);
        if (found && found->text && strcmp(found->text, text) == 0)
            return &result->series[i];
    }
    fail_msg("no series of %s with %s %s", probe, factor, text);
    return NULL;
}

static void all_tables_of_a_printout_are_read(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &sbc_bench_format, "tools/sbc-bench.txt");
    const struct probe_result *latency = document_probe(&desk->document, "latency");
    assert_int_equal(desk->document.probe_count, 3);
    assert_int_equal(latency->series_count, 16); /* eight columns of two CPUs */
    const struct series *beyond = series_of(desk, "tinymembench", "pages", "MADV_HUGEPAGE");
    assert_true(beyond->points[0].y.median == 0 && beyond->points[2].y.median == 129);
    assert_true(value_of(desk, "bandwidth.copy.1") == 1.5e9);
    assert_string_equal(factor_of(desk, "bandwidth.copy.1", "test"), "C copy backwards");
    assert_string_equal(factor_of(desk, "bandwidth.copy.1", "counted"), "once");
    assert_true(value_of(desk, "bandwidth.read.1") == 3.7e9);
    assert_string_equal(factor_of(desk, "bandwidth.read.1", "counted"), "");
    assert_string_equal(factor_of(desk, "L1.latency_ns", "on"), "cpu0 (Cortex-A53)");
    assert_true(fabs(value_of(desk, "L1.latency_ns") - 2) < 0.01);
}

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

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &sbc_bench_format, "", "holds no table");
    assert_refused(desk, &sbc_bench_format, RAMLAT, "holds no table");
    assert_refused(desk, &sbc_bench_format, RAMLAT " 4k: 2.6\n", "line 4: the line above names 3");
    assert_refused(desk, &sbc_bench_format, RAMLAT " 4q: 2.6 2.0\n", "line 4: '4q' is no size");
    assert_refused(desk, &sbc_bench_format, RAMLAT " 4k: 2,6 2,0\n",
                   "line 4: latency '2,6' has a decimal comma");
    assert_refused(desk, &sbc_bench_format, BLOCKS " 1024 : 0.0 ns\n", "line 2: tinymembench");
    assert_refused(desk, &sbc_bench_format, BLOCKS " 1024 : -1 ns / 0.0 ns\n",
                   "line 2: tinymembench");
    assert_refused(desk, &sbc_bench_format, " C copy : 1409,6 MB/s (2)\n", "line 1: tinymembench");
    assert_refused(desk, &sbc_bench_format, " C copy : 0 MB/s (2)\n", "line 1: tinymembench");
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

static void long_tables_are_read(void **state)
{
    struct desk *desk = *state;
    char *text = long_text(RAMLAT, " %zuk: 2.6 2.0\n", 200000);
    assert_int_equal(read_text(desk, &sbc_bench_format, text), 0);
    free(text);
    assert_int_equal(desk->document.probes[0].series[1].point_count, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(all_tables_of_a_printout_are_read),
        DESK_TEST(one_cpu_needs_no_name),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(what_is_not_read_is_counted),
        DESK_TEST(long_tables_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
