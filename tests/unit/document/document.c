#include "document/document.h"

#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_point_that_failed_was_not_measured(void **state)
{
    (void)state;
    struct point points[] = {
        {.x = 1, .y.n = 5}, {.x = 2, .failed = "no memory"}, {.x = 3, .y.n = 1}};
    const struct series series = {.points = points, .point_count = 3};
    assert_ptr_equal(series_point(&series, 1), &points[0]);
    assert_null(series_point(&series, 2));
    assert_ptr_equal(series_point(&series, 3), &points[2]);
    assert_null(series_point(&series, 2.5));
}

static void headline_flags_are_those_of_findings_alone(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].series[0].points[0].flags = FLAG_BIT(FLAG_STOLEN);
    document.probes[1].findings[0].flags = FLAG_BIT(FLAG_BIMODAL);
    assert_int_equal(document_headline_flags(&document),
                     FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_BIMODAL));
    document_free(&document);
}

static void an_axis_has_ids_where_it_numbers_things(void **state)
{
    (void)state;
    const struct axis ids[] = {{"cpu", ""}, {"node", NULL}, {"multiprocessor", ""}, {"trial", ""}};
    const struct axis others[] = {{"CPUs", ""}, {"cpu", "B"}, {"chains", ""}, {NULL, NULL}};
    for (size_t i = 0; i < 4; i++) {
        assert_true(axis_has_ids(&ids[i]));
        assert_false(axis_has_ids(&others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_that_failed_was_not_measured),
        cmocka_unit_test(headline_flags_are_those_of_findings_alone),
        cmocka_unit_test(an_axis_has_ids_where_it_numbers_things),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
