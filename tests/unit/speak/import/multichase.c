#include "desk.h"

#define RUN(size, stride, ns)                                                                      \
    "nr_threads = 1\npage_size = 4096 bytes\ntotal_memory = " size " (0.0 MiB)\nstride = " stride  \
    "\nchase = simple\nsamples (one column per thread, one row per sample):\n  9.000  "            \
    "avg=9.000\n" ns "\n"
#define NAMES                                                                                      \
    "Samples\t, Byte/thd\t, ChaseThds\t, ChaseNS\t, ChaseMibs\t, ChDeviate\t, LoadThds\t, "        \
    "LdMaxMibs\t, LdAvgMibs\t, LdDeviate\t, ChaseArg\t, MemLdArg\n"

static void each_kind_has_a_curve_and_repeats_are_trials(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &multichase_format,
                               RUN("4096", "64", " 1.5") RUN("4096", "64", "1700.5 1.7")
                                   RUN("4096", "256", "9.123")),
                     0);
    const struct probe_result *probe = &desk->document.probes[0];
    assert_int_equal(probe->series_count, 2);
    assert_int_equal(probe->series[0].point_count, 1);
    assert_int_equal(probe->series[0].points[0].y.n, 2);
    assert_true(fabs((double)probe->series[0].points[0].y.median - 1.6) < 1e-6);
    assert_true(series_factor(&probe->series[1], "stride")->number == 256);
}

static void multiloads_tables_are_understood(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &multichase_format, "multichase/loaded.txt");
    const struct probe_result *loaded = document_probe(&desk->document, "loaded");
    const struct probe_result *alone = document_probe(&desk->document, "bandwidth");
    assert_int_equal(loaded->series_count, 1);
    assert_int_equal(loaded->series[0].point_count, 4);
    assert_true(loaded->series[0].points[0].x == 8000.0 * 1048576);
    assert_true(loaded->series[0].points[3].y.median == 210);
    assert_string_equal(series_factor(&loaded->series[0], "load")->text, "stream-sum");
    assert_true(alone->series[0].points[0].x == 16);
    assert_true(fabs((double)alone->series[0].points[0].y.median / (50000.0 * 1048576) - 1) < 1e-6);
    assert_string_equal(series_factor(&alone->series[0], "load")->text, "memcpy-libc");
    assert_int_equal(read_text(desk, &multichase_format,
                               NAMES "5 , 65536 , 1 , 4.5 , 1 , 0 , 0 , 0 , 0 , 0 , simple "
                                     ", --------\n"),
                     0);
    assert_true(desk->document.probes[0].series[0].points[0].x == 65536);
    assert_int_equal(read_text(desk, &multichase_format,
                               NAMES "5 , 65536 , 2 , 4.5 , 1 , 0 , 0 , 0 , 0 , 0 , simple "
                                     ", --------\n"),
                     0);
    assert_true(series_factor(&desk->document.probes[0].series[0], "threads")->number == 2);
}

static void lines_of_scripts_before_it_are_passed_over(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &multichase_format, "+ node 17\r\n" RUN("4096", "64", "1.5")),
                     0);
    assert_int_equal(desk->text.unread, 1);
    assert_string_equal(desk->text.unread_shown, "+ node 17");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(each_kind_has_a_curve_and_repeats_are_trials),
        DESK_TEST(multiloads_tables_are_understood),
        DESK_TEST(lines_of_scripts_before_it_are_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
