#include "desk.h"

static const struct point *at(const struct series *series, int from, int to)
{
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from == from && series->points[i].to == to)
            return &series->points[i];
    return NULL;
}

#define LATENCY   "Measuring idle latencies (in ns)...\n"
#define TRANSFERS "Measuring cache-to-cache transfer latency (in ns)...\n"
#define LOADED    "Measuring Loaded Latencies for the system\n"

static void what_traffic_does_is_found_in_its_rows(void **state)
{
    /* Rate over latency is greatest at 160 GB/s and 100 ns, and alike at both sides of it. */
    static const char steps[] = LOADED " 00000 400 200000\n 00002 300 195000\n 00050 200 180000\n"
                                       " 00100 125 170000\n 00200 100 160000\n 00300 90 120000\n"
                                       " 00500 88 60000\n 01000 86 30000\n 05000 85 8000\n";
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mlc_format, steps), 0);
    assert_true(value_of(desk, "loaded.saturated") == 400);
    assert_true(value_of(desk, "loaded.bandwidth") == 200e9);
    assert_true(value_of(desk, "loaded.knee") > 140e9 && value_of(desk, "loaded.knee") < 170e9);
    /* Each section has its own rows and traffic. */
    char *twice = calloc(2 * sizeof steps + 64, 1);
    sprintf(twice, LOADED "Using Read-only traffic type\n%s%s", steps + strlen(LOADED), steps);
    assert_int_equal(read_text(desk, &mlc_format, twice), 0);
    free(twice);
    const struct probe_result *loaded = document_probe(&desk->document, "loaded");
    assert_int_equal(loaded->series_count, 2);
    assert_string_equal(series_factor(&loaded->series[0], "traffic")->text, "sequential");
    assert_null(series_factor(&loaded->series[1], "traffic"));
    assert_true(loaded->series[1].headline);
    size_t saturated = 0;
    for (size_t i = 0; i < loaded->finding_count; i++)
        saturated += strcmp(loaded->findings[i].name, "loaded.saturated") == 0;
    assert_int_equal(saturated, 2);
    /* The rows of chosen delays say nothing of all the traffic that there can be. */
    assert_int_equal(read_text(desk, &mlc_format, LOADED " 00300 90 120000\n"), 0);
    assert_null(document_finding(&desk->document, "loaded.saturated"));
    /* -T has no latency. */
    assert_int_equal(read_text(desk, &mlc_format, LOADED " 00000\t  0.00\t 117216.4\n"), 0);
    assert_null(document_finding(&desk->document, "loaded.saturated"));
    assert_true(fabs(value_of(desk, "loaded.bandwidth") - 117216.4e6) < 1e4);
    assert_int_equal(desk->document.probes[0].series_count, 0);
}

static void nodes_have_the_ids_that_stand_there(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mlc_format,
                               LATENCY
                               "\tNuma node\r\nNuma node  0  2\r\n\r\n 0 80.5 -\n 2 - 81\n"),
                     0);
    const struct series *series = &desk->document.probes[0].series[0];
    assert_int_equal(series->point_count, 2);
    assert_true(at(series, 2, 2)->y.median == 81 && at(series, 0, 0)->y.median == 80.5f);
    assert_int_equal(series->factor_count, 0);
}

static void lines_of_other_caches_are_matrices_by_home(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mlc_format,
                               TRANSFERS
                               "Local Socket L2->L2 HITM latency\t47.0\n"
                               "Remote Socket L2->L2 HITM latency (data address homed in writer "
                               "socket)\n\t\tReader Numa Node\nWriter Numa Node     0\t     1\n"
                               "            0\t     -\t 108.5\n            1\t 109.0\t     -\n"
                               "Remote Socket L2->L2 HITM latency (data address homed in reader "
                               "socket)\n\t\tReader Numa Node\nWriter Numa Node     0\t     1\n"
                               "            0\t     -\t 180.0\n            1\t 181.0\t     -\n"),
                     0);
    const struct probe_result *probe = document_probe(&desk->document, "transfers");
    assert_int_equal(probe->series_count, 3);
    assert_string_equal(series_factor(&probe->series[0], "home")->text, "own");
    assert_true(at(&probe->series[0], 0, 0)->y.median == 47);
    assert_string_equal(series_factor(&probe->series[1], "home")->text, "writer");
    assert_true(at(&probe->series[1], 0, 1)->y.median == 108.5f);
    assert_string_equal(series_factor(&probe->series[2], "home")->text, "reader");
    assert_true(at(&probe->series[2], 1, 0)->y.median == 181);
    assert_null(at(&probe->series[2], 0, 0));
    assert_int_equal(desk->text.unread, 0);
}

static void an_idle_latency_is_a_point_of_the_curve(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mlc_format,
                               "Intel(R) Memory Latency Checker - v3.9\r\n"
                               "Command line parameters: --idle_latency\r\n\r\n"
                               "Using buffer size of 2000.000MiB\r\n"
                               "Each iteration took 240.0 core clocks (\t80.0\tns)"),
                     0);
    const struct probe_result *probe = document_probe(&desk->document, "latency");
    assert_true(probe->series[0].points[0].x == 2000.0 * 1048576);
    assert_true(value_of(desk, "latency_ns") == 80 && value_of(desk, "latency") == 240);
    assert_string_equal(factor_of(desk, "latency_ns", "working set"), "2000 MiB");
    assert_int_equal(desk->text.unread, 0);
    assert_int_equal(read_text(desk, &mlc_format,
                               "Each iteration took 160.0 base frequency clocks ( 80.0 ns)\n"),
                     0);
    assert_true(value_of(desk, "latency_ns") == 80 && isnan(value_of(desk, "latency")));
}

static void what_is_not_read_is_counted(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &mlc_format,
                               "node 7\n" LATENCY "Numa node 0\n0 80\nMeasuring things to come\n"
                               "1 2 3\n"),
                     0);
    assert_int_equal(desk->text.unread, 2);
    assert_int_equal(desk->text.unread_line, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(what_traffic_does_is_found_in_its_rows),
        DESK_TEST(nodes_have_the_ids_that_stand_there),
        DESK_TEST(lines_of_other_caches_are_matrices_by_home),
        DESK_TEST(an_idle_latency_is_a_point_of_the_curve),
        DESK_TEST(what_is_not_read_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
