#include "compare/levels.h"
#include "compare/merge.h"
#include "compare/pairs.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { LEVELS_MOST = 64 };

/* Two documents with a curve each. */
struct bench {
    struct document documents[2];
    struct probe_result probes[2];
    struct level_links links[2];
};

/* A curve whose levels have these sizes in KiB: 0 is unknown, and a negative one ends the list.
 * Memory lies behind them. */
static void add_curve(struct bench *bench, int side, const double *sizes, bool memory)
{
    struct document *document = &bench->documents[side];
    struct probe_result *probe = &bench->probes[side];
    char name[32];
    for (int i = 0; sizes[i] >= 0; i++) {
        snprintf(name, sizeof name, "L%d.latency", i + 1);
        finding_add_value(probe, &document->pool, name, "cycles",
                          (struct interval){ldexp(4, i), NAN, NAN}, 0);
        snprintf(name, sizeof name, "L%d.capacity", i + 1);
        if (sizes[i] > 0)
            finding_add_value(probe, &document->pool, name, "B",
                              (struct interval){1024 * sizes[i], NAN, NAN}, 0);
    }
    if (memory)
        finding_add_value(probe, &document->pool, "DRAM.latency", "cycles",
                          (struct interval){400, NAN, NAN}, 0);
    document->probes = probe;
    document->probe_count = 1;
}

/* The partners of the first curve's levels, as digits: "1203", 0 for none. */
static void assert_partners(const double *a, const double *b, const char *expected)
{
    struct bench bench = {0};
    char found[LEVELS_MOST] = "";
    add_curve(&bench, 0, a, true);
    add_curve(&bench, 1, b, true);
    level_links_find(bench.links, &bench.documents[0].pool, &bench.documents[0],
                     &bench.documents[1]);
    for (size_t i = 0; i + 1 < bench.links[0].count; i++)
        snprintf(found + i, sizeof found - i, "%d", bench.links[0].list[i].partner);
    assert_string_equal(found, expected);
    for (int side = 0; side < 2; side++)
        pool_free(&bench.documents[side].pool);
}

#define SIZES(...) ((const double[]){__VA_ARGS__, -1})

static void levels_pair_by_their_sizes(void **state)
{
    assert_partners(SIZES(32, 1024, 20000), SIZES(33, 1000, 18000), "123");
    /* A step more, or fewer. */
    assert_partners(SIZES(32, 1024, 20000), SIZES(33, 1000, 6000, 18000), "124");
    assert_partners(SIZES(32, 1024, 6000, 20000), SIZES(33, 1000, 18000), "1203");
    /* One lost and another one seen. */
    assert_partners(SIZES(32, 1024, 6000, 20000), SIZES(33, 1000, 18000, 60000), "1203");
}

static void a_level_whose_size_changed_keeps_its_partner(void **state)
{
    assert_partners(SIZES(32, 1024, 20000), SIZES(16, 1024, 10000), "123");
    assert_partners(SIZES(32, 1024, 20000), SIZES(32, 128, 20000), "123");
    assert_partners(SIZES(32, 1024, 20000), SIZES(32, 1024, 2000), "123");
    assert_partners(SIZES(32), SIZES(4096), "1");
}

/* Memory that a short curve shows as its last level is no third level that became slower. */
static void what_is_another_level_in_size_and_latency_is_no_pair(void **state)
{
    const double cycles[3][3] = {{5, 16, 111}, {5, 16, 353}, {5, 16, 250}};
    for (int slower = 1; slower <= 2; slower++) {
        struct bench bench = {0};
        add_curve(&bench, 0, SIZES(40, 2700, 11000), false);
        add_curve(&bench, 1, SIZES(40, 2700, 190000), false);
        for (int side = 0; side < 2; side++)
            for (int i = 0; i < 3; i++)
                bench.probes[side].findings[2 * i].value = cycles[side ? slower : 0][i];
        level_links_find(bench.links, &bench.documents[0].pool, &bench.documents[0],
                         &bench.documents[1]);
        assert_int_equal(bench.links[0].list[2].partner, slower == 1 ? 0 : 3);
        for (int side = 0; side < 2; side++)
            pool_free(&bench.documents[side].pool);
    }
}

static void levels_without_sizes_pair_by_their_latency(void **state)
{
    assert_partners(SIZES(32, 0, 20000), SIZES(32, 1024, 20000), "123");
    assert_partners(SIZES(32, 1024, 0), SIZES(32, 1024, 20000), "123");
    assert_partners(SIZES(0, 0), SIZES(0, 0, 0), "12");
}

static void only_what_both_reached_is_a_level_fewer(void **state)
{
    for (int memory = 0; memory < 2; memory++) {
        struct bench bench = {0};
        add_curve(&bench, 0, SIZES(32, 1024, 20000), true);
        add_curve(&bench, 1, SIZES(32, 1024), memory);
        level_links_find(bench.links, &bench.documents[0].pool, &bench.documents[0],
                         &bench.documents[1]);
        assert_int_equal(bench.links[0].list[2].partner, 0);
        assert_int_equal(bench.links[0].list[2].reached, memory);
        for (int side = 0; side < 2; side++)
            pool_free(&bench.documents[side].pool);
    }
}

/* What other probes say of a level follows the curve's standard experiment. */
static void findings_of_a_level_follow_it(void **state)
{
    struct bench bench = {0};
    struct finding_pairs pairs;
    add_curve(&bench, 0, SIZES(32, 1024, 20000), true);
    add_curve(&bench, 1, SIZES(32, 1024, 6000, 20000), true);
    struct pool *pool = &bench.documents[0].pool;
    level_links_find(bench.links, pool, &bench.documents[0], &bench.documents[1]);
    struct probe_result rates[2] = {{.name = "bandwidth"}, {.name = "bandwidth"}};
    const struct interval rate = {1e9, NAN, NAN};
    finding_add_value(&rates[0], pool, "L3.bandwidth.read", "B/s", rate, 0);
    finding_add_value(&rates[1], pool, "L3.bandwidth.read", "B/s", rate, 0);
    finding_add_value(&rates[1], pool, "L4.bandwidth.read", "B/s", rate, 0);
    finding_pairs_find(&pairs, pool, &rates[0], NULL, &rates[1], &bench.links[1]);
    assert_ptr_equal(pairs.of_a[0], &rates[1].findings[1]);
    assert_null(pairs.of_b[0]);
    for (int side = 0; side < 2; side++)
        pool_free(&bench.documents[side].pool);
}

/* Of documents that become one: a number that is free stays, and one that is taken does not. */
static void a_level_without_a_partner_keeps_a_free_number(void **state)
{
    const double *const more[] = {SIZES(32, 1024, 20000), SIZES(32, 200, 1024)};
    for (int free = 0; free < 2; free++) {
        struct bench bench = {0};
        add_curve(&bench, 0, SIZES(32, 1024), true);
        add_curve(&bench, 1, more[!free], true);
        level_links_find(bench.links, &bench.documents[0].pool, &bench.documents[0],
                         &bench.documents[1]);
        level_links_number(&bench.links[1], 1, &bench.links[0], &bench.documents[0].pool);
        assert_int_equal(bench.links[1].list[free ? 2 : 1].partner, free ? 3 : 0);
        for (int side = 0; side < 2; side++)
            pool_free(&bench.documents[side].pool);
    }
}

/* A merge has the numbers of the newest curve, also for what only older runs measured. */
static void a_merge_has_the_numbers_of_the_newest_curve(void **state)
{
    struct bench bench = {0};
    struct document merged = {0};
    const char *left_out = NULL;
    add_curve(&bench, 0, SIZES(32, 1024, 20000), true);
    add_curve(&bench, 1, SIZES(32, 1024, 6000, 20000), true);
    struct probe_result older[2] = {bench.probes[1], {.name = "bandwidth"}};
    for (int level = 3; level <= 4; level++) {
        struct pool *pool = &bench.documents[1].pool;
        struct finding *rate = finding_add_value(
            &older[1], pool, level == 3 ? "L3.bandwidth.read" : "L4.bandwidth.read", "B/s",
            (struct interval){level * 1e9, NAN, NAN}, 0);
        rate->factors = pool_alloc(pool, 1, sizeof *rate->factors);
        rate->factors[0] = (struct factor){"level", level == 3 ? "L3" : "L4", NAN};
        rate->factor_count = 1;
    }
    bench.probes[0].name = older[0].name = "latency";
    bench.documents[0].run.started = "2026-11-29T01:00:00Z";
    bench.documents[1].probes = older;
    bench.documents[1].probe_count = 2;
    assert_int_equal(documents_merge(&merged, bench.documents, 2, &left_out, NULL), 0);
    const struct probe_result *rates = document_probe(&merged, "bandwidth");
    assert_int_equal(rates->finding_count, 1);
    assert_string_equal(rates->findings[0].name, "L3.bandwidth.read");
    assert_string_equal(rates->findings[0].factors[0].text, "L3");
    assert_true(rates->findings[0].value == 4e9);
    assert_int_equal(document_probe(&merged, "latency")->finding_count,
                     bench.probes[0].finding_count);
    assert_non_null(strstr(left_out, "L3.bandwidth"));
    document_free(&merged);
    for (int side = 0; side < 2; side++)
        pool_free(&bench.documents[side].pool);
}

/* A foreign document may have any number of levels. */
static void many_levels_pair_by_number(void **state)
{
    double sizes[101];
    struct bench bench = {0};
    for (int i = 0; i < 100; i++)
        sizes[i] = 1 + i;
    sizes[100] = -1;
    add_curve(&bench, 0, sizes, false);
    add_curve(&bench, 1, SIZES(32, 1024), false);
    level_links_find(bench.links, &bench.documents[0].pool, &bench.documents[0],
                     &bench.documents[1]);
    assert_int_equal(bench.links[0].list[41].partner, 42);
    for (int side = 0; side < 2; side++)
        pool_free(&bench.documents[side].pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_pair_by_their_sizes),
        cmocka_unit_test(a_level_whose_size_changed_keeps_its_partner),
        cmocka_unit_test(what_is_another_level_in_size_and_latency_is_no_pair),
        cmocka_unit_test(levels_without_sizes_pair_by_their_latency),
        cmocka_unit_test(only_what_both_reached_is_a_level_fewer),
        cmocka_unit_test(findings_of_a_level_follow_it),
        cmocka_unit_test(a_level_without_a_partner_keeps_a_free_number),
        cmocka_unit_test(a_merge_has_the_numbers_of_the_newest_curve),
        cmocka_unit_test(many_levels_pair_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
