/* What is declared of the memory, beside what was measured: the lines of the first screen. */
#include "../render/capture.h"

#include "show/report/parts.h"

enum { SLOTS = 8 };

struct bench {
    struct document document;
    struct declared_module modules[SLOTS];
    char names[SLOTS][8];
    struct declared_tier tiers[2];
    struct declared_weight weights[3];
    struct numa_facts nodes[3];
    struct point points[6];
    struct series series;
    struct finding findings[6];
    struct probe_result probe;
};

static struct finding value(const char *name, const char *unit, double value, double declared)
{
    return (struct finding){.name = name,
                            .unit = unit,
                            .value = value,
                            .low = value * 0.99,
                            .high = value * 1.01,
                            .declared = declared};
}

/* Two nodes with CPUs and one without, eight channels of which one is empty. */
static void fill(struct bench *bench)
{
    static const float rates[2][3] = {{110e9f, 50e9f, 30e9f}, {50e9f, 110e9f, 30e9f}};
    *bench = (struct bench){.tiers = {{4, "0-1"}, {56, "2"}},
                            .weights = {{0, 1}, {1, 1}, {2, 1}},
                            .nodes = {{0, "0-3", 1 << 30}, {1, "4-7", 1 << 30}, {2, "", 1 << 30}},
                            .findings = {value("numa.node.2.latency", "ns", 430, 250),
                                         value("numa.node.2.bandwidth", "B/s", 11e9, 25.6e9),
                                         value("numa.bandwidth.remote", "B/s", 30e9, NAN),
                                         value("bandwidth.read.all", "B/s", 69.8e9, 204.8e9)}};
    for (int i = 0; i < SLOTS; i++) {
        snprintf(bench->names[i], sizeof bench->names[i], "DIMM_%c", 'A' + i);
        bench->modules[i] = (struct declared_module){.slot = bench->names[i],
                                                     .empty = i == SLOTS - 1,
                                                     .type = "DDR4",
                                                     .configured_mts = i < SLOTS - 1 ? 3200 : 0,
                                                     .data_bits = i < SLOTS - 1 ? 64 : 0};
    }
    for (int i = 0; i < 6; i++) {
        bench->points[i] = point_bare();
        bench->points[i].from = i / 3;
        bench->points[i].to = i % 3;
        bench->points[i].y = (struct summary){.median = rates[i / 3][i % 3], .n = 6};
    }
    bench->series = (struct series){.name = "numa",
                                    .matrix = true,
                                    .y = {"bandwidth", "B/s"},
                                    .points = bench->points,
                                    .point_count = 6};
    bench->probe = (struct probe_result){.name = "numa",
                                         .series = &bench->series,
                                         .series_count = 1,
                                         .findings = bench->findings,
                                         .finding_count = 4};
    bench->document = (struct document){.machine = {.nodes = bench->nodes,
                                                    .node_count = 3,
                                                    .declared = {.modules = bench->modules,
                                                                 .module_count = SLOTS,
                                                                 .tiers = bench->tiers,
                                                                 .tier_count = 2,
                                                                 .weights = bench->weights,
                                                                 .weight_count = 3}},
                                        .probes = &bench->probe,
                                        .probe_count = 1};
}

static struct report build(const struct bench *bench)
{
    const struct document *list[] = {&bench->document};
    static const struct document *lasting[1];
    struct report report;
    lasting[0] = list[0];
    report_begin(&report, &test_pool, lasting, 1);
    report_add_declared(&report, 0);
    return report;
}

static void assert_fact(const struct report *report, size_t i, const char *label, const char *text)
{
    assert_int_equal(report->count, 2);
    assert_int_equal(report->list[1].kind, BLOCK_FACTS);
    const struct facts *facts = &report->list[1].facts;
    assert_true(i < facts->count);
    if (label)
        assert_string_equal(facts->list[i].label, label);
    else
        assert_null(facts->list[i].label);
    assert_string_equal(facts->list[i].text, text);
}

static void what_is_not_known_is_not_said(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    bench.document.machine.declared = (struct declared_facts){.modules = NULL};
    bench.findings[0].value = NAN;
    bench.findings[1].declared = NAN;
    bench.findings[2] = value("other", "B/s", 1, NAN);
    struct report report = build(&bench);
    assert_int_equal(report.count, 0);
    pool_free(&test_pool);
    /* Modules alone say which slots are empty. */
    fill(&bench);
    bench.document.probe_count = 0;
    report = build(&bench);
    assert_fact(&report, 0, "DRAM",
                "7 of 8 channels populated with DDR4 at 3200 MT/s, slot DIMM_H is empty");
    pool_free(&test_pool);
}

static void a_doubt_stands_at_the_line_s_end(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    bench.findings[1].flags = FLAG_BIT(FLAG_TOO_FEW);
    bench.document.machine.declared.tier_count = 0;
    struct report report = build(&bench);
    assert_fact(&report, 0, "node 2",
                "CPU-less: declared 250 ns, 25.6 GB/s; measured 430 ns, ~11.0 GB/s");
    pool_free(&test_pool);
}

/* As on a machine without huge pages: what the value is of stands behind it. */
static void another_experiment_is_named(void **state)
{
    (void)state;
    struct bench bench;
    struct factor pages = {"pages", "small", NAN};
    fill(&bench);
    for (int i = 0; i < 4; i++) {
        bench.findings[i].factors = &pages;
        bench.findings[i].factor_count = bench.findings[i].deviations = 1;
    }
    struct report report = build(&bench);
    assert_fact(&report, 0, "node 2",
                "CPU-less, tier 56: declared 250 ns, 25.6 GB/s; measured 430 ns, 11.0 GB/s "
                "(pages small)");
    assert_fact(&report, 1, "DRAM",
                "read 69.8 GB/s (pages small) of 204.8 declared: 7 of 8 channels populated with "
                "DDR4 at 3200 MT/s, slot DIMM_H is empty");
    pool_free(&test_pool);
}

/* It has its line above; only what can't be is a note. */
static void less_than_declared_is_no_disagreement(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    bench.findings[3].text = "8 CPUs together";
    bench.findings[0].text = "from CPUs of node 0";
    const struct document *list[] = {&bench.document};
    for (int more = 0; more < 2; more++) {
        struct report report;
        size_t notes = 0;
        bench.findings[3].declared = more ? 51.2e9 : 204.8e9;
        report_begin(&report, &test_pool, list, 1);
        report_collect_notes(&report, 0, NULL);
        report_add_notes(&report, 0, NULL, true);
        for (size_t i = 0; i < report.count; i++)
            notes +=
                report.list[i].kind == BLOCK_NOTE && report.list[i].note.kind == NOTE_DISAGREEMENT;
        assert_int_equal(notes, more);
        pool_free(&test_pool);
    }
}

static void hostile_texts_are_only_texts(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    bench.modules[SLOTS - 1].slot = NULL;
    bench.modules[0].slot = bench.modules[0].bank = bench.modules[1].type = HOSTILE;
    bench.tiers[0].nodes = bench.tiers[1].nodes = HOSTILE;
    bench.nodes[0].cpus = NULL;
    struct report report = build(&bench);
    for (size_t i = 0; i < report.list[1].facts.count; i++)
        assert_inert(report.list[1].facts.list[i].text);
    pool_free(&test_pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_known_is_not_said),
        cmocka_unit_test(a_doubt_stands_at_the_line_s_end),
        cmocka_unit_test(another_experiment_is_named),
        cmocka_unit_test(less_than_declared_is_no_disagreement),
        cmocka_unit_test(hostile_texts_are_only_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
