/* Parts of a curve that were measured one after the other, which only measuring joins; merges are
 * in tests/golden/made.json. */
#include "compare/merge.h"

#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { RUNS = 2, CURVES = 3, SIZES = 4 };

/* The newer run measured every second size, in falling order, and has no value of the others. */
static size_t sizes_joined(const char *newer_pages, const char *older_pages, bool matrix)
{
    static const double sizes[RUNS][SIZES] = {{4096, 2048, 1024, 512}, {3072, 1024}};
    const char *const pages[RUNS] = {older_pages, newer_pages}, *left_out;
    const char *const names[CURVES] = {"latency", "beside", "alone"};
    struct document runs[RUNS] = {0}, joined = {0};
    struct probe_result probes[RUNS];
    for (int d = 0; d < RUNS; d++) {
        probes[d] = (struct probe_result){.name = "latency"};
        runs[d].probes = &probes[d];
        runs[d].probe_count = 1;
        runs[d].run.started = d ? "2026-11-22T00:00:00Z" : "2026-11-21T00:00:00Z";
        sample_factor(&runs[d], &probes[d].parameters, &probes[d].parameter_count, "pages_obtained")
            ->text = pages[d];
        for (int s = 0; s < CURVES; s++) {
            struct series *series = sample_series(&runs[d], &probes[d], names[s], d ? 2 : SIZES);
            series->matrix = matrix;
            for (size_t i = 0; i < series->point_count; i++)
                series->points[i] =
                    (struct point){.x = sizes[d][i], .y = {.median = (float)(d + 1), .n = 1}};
        }
    }
    assert_int_equal(documents_add(&joined, runs, RUNS, &left_out, NULL), 0);
    assert_int_equal(joined.probes[0].series_count, CURVES);
    const size_t count = joined.probes[0].series[0].point_count;
    for (int s = 0; s < CURVES; s++) {
        const struct series *series = &joined.probes[0].series[s];
        assert_int_equal(series->point_count, count);
        for (size_t i = 0; i < count && !matrix; i++)
            assert_true(count == 2 || (!i || series->points[i].x > series->points[i - 1].x));
        for (size_t i = 0; i < count; i++)
            assert_true(series->points[i].y.median ==
                        (series->points[i].x == 1024 || series->points[i].x == 3072 ? 2 : 1));
    }
    document_free(&joined);
    for (int d = 0; d < RUNS; d++)
        document_free(&runs[d]);
    return count;
}

static void a_curve_gets_the_sizes_that_only_an_older_run_has(void **state)
{
    assert_int_equal(sizes_joined("small (4 KiB)", "small (4 KiB)", false), 5);
    assert_int_equal(sizes_joined("small (4 KiB)", "thp (2 MiB)", false), 2);
    assert_int_equal(sizes_joined("small (4 KiB)", "small (4 KiB)", true), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_curve_gets_the_sizes_that_only_an_older_run_has),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
