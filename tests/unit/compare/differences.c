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
    bench.a.machine.hypervisor = bench.b.machine.hypervisor = NULL;
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

static const struct differences *find(struct bench *bench)
{
    differences_free(&bench->differences);
    assert_int_equal(differences_find(&bench->differences, &bench->a, &bench->b, NAN, NULL), 0);
    return &bench->differences;
}

static bool tells(const struct remark_line *lines, size_t count, const char *words)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(lines[i].text, words))
            return true;
    return false;
}

static struct finding *finding_named(const struct document *document, const char *name)
{
    for (size_t p = 0; p < document->probe_count; p++)
        for (size_t i = 0; i < document->probes[p].finding_count; i++)
            if (strcmp(document->probes[p].findings[i].name, name) == 0)
                return &document->probes[p].findings[i];
    return NULL;
}

static void scale(struct document *document, const char *name, double times)
{
    struct finding *finding = finding_named(document, name);
    finding->value *= times;
    finding->low *= times;
    finding->high *= times;
}

static const struct difference *of(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->differences.count; i++)
        if (bench->differences.list[i].finding_a &&
            strcmp(bench->differences.list[i].finding_a->name, name) == 0)
            return &bench->differences.list[i];
    return NULL;
}

static void nothing_changes_by_itself(void **state)
{
    struct bench *bench = *state;
    const struct differences *found = find(bench);
    assert_true(found->count > 10);
    assert_int_equal(found->counts[CHANGED], 0);
    assert_true(found->counts[SAME] > 5);
    assert_int_equal(found->facts.count, 0);
    assert_int_equal(found->missing_count, 0);
    assert_false(differences_exist(found));
}

/* However little a single run can tell, and where a value has no interval. */
static void a_document_and_itself_are_the_same(void **state)
{
    struct bench *bench = *state;
    finding_named(&bench->a, "L1.latency")->low = NAN;
    finding_named(&bench->b, "L1.latency")->low = NAN;
    const struct differences *found = find(bench);
    assert_int_equal(found->counts[SAME], found->count);
    assert_int_equal(found->lonely_count, 0);
    /* One value more or less makes them two documents. */
    scale(&bench->b, "L1.latency", 1.0001);
    assert_true(find(bench)->counts[SAME] < found->count);
}

/* The core's clock moves a cache's ns and the memory's cycles: neither is its home. */
static void a_figure_is_compared_once_in_its_home(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->a, &bench->b};
    for (int i = 0; i < 2; i++) {
        finding_named(both[i], "L1.latency_ns")->clock_hz = 2.99e9;
        finding_named(both[i], "DRAM.latency")->clock_hz = 2.99e9;
    }
    scale(&bench->b, "L1.latency_ns", 1.3);
    scale(&bench->b, "DRAM.latency", 1.3);
    assert_int_equal(find(bench)->counts[CHANGED], 0);
    assert_null(of(bench, "L1.latency_ns"));
    assert_null(of(bench, "DRAM.latency"));
    scale(&bench->b, "DRAM.latency_ns", 2);
    scale(&bench->b, "L1.latency", 1.25);
    assert_int_equal(find(bench)->counts[CHANGED], 2);
    assert_int_equal(of(bench, "L1.latency")->compared.side, SIDE_MORE);
    assert_int_equal(of(bench, "DRAM.latency_ns")->compared.side, SIDE_MORE);
}

/* A4 of the review: none of these was found. */
static void counts_and_capacities_are_compared(void **state)
{
    struct bench *bench = *state;
    static const char *const halved[] = {"L1.capacity", "L1.ways", "L1.line", "dtlb1.4K.entries",
                                         "dtlb1.2M.entries"};
    for (size_t i = 0; i < sizeof halved / sizeof *halved; i++)
        scale(&bench->b, halved[i], 0.5);
    assert_int_equal(find(bench)->counts[CHANGED], sizeof halved / sizeof *halved);
    for (size_t i = 0; i < sizeof halved / sizeof *halved; i++)
        assert_int_equal(of(bench, halved[i])->compared.answer, CHANGED);
}

/* A clock follows its governor; without another governor the machine is slower. */
static void a_lower_clock_is_a_change_unless_its_governor_differs(void **state)
{
    struct bench *bench = *state;
    sample_finding(&bench->a, &bench->a.probes[0], "core.clock", "Hz", 3.7e9, 0.001);
    sample_finding(&bench->b, &bench->b.probes[0], "core.clock", "Hz", 1.85e9, 0.001);
    find(bench);
    assert_int_equal(of(bench, "core.clock")->compared.answer, CHANGED);
    assert_int_equal(of(bench, "core.clock")->compared.side, SIDE_MORE);
    bench->b.conditions.governor = "powersave";
    find(bench);
    assert_int_equal(of(bench, "core.clock")->compared.answer, CONDITION);
}

/* A pair of CPUs is a figure of its own. */
static void pairs_of_a_matrix_are_compared(void **state)
{
    struct bench *bench = *state;
    struct series *series = &bench->b.probes[1].series[0];
    assert_true(series->matrix);
    float *const values[] = {&series->points[0].y.median, &series->points[0].y.low,
                             &series->points[0].y.high};
    for (size_t i = 0; i < 3; i++)
        *values[i] *= 40;
    assert_int_equal(find(bench)->counts[CHANGED], 1);
    const struct difference *last = &bench->differences.list[bench->differences.count - 1];
    assert_ptr_equal(last[-1].series, &bench->a.probes[1].series[0]);
}

static void unplaced_hand_offs_of_guests_are_not_told(void **state)
{
    struct bench *bench = *state;
    scale(&bench->b, "cores.cas.mean", 2.5);
    assert_int_equal(find(bench)->counts[CHANGED], 1);
    bench->a.machine.hypervisor = bench->b.machine.hypervisor = "KVM";
    find(bench);
    assert_int_equal(of(bench, "cores.cas.mean")->compared.answer, CANT_TELL);
}

/* Of one placement they are compared; of two the placement is the first of the changed facts. */
static void hand_offs_of_two_placements_are_not_told(void **state)
{
    struct bench *bench = *state;
    struct document *const both[] = {&bench->a, &bench->b};
    struct factor places[2][2];
    for (int i = 0; i < 2; i++) {
        struct finding *finding = finding_named(both[i], "cores.cas.mean");
        places[i][0] =
            (struct factor){.name = parameter_placement, .text = "CPUs 0 and 1: one core"};
        places[i][1] = (struct factor){.name = parameter_placement_ns, .number = 28 + i};
        finding->factors = places[i];
        finding->factor_count = 2;
        both[i]->machine.hypervisor = "KVM";
    }
    for (int i = 0; i < 2; i++) { /* the pairs of a matrix too */
        struct probe_result *cores = document_probe(both[i], "cores");
        cores->parameters = places[i];
        cores->parameter_count = 2;
    }
    bench->b.machine.kernel = "another";
    scale(&bench->b, "cores.cas.mean", 2.5);
    find(bench);
    assert_int_equal(of(bench, "cores.cas.mean")->compared.answer, CHANGED);
    places[1][0].text = "CPUs 0 and 1: apart";
    places[1][1].number = 215;
    find(bench);
    assert_int_equal(of(bench, "cores.cas.mean")->compared.answer, CANT_TELL);
    assert_int_equal(of(bench, "cores.cas.mean")->compared.decided, BY_PLACEMENT);
    size_t pairs = 0;
    for (size_t i = 0; i < bench->differences.count; i++) {
        const struct difference *pair = &bench->differences.list[i];
        pairs += pair->series && pair->compared.decided == BY_PLACEMENT;
    }
    assert_true(pairs > 0);
    assert_string_equal(bench->differences.facts.list[0].before, "CPUs 0 and 1: one core (28 ns)");
    assert_string_equal(bench->differences.facts.list[0].after, "CPUs 0 and 1: apart (215 ns)");
    assert_true(bench->differences.facts.count > 1);
}

/* Runs of several spread, and their spread is what the next one is judged by. */
static void several_runs_tell_their_own_scatter(void **state)
{
    struct bench *bench = *state;
    struct factor runs[6];
    const double values[] = {100, 140, 90, 160, 120, 130};
    struct finding *base = finding_named(&bench->a, "DRAM.latency_ns");
    for (size_t i = 0; i < 6; i++)
        runs[i] = (struct factor){.number = values[i]};
    scale(&bench->b, "DRAM.latency_ns", 1.5);
    find(bench);
    assert_int_equal(of(bench, "DRAM.latency_ns")->compared.answer, CHANGED);
    base->runs = runs;
    base->run_count = 6;
    find(bench);
    assert_int_equal(of(bench, "DRAM.latency_ns")->compared.answer, CANT_TELL);
    assert_int_equal(of(bench, "DRAM.latency_ns")->compared.decided, BY_RUNS);
}

static void what_can_not_be_compared_is_named(void **state)
{
    struct bench *bench = *state;
    finding_named(&bench->b, "L1.latency")->value = NAN;
    finding_named(&bench->b, "L2.latency")->value = -1;
    finding_named(&bench->b, "dtlb2.4K.hit")->unit = "fathoms";
    finding_named(&bench->b, "L2.ways")->name = "elsewhere";
    const struct differences *found = find(bench);
    assert_true(tells(found->missing, found->missing_count, "L2.latency (latency) was"));
    assert_true(
        tells(found->missing, found->missing_count, "dtlb2.4K.hit is in cycles, then in fathoms"));
    assert_true(tells(found->missing, found->missing_count, "only the first has L2.ways"));
    assert_true(tells(found->missing, found->missing_count, "only the second has elsewhere"));
    assert_null(of(bench, "L1.latency"));
    assert_int_equal(found->lonely_count, 3); /* ways have no worse side in the registry */
}

static void nothing_in_common_is_refused(void **state)
{
    struct bench *bench = *state;
    struct error error;
    bench->b.probe_count = 0;
    for (size_t p = 0; p < bench->a.probe_count; p++)
        bench->a.probes[p].finding_count = 0;
    assert_int_equal(differences_find(&bench->differences, &bench->a, &bench->b, NAN, &error),
                     ERROR_USAGE);
    assert_non_null(strstr(error.text, "in common"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_changes_by_itself),
        TEST(a_document_and_itself_are_the_same),
        TEST(a_figure_is_compared_once_in_its_home),
        TEST(counts_and_capacities_are_compared),
        TEST(a_lower_clock_is_a_change_unless_its_governor_differs),
        TEST(pairs_of_a_matrix_are_compared),
        TEST(unplaced_hand_offs_of_guests_are_not_told),
        TEST(hand_offs_of_two_placements_are_not_told),
        TEST(several_runs_tell_their_own_scatter),
        TEST(what_can_not_be_compared_is_named),
        TEST(nothing_in_common_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
