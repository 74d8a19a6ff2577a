#include "capture.h"

static void matrices_become_csv_squares(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    document.probes[1].series[0].points[1].y = summary_of_nothing();
    char *text = capture_output("csv-matrix", &document);
    assert_string_equal(text, "cpu handoff cas ns,0,1,2\n0,,21.4,\n1,24.9,,140\n2,142.1,143.5,\n");
    free(text);
    document_free(&document);
    sample_hostile(&document);
    text = capture_output("csv-matrix", &document);
    assert_inert(text);
    assert_null(strchr(text, '"'));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_become_csv_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
