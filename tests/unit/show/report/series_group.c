/* Series with values at the same few places are rows of one table; curves that differ in one factor
 * are its columns. */
#include "../render/capture.h"

#include "show/report/details.h"
#include "show/report/series.h"

#include <math.h>

enum { SERIES = 4, PLACES = 2 };

struct bench {
    struct series series[SERIES];
    struct point points[SERIES][16];
    struct factor factors[SERIES][2];
    char names[SERIES][8];
};

static struct bench bench_of(bool matrix)
{
    struct bench bench = {0};
    for (int s = 0; s < SERIES; s++)
        for (int i = 0; i < 16; i++)
            bench.points[s][i] = (struct point){.x = i + 1,
                                                .from = matrix ? i : 0,
                                                .to = matrix ? i + 1 : 0,
                                                .y = {.median = 10.0f * (float)(s + 1) + (float)i,
                                                      .low = 9,
                                                      .high = 11,
                                                      .min = 5,
                                                      .max = 77,
                                                      .n = 6},
                                                .cycles = {NAN, NAN, NAN}};
    return bench;
}

/* The parts point into the bench, which may have moved. */
static struct series *join(struct bench *bench, bool matrix)
{
    static const char *const ops[SERIES] = {"load", "store", "cas", "swap"};
    for (int s = 0; s < SERIES; s++) {
        bench->factors[s][0] = (struct factor){"op", ops[s], 0};
        bench->factors[s][1] = (struct factor){"stride", NULL, 64};
        bench->series[s] = (struct series){.name = "same",
                                           .factors = bench->factors[s],
                                           .factor_count = 2,
                                           .matrix = matrix,
                                           .x = {matrix ? "cpu" : "writers", ""},
                                           .y = {"latency", "ns"},
                                           .points = bench->points[s],
                                           .point_count = PLACES};
    }
    return bench->series;
}

/* What is a variant of something is distinguished by that word, whatever else differs. */
static void variants_are_columns_of_one_table(void **state)
{
    (void)state;
    static const char *const names[SERIES] = {"plain", "packed", "forward", "spilled"};
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    for (int s = 0; s < SERIES; s++) {
        bench.factors[s][1] = (struct factor){"stride", NULL, 8.0 * (s + 1)};
        series[s].point_count = 12;
    }
    assert_int_equal(series_sheet(series, SERIES), 1); /* op and stride differ */
    for (int s = 0; s < SERIES; s++)
        bench.factors[s][0] = (struct factor){"variant", names[s], 0};
    assert_int_equal(series_sheet(series, SERIES), SERIES);
    assert_int_equal(series_only_difference(&series[0], &series[2]), 0);
}

static void what_lies_at_the_same_few_places_goes_together(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    assert_int_equal(series_group(series, SERIES), SERIES);
    assert_int_equal(series_group(series, 2), 2);
    assert_int_equal(series_group(series, 1), 1);
    series[1].point_count = 1; /* there was no time for the other */
    series[2].point_count = 0;
    assert_int_equal(series_group(series, SERIES), SERIES);
    series[2].point_count = 16;
    assert_int_equal(series_group(series, SERIES), 2);
    assert_int_equal(series_group(&series[2], 2), 1);
    series = join(&bench, false);
    series[3].y.unit = "op/s";
    assert_int_equal(series_group(series, SERIES), 3);
    series[1].x.name = "distance";
    assert_int_equal(series_group(series, SERIES), 1);
}

/* Totals, then each CPU's share of them: one table would have every label twice. */
static void series_of_two_names_are_two_tables(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    for (int s = 2; s < SERIES; s++) {
        series[s].name = "each";
        series[s].factors = series[s - 2].factors;
    }
    assert_int_equal(series_group(series, SERIES), 2);
    assert_int_equal(series_group(&series[2], 2), 2);
    assert_int_equal(series_group(&series[1], 2), 2); /* each with a name of its own */
    assert_int_equal(series_group(&series[1], 3), 2);
    assert_true(series_is_taken_for(&series[0], &series[2]));
    assert_false(series_is_taken_for(&series[0], &series[3]));
    series[2].y.unit = "B/s";
    assert_false(series_is_taken_for(&series[0], &series[2]));
}

static void two_matrices_stay_matrices(void **state)
{
    (void)state;
    struct bench bench = bench_of(true);
    struct series *series = join(&bench, true);
    assert_int_equal(series_group(series, SERIES), SERIES);
    assert_int_equal(series_group(series, 2), 1);
    series[1].name = "another";
    assert_int_equal(series_group(series, SERIES), 1);
    series = join(&bench, true);
    series[0].point_count = 5;
    assert_int_equal(series_group(series, SERIES), 1);
}

static void what_all_share_is_no_label(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    struct factor common[COMMON_FACTORS_MAX];
    assert_int_equal(series_common_factors(series, SERIES, common), 1);
    assert_string_equal(common[0].name, "stride");
    struct report report = {0};
    const char **labels = series_labels(&report, series, SERIES);
    assert_string_equal(labels[0], "op load");
    assert_string_equal(labels[3], "op swap");
    series[2].factors++; /* its name tells its rows from those above */
    series[2].factor_count = 1;
    labels = series_labels(&report, series, SERIES);
    assert_string_equal(labels[1], "op store");
    assert_string_equal(labels[2], "same");
    series[2].factors--;
    series[2].factor_count = 2;
    series[1].name = series[2].name = series[3].name = "another";
    labels = series_labels(&report, series, 2);
    assert_string_equal(labels[0], "same");
    assert_string_equal(labels[1], "another");
    assert_null(series_labels(&report, series, 1));
    report_free(&report);
}

/* The curves of a sheet have more places than those of a group. */
static struct series *sheet_of(struct bench *bench)
{
    struct series *series = join(bench, false);
    for (int s = 0; s < SERIES; s++) {
        bench->factors[s][0].text = "load";
        bench->factors[s][1].number = 1024 << s;
        series[s].point_count = 9;
    }
    return series;
}

static void one_factor_makes_columns(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = sheet_of(&bench);
    assert_int_equal(series_sheet(series, SERIES), SERIES);
    assert_int_equal(series_sheet(series, 3), 3);
    assert_int_equal(series_sheet(series, 2), 1); /* two tables compare well enough */
    bench.factors[3][0].text = "store";           /* a second one differs */
    assert_int_equal(series_sheet(series, SERIES), 3);
    bench.factors[1][0].text = "store";
    assert_int_equal(series_sheet(series, SERIES), 1);
    series = sheet_of(&bench);
    series[1].name = "others";
    assert_int_equal(series_sheet(series, SERIES), 1);
    series = sheet_of(&bench);
    series[0].point_count = 8; /* those are rows of a group */
    assert_int_equal(series_sheet(series, SERIES), 1);
    series = sheet_of(&bench);
    bench.factors[1][1] = bench.factors[0][1]; /* nothing tells them apart */
    assert_int_equal(series_sheet(series, SERIES), 1);
    series = sheet_of(&bench);
    series[3].matrix = true;
    assert_int_equal(series_sheet(series, SERIES), 3);
    assert_int_equal(series_only_difference(&series[0], &series[1]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_are_columns_of_one_table),
        cmocka_unit_test(what_lies_at_the_same_few_places_goes_together),
        cmocka_unit_test(series_of_two_names_are_two_tables),
        cmocka_unit_test(two_matrices_stay_matrices),
        cmocka_unit_test(what_all_share_is_no_label),
        cmocka_unit_test(one_factor_makes_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
