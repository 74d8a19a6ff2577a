#include "../render/capture.h"

#include "report/builders.h"

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

static void a_document_is_as_good_as_its_findings(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    assert_verdict(&document, false, "values are in doubt, marked !");
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t i = 0; i < document.probes[p].finding_count; i++)
            document.probes[p].findings[i].flags = 0;
    assert_verdict(&document, true, "values can be trusted as they stand");
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t s = 0; s < document.probes[p].series_count; s++)
            for (size_t i = 0; i < document.probes[p].series[s].point_count; i++)
                document.probes[p].series[s].points[i].y.n = 1;
    assert_verdict(&document, false, "values come from a single trial");
    document.run.complete = false;
    assert_verdict(&document, false, "Not complete: the run was stopped");
    document_free(&document);
}

static void nothing_found_is_nothing_to_trust(void **state)
{
    (void)state;
    struct document document = {.run = {.complete = true, .started = "2026-11-21T04:18:25Z"}};
    assert_verdict(&document, false, "No findings.");
    document.run.started = NULL;
    assert_verdict(&document, false, "Imported from another tool");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_as_good_as_its_findings),
        cmocka_unit_test(nothing_found_is_nothing_to_trust),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
