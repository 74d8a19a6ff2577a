#include "desk.h"

#include "measure/probes/kit/probe.h"

static const struct series *series_named(const struct desk *desk, const char *name)
{
    for (size_t i = 0; i < desk->document.probes[0].series_count; i++)
        if (strcmp(desk->document.probes[0].series[i].name, name) == 0)
            return &desk->document.probes[0].series[i];
    fail_msg("no series %s", name);
    return NULL;
}

static void the_median_of_rrzes_columns_is_taken(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &gpu_latency_format, "tools/gpu-latency.txt");
    const struct series *series = series_named(desk, "gpu0 latency");
    assert_true(series->points[0].x == 2048 && series->points[0].cycles.median == 30);
    assert_true(series->points[0].y.median == 20); /* 30 cycles of 1.5 GHz */
    if (probe_absent("gpu"))                       /* a build without GPUs keeps the curve alone */
        return;
    assert_true(fabs(value_of(desk, "gpu0.L1.latency") - 30) < 0.5);
    assert_true(fabs(value_of(desk, "gpu0.L2.latency") - 200) < 2);
    assert_true(fabs(value_of(desk, "gpu0.DRAM.latency") - 500) < 5);
    assert_int_equal(desk->document.machine.gpu_count, 1);
}

static void the_columns_of_the_source_are_read(void **state)
{
    struct desk *desk = *state;
    read_sample(desk, &gpu_latency_format, "tools/cuda-latency.txt");
    const struct series *series = series_named(desk, "gpu0 latency");
    assert_true(series->points[0].x == 1024 && series->points[0].cycles.median == 50);
    assert_true(fabs((double)series->points[0].y.median - 50 / 1.8) < 1e-4);
    if (probe_absent("gpu")) /* a build without GPUs keeps the curve alone */
        return;
    assert_true(fabs(value_of(desk, "gpu0.DRAM.latency") - 440) < 5);
}

static void titles_name_devices_and_factors(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(read_text(desk, &gpu_latency_format,
                               "# gpu0 latency, path l1, order random, stride 128\nMHz B KB CPI\n"
                               "1500 1024 1 30.0\n1500 2048 2 30.5\n\n"
                               "# gpu1 latency, path l2, order forward, stride 64\nMHz B KB CPI\n"
                               "1000 1024 1 200.0"),
                     0);
    const struct series *first = series_named(desk, "gpu0 latency"),
                        *second = series_named(desk, "gpu1 latency");
    assert_true(first->point_count == 2 && second->point_count == 1);
    assert_string_equal(series_factor(first, "path")->text, "l1");
    assert_true(series_factor(second, "stride")->number == 64);
    assert_string_equal(series_factor(second, "order")->text, "forward");
    assert_true(second->points[0].y.median == 200);
    assert_int_equal(desk->document.machine.gpu_count, 2);
}

static void bad_lines_are_refused_by_number(void **state)
{
    struct desk *desk = *state;
    assert_refused(desk, &gpu_latency_format, "", "holds no row below");
    assert_refused(desk, &gpu_latency_format, "MHz B KB CPI\n", "holds no row below");
    assert_refused(desk, &gpu_latency_format, "MHz B KB CPI\n1500 1024 1\n",
                   "line 2: write 4 columns");
    assert_refused(desk, &gpu_latency_format, "MHz B KB CPI\n0 1024 1 30\n",
                   "line 2: the clock '0' is none");
    assert_refused(desk, &gpu_latency_format, "MHz B KB CPI\n1500 1024 1 30,5\n",
                   "line 2: the latency '30,5' has a decimal comma");
    assert_refused(desk, &gpu_latency_format, "clock: 1500\n1000 1500 -2 1 1 1 1 1\n",
                   "line 2: the size '-2' is none");
    assert_refused(desk, &gpu_latency_format, "clock: 1500\n1000 1500 2\n", "line 2: write 8");
}

static void long_tables_are_read(void **state)
{
    struct desk *desk = *state;
    char *text = long_text("MHz B KB CPI\n", "1500 %zu 1 30.0\n", 200000);
    assert_int_equal(read_text(desk, &gpu_latency_format, text), 0);
    free(text);
    assert_int_equal(series_named(desk, "gpu0 latency")->point_count, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(the_median_of_rrzes_columns_is_taken),
        DESK_TEST(the_columns_of_the_source_are_read),
        DESK_TEST(titles_name_devices_and_factors),
        DESK_TEST(bad_lines_are_refused_by_number),
        DESK_TEST(long_tables_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
