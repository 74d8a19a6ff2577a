/* Curves that differ in one factor are columns of one sheet. */
#include "capture.h"

#include "render/parts.h"
#include "result/flag.h"

#include <math.h>

enum { SERIES = 4, POINTS = 9 };

struct bench {
    struct series series[SERIES];
    struct point points[SERIES][POINTS];
    struct factor factors[SERIES][2];
};

static struct series *set_up(struct bench *bench)
{
    for (int s = 0; s < SERIES; s++) {
        for (int i = 0; i < POINTS; i++)
            bench->points[s][i] =
                (struct point){.x = i + 1,
                               .y = {.median = 10.0f * (float)(s + 1) + (float)i, .n = 6},
                               .cycles = {.median = 100.0f * (float)(s + 1) + (float)i}};
        bench->factors[s][0] = (struct factor){"op", "load", 0};
        bench->factors[s][1] = (struct factor){"stride", NULL, 1024 << s};
        bench->series[s] = (struct series){.name = "conflicts",
                                           .factors = bench->factors[s],
                                           .factor_count = 2,
                                           .x = {"lines", ""},
                                           .y = {"latency", "ns"},
                                           .points = bench->points[s],
                                           .point_count = POINTS};
    }
    return bench->series;
}

static char *print(const struct series *series, size_t count, int width)
{
    struct capture capture = {0};
    table_print_sheet(capture_begin(&capture), series, count, &(struct view_style){.width = width});
    return capture_end(&capture);
}

static void one_factor_makes_columns(void **state)
{
    (void)state;
    struct bench bench;
    struct series *series = set_up(&bench);
    assert_int_equal(table_sheet(series, SERIES), SERIES);
    assert_int_equal(table_sheet(series, 3), 3);
    assert_int_equal(table_sheet(series, 2), 1); /* two tables compare well enough */
    bench.factors[3][0].text = "store";          /* a second one differs */
    assert_int_equal(table_sheet(series, SERIES), 3);
    bench.factors[1][0].text = "store";
    assert_int_equal(table_sheet(series, SERIES), 1);
    series = set_up(&bench);
    series[1].name = "others";
    assert_int_equal(table_sheet(series, SERIES), 1);
    series = set_up(&bench);
    series[0].point_count = 8; /* those are rows of a group */
    assert_int_equal(table_sheet(series, SERIES), 1);
    series = set_up(&bench);
    bench.factors[1][1] = bench.factors[0][1]; /* nothing tells them apart */
    assert_int_equal(table_sheet(series, SERIES), 1);
    series = set_up(&bench);
    series[3].matrix = true;
    assert_int_equal(table_sheet(series, SERIES), 3);
}

static void cells_are_cycles_where_all_have_them(void **state)
{
    (void)state;
    struct bench bench;
    char *text = print(set_up(&bench), SERIES, 80);
    assert_non_null(strstr(text, "  cycles, a column for each stride\n"));
    assert_non_null(strstr(text, "\n         lines     1K      2K      4K      8K\n"));
    assert_non_null(strstr(text, "\n             1    100     200     300     400\n"));
    assert_non_null(strstr(text, "\n             9    108     208     308     408\n"));
    free(text);
    bench.points[2][4].cycles.median = NAN;
    text = print(bench.series, SERIES, 80);
    assert_non_null(strstr(text, "  ns, a column for each stride\n"));
    assert_non_null(strstr(text, "\n             1   10.0    20.0    30.0    40.0\n"));
    free(text);
}

static void gaps_and_doubts_show(void **state)
{
    (void)state;
    struct bench bench;
    struct series *series = set_up(&bench);
    series[1].points++; /* it begins at 2 */
    series[1].point_count--;
    bench.points[0][1].flags = FLAG_BIT(FLAG_UNCONVERGED);
    bench.points[3][1].flags = FLAG_BIT(FLAG_UNCONVERGED);
    bench.points[2][1].flags = FLAG_BIT(FLAG_CLOCK_DRIFT); /* a remark */
    char *text = print(series, SERIES, 80);
    assert_non_null(strstr(text, "\n             1    100       -     300     400\n"));
    assert_non_null(strstr(text, "\n             2    101!    201     301     401!\n"));
    free(text);
}

static void points_come_in_any_order(void **state)
{
    (void)state;
    struct bench bench;
    struct series *series = set_up(&bench);
    char *ordered = print(series, SERIES, 80);
    for (int i = 0; i < POINTS / 2; i++) {
        struct point last = bench.points[1][POINTS - 1 - i];
        bench.points[1][POINTS - 1 - i] = bench.points[1][i];
        bench.points[1][i] = last;
    }
    char *turned = print(series, SERIES, 80);
    assert_string_equal(turned, ordered);
    free(turned);
    free(ordered);
}

/* Of two points at one x the first that was measured is shown. */
static void one_x_is_one_row(void **state)
{
    (void)state;
    struct bench bench;
    struct series *series = set_up(&bench);
    bench.points[1][1].x = bench.points[1][0].x;
    bench.points[2][1].x = bench.points[2][0].x;
    bench.points[2][0].y.n = 0;
    char *text = print(series, SERIES, 80);
    assert_non_null(strstr(text, "\n             1    100     200     301     400\n"));
    assert_non_null(strstr(text, "\n             2    101       -       -     401\n"));
    free(text);
}

static void many_rows_take_no_long_time(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct bench bench;
    struct series *series = set_up(&bench);
    struct point *points = calloc(MANY, sizeof *points);
    assert_non_null(points);
    for (int i = 0; i < MANY; i++)
        points[i] = (struct point){.x = MANY - i, .y = {.median = 5, .n = 1}};
    for (int s = 0; s < SERIES; s++) {
        series[s].points = points;
        series[s].point_count = MANY;
    }
    char *text = print(series, SERIES, 80); /* hours, if each row were searched for */
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, MANY + 2);
    free(text);
    free(points);
}

static void what_is_too_wide_goes_on_below(void **state)
{
    (void)state;
    struct bench bench;
    char *text = print(set_up(&bench), SERIES, 40); /* three columns, so two and two */
    assert_non_null(strstr(text, "\n         lines     1K      2K\n"));
    assert_non_null(strstr(text, "\n\n  cycles, a column for each stride\n"));
    assert_non_null(strstr(text, "\n         lines     4K      8K\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_factor_makes_columns),
        cmocka_unit_test(cells_are_cycles_where_all_have_them),
        cmocka_unit_test(gaps_and_doubts_show),
        cmocka_unit_test(points_come_in_any_order),
        cmocka_unit_test(one_x_is_one_row),
        cmocka_unit_test(many_rows_take_no_long_time),
        cmocka_unit_test(what_is_too_wide_goes_on_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
