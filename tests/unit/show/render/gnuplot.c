#include "capture.h"

static char *print(const struct document *document)
{
    return capture_output("gnuplot", document);
}

/* gnuplot runs what stands in backquotes. */
static void texts_are_inert(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].title = "a\"; system \"x\" `y` \\";
    document.probes[0].series[0].x.name = "\nEOD\nquit";
    char *text = print(&document);
    assert_non_null(strstr(text, "set title \"a\\\"; system \\\"x\\\" \\`y\\` \\\\"));
    assert_non_null(strstr(text, "set xlabel \"?EOD?quit [B]\"\n"));
    free(text);
    document_free(&document);
}

static void missing_values_are_said_to_be(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].points[0].y = summary_of_nothing();
    char *text = print(&document);
    assert_non_null(strstr(text, "1 0 NaN 1 0\n"));
    free(text);
    document_free(&document);
}

/* An image takes two rows and columns at least. */
static void a_single_row_is_drawn_as_squares(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[1].series[0].point_count = 1;
    char *text = print(&document);
    assert_null(strstr(text, "with image"));
    assert_non_null(strstr(text, "with points palette"));
    free(text);
    document_free(&document);
}

static void a_rank_of_zero_has_no_logarithm(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].series[0].name = "gpu0 cluster";
    document.probes[0].series[0].points[0].x = 0;
    char *text = print(&document);
    assert_non_null(strstr(text, "set title \"gpu0 cluster (pages huge2m, order random)\""));
    assert_non_null(strstr(text, "unset logscale x\nset logscale y\n"));
    assert_null(strstr(text, "set logscale x 2"));
    free(text);
    document_free(&document);
}

static void what_is_numbered_is_not_joined(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].series[0].x = (struct axis){"cpu", ""};
    char *text = print(&document);
    assert_non_null(strstr(text, "unset logscale x\nset logscale y\n"
                                 "plot $data1 using 1:2:3:4 with yerrorbars"));
    assert_null(strstr(text, "linespoints"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_inert),
        cmocka_unit_test(missing_values_are_said_to_be),
        cmocka_unit_test(a_single_row_is_drawn_as_squares),
        cmocka_unit_test(a_rank_of_zero_has_no_logarithm),
        cmocka_unit_test(what_is_numbered_is_not_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
