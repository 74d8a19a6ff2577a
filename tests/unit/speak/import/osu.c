#include "desk.h"

#define LATENCY "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"

static void each_test_is_a_series_of_messages(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &osu_format, "tools/osu.txt");
    const struct probe_result *probe = document_probe(&desk->document, "mpi");
    assert_int_equal(probe->series_count, 3);
    const struct series *latency = &probe->series[0], *rate = &probe->series[1],
                        *barrier = &probe->series[2];
    assert_string_equal(series_factor(latency, "test")->text, "MPI Latency");
    assert_true(latency->points[2].x == 1024 && latency->points[2].y.median == 500);
    assert_string_equal(latency->y.unit, "ns");
    assert_true(rate->points[2].y.median == 12e9f);
    assert_string_equal(rate->y.unit, "B/s");
    assert_true(barrier->points[0].y.median == 5000 && barrier->points[0].x == 0);
    assert_int_equal(probe->finding_count, 0);
    assert_int_equal(desk->text.unread, 0);
}

static void further_columns_are_left(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &osu_format,
                               "[node] 3 ranks\r\n# OSU MPI Allreduce Latency Test v7.3\r\n"
                               "# Size  Avg Latency(us)  Min Latency(us)  Max Latency(us)\r\n"
                               "4  2.5  2.0  3.0\r\n0  1.0 1.0 1.0"),
                     0);
    const struct series *series = &desk->document.probes[0].series[0];
    assert_true(series->points[0].x == 0 && series->points[1].y.median == 2500);
    assert_int_equal(desk->text.unread, 1);
}

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &osu_format, "", "holds no row");
    assert_refused(desk, &osu_format, LATENCY, "holds no row");
    assert_refused(desk, &osu_format, "# OSU MPI Latency Test v5.8\n1 2\n",
                   "line 2: numbers before the line");
    assert_refused(desk, &osu_format, LATENCY "1\n", "line 3: the test prints");
    assert_refused(desk, &osu_format, LATENCY "1 0,25\n", "line 3: the test prints");
    assert_refused(desk, &osu_format, LATENCY "1 -0.25\n", "line 3: the test prints");
}

static void long_tables_are_read(void **state)
{
    struct desk *desk = *state;
    char *text = long_text(LATENCY, "%zu 0.25\n", 200000);
    assert_int_equal(read_text(desk, &osu_format, text), 0);
    free(text);
    assert_int_equal(desk->document.probes[0].series[0].point_count, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(each_test_is_a_series_of_messages),
        DESK_TEST(further_columns_are_left),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(long_tables_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
