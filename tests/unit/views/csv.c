#include "capture.h"

static char *print(const struct document *document)
{
    struct capture capture = {0};
    view_csv(capture_begin(&capture), document);
    return capture_end(&capture);
}

static void the_sample_is_printed_as_before(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    assert_golden(print(&document), "sample.csv");
    document_free(&document);
}

static void an_empty_document_has_a_header_alone(void **state)
{
    (void)state;
    struct document empty = {0};
    char *text = print(&empty);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(strncmp(text, "probe,series,factors,", 21), 0);
    free(text);
}

static void formulas_quotes_and_commas_are_defused(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probe_count = 1;
    document.probes[0].name = "=1+2";
    document.probes[0].series[0].name = "a \"b\", c";
    document.probes[0].series[0].x.name = "@x,y";
    document.probes[0].series[0].y.name = "a=b-c";
    document.probes[0].series[0].y.unit = NULL;
    document.probes[0].series[0].point_count = 1;
    char *text = print(&document);
    assert_non_null(strstr(text, "\n'=1+2,\"a \"\"b\"\", c\",pages=huge2m;order=random,\"'@x,y\",B,"
                                 "1024,,,a=b-c,,1.67"));
    free(text);
    document_free(&document);
}

static void rows_have_as_many_cells_as_the_header(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    char *text = print(&document);
    assert_inert(text);
    size_t lines = 0;
    for (const char *c = text; *c; c++) {
        size_t commas = 0;
        for (bool quoted = false; *c && *c != '\n'; c++) {
            quoted = quoted != (*c == '"');
            commas += *c == ',' && !quoted;
        }
        assert_int_equal(commas, 28);
        lines++;
    }
    assert_int_equal(lines, 1 + document.probes[0].series[0].point_count +
                                document.probes[1].series[0].point_count);
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_printed_as_before),
        cmocka_unit_test(an_empty_document_has_a_header_alone),
        cmocka_unit_test(formulas_quotes_and_commas_are_defused),
        cmocka_unit_test(rows_have_as_many_cells_as_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
