/* What the exit status of a run follows from; families and grades are in tests/golden/made.json. */
#include "conclude/verdict.h"
#include "document/flag.h"
#include "document/sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

<<<<<<< HEAD
struct bench {
    struct document document;
    struct cache_facts caches[3];
    struct probe_result probes[3];
};

/* A whole run of two CPUs that share L3: nothing in doubt, nobody else at work. */
static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    *state = bench;
    *bench = (struct bench){.caches = {{1, "data", 48 << 10, 64, 12, "0"},
                                       {2, "unified", 2 << 20, 64, 16, "0"},
                                       {3, "unified", 32 << 20, 64, 16, "0-1"}}};
    bench->document = (struct document){
        .run = {.started = "2026-11-21T04:18:25Z", .complete = true},
        .machine = {.cores = 2, .threads = 2, .caches = bench->caches, .cache_count = 3},
        .conditions = {.load1 = 0.1, .others_cpus = NAN, .affinity = "0-1"},
        .probes = bench->probes,
        .probe_count = 3};
    bench->probes[0].name = "latency";
    bench->probes[1].name = "tlb";
    bench->probes[2].name = "bandwidth";
    static const struct {
        int probe;
        const char *name, *unit;
    } findings[] = {{0, "DRAM.latency", "cycles"},
                    {0, "L3.latency", "cycles"},
                    {0, "L2.latency", "cycles"},
                    {0, "L1.latency", "cycles"},
                    {0, "L1.capacity", "B"},
                    {0, "core.clock", "Hz"},
                    {1, "dtlb1.4K.entries", ""},
                    {2, "bandwidth.read.1", "B/s"},
                    {2, "bandwidth.read.efficiency", ""}};
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        sample_finding(&bench->document, &bench->probes[findings[i].probe], findings[i].name,
                       findings[i].unit, 5, 0);
    return 0;
}

static int tear_down(void **state)
{
    document_free(&((struct bench *)*state)->document);
    free(*state);
    return 0;
}

/* The family's grade and reason. */
static void assert_grade(const struct bench *bench, const char *name, enum grade grade,
                         const char *why)
{
    struct document_verdict verdict;
    verdict_of(&verdict, &bench->document);
    for (size_t i = 0; i < verdict.family_count; i++)
        if (strcmp(verdict.families[i].name, name) == 0) {
            assert_int_equal(verdict.families[i].grade, grade);
            assert_string_equal(verdict.families[i].why, why);
            return;
        }
    fail_msg("no family %s", name);
}

static void assert_says(const struct bench *bench, const char *sentence)
{
    struct document_verdict verdict;
    struct line line = {0};
    verdict_of(&verdict, &bench->document);
    line_add_verdict(&line, &bench->document, &verdict);
    assert_string_equal(line.text, sentence);
}

static void assert_busy(const struct bench *bench, const char *evidence)
{
    struct document_verdict verdict;
    verdict_of(&verdict, &bench->document);
    assert_string_equal(verdict.busy.text, evidence);
}

static struct finding *find(struct bench *bench, const char *name)
{
    for (size_t p = 0; p < bench->document.probe_count; p++)
        for (size_t i = 0; i < bench->probes[p].finding_count; i++)
            if (strcmp(bench->probes[p].findings[i].name, name) == 0)
                return &bench->probes[p].findings[i];
    fail_msg("%s", name);
    return NULL;
}

static void widen(struct finding *finding, double half)
{
    finding->low = finding->value * (1 - half);
    finding->high = finding->value * (1 + half);
}

static void narrow_figures_without_others_are_good(void **state)
{
    assert_says(*state, "Good: L1, L2, L3, DRAM, TLB, bandwidth.");
    assert_grade(*state, "L1", GRADE_GOOD, "");
}

/* By the figures alone: a load that changed none of them changes no grade. */
static void a_load_alone_changes_no_grade(void **state)
{
    struct bench *bench = *state;
    bench->document.conditions.load1 = 12;
    assert_says(bench, "Good: L1, L2, L3, DRAM, TLB, bandwidth.");
}

static void a_wide_interval_is_as_found_and_says_by_how_much(void **state)
{
    struct bench *bench = *state;
    widen(find(bench, "DRAM.latency"), 0.09);
    assert_grade(bench, "DRAM", GRADE_GOOD, "");
    widen(find(bench, "DRAM.latency"), 0.11);
    assert_grade(bench, "DRAM", GRADE_AS_FOUND, "DRAM.latency ±11 %");
    widen(find(bench, "dtlb1.4K.entries"), 0.2); /* between two numbers of pages */
    assert_grade(bench, "TLB", GRADE_GOOD, "");
    widen(find(bench, "dtlb1.4K.entries"), 2.94);
    assert_grade(bench, "TLB", GRADE_AS_FOUND, "may be twice as large: dtlb1.4K.entries");
    widen(find(bench, "L1.capacity"), 0.3);
    widen(find(bench, "L1.latency"), 0.2);
    assert_grade(bench, "L1", GRADE_AS_FOUND, "L1.capacity ±30 %");
}

/* A percentage of more than the figure itself is none that a person can use. */
static void an_interval_wider_than_the_figure_is_told_in_words(void **state)
{
    struct bench *bench = *state;
    widen(&bench->probes[0].findings[2], 1.5);
    assert_grade(bench, "L2", GRADE_AS_FOUND, "may be twice as large: L2.latency");
}

static void a_level_that_was_not_found_has_the_reason_of_its_gap(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->document, &bench->probes[0], "levels.gaps", "", NAN, 0)->text =
        "from 3 to 8 MiB: sizes agree too little";
    sample_finding(&bench->document, &bench->probes[0], "L4.ways", "", NAN, 0)->text =
        "not found: lines would have to be further apart";
    assert_grade(bench, "L4", GRADE_NOT_MEASURED,
                 "latency not found: from 3 to 8 MiB: sizes agree too little");
}

/* Its row may have a bandwidth or a latency, so the reason names the figure. */
static void what_of_a_level_was_not_found_is_named(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->document, &bench->probes[0], "L4.ways", "", NAN, 0)->text =
        "not found: lines would have to be further apart";
    sample_finding(&bench->document, &bench->probes[0], "L5.latency_ns", "ns", NAN, 0)->text =
        "not found: no sizes agree";
    assert_grade(bench, "L4", GRADE_NOT_MEASURED, "latency not found");
    assert_grade(bench, "L5", GRADE_NOT_MEASURED, "latency not found: no sizes agree");
    bench->probes[0].name = "geometry";
    assert_grade(bench, "L4", GRADE_NOT_MEASURED,
                 "ways not found: lines would have to be further apart");
}

static void a_figure_beside_others_is_as_found(void **state)
{
    struct bench *bench = *state;
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_PREEMPTED);
    assert_grade(bench, "DRAM", GRADE_AS_FOUND, "DRAM.latency beside others");
    widen(find(bench, "DRAM.latency"), 0.05);
    assert_grade(bench, "DRAM", GRADE_AS_FOUND, "DRAM.latency beside others, ±5.0 %");
}

static void too_few_trials_are_no_measurement(void **state)
{
    struct bench *bench = *state;
    find(bench, "DRAM.latency")->flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_grade(bench, "DRAM", GRADE_NOT_MEASURED, "too few trials");
    find(bench, "L1.latency")->flags = FLAG_BIT(FLAG_TOO_FEW);
    assert_grade(bench, "L1", GRADE_AS_FOUND, "1 of 2 figures have too few trials");
    find(bench, "L2.latency")->value = NAN;
    find(bench, "L2.latency")->text = "no plateau";
    assert_grade(bench, "L2", GRADE_NOT_MEASURED, "latency not found: no plateau");
}

/* Other figures of a family grade it only where it has no headline figure. */
static void headline_figures_decide(void **state)
{
    struct bench *bench = *state;
    struct factor order = {.name = "order", .text = "forward", .number = NAN};
    struct finding *other =
        sample_finding(&bench->document, &bench->probes[0], "L2.latency", "cycles", 5, 3);
    other->factors = &order;
    other->factor_count = other->deviations = 1;
    assert_grade(bench, "L2", GRADE_GOOD, "");
    struct finding *plain =
        sample_finding(&bench->document, &bench->probes[1], "dtlb.oddity", "", 5, 3);
    assert_grade(bench, "TLB", GRADE_GOOD, "");
    assert_non_null(plain);
}

static void noise_is_graded_by_its_conditions(void **state)
{
    struct bench *bench = *state;
    bench->document.probe_count = 1;
    bench->probes[0].name = "noise";
    bench->probes[0].finding_count = 0;
    sample_finding(&bench->document, &bench->probes[0], "noise.share", "%", 85, 0);
    assert_says(bench, "Good: noise.");
}

static void a_probe_without_figures_says_why(void **state)
{
    struct bench *bench = *state;
    bench->probes[2].finding_count = 0;
    bench->probes[2].status = PROBE_FAILED;
    bench->probes[2].reason = "no memory";
    assert_grade(bench, "bandwidth", GRADE_NOT_MEASURED, "failed: no memory");
    assert_says(bench, "Good: L1, L2, L3, DRAM, TLB. Not measured: bandwidth.");
}

static void what_was_not_measured_here_is_said_before(void **state)
{
    struct bench *bench = *state;
    bench->document.probe_count = 1;
    bench->document.run.started = NULL;
    assert_says(bench, "Imported from another tool's table. As found: L1, L2, L3, DRAM.");
    bench->document.run.started = "2026-11-21T04:18:25Z";
    for (size_t i = 0; i < bench->probes[0].finding_count; i++)
        bench->probes[0].findings[i].flags = FLAG_BIT(FLAG_MODELLED);
    assert_says(bench, "Modelled, not measured. Good: L1, L2, L3, DRAM.");
    bench->document.run.complete = false;
    assert_says(bench, "The run was stopped before its end. Good: L1, L2, L3, DRAM.");
    bench->document.run.complete = true;
    bench->probes[0].finding_count = 0;
    assert_says(bench, "Nothing was measured.");
    bench->document.run.complete = false;
    assert_says(bench, "The run was stopped before anything was measured.");
}

=======
>>>>>>> 0e4c7c9f (Comparisons, baselines, merges, levels and verdicts are held by golden texts of documents that differ in a few places)
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
<<<<<<< HEAD
        TEST(narrow_figures_without_others_are_good),
        TEST(a_load_alone_changes_no_grade),
        TEST(a_wide_interval_is_as_found_and_says_by_how_much),
        TEST(an_interval_wider_than_the_figure_is_told_in_words),
        TEST(a_level_that_was_not_found_has_the_reason_of_its_gap),
        TEST(what_of_a_level_was_not_found_is_named),
        TEST(a_figure_beside_others_is_as_found),
        TEST(too_few_trials_are_no_measurement),
        TEST(headline_figures_decide),
        TEST(noise_is_graded_by_its_conditions),
        TEST(a_probe_without_figures_says_why),
        TEST(what_was_not_measured_here_is_said_before),
        TEST(a_run_is_usable_unless_something_asked_for_has_no_figure),
        TEST(points_stand_for_headline_figures_that_a_probe_lacks),
        TEST(memory_that_nothing_proves_has_the_name_of_its_row),
        TEST(the_time_that_others_used_decides_where_it_is_known),
        TEST(a_small_load_counts_where_a_value_shows_it),
        TEST(the_document_holds_the_same_grades),
        TEST(what_outruns_memory_is_no_dram),
=======
        cmocka_unit_test(a_run_is_usable_unless_something_asked_for_has_no_figure),
>>>>>>> 0e4c7c9f (Comparisons, baselines, merges, levels and verdicts are held by golden texts of documents that differ in a few places)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
