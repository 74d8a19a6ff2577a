#include "compare/differences.h"
#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct document a, b;
    struct differences differences;
};

static int set_up(void **state)
{
    static struct bench bench;
    sample_document(&bench.a, 2, 4);
    sample_document(&bench.b, 2, 4);
    bench.differences = (struct differences){0};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    differences_free(&bench->differences);
    document_free(&bench->a);
    document_free(&bench->b);
    return 0;
}

static void find(struct bench *bench)
{
    assert_int_equal(differences_find(&bench->differences, &bench->a, &bench->b, 0.03, NULL), 0);
}

/* Multiplies the latency of a point of the second document. */
static struct point *slow_down(struct bench *bench, size_t i, float times, bool cycles)
{
    struct point *point = &bench->b.probes[0].series[0].points[i];
    float *const values[] = {&point->y.median, &point->y.low, &point->y.high,
                             &point->y.min,    &point->y.p10, &point->y.p25,
                             &point->y.p75,    &point->y.p90, &point->y.max};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        *values[v] *= times;
    if (cycles) {
        point->cycles.median *= times;
        point->cycles.low *= times;
        point->cycles.high *= times;
    }
    return point;
}

static const struct difference *of_point(const struct bench *bench, const struct point *point)
{
    for (size_t i = 0; i < bench->differences.count; i++)
        if (bench->differences.list[i].point_b == point)
            return &bench->differences.list[i];
    return NULL;
}

static bool tells(const struct remark_line *lines, size_t count, const char *words)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(lines[i].text, words))
            return true;
    return false;
}

static void nothing_changes_by_itself(void **state)
{
    struct bench *bench = *state;
    find(bench);
    assert_true(bench->differences.count > 20);
    assert_int_equal(bench->differences.changed, 0);
    assert_int_equal(bench->differences.uncertain, 0);
    assert_int_equal(bench->differences.unfair_count, 0);
    assert_int_equal(bench->differences.missing_count, 0);
}

/* Where a level ends, one size falls to either side from run to run. */
static void a_single_slower_point_is_uncertain(void **state)
{
    struct bench *bench = *state;
    const struct point *point = slow_down(bench, 3, 1.1f, true);
    slow_down(bench, 5, 1.1f, true);
    slow_down(bench, 4, 0.9f, true); /* a neighbour that changed in the other direction */
    find(bench);
    assert_int_equal(bench->differences.changed, 0);
    assert_int_equal(bench->differences.uncertain, 3);
    assert_int_equal(of_point(bench, point)->verdict, UNCERTAIN);
}

static void two_slower_points_side_by_side_have_changed(void **state)
{
    struct bench *bench = *state;
    const struct point *point = slow_down(bench, 3, 1.1f, true);
    slow_down(bench, 4, 1.1f, true);
    find(bench);
    assert_int_equal(bench->differences.changed, 2);
    const struct difference *difference = of_point(bench, point);
    assert_int_equal(difference->verdict, CHANGED);
    assert_true(fabs(difference->ratio - 1.1) < 1e-6);
    assert_true(difference->low > 1.03 && difference->high < 1.2);
}

static void what_only_the_clock_explains_has_not_changed(void **state)
{
    struct bench *bench = *state;
    const struct point *point = slow_down(bench, 3, 1.1f, false);
    find(bench);
    assert_int_equal(of_point(bench, point)->verdict, SAME);
}

/* Multiplies the first finding of a document and its twin, and gives them a relative interval and a
 * doubt. */
static void plant(struct document *document, double times, double share)
{
    for (int i = 0; i < 2; i++) {
        struct finding *finding = &document->probes[0].findings[i];
        finding->value *= times;
        finding->low = finding->value * (1 - share);
        finding->high = finding->value * (1 + share);
        finding->flags |= FLAG_BIT(FLAG_TOO_FEW);
    }
}

/* A slower clock makes what takes a fixed time longer in the one unit and shorter in the other. */
static void a_change_moves_both_units_the_same_way(void **state)
{
    struct bench *bench = *state;
    const struct point *opposed[] = {slow_down(bench, 2, 1.4f, false),
                                     slow_down(bench, 3, 1.4f, false)};
    for (int i = 2; i < 4; i++) {
        struct point *point = &bench->b.probes[0].series[0].points[i];
        point->cycles.median *= 0.8f;
        point->cycles.low *= 0.8f;
        point->cycles.high *= 0.8f;
    }
    plant(&bench->b, 1.2, 0.001);
    struct finding *twin = &bench->b.probes[0].findings[1];
    const double should = bench->a.probes[0].findings[1].value;
    *twin = (struct finding){.name = twin->name,
                             .unit = twin->unit,
                             .value = 0.8 * should,
                             .low = 0.799 * should,
                             .high = 0.801 * should,
                             .declared = NAN};
    find(bench);
    for (int i = 0; i < 2; i++)
        assert_int_equal(of_point(bench, opposed[i])->verdict, SAME);
    assert_int_equal(bench->differences.list[0].verdict, SAME);
}

static void a_doubtful_point_is_uncertain(void **state)
{
    struct bench *bench = *state;
    struct point *point = slow_down(bench, 3, 1.1f, true);
    point->flags |= FLAG_BIT(FLAG_UNSTABLE);
    point->y.p10 = point->y.median * 0.8f;
    point->y.min = point->y.median * 0.7f;
    point->y.p90 = point->y.median * 1.3f;
    point->y.max = point->y.median * 1.5f;
    find(bench);
    assert_int_equal(of_point(bench, point)->verdict, UNCERTAIN);
    assert_int_equal(bench->differences.changed, 0);
}

static void a_finding_changes_with_its_twin(void **state)
{
    struct bench *bench = *state;
    struct finding *findings = bench->b.probes[0].findings;
    assert_string_equal(findings[0].name, "L1.latency");
    assert_string_equal(findings[1].name, "L1.latency_ns");
    for (int i = 0; i < 2; i++) {
        findings[i].value *= 1.1;
        findings[i].low *= 1.1;
        findings[i].high *= 1.1;
    }
    find(bench);
    assert_int_equal(bench->differences.changed, 1);
    assert_ptr_equal(bench->differences.list[0].finding_b, &findings[0]);
    assert_int_equal(bench->differences.list[0].verdict, CHANGED);
}

static void doubt_widens_and_does_not_excuse(void **state)
{
    struct bench *bench = *state;
    plant(&bench->a, 1, 0.005);
    plant(&bench->b, 1.1, 0.005);
    find(bench);
    const struct difference *difference = &bench->differences.list[0];
    assert_int_equal(difference->verdict, CHANGED);
    assert_true(difference->low > 1.06 && difference->low < 1.08); /* three times as wide */
    differences_free(&bench->differences);
    plant(&bench->a, 1, 0.02);
    plant(&bench->b, 1, 0.02);
    find(bench);
    assert_int_equal(bench->differences.list[0].verdict, UNCERTAIN);
    assert_int_equal(bench->differences.changed, 0);
}

static void a_doubtful_capacity_is_uncertain(void **state)
{
    struct bench *bench = *state;
    struct finding *capacity = NULL;
    for (size_t i = 0; i < bench->b.probes[0].finding_count && !capacity; i++)
        if (strcmp(bench->b.probes[0].findings[i].name, "L2.capacity") == 0)
            capacity = &bench->b.probes[0].findings[i];
    assert_non_null(capacity);
    capacity->value *= 2;
    capacity->low = capacity->high = capacity->value;
    for (int doubt = 0; doubt < 2; doubt++) {
        capacity->flags = doubt ? FLAG_BIT(FLAG_UNSTABLE) : 0;
        find(bench);
        assert_int_equal(bench->differences.changed, !doubt);
        assert_int_equal(bench->differences.uncertain, doubt);
        differences_free(&bench->differences);
    }
    /* Who else was at work may have had a part of it. */
    capacity->flags = 0;
    bench->a.conditions.load1 = 2 * fmax(1, bench->a.machine.threads);
    find(bench);
    assert_int_equal(bench->differences.changed, 0);
    assert_int_equal(bench->differences.uncertain, 1);
    differences_free(&bench->differences);
}

static void a_single_trial_has_no_interval(void **state)
{
    struct bench *bench = *state;
    struct point *point = slow_down(bench, 3, 2, false);
    point->y.n = 1;
    point->y.low = point->y.high = point->y.median;
    point->cycles.median = NAN;
    find(bench);
    const struct difference *difference = of_point(bench, point);
    assert_int_equal(difference->verdict, UNCERTAIN);
    assert_true(isnan(difference->low) && isnan(difference->high));
    assert_true(fabs(difference->ratio - 2) < 1e-6);
}

/* Two documents with one trial a point, as runs without time leave them: their findings' intervals
 * have no width, and carry a doubt. */
static void findings_of_single_trials_do_not_change(void **state)
{
    struct bench *bench = *state;
    plant(&bench->a, 1, 0);
    plant(&bench->b, 1.1, 0);
    find(bench);
    const struct difference *difference = &bench->differences.list[0];
    assert_int_equal(difference->verdict, UNCERTAIN);
    assert_true(isnan(difference->low) && isnan(difference->high) && isnan(difference->p));
    assert_int_equal(bench->differences.changed, 0);
}

static void what_is_not_above_zero_is_named(void **state)
{
    struct bench *bench = *state;
    struct finding *before = bench->a.probes[0].findings, *after = bench->b.probes[0].findings;
    struct point *point = &bench->b.probes[0].series[0].points[3];
    size_t compared;
    find(bench);
    compared = bench->differences.count;
    differences_free(&bench->differences);
    after[0].value = 0;
    before[2].value = after[2].value = -4; /* no difference to report */
    point->y.median = -1;
    bench->b.probes[1].series[0].points[0].y.median = 0; /* of a matrix: reported once */
    find(bench);
    const struct differences *found = &bench->differences;
    assert_int_equal(found->count, compared - 4);
    assert_int_equal(found->missing_count, 3);
    assert_true(tells(found->missing, found->missing_count, "L1.latency (latency) was"));
    assert_true(
        tells(found->missing, found->missing_count, ", then 0: not compared, because only values"));
    assert_true(tells(found->missing, found->missing_count, "1 point not compared: a value is"));
    assert_false(tells(found->missing, found->missing_count, "pairs are in both"));
}

static void an_interval_that_reaches_zero_is_none(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        bench->a.probes[0].findings[i].low *= -1;
        bench->b.probes[0].findings[i].value *= 2;
        bench->b.probes[0].findings[i].low *= 2;
        bench->b.probes[0].findings[i].high *= 2;
    }
    find(bench);
    const struct difference *difference = &bench->differences.list[0];
    assert_int_equal(difference->verdict, UNCERTAIN);
    assert_true(isnan(difference->low) && isnan(difference->high) && isnan(difference->p));
}

static void failed_points_are_reported_and_passed_over(void **state)
{
    struct bench *bench = *state;
    struct point *point = &bench->b.probes[0].series[0].points[3];
    point->y = summary_of_nothing();
    bench->b.probes[1].status = PROBE_FAILED;
    bench->b.probes[1].reason = "the sky fell";
    find(bench);
    const struct differences *found = &bench->differences;
    assert_null(of_point(bench, point));
    assert_true(tells(found->missing, found->missing_count, "1 of the common points failed"));
    assert_true(tells(found->missing, found->missing_count, "of the second: failed, the sky fell"));
}

static void what_differs_beside_time_is_reported(void **state)
{
    struct bench *bench = *state;
    bench->b.machine.cpu_model = "Another Processor";
    bench->b.tool.version = "9.9";
    bench->b.conditions.core_hz *= 1.2;
    bench->b.run.complete = false;
    bench->b.conditions.thp = "never";
    bench->b.probes[0].findings[1].flags |= FLAG_BIT(FLAG_MODELLED);
    bench->b.probes[0].findings[2].unit = "furlongs";
    bench->b.probes[1].series[0].y.unit = "s";
    find(bench);
    const struct differences *found = &bench->differences;
    static const char *const said[] = {"another processor", "another fathom version",
                                       "core clock",        "stopped before",
                                       "furlongs",          "in ns, then in s",
                                       "transparent huge",  "a model of the hardware"};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (!tells(found->unfair, found->unfair_count, said[i]))
            fail_msg("nothing said of: %s", said[i]);
}

static void pages_of_later_stages_are_compared_where_both_had_them(void **state)
{
    struct bench *bench = *state;
    struct factor table[] = {{"pages_obtained", "thp (2 MiB)", 0},
                             {"other_pages_obtained", "small (4 KiB)", 0}};
    struct factor plain[] = {{"pages_obtained", "thp (2 MiB)", 0},
                             {"other_pages_obtained", "small (64 KiB)", 0}};
    bench->a.probes[0].parameters = table;
    bench->a.probes[0].parameter_count = 2;
    bench->b.probes[0].parameters = plain;
    bench->b.probes[0].parameter_count = 1;
    find(bench);
    assert_int_equal(bench->differences.unfair_count, 0);
    differences_free(&bench->differences);
    bench->b.probes[0].parameter_count = 2;
    find(bench);
    assert_true(tells(bench->differences.unfair, bench->differences.unfair_count,
                      "different pages in latency: small (4 KiB), then small (64 KiB)"));
}

static void what_differs_in_devices_is_reported(void **state)
{
    struct bench *bench = *state;
    struct gpu_facts a = {.id = 0, .name = "Was", .backend = "cuda", .driver = "1"};
    struct gpu_facts b = {.id = 0, .name = "Is", .backend = "opencl", .driver = "2"};
    b.modelled = true;
    bench->a.machine.gpus = &a;
    bench->b.machine.gpus = &b;
    bench->a.machine.gpu_count = bench->b.machine.gpu_count = 1;
    find(bench);
    static const char *const said[] = {"another device as gpu0: Was, then Is",
                                       "another backend for gpu0: cuda, then opencl",
                                       "another driver of gpu0: 1, then 2", "a stand-in for"};
    const struct differences *found = &bench->differences;
    assert_int_equal(found->unfair_count, sizeof said / sizeof *said);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (!tells(found->unfair, found->unfair_count, said[i]))
            fail_msg("nothing says: %s", said[i]);
    differences_free(&bench->differences);
    bench->b.machine.gpu_count = 0; /* the run did not look for devices */
    find(bench);
    assert_int_equal(bench->differences.unfair_count, 0);
}

/* A device's clock, power or temperature is no result, even where it changed much. */
static void the_condition_of_a_device_does_not_change(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->a, &bench->b};
    for (int i = 0; i < 2; i++) {
        struct series *series =
            sample_series(both[i], &both[i]->probes[0], "gpu0 latency: temperature", 1);
        series->y = (struct axis){"temperature", "C"};
        series->points[0] = (struct point){.x = 1, .y = sample_summary(i ? 80 : 40, 0.001)};
    }
    find(bench);
    assert_int_equal(bench->differences.changed + bench->differences.uncertain, 0);
    differences_free(&bench->differences);
    both[1]->probes[0].series_count--;
    find(bench);
    assert_int_equal(bench->differences.missing_count, 0);
}

static void what_one_lacks_is_reported(void **state)
{
    struct bench *bench = *state;
    bench->a.probes[0].finding_count--;
    bench->b.probes[1].series[0].point_count--;
    bench->b.probes[0].series[0].factors[0].text = "another";
    find(bench);
    const struct differences *found = &bench->differences;
    assert_true(tells(found->missing, found->missing_count, "only the second has"));
    assert_true(tells(found->missing, found->missing_count, "1 pairs are in both, of 2 and 1"));
    assert_true(tells(found->missing, found->missing_count, "only the first has the series"));
}

static void nothing_in_common_is_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->b.probe_count = 0;
    assert_int_equal(differences_find(&bench->differences, &bench->a, &bench->b, 0.03, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "nothing in common") ? error.text
                                                            : strstr(error.text, "in common"));
}

/* A threshold of 3 % and a thousand comparisons of noise: the correction lets none pass. */
static void chance_is_no_change(void **state)
{
    struct bench *bench = *state;
    struct series *series = &bench->b.probes[0].series[0];
    for (size_t i = 0; i < series->point_count; i++)
        slow_down(bench, i, i % 2 ? 1.029f : 0.972f, true);
    find(bench);
    assert_int_equal(bench->differences.changed, 0);
}

/* --- what is not the machine's --- */

static struct finding *finding_named(const struct document *document, const char *name)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++)
            if (strcmp(document->probes[p].findings[i].name, name) == 0)
                return &document->probes[p].findings[i];
    return NULL;
}

static void set(struct finding *finding, double value)
{
    assert_non_null(finding);
    *finding = (struct finding){.name = finding->name,
                                .unit = finding->unit,
                                .value = value,
                                .low = value * 0.99,
                                .high = value * 1.01,
                                .declared = NAN};
}

static size_t changed(struct bench *bench)
{
    find(bench);
    const size_t count = bench->differences.changed;
    differences_free(&bench->differences);
    return count;
}

/* Whoever else used the cache held the rest, unless less of it is declared as well. */
static void less_of_a_cache_than_declared_may_be_others(void **state)
{
    struct bench *bench = *state;
    struct finding *before = finding_named(&bench->a, "L2.capacity"),
                   *after = finding_named(&bench->b, "L2.capacity");
    static const struct {
        double declared[2], found[2];
        bool changed;
    } cases[] = {
        {{1 << 20, 1 << 20}, {1 << 20, 600 << 10}, false},
        {{1 << 20, 1 << 20}, {600 << 10, 1 << 20}, false},
        {{1 << 20, 1 << 20}, {1 << 20, 2 << 20}, true},
        {{1 << 20, 640 << 10}, {1 << 20, 600 << 10}, true},
        {{NAN, NAN}, {1 << 20, 600 << 10}, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set(before, cases[i].found[0]);
        set(after, cases[i].found[1]);
        before->declared = cases[i].declared[0];
        after->declared = cases[i].declared[1];
        assert_int_equal(changed(bench), cases[i].changed);
    }
}

/* A hypervisor moved one of the two CPUs to a core that is far away. */
static void hand_offs_of_guests_prove_no_change(void **state)
{
    struct bench *bench = *state;
    set(finding_named(&bench->a, "cores.cas.mean"), 31);
    set(finding_named(&bench->b, "cores.cas.mean"), 128);
    for (int guests = 0; guests <= 2; guests++) {
        bench->a.machine.hypervisor = guests > 0 ? "KVM" : NULL;
        bench->b.machine.hypervisor = guests > 1 ? "KVM" : NULL;
        assert_int_equal(changed(bench), guests < 2);
    }
    set(finding_named(&bench->b, "L1.latency"), 7); /* the rest of a guest is judged */
    set(finding_named(&bench->b, "L1.latency_ns"), 2.3);
    assert_int_equal(changed(bench), 1);
}

/* The last level that one of them tells is the other's DRAM. */
static void a_third_level_of_another_number_of_levels_is_another(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        struct document *document = i ? &bench->b : &bench->a;
        set(finding_named(document, "L3.latency"), i ? 362 : 121);
        set(finding_named(document, "L3.latency_ns"), i ? 121 : 40.4);
    }
    assert_int_equal(changed(bench), 1);
    finding_named(&bench->b, "DRAM.latency")->value = NAN;
    finding_named(&bench->b, "DRAM.latency_ns")->value = NAN;
    assert_int_equal(changed(bench), 0);
    set(finding_named(&bench->b, "L2.latency"), 20); /* a core's own level is what it is */
    set(finding_named(&bench->b, "L2.latency_ns"), 6.7);
    assert_int_equal(changed(bench), 1);
}

/* Where all that a probe tells are conditions, its points are conditions too. */
static void what_noise_met_is_no_change(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < 2; i++) {
        struct document *document = i ? &bench->b : &bench->a;
        struct probe_result *probe = sample_probe(document, "noise", "Who takes the CPU");
        struct series *series = sample_series(document, probe, "noise", 1);
        series->x = (struct axis){"CPU", ""};
        series->y = (struct axis){"longest", "us"};
        series->points[0] = (struct point){.x = 0, .y = sample_summary(i ? 2900 : 32, 0.01)};
        series->points[0].cycles = (struct estimate){NAN, NAN, NAN};
        sample_finding(document, probe, "noise.share", "%", i ? 90 : 30, 0.01);
    }
    assert_int_equal(changed(bench), 0);
    for (int i = 0; i < 2; i++) {
        struct document *document = i ? &bench->b : &bench->a;
        sample_finding(document, &document->probes[document->probe_count - 1], "L1.line", "B", 64,
                       0);
    }
    assert_int_equal(changed(bench), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_changes_by_itself),
        TEST(a_single_slower_point_is_uncertain),
        TEST(two_slower_points_side_by_side_have_changed),
        TEST(what_only_the_clock_explains_has_not_changed),
        TEST(a_change_moves_both_units_the_same_way),
        TEST(a_doubtful_point_is_uncertain),
        TEST(a_finding_changes_with_its_twin),
        TEST(doubt_widens_and_does_not_excuse),
        TEST(a_doubtful_capacity_is_uncertain),
        TEST(a_single_trial_has_no_interval),
        TEST(findings_of_single_trials_do_not_change),
        TEST(what_is_not_above_zero_is_named),
        TEST(an_interval_that_reaches_zero_is_none),
        TEST(failed_points_are_reported_and_passed_over),
        TEST(what_differs_beside_time_is_reported),
        TEST(what_differs_in_devices_is_reported),
        TEST(the_condition_of_a_device_does_not_change),
        TEST(pages_of_later_stages_are_compared_where_both_had_them),
        TEST(what_one_lacks_is_reported),
        TEST(nothing_in_common_is_refused),
        TEST(chance_is_no_change),
        TEST(less_of_a_cache_than_declared_may_be_others),
        TEST(hand_offs_of_guests_prove_no_change),
        TEST(a_third_level_of_another_number_of_levels_is_another),
        TEST(what_noise_met_is_no_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
