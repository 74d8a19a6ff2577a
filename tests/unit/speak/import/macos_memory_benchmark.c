#include "desk.h"

/* Within a window of a page translation costs nothing: that is no latency of DRAM by itself. */
static void a_window_stands_beside_the_latency(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &macos_memory_benchmark_format, "tools/macos-memory-benchmark.json");
    const struct probe_result *probe = document_probe(&desk->document, "latency");
    size_t windows = 0, all = 0;
    for (size_t i = 0; i < probe->finding_count; i++)
        if (strcmp(probe->findings[i].name, "DRAM.latency_ns") == 0) {
            bool window = false;
            for (size_t f = 0; f < probe->findings[i].factor_count; f++)
                window = window || strcmp(probe->findings[i].factors[f].name, "window") == 0;
            assert_true(window == (probe->findings[i].value < 20));
            windows += window;
            all++;
        }
    assert_true(windows == 1 && all == 2);
}

static void other_modes_are_read(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(
        read_text(desk, &macos_memory_benchmark_format,
                  "{\"configuration\": {\"cpu_name\": \"A\"}, \"tlb_analysis\": {\"sweep\": ["
                  "{\"locality_bytes\": 16384, \"loop_latencies_ns\": [9.0, 9.5, 10.0]},"
                  "{\"locality_bytes\": 65536, \"loop_latencies_ns\": [11.0]}]}}"),
        0);
    const struct series *series = &document_probe(&desk->document, "window")->series[0];
    assert_true(series->point_count == 2 && series->points[0].y.n == 3);
    assert_true(series->points[1].x == 65536 && series->points[1].y.median == 11);
    assert_int_equal(
        read_text(desk, &macos_memory_benchmark_format,
                  "{\"patterns\": {\"random\": {\"bandwidth\": {\"copy_gb_s\": {\"values\": "
                  "[30]}}}}}"),
        0);
    assert_string_equal(factor_of(desk, "bandwidth.copy.all", "pattern"), "random");
}

static void what_is_no_such_document_is_refused(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &macos_memory_benchmark_format, "{}", "holds no values");
    assert_refused(desk, &macos_memory_benchmark_format, "9.5", "holds no values");
    assert_refused(desk, &macos_memory_benchmark_format, "{\"a\": [1,]}", "is not JSON at line 1");
    assert_refused(desk, &macos_memory_benchmark_format,
                   "{\"main_memory\": {\"bandwidth\": {\"read_gb_s\": {\"values\": [-1]}}}}",
                   "main_memory/bandwidth/read_gb_s/values: -1 is not a positive number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(a_window_stands_beside_the_latency),
        DESK_TEST(other_modes_are_read),
        DESK_TEST(what_is_no_such_document_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
