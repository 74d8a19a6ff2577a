#include "desk.h"

#define PEERS "Running a_test.\nmemcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)\n"

static const struct series *of_test(const struct desk *desk, const char *test)
{
    const struct probe_result *probe = &desk->document.probes[0];
    for (size_t i = 0; i < probe->series_count; i++)
        if (strcmp(series_factor(&probe->series[i], "test")->text, test) == 0)
            return &probe->series[i];
    fail_msg("no series of %s", test);
    return NULL;
}

static void latencies_of_host_and_device_are_no_peers(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &nvbandwidth_format,
                               "Running host_device_latency_sm.\n"
                               "memory latency SM CPU(row) <-> GPU(column) (ns)\n 0 1\n"
                               " 0 772.58 771.87\n"),
                     0);
    const struct series *times = of_test(desk, "host_device_latency_sm");
    assert_string_equal(times->x.name, "host to device");
    assert_string_equal(times->y.unit, "ns");
    assert_int_equal(times->point_count, 2);
}

static void a_table_alone_names_no_test(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &nvbandwidth_format,
                               "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\n"
                               " 0 1\n 0 N/A 276\n 1 275 N/A\n"),
                     0);
    const struct probe_result *probe = &desk->document.probes[0];
    assert_int_equal(probe->series[0].point_count, 2);
    assert_null(series_factor(&probe->series[0], "test"));
}

/* With -j: the same matrices, their name and description behind or before them. */
static void json_has_the_same(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(
        read_text(desk, &nvbandwidth_format,
                  "{\"nvbandwidth\": {\"GPU Device list\": [\"0: NVIDIA A10: (00:17)\"],"
                  " \"testcases\": [{\"average\": 26.1, \"bandwidth_description\":"
                  " \"memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\","
                  " \"bandwidth_matrix\": [[\"26.03\", \"26.17\"]],"
                  " \"name\": \"host_to_device_memcpy_ce\", \"status\": \"Passed\", \"sum\": 52.2},"
                  " {\"name\": \"device_to_device_memcpy_read_ce\", \"bandwidth_description\":"
                  " \"memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\","
                  " \"bandwidth_matrix\": [[\"N/A\", \"276.07\"], [\"276.1\", \"N/A\"]]}]}}"),
        0);
    assert_true(value_of(desk, "gpu1.host.to_device.pinned") == 26.17e9);
    assert_int_equal(desk->document.probes[0].series_count, 2);
    assert_int_equal(desk->document.probes[0].series[1].point_count, 2);
    assert_string_equal(desk->document.machine.gpus[0].name, "NVIDIA A10");
    assert_int_equal(desk->text.unread, 0);
}

/* A case without a name does not take that of the case before it. */
static void a_case_without_a_name_names_no_test(void **state)
{
    static const char cells[] = " \"bandwidth_description\":"
                                " \"memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)\","
                                " \"bandwidth_matrix\": [[\"N/A\", \"276.07\"]]}";
    char text[1024];
    struct desk *desk = *state;
    snprintf(
        text, sizeof text,
        "{\"nvbandwidth\": {\"GPU Device list\": [\"x: NVIDIA A10: (00:17)\"], \"testcases\": ["
        "{\"name\": \"device_to_device_memcpy_read_ce\",%s, {%s]}}",
        cells, cells);
    assert_int_equal(read_text(desk, &nvbandwidth_format, text), 0);
    const struct probe_result *probe = &desk->document.probes[0];
    assert_int_equal(probe->series_count, 2);
    assert_null(series_factor(&probe->series[1], "test"));
    assert_int_equal(desk->document.machine.gpu_count, 0);
}

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &nvbandwidth_format, "", "holds no matrix");
    assert_refused(desk, &nvbandwidth_format, PEERS, "holds no matrix");
    assert_refused(desk, &nvbandwidth_format, "{\n \"nvbandwidth\": {\"sum\": 5}}\n",
                   "holds no matrix");
    assert_string_equal(recognised(desk, "{\"nvbandwidth\": {}}"), "nvbandwidth");
    assert_refused(desk, &nvbandwidth_format, PEERS " 0 x\n", "line 3: nvbandwidth prints the col");
    assert_refused(desk, &nvbandwidth_format, PEERS " 0 1\n0 5\n",
                   "line 4: the line above numbers");
    assert_refused(desk, &nvbandwidth_format, PEERS " 0 1\n0 5 fast\n", "line 4: the value 'fast'");
    assert_refused(desk, &nvbandwidth_format, PEERS " 0 1\n0 5 5,5\n", "has a decimal comma");
    assert_refused(desk, &nvbandwidth_format,
                   "memcpy CE CPU(row) -> GPU(column) bandwidth (Gbit/s)\n",
                   "line 1: bandwidth in GB/s and latency in ns are read");
}

static void a_table_in_gb_s_is_no_latency(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &core_matrix_format, PEERS " 0 1\n0 0 276\n1 276 0\n",
                   "speaks of bandwidths");
    assert_string_equal(recognised(desk, PEERS " 0 1\n0 0 276\n1 276 0\n"), "nvbandwidth");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(latencies_of_host_and_device_are_no_peers),
        DESK_TEST(a_table_alone_names_no_test),
        DESK_TEST(json_has_the_same),
        DESK_TEST(a_case_without_a_name_names_no_test),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(a_table_in_gb_s_is_no_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
