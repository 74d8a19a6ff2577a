/* Tables as text: what they show of points, and how they fit every width. */
#include "capture.h"

#include "document/flag.h"
#include "show/render/parts.h"
#include "show/report/parts.h"

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

typedef void add_function(struct report *, size_t, const struct probe_result *,
                          const struct series *, size_t);

static char *print(add_function *add, const struct series *series, size_t count, int width)
{
    struct capture capture = {0};
    struct report report = {.pool = &test_pool};
    add(&report, 0, NULL, series, count);
    draw_report(capture_begin(&capture), &report, &(struct text_style){.width = width});
    pool_free(&test_pool);
    char *text = capture_end(&capture);
    assert_fits(text, (size_t)width);
    return text;
}

static void rows_are_distinguished_by_what_differs(void **state)
{
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    char *text = print(report_add_points, series, SERIES, 80);
    assert_non_null(strstr(text, "writers      ns   +-%    n     min     max\n"));
    assert_non_null(strstr(text, "\n  op load         1    10.0    10    6    5.00    77.0\n"));
    assert_non_null(strstr(text, "\n                  2    41.0   2.4    6    5.00    77.0\n"));
    free(text);
    for (int s = 0; s < SERIES; s++) {
        snprintf(bench.names[s], sizeof bench.names[s], "name %d", s);
        series[s].name = bench.names[s];
    }
    series[2].point_count = 0;
    text = print(report_add_points, series, SERIES, 80);
    assert_non_null(strstr(text, "\n  name 3        1    40.0"));
    assert_non_null(strstr(text, "\n  name 2  nothing was measured\n"));
    free(text);
}

/* What goes first is what the rest says best without. */
static void both_units_are_shown_at_any_width(void **state)
{
    static const struct {
        int width;
        const char *head, *row, *unknown;
    } cases[] = {
        {80, "writers      ns   +-%  cycles    n     min     max\n",
         "\n  op load         1    10.0    10    31.5    6    5.00    77.0\n",
         "\n                  2    21.0   4.8       -    6    5.00    77.0\n"},
        {60, "writers    ns  +-%  cycles  n   min   max\n",
         "\n  op load         1  10.0   10    31.5  6  5.00  77.0\n",
         "\n                  2  21.0  4.8       -  6  5.00  77.0\n"},
        {50, "writers    ns  cycles  n   min   max\n",
         "\n  op load         1  10.0    31.5  6  5.00  77.0\n",
         "\n                  2  21.0       -  6  5.00  77.0\n"},
        {40, "writers    ns  cycles  n\n", "\n  op load         1  10.0    31.5  6\n",
         "\n                  2  21.0       -  6\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench = bench_of(false);
        struct series *series = join(&bench, false);
        for (int s = 0; s < 2; s++)
            for (int p = 0; p < PLACES; p++)
                bench.points[s][p].cycles = (struct estimate){31.5f, 31, 32};
        bench.points[1][1].cycles = (struct estimate){NAN, NAN, NAN};
        char *text = print(report_add_points, series, 2, cases[i].width);
        if (!strstr(text, cases[i].head) || !strstr(text, cases[i].row) ||
            !strstr(text, cases[i].unknown))
            fail_msg("at %d columns:\n%s", cases[i].width, text);
        free(text);
    }
}

static void doubts_are_marked_and_flags_named_where_there_is_room(void **state)
{
    struct bench bench = bench_of(false);
    struct series *series = join(&bench, false);
    series->point_count = 16;
    bench.points[0][1].flags = FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_CLOCK_DRIFT);
    bench.points[0][2].flags = FLAG_BIT(FLAG_CLOCK_DRIFT);
    char *text = print(report_add_points, series, 1, 120);
    assert_non_null(strstr(text, "\n             2      ~11.0     9.1      6     5.00     77.0  "));
    assert_non_null(strstr(text, "\n             3       12.0     8.3      6     5.00     77.0  "));
    assert_non_null(strstr(text, flag_texts[FLAG_TOO_FEW].name));
    free(text);
    text = print(report_add_points, series, 1, 64);
    assert_non_null(strstr(text, "\n             2      ~11.0     9.1      6     5.00     77.0\n"));
    assert_null(strstr(text, flag_texts[FLAG_TOO_FEW].name));
    free(text);
}

static struct series *sheet_of(struct bench *bench)
{
    struct series *series = join(bench, false);
    for (int s = 0; s < SERIES; s++) {
        bench->factors[s][0].text = "load";
        bench->factors[s][1].number = 1024 << s;
        series[s].point_count = 9;
        series[s].x.name = "lines";
        for (int i = 0; i < 9; i++)
            bench->points[s][i].cycles.median = 100.0f * (float)(s + 1) + (float)i;
    }
    return series;
}

static void cells_are_cycles_where_all_have_them(void **state)
{
    struct bench bench = bench_of(false);
    struct series *series = sheet_of(&bench);
    char *text = print(report_add_sheet, series, SERIES, 80);
    assert_non_null(strstr(text, "  cycles, a column for each stride\n"));
    assert_non_null(strstr(text, "\n         lines      1K      2K      4K      8K\n"));
    assert_non_null(strstr(text, "\n             1     100     200     300     400\n"));
    assert_non_null(strstr(text, "\n             9     108     208     308     408\n"));
    free(text);
    bench.points[2][4].cycles.median = NAN;
    text = print(report_add_sheet, series, SERIES, 80);
    assert_non_null(strstr(text, "  ns, a column for each stride\n"));
    assert_non_null(strstr(text, "\n             1    10.0    20.0    30.0    40.0\n"));
    free(text);
}

static void gaps_and_doubts_show(void **state)
{
    struct bench bench = bench_of(false);
    struct series *series = sheet_of(&bench);
    series[1].points++; /* it begins at 2 */
    series[1].point_count--;
    bench.points[0][1].flags = FLAG_BIT(FLAG_TOO_FEW);
    bench.points[3][1].flags = FLAG_BIT(FLAG_TOO_FEW);
    bench.points[2][1].flags = FLAG_BIT(FLAG_CLOCK_DRIFT); /* a remark */
    char *text = print(report_add_sheet, series, SERIES, 80);
    assert_non_null(strstr(text, "\n             1     100       -     300     400\n"));
    assert_non_null(strstr(text, "\n             2    ~101     201     301    ~401\n"));
    free(text);
}

static void what_is_too_wide_goes_on_below(void **state)
{
    struct bench bench = bench_of(false);
    struct series many[4 * SERIES];
    for (int i = 0; i < 4 * SERIES; i++)
        many[i] = sheet_of(&bench)[i % SERIES];
    char *text = print(report_add_sheet, many, 4 * SERIES, 44);
    assert_non_null(strstr(text, "\n\n  cycles, a column for each stride\n"));
    assert_non_null(strstr(text, "  lines  1K  2K  4K  8K  1K  2K  4K  8K\n"));
    free(text);
}

/* Texts of any length are shown whole: in lines of their own, or wrapped in their column. */
static void texts_are_shown_whole(void **state)
{
    static const char words[] = "a label that has more words than a narrow terminal has columns";
    for (int width = 40; width <= 120; width += 8) {
        struct report report = {.pool = &test_pool};
        struct capture capture = {0};
        struct table table = {.title = NULL};
        table_add_words(&report, &table, "who", 0);
        table_add_figures(&report, &table, "ns", 0);
        table_add_words(&report, &table, "what", 0);
        struct row *row = table_add_row(&report, &table);
        row->cells[0] = cell_of_text(words);
        row->cells[1] = cell_of_value(12.5, "ns", FORM_NUMBER);
        row->cells[2] = cell_of_text(words);
        row->sentence = words;
        row->words = words;
        row->flags = FLAG_BIT(FLAG_TOO_FEW);
        draw_table(capture_begin(&capture), &table, false, &(struct text_style){.width = width});
        char *text = capture_end(&capture);
        assert_fits(text, (size_t)width);
        size_t found = 0;
        for (const char *at = text; (at = strstr(at, "columns")) != NULL; at++)
            found++;
        assert_int_equal(found, 4);
        assert_null(strstr(text, "..."));
        free(text);
        pool_free(&test_pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_distinguished_by_what_differs),
        cmocka_unit_test(both_units_are_shown_at_any_width),
        cmocka_unit_test(doubts_are_marked_and_flags_named_where_there_is_room),
        cmocka_unit_test(cells_are_cycles_where_all_have_them),
        cmocka_unit_test(gaps_and_doubts_show),
        cmocka_unit_test(what_is_too_wide_goes_on_below),
        cmocka_unit_test(texts_are_shown_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
