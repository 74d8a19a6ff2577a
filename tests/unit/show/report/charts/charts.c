#include "../../render/made_up.h"

#include "conclude/registry/factors.h"
#include "show/report/blocks.h"

#include <math.h>
#include <string.h>

static const struct block *next(const struct report *report, enum block_kind kind, int level,
                                size_t *at)
{
    for (; *at < report->count; ++*at) {
        const struct block *block = &report->list[*at];
        if (block->kind == kind && (kind != BLOCK_HEADING || block->heading.level == level))
            return &report->list[(*at)++];
    }
    return NULL;
}

static void assert_headings(const struct report *report, int level, const char *const *titles,
                            size_t count)
{
    const struct block *block;
    size_t at = 0, found = 0;
    for (; (block = next(report, BLOCK_HEADING, level, &at)); found++) {
        assert_in_range(found, 0, count - 1);
        assert_string_equal(block->heading.title, titles[found]);
    }
    assert_int_equal(found, count);
}

static void begin(struct report *report, const struct document *const *documents, size_t count)
{
    report_begin(report, &test_pool, documents, count);
    report_add_charts(report, count);
    for (size_t i = 0; i < report->count; i++)
        assert_int_equal(report->list[i].section, SECTION_CHARTS);
}

static struct point a_point = {.x = 1, .y = {.median = 2, .n = 3}};

/* Probes as a run has them, noise first; one that nobody knows, and one that found nothing. */
static void charts_come_in_the_order_of_the_datasheet(void **state)
{
    (void)state;
    struct series series[] = {
        {.name = "s", .x = {"x", ""}, .y = {"y", ""}, .points = &a_point, .point_count = 1}};
    struct finding finding = {.name = "L1.latency", .unit = "cycles", .value = 4};
    struct probe_result probes[] = {
        {.name = "noise", .title = "Noise", .series = series, .series_count = 1},
        {.name = "gpu", .title = "GPU", .series = series, .series_count = 1},
        {.name = "nobody's", .title = "", .series = series, .series_count = 1},
        {.name = "cores", .title = "Cores", .series = series, .series_count = 1},
        {.name = "bandwidth", .title = "Bandwidth"},
        {.name = "another's", .findings = &finding, .finding_count = 1},
        {.name = "tlb", .title = "TLB", .series = series, .series_count = 1},
        {.name = "geometry", .title = "Geometry", .series = series, .series_count = 1},
        {.name = "latency", .title = "Latency", .series = series, .series_count = 1},
    };
    const struct document document = {.probes = probes, .probe_count = 9};
    const struct document *list[] = {&document};
    static const char *const titles[] = {"another's", "Latency", "Geometry", "TLB",     "Bandwidth",
                                         "Cores",     "Noise",   "GPU",      "nobody's"};
    struct report report;
    begin(&report, list, 1);
    assert_headings(&report, 2, titles, 9);
    pool_free(&test_pool);
}

/* Names alone where all differ, and factors too where some are the same. */
static void a_label_has_what_it_takes(void **state)
{
    (void)state;
    struct factor a = {"pages", "4K", NAN}, b = {"pages", "2M", NAN};
    struct series series[] = {{.name = "packed", .factors = &a, .factor_count = 1},
                              {.name = "spread", .factors = &b, .factor_count = 1},
                              {.name = "packed", .factors = &b, .factor_count = 1}};
    struct probe_result probe = {.name = "tlb", .series = series};
    const struct document document = {.probes = &probe, .probe_count = 1};
    const struct document *list[] = {&document};
    static const char *const labels[][3] = {
        {"packed"},
        {"packed", "spread"},
        {"packed, pages 4K", "spread, pages 2M", "packed, pages 2M"}};
    for (probe.series_count = 1; probe.series_count <= 3; probe.series_count++) {
        struct report report;
        size_t at = 0;
        begin(&report, list, 1);
        for (size_t i = 0; i < probe.series_count; i++)
            assert_string_equal(next(&report, BLOCK_CURVE, 0, &at)->curve.label,
                                labels[probe.series_count - 1][i]);
        pool_free(&test_pool);
    }
}

static void assert_mark(const struct mark *mark, double x, const char *name, bool found)
{
    assert_true(mark->x == x);
    assert_string_equal(mark->name, name);
    assert_int_equal(mark->found, found);
}

/* What is declared is known from the findings, or else from the machine. */
static void a_curve_has_its_capacities_once(void **state)
{
    (void)state;
    struct factor order = {"order", "forward", NAN};
    struct series series[2] = {
        {.name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}},
        {.name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}}};
    struct finding findings[] = {
        {.name = "L2.capacity", .unit = "B", .value = 900000, .declared = 1048576},
        {.name = "L1.capacity", .unit = "B", .value = 32000, .declared = NAN},
        {.name = "L2.capacity",
         .unit = "B",
         .value = 800000,
         .declared = NAN,
         .factors = &order,
         .factor_count = 1,
         .deviations = 1}};
    struct probe_result probe = {.name = "latency",
                                 .series = series,
                                 .series_count = 2,
                                 .findings = findings,
                                 .finding_count = 3};
    struct cache_facts caches[] = {{.level = 1, .type = "data", .size_bytes = 32768},
                                   {.level = 1, .type = "instruction", .size_bytes = 65536},
                                   {.level = 2, .type = "unified", .size_bytes = 2097152},
                                   {.level = 3, .type = "unified", .size_bytes = 33554432}};
    const struct document document = {
        .probes = &probe, .probe_count = 1, .machine = {.caches = caches, .cache_count = 4}};
    const struct document *list[] = {&document};
    struct report report;
    size_t at = 0;
    begin(&report, list, 1);
    const struct curve *curve = &next(&report, BLOCK_CURVE, 0, &at)->curve;
    assert_int_equal(curve->mark_count, 6);
    assert_mark(&curve->marks[0], 32000, "L1", true);
    assert_mark(&curve->marks[1], 32768, "L1", false);
    assert_mark(&curve->marks[2], 800000, "L2 (order forward)", true);
    assert_mark(&curve->marks[3], 900000, "L2", true);
    assert_mark(&curve->marks[4], 1048576, "L2", false);
    assert_mark(&curve->marks[5], 33554432, "L3", false);
    assert_int_equal(next(&report, BLOCK_CURVE, 0, &at)->curve.mark_count, 0);
    pool_free(&test_pool);
}

static void what_has_no_room_is_counted(void **state)
{
    (void)state;
    enum { CURVES = 70, MATRICES = 300 };
    struct series series[CURVES + MATRICES];
    for (size_t i = 0; i < CURVES + MATRICES; i++)
        series[i] = (struct series){.name = "s",
                                    .matrix = i >= CURVES,
                                    .x = {"x", ""},
                                    .y = {"y", ""},
                                    .points = &a_point,
                                    .point_count = 1};
    struct probe_result probe = {.name = "p", .series = series, .series_count = CURVES + MATRICES};
    const struct document document = {.probes = &probe, .probe_count = 1};
    const struct document *list[] = {&document};
    struct report report;
    size_t at = 0;
    begin(&report, list, 1);
    const struct block *of_chart = next(&report, BLOCK_FACTS, 0, &at);
    assert_string_equal(of_chart->facts.more, "6 more series are in the document.");
    assert_ptr_equal(of_chart->probe, &probe);
    const struct block *of_all = next(&report, BLOCK_FACTS, 0, &at);
    assert_string_equal(of_all->facts.more, "45 more series are in the document.");
    assert_null(of_all->probe);
    pool_free(&test_pool);
}

static void between_things_that_are_numbered_nothing_lies(void **state)
{
    (void)state;
    struct point points[20];
    struct series series = {.name = "noise",
                            .x = {"cpu", ""},
                            .y = {"share", "%"},
                            .points = points,
                            .point_count = 20};
    for (size_t i = 0; i < 20; i++)
        points[i] = (struct point){.x = (double)i + 1, .y = {.median = 2, .n = 3}};
    struct probe_result probe = {.name = "noise", .series = &series, .series_count = 1};
    const struct document document = {.probes = &probe, .probe_count = 1};
    const struct document *list[] = {&document};
    struct report report;
    for (int numbered = 1; numbered >= 0; numbered--) {
        size_t at = 0;
        series.x.name = numbered ? "cpu" : "CPUs";
        begin(&report, list, 1);
        assert_int_equal(next(&report, BLOCK_CURVE, 0, &at)->curve.apart, numbered);
        pool_free(&test_pool);
        at = 0;
        report_build_probe(&report, &test_pool, list, &probe);
        assert_int_equal(!next(&report, BLOCK_CURVE, 0, &at), numbered);
        pool_free(&test_pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(charts_come_in_the_order_of_the_datasheet),
        cmocka_unit_test(a_label_has_what_it_takes),
        cmocka_unit_test(a_curve_has_its_capacities_once),
        cmocka_unit_test(what_has_no_room_is_counted),
        cmocka_unit_test(between_things_that_are_numbered_nothing_lies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
