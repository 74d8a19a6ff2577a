#include "../render/capture.h"

#include "show/report/builders.h"

static void assert_verdict(const struct document *document, bool good, const char *sentence)
{
    struct report report;
    assert_int_equal(report_begin(&report, &document, 1, NULL), 0);
    report_add_verdict(&report, document, 0);
    assert_int_equal(report.count, 1);
    assert_int_equal(report.list[0].kind, BLOCK_VERDICT);
    assert_int_equal(report.list[0].verdict.good, good);
    if (!strstr(report.list[0].verdict.sentence, sentence))
        fail_msg("%s", report.list[0].verdict.sentence);
    report_free(&report);
}

static void the_block_says_the_documents_verdict(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    assert_verdict(&document, false, "L3 is in doubt (marked !)");
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t i = 0; i < document.probes[p].finding_count; i++)
            document.probes[p].findings[i].flags = 0;
    assert_verdict(&document, true, "values can be relied on");
    document.run.complete = false;
    assert_verdict(&document, false, "Not complete: the run was stopped");
    document_free(&document);
}

static void what_an_interval_is_follows_from_the_fewest_trials(void **state)
{
    (void)state;
    struct document document;
    struct report report;
    const struct document *list[] = {&document};
    sample_document(&document, 2, 1);
    document.probes[0].series[0].points[0].y.n = 4;
    document.probes[0].series[0].points[0].y.coverage = 0.875F;
    assert_int_equal(report_begin(&report, list, 1, NULL), 0);
    report_add_verdict(&report, &document, 0);
    assert_non_null(strstr(report.list[0].verdict.meaning, "the median of 4 or more"));
    assert_non_null(strstr(report.list[0].verdict.meaning, "probability of 87 %"));
    document.run.joined = "baseline";
    report_add_verdict(&report, &document, 0);
    assert_non_null(strstr(report.list[1].verdict.meaning, "the middle 80 %"));
    report_free(&report);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_block_says_the_documents_verdict),
        cmocka_unit_test(what_an_interval_is_follows_from_the_fewest_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
