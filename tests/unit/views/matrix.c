#include "capture.h"

#include "views/parts.h"

static const struct view_style plain = {.width = 80};

static char *print(const struct document *document, const struct view_style *style, bool whole)
{
    struct capture capture = {0};
    matrix_print(capture_begin(&capture), &document->probes[1].series[0], style, whole, "lines");
    return capture_end(&capture);
}

static void pairs_that_failed_are_marked_and_counted(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 4, 1);
    struct series *series = &document.probes[1].series[0];
    series->points[0].y = (struct summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0};
    series->point_count--;
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  0       -       x "));
    assert_non_null(strstr(text, "       x       -\n"));
    assert_non_null(strstr(text, "x: 2 pairs could not be measured\n"));
    free(text);
    document_free(&document);
}

static void doubtful_pairs_are_marked(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].points[0].flags = FLAG_BIT(FLAG_STOLEN);
    document.probes[1].series[0].points[1].flags = FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "  0      -  !73.4\n  1   76.9      -\n"));
    free(text);
    document_free(&document);
}

static void the_closing_line_names_the_pairs(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct point *points = document.probes[1].series[0].points;
    points[0].from = 29;
    points[0].to = 28;
    points[0].y.median = 163.9;
    points[1].from = 3;
    points[1].to = 7;
    points[1].y.median = 52.1;
    char *text = print(&document, &plain, true);
    const char *closing = "\nMin 52.1 (3,7)  Max 163.9 (29,28)  Mean 108.0 ns\n";
    assert_string_equal(text + strlen(text) - strlen(closing), closing);
    free(text);
    document_free(&document);
}

static void a_matrix_too_wide_for_a_summary_is_shown_by_its_values(void **state)
{
    (void)state;
    const struct view_style terminal = {.width = 80, .blocks = true};
    struct document document;
    sample_document(&document, 64, 1);
    char *text = print(&document, &terminal, false);
    assert_non_null(strstr(text, "pairs by value"));
    assert_non_null(strstr(text, "\nMin 20.0 (12,13)  Max 147.0 (0,38)"));
    for (const char *line = text; *line; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 3 * 80);
    free(text);
    text = print(&document, &plain, true);
    assert_non_null(strstr(text, " 63\n")); /* whole, however wide */
    free(text);
    document_free(&document);
}

static void scattered_ids_become_a_list(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 60, 1);
    struct series *series = &document.probes[1].series[0];
    for (size_t i = 0; i < series->point_count; i++) {
        series->points[i].from = (int)i * 1000;
        series->points[i].to = (int)i * 1000 + 1;
    }
    char *text = print(&document, &plain, true);
    assert_non_null(strstr(text, "    1000 -> 1001     "));
    free(text);
    document_free(&document);
}

static void a_thousand_cpus_are_printed(void **state)
{
    (void)state;
    const struct view_style terminal = {.width = 80, .blocks = true, .colour = true};
    struct document document;
    sample_document(&document, 1000, 1);
    char *text = print(&document, &terminal, true);
    assert_true(strlen(text) > 1000 * 1000 * 4);
    free(text);
    document_free(&document);
}

static void nothing_measured_is_said(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].point_count = 0;
    char *text = print(&document, &plain, true);
    assert_string_equal(text, "  nothing was measured\n");
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_that_failed_are_marked_and_counted),
        cmocka_unit_test(doubtful_pairs_are_marked),
        cmocka_unit_test(the_closing_line_names_the_pairs),
        cmocka_unit_test(a_matrix_too_wide_for_a_summary_is_shown_by_its_values),
        cmocka_unit_test(scattered_ids_become_a_list),
        cmocka_unit_test(a_thousand_cpus_are_printed),
        cmocka_unit_test(nothing_measured_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
