#include "document/trust.h"

#include "document/flag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two probes, the first with a headline of two points and a finding. */
struct bench {
    struct point points[2];
    struct series series;
    struct finding finding;
    struct probe_result probes[2];
    struct document document;
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){
        .points = {{.x = 1, .y = {.n = 3}}, {.x = 2, .y = {.n = 3}}},
        .series = {.name = "latency", .headline = true, .point_count = 2},
        .finding = {.name = "L1.latency"},
        .probes = {{.name = "latency", .series_count = 1, .finding_count = 1}, {.name = "cores"}},
        .document = {.probe_count = 2},
    };
    bench.series.points = bench.points;
    bench.probes[0].series = &bench.series;
    bench.probes[0].findings = &bench.finding;
    bench.document.probes = bench.probes;
    *state = &bench;
    return 0;
}

static void what_is_skipped_takes_nothing_from_the_others(void **state)
{
    struct bench *bench = *state;
    bench->probes[1].status = PROBE_SKIPPED;
    assert_int_equal(document_trust(&bench->document), TRUST_SOUND);
    bench->probes[0].status = PROBE_SKIPPED;
    assert_int_equal(document_trust(&bench->document), TRUST_NOTHING);
}

static void a_failed_probe_is_as_bad_as_a_partial_one(void **state)
{
    struct bench *bench = *state;
    bench->probes[1].status = PROBE_PARTIAL;
    assert_int_equal(document_trust(&bench->document), TRUST_DOUBTFUL);
    bench->probes[1].status = PROBE_FAILED;
    assert_int_equal(document_trust(&bench->document), TRUST_DOUBTFUL);
    bench->probes[0].status = PROBE_FAILED;
    assert_int_equal(document_trust(&bench->document), TRUST_NOTHING);
    bench->document.probe_count = 0;
    assert_int_equal(document_trust(&bench->document), TRUST_NOTHING);
}

static void a_headline_needs_one_point_without_doubt(void **state)
{
    struct bench *bench = *state;
    bench->points[0].flags = FLAG_BIT(FLAG_TOO_FEW);
    bench->points[1].flags = FLAG_BIT(FLAG_DRIFT) | FLAG_BIT(FLAG_UNSTABLE);
    assert_int_equal(document_trust(&bench->document), TRUST_DOUBTFUL);
    bench->points[1] = (struct point){.x = 2, .failed = "the budget was used up"};
    assert_int_equal(document_trust(&bench->document), TRUST_DOUBTFUL);
    bench->points[0] = bench->points[1];
    assert_int_equal(document_trust(&bench->document), TRUST_DOUBTFUL);
    bench->series.headline = false; /* a series beside the headline */
    assert_int_equal(document_trust(&bench->document), TRUST_SOUND);
    bench->series.headline = true;
    bench->series.point_count = 0;
    assert_int_equal(document_trust(&bench->document), TRUST_SOUND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_skipped_takes_nothing_from_the_others, set_up),
        cmocka_unit_test_setup(a_failed_probe_is_as_bad_as_a_partial_one, set_up),
        cmocka_unit_test_setup(a_headline_needs_one_point_without_doubt, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
