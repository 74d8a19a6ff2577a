#include "conclude/analyse.h"

#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct desk {
    struct pool pool;
    struct document document;
    struct probe_result result;
    struct point points[2];
    struct series series;
    struct analysis analysis;
};

static void add_before(struct desk *desk, const char *name, double value)
{
    assert_non_null(finding_add_value(&desk->result, &desk->pool, name, "",
                                      (struct interval){value, NAN, NAN}, 0));
}

static int set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    desk.points[0] = (struct point){.x = 1, .y = {.median = 7, .n = 6}};
    desk.points[1] = (struct point){.x = 2, .y = {.median = 8, .n = 6}};
    desk.series = (struct series){.name = "some", .points = desk.points, .point_count = 2};
    desk.result =
        (struct probe_result){.name = "latency", .series = &desk.series, .series_count = 1};
    desk.analysis =
        (struct analysis){.result = &desk.result, .document = &desk.document, .pool = &desk.pool};
    add_before(&desk, "core.clock", 1);
    add_before(&desk, "L1.latency", 2);
    add_before(&desk, "syscall.latency", 3);
    *state = &desk;
    return 0;
}

static int tear_down(void **state)
{
    struct desk *desk = *state;
    pool_free(&desk->pool);
    return 0;
}

static void assert_findings(const struct desk *desk, const char *expected)
{
    char seen[256] = "";
    for (size_t i = 0; i < desk->result.finding_count; i++)
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%s=%g", i ? " " : "",
                 desk->result.findings[i].name, desk->result.findings[i].value);
    assert_string_equal(seen, expected);
}

static void compute(struct analysis *analysis)
{
    const struct point *point = series_point(&analysis->result->series[0], 1);
    assert_int_equal(analysis->result->finding_count, 0); /* earlier findings are set aside */
    analysis_add_summary(analysis, "L1.latency", "", &point->y, 0);
    analysis_keep(analysis, "core.clock", "it was read");
}

static void findings_are_replaced_kept_or_left_alone(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(analysis_run(&desk->analysis, compute, NULL), 0);
    assert_findings(desk, "L1.latency=7 core.clock=1 syscall.latency=3");
    assert_int_equal(desk->analysis.remark_count, 2);
    assert_string_equal(desk->analysis.remarks[0].why, "it was read");
    assert_int_equal(desk->analysis.remarks[0].findings, 1);
    assert_string_equal(desk->analysis.remarks[1].why, "this version does not know them");
}

static void again_it_is_the_same(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(analysis_run(&desk->analysis, compute, NULL), 0);
    assert_int_equal(analysis_run(&desk->analysis, compute, NULL), 0);
    assert_findings(desk, "L1.latency=7 core.clock=1 syscall.latency=3");
}

static void compute_foreign(struct analysis *analysis)
{
    analysis_add(analysis, "syscall.latency", "");
}

static void what_is_computed_now_does_not_stay_as_well(void **state)
{
    struct desk *desk = *state;
    assert_int_equal(analysis_run(&desk->analysis, compute_foreign, NULL), 0);
    assert_findings(desk, "syscall.latency=nan");
}

static void compute_nothing(struct analysis *analysis) {}

static void without_an_answer_all_stay(void **state)
{
    struct desk *desk = *state;
    static const char all[] = "core.clock=1 L1.latency=2 syscall.latency=3";
    assert_int_equal(analysis_run(&desk->analysis, compute_nothing, NULL), 0);
    assert_findings(desk, all);
    assert_int_equal(analysis_run(&desk->analysis, NULL, NULL), 0);
    assert_findings(desk, all);
    desk->points[0].y.n = desk->points[1].y.n = 0;
    assert_int_equal(analysis_run(&desk->analysis, compute, NULL), 0);
    assert_findings(desk, all);
}

static void fail_half_way(struct analysis *analysis)
{
    assert_non_null(analysis_add(analysis, "L1.latency", ""));
    pool_leave(analysis->pool, ERROR_SYSTEM, "no");
}

static void a_failure_leaves_what_was(void **state)
{
    struct desk *desk = *state;
    struct error error = {0};
    assert_int_equal(analysis_run(&desk->analysis, fail_half_way, &error), ERROR_SYSTEM);
    assert_findings(desk, "core.clock=1 L1.latency=2 syscall.latency=3");
}

static void findings_get_the_factors_of_their_series(void **state)
{
    struct desk *desk = *state;
    struct factor own = {"order", "forward", 0}, other = {"order", "random", 0};
    desk->series.factors = &own;
    desk->series.factor_count = 1;
    desk->result.findings[2].factors = &other;
    desk->result.findings[2].factor_count = 1;
    desk->analysis.read = 1;
    analysis_read_off(&desk->analysis, &desk->series);
    assert_int_equal(desk->result.findings[0].factor_count, 0);
    assert_string_equal(desk->result.findings[1].factors[0].text, "forward");
    assert_string_equal(desk->result.findings[2].factors[0].text, "random");
}

static void what_the_document_says_is_read_with_care(void **state)
{
    struct desk *desk = *state;
    struct factor parameters[] = {{"cpus", "0-3,8", 0}, {"writers", NULL, 4}, {"quick", "yes", 0}};
    struct cache_facts caches[] = {{.level = 1, .line_bytes = 64}, {.level = 2, .line_bytes = 128}};
    const struct machine_facts machine = {.caches = caches, .cache_count = 2};
    const struct analysis *analysis = &desk->analysis;
    assert_int_equal(analysis_cpu_count(analysis, 3), 3);
    desk->document.conditions.affinity = "0-6";
    assert_int_equal(analysis_cpu_count(analysis, 3), 7);
    desk->result.parameters = parameters;
    desk->result.parameter_count = 3;
    assert_int_equal(analysis_cpu_count(analysis, 3), 5);
    assert_true(analysis_number(analysis, "writers") == 4);
    assert_true(isnan(analysis_number(analysis, "cpus")) && isnan(analysis_number(analysis, "no")));
    assert_true(analysis_parameter(analysis, "quick") && !analysis_parameter(analysis, "thorough"));
    assert_int_equal(analysis_line_bytes(analysis), 64);
    desk->analysis.machine = &machine;
    assert_int_equal(analysis_line_bytes(analysis), 128);
    assert_int_equal(analysis_count(NAN), 0);
    assert_int_equal(analysis_count(-3), 0);
    assert_int_equal(analysis_count(1e300), 1000000);
}

static void a_documents_probes_are_analysed_by_their_names(void **state)
{
    struct desk *desk = *state;
    const char *remarks = NULL;
    desk->result.name = "some other tool";
    desk->document.probes = &desk->result;
    desk->document.probe_count = 1;
    assert_int_equal(document_analyse(&desk->document, &remarks, NULL), 0);
    assert_findings(desk, "core.clock=1 L1.latency=2 syscall.latency=3");
    assert_non_null(strstr(remarks, "3 of some other tool (this version does not know the probe)"));
    pool_free(&desk->document.pool);
}

static void conclude_from_series(struct analysis *analysis)
{
    const struct summary summary = {.median = 5, .n = 6};
    assert_non_null(analysis_add_summary(analysis, "parallelism.work.knee", "cycles", &summary, 0));
    analysis_read_off(analysis, analysis->result->series);
}

/* A knee takes two points: its line in the registry says so. */
static void a_series_too_thin_for_a_conclusion_gives_none(void **state)
{
    struct desk *desk = *state;
    desk->result.finding_count = 0;
    assert_int_equal(analysis_run(&desk->analysis, conclude_from_series, NULL), 0);
    assert_true(desk->result.findings[0].value == 5);
    desk->points[1].y.n = 0;
    desk->result.finding_count = 0;
    assert_int_equal(analysis_run(&desk->analysis, conclude_from_series, NULL), 0);
    assert_true(isnan(desk->result.findings[0].value));
    assert_non_null(
        strstr(desk->result.findings[0].text, "'some' has 1 measured point, and this takes 2"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_series_too_thin_for_a_conclusion_gives_none, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(findings_are_replaced_kept_or_left_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(again_it_is_the_same, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_computed_now_does_not_stay_as_well, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(without_an_answer_all_stay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failure_leaves_what_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(findings_get_the_factors_of_their_series, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_the_document_says_is_read_with_care, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_documents_probes_are_analysed_by_their_names, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests_name("tests", tests, NULL, NULL);
}
