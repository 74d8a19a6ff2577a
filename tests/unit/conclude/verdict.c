/* What the exit status of a run follows from; families and grades are in tests/golden/made.json. */
#include "conclude/verdict.h"
#include "document/flag.h"
#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_run_is_usable_unless_something_asked_for_has_no_figure(void **state)
{
    struct probe_result probes[] = {{.name = "latency"}, {.name = "tlb"}};
    struct document document = {.run = {.started = "2026-11-21T04:18:25Z"}, .probes = probes};
    assert_int_equal(document_trust(&document), TRUST_NOTHING);
    document.probe_count = 2;
    sample_finding(&document, &probes[0], "DRAM.latency", "cycles", 5, 3)->flags =
        FLAG_BIT(FLAG_STOLEN);
    struct finding *entries = sample_finding(&document, &probes[1], "dtlb1.4K.entries", "", 5, 0);
    probes[0].status = PROBE_PARTIAL;
    assert_int_equal(document_trust(&document), TRUST_USABLE);
    entries->flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_int_equal(document_trust(&document), TRUST_LACKING);
    probes[1].status = PROBE_SKIPPED;
    assert_int_equal(document_trust(&document), TRUST_USABLE);
    probes[1].status = PROBE_FAILED;
    assert_int_equal(document_trust(&document), TRUST_LACKING);
    /* Points stand for the headline figures that a probe lacks. */
    struct point point = {.x = 1, .y = {.n = 9, .coverage = 0.9F, .median = 5}};
    struct series series = {
        .name = "latency", .y = {"latency", "ns"}, .points = &point, .point_count = 1};
    probes[0] = (struct probe_result){.name = "latency", .series = &series, .series_count = 1};
    document.probe_count = 1;
    assert_int_equal(document_trust(&document), TRUST_USABLE);
    point.y.coverage = 0;
    assert_int_equal(document_trust(&document), TRUST_LACKING);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_usable_unless_something_asked_for_has_no_figure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
