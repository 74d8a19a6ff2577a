/* Series with values at the same few places are rows of one table. */
#include "capture.h"

#include "render/parts.h"
#include "report/series.h"

#include <math.h>

enum { SERIES = 4, PLACES = 2 };

struct bench {
    struct series series[SERIES];
    struct point points[SERIES][16];
    struct factor factors[SERIES][2];
    char names[SERIES][8];
};

static const struct view_style plain = {.width = 80};

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

static void what_lies_at_the_same_few_places_goes_together(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    assert_int_equal(table_group(series, SERIES), SERIES);
    assert_int_equal(table_group(series, 2), 2);
    assert_int_equal(table_group(series, 1), 1);
    series[1].point_count = 1; /* there was no time for the other */
    series[2].point_count = 0;
    assert_int_equal(table_group(series, SERIES), SERIES);
    series[2].point_count = 16;
    assert_int_equal(table_group(series, SERIES), 2);
    assert_int_equal(table_group(&series[2], 2), 1);
    series = join(&bench, false);
    series[3].y.unit = "op/s";
    assert_int_equal(table_group(series, SERIES), 3);
    series[1].x.name = "distance";
    assert_int_equal(table_group(series, SERIES), 1);
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
    assert_int_equal(table_group(series, SERIES), 2);
    assert_int_equal(table_group(&series[2], 2), 2);
    assert_int_equal(table_group(&series[1], 2), 2); /* each with a name of its own */
    assert_int_equal(table_group(&series[1], 3), 2);
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
    assert_int_equal(table_group(series, SERIES), SERIES);
    assert_int_equal(table_group(series, 2), 1);
    series[1].name = "another";
    assert_int_equal(table_group(series, SERIES), 1);
    series = join(&bench, true);
    series[0].point_count = 5;
    assert_int_equal(table_group(series, SERIES), 1);
}

static void rows_are_told_apart_by_what_differs(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    struct factor common[TABLE_FACTORS_MAX];
    assert_int_equal(table_common_factors(series, SERIES, common), 1);
    assert_string_equal(common[0].name, "stride");
    struct capture capture = {0};
    table_print_group(capture_begin(&capture), series, SERIES, &plain);
    char *text = capture_end(&capture);
    assert_non_null(strstr(text, "writers      ns   +-%     min     max    n\n"));
    assert_non_null(strstr(text, "\n  op load         1    10.0    10    5.00    77.0    6\n"));
    assert_non_null(strstr(text, "\n                  2    41.0   2.4    5.00    77.0    6\n"));
    free(text);
    for (int s = 0; s < SERIES; s++) {
        snprintf(bench.names[s], sizeof bench.names[s], "name %d", s);
        series[s].name = bench.names[s];
    }
    table_print_group(capture_begin(&capture), series, SERIES, &plain);
    text = capture_end(&capture);
    assert_non_null(strstr(text, "\n  name 3        1    40.0"));
    free(text);
}

/* The table of two series in both units, at that width. To be freed. */
static void a_row_without_factors_has_its_name(void **state)
{
    (void)state;
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    struct capture capture = {0};
    series[1].factor_count = 0;
    table_print_group(capture_begin(&capture), series, SERIES, &plain);
    char *text = capture_end(&capture);
    assert_non_null(strstr(text, "\n  same "));
    free(text);
}

static char *in_both_units(struct bench *bench, int width)
{
    struct series *series = join(bench, false);
    for (int s = 0; s < 2; s++)
        for (int i = 0; i < PLACES; i++)
            bench->points[s][i].cycles = (struct estimate){31.5f, 31, 32};
    bench->points[1][1].cycles = (struct estimate){NAN, NAN, NAN};
    struct capture capture = {0};
    table_print_group(capture_begin(&capture), series, 2, &(struct view_style){.width = width});
    return capture_end(&capture);
}

static void both_units_are_told_at_any_width(void **state)
{
    (void)state;
    /* Up to the blank for a doubt's mark, the widest has 64 columns; the interval takes 6. */
    static const struct {
        int width;
        const char *head, *row, *unknown;
    } cases[] = {
        {64, "writers      ns   +-%  cycles     min     max    n\n",
         "\n  op load         1    10.0    10    31.5    5.00    77.0    6\n",
         "\n                  2    21.0   4.8       -    5.00    77.0    6\n"},
        {63, "writers      ns  cycles     min     max    n\n",
         "\n  op load         1    10.0    31.5    5.00    77.0    6\n",
         "\n                  2    21.0       -    5.00    77.0    6\n"},
        {57, "writers      ns   +-%  cycles    n\n",
         "\n  op load         1    10.0    10    31.5    6\n",
         "\n                  2    21.0   4.8       -    6\n"},
        {40, "writers      ns  cycles    n\n", "\n  op load         1    10.0    31.5    6\n",
         "\n                  2    21.0       -    6\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_of(false);
        char *text = in_both_units(&bench, cases[i].width);
        assert_non_null(strstr(text, cases[i].head));
        assert_non_null(strstr(text, cases[i].row));
        assert_non_null(strstr(text, cases[i].unknown));
        free(text);
    }
}

static void pairs_are_places_too(void **state)
{
    (void)state;
    struct bench bench = bench_of(true);
    struct series *series = join(&bench, true);
    series[1].points[0].y = summary_of_nothing();
    struct capture capture = {0};
    table_print_group(capture_begin(&capture), series, SERIES, &plain);
    char *text = capture_end(&capture);
    assert_non_null(strstr(text, "from -> to      ns"));
    assert_non_null(strstr(text, "  op load       0 -> 1    10.0"));
    assert_non_null(strstr(text, "  op store      0 -> 1       -     -       -       -    0\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_at_the_same_few_places_goes_together),
        cmocka_unit_test(series_of_two_names_are_two_tables),
        cmocka_unit_test(two_matrices_stay_matrices),
        cmocka_unit_test(rows_are_told_apart_by_what_differs),
        cmocka_unit_test(a_row_without_factors_has_its_name),
        cmocka_unit_test(both_units_are_told_at_any_width),
        cmocka_unit_test(pairs_are_places_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
