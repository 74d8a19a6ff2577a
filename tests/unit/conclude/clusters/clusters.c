#include "conclude/clusters/clusters.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

struct bench {
    struct pool pool;
    struct probe_result probe;
    struct series series;
};

/* Eight CPUs: a core's threads have numbers `apart` from each other, and 10 ns; complexes of four
 * 40 ns; others 100 ns. */
static void bench_begin(struct bench *bench, int apart)
{
    *bench = (struct bench){.series = {.name = "hand-off", .matrix = true, .y = {"latency", "ns"}}};
    bench->series.points = pool_alloc(&bench->pool, 56, sizeof(struct point));
    for (int from = 0; from < 8; from++)
        for (int to = 0; to < 8; to++) {
            if (from == to)
                continue;
            int one = apart == 1 ? from / 2 : from % 4, other = apart == 1 ? to / 2 : to % 4;
            float ns = one == other ? 10 : one / 2 == other / 2 ? 40 : 100;
            bench->series.points[bench->series.point_count++] = (struct point){
                .from = from,
                .to = to,
                .y = {.median = ns, .low = ns - 0.1f, .high = ns + 0.1f, .coverage = 0.96f, .n = 9},
            };
        }
}

static void bench_conclude(struct bench *bench, const struct machine_facts *facts,
                           const struct declared *declared)
{
    findings_clusters(&bench->probe, &bench->pool, &bench->series, facts, declared);
}

static const struct finding *find(const struct bench *bench, const char *name, const char *cpus)
{
    for (size_t i = 0; i < bench->probe.finding_count; i++)
        if (strcmp(bench->probe.findings[i].name, name) == 0 &&
            strcmp(bench->probe.findings[i].cpus, cpus) == 0)
            return &bench->probe.findings[i];
    return NULL;
}

static size_t count(const struct bench *bench, const char *name)
{
    size_t found = 0;
    for (size_t i = 0; i < bench->probe.finding_count; i++)
        found += strcmp(bench->probe.findings[i].name, name) == 0;
    return found;
}

static int first_ids[] = {0, 1}, second_ids[] = {2, 3}, third_ids[] = {4, 5}, fourth_ids[] = {6, 7};
static int near_ids[] = {0, 1, 2, 3}, far_ids[] = {4, 5, 6, 7};
static struct declared_group neighbours[] = {
    {DECLARED_SIBLINGS, "SMT siblings", {first_ids, 2}},
    {DECLARED_SIBLINGS, "SMT siblings", {second_ids, 2}},
    {DECLARED_SIBLINGS, "SMT siblings", {third_ids, 2}},
    {DECLARED_SIBLINGS, "SMT siblings", {fourth_ids, 2}},
    {DECLARED_NODE, "NUMA node 0", {near_ids, 4}},
    {DECLARED_NODE, "NUMA node 1", {far_ids, 4}},
    {DECLARED_CACHE, "CPUs that share an L1 cache", {first_ids, 2}},
    {DECLARED_CACHE, "CPUs that share an L1 cache", {second_ids, 2}},
    {DECLARED_CACHE, "CPUs that share an L1 cache", {third_ids, 2}},
    {DECLARED_CACHE, "CPUs that share an L1 cache", {fourth_ids, 2}},
};
static const struct declared as_neighbours = {neighbours, 10};

static void clusters_stand_as_in_a_tree(void **state)
{
    (void)state;
    static const char *const expected[] = {"0-3", "0-1", "2-3", "4-7", "4-5", "6-7"};
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, NULL, NULL);
    assert_int_equal(bench.probe.finding_count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(bench.probe.findings[i].name, "cluster");
        assert_string_equal(bench.probe.findings[i].unit, "ns");
        assert_string_equal(bench.probe.findings[i].cpus, expected[i]);
        assert_int_equal(bench.probe.findings[i].flags, 0);
    }
    pool_free(&bench.pool);
}

static void a_cluster_has_its_latency_and_a_sentence(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, NULL, NULL);
    const struct finding *threads = find(&bench, "cluster", "0-1");
    assert_float_equal(threads->value, 10, 1e-6);
    assert_float_equal(threads->low, 9.9, 1e-6);
    assert_float_equal(threads->high, 10.1, 1e-6);
    assert_string_equal(threads->text, "looks like two CPUs that share a core or its first caches");
    assert_float_equal(find(&bench, "cluster", "0-3")->value, 40, 1e-6);
    assert_non_null(strstr(find(&bench, "cluster", "4-7")->text, "complex"));
    pool_free(&bench.pool);
}

static void one_trial_is_no_interval(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    for (size_t i = 0; i < bench.series.point_count; i++)
        bench.series.points[i].y.coverage = 0;
    bench_conclude(&bench, NULL, NULL);
    assert_true(isnan(find(&bench, "cluster", "0-1")->low));
    pool_free(&bench.pool);
}

static void what_is_declared_is_named(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, NULL, &as_neighbours);
    assert_int_equal(count(&bench, "cluster.disagreement"), 0);
    assert_string_equal(find(&bench, "cluster", "2-3")->text,
                        "looks like two threads of one core (SMT); declared as SMT siblings");
    assert_non_null(strstr(find(&bench, "cluster", "0-3")->text, "; declared as NUMA node 0"));
    pool_free(&bench.pool);
}

static void a_wrong_numbering_is_noticed(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 4);
    bench_conclude(&bench, NULL, &as_neighbours);
    static const char *const threads[] = {"0,4", "1,5", "2,6", "3,7"};
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(strstr(find(&bench, "cluster", threads[i])->text, "; not declared"));
        assert_non_null(find(&bench, "cluster.disagreement", threads[i]));
    }
    const struct finding *behave = find(&bench, "cluster.disagreement", "0,4");
    const struct finding *declared = find(&bench, "cluster.disagreement", "0-1");
    assert_non_null(behave);
    assert_non_null(declared);
    assert_string_equal(behave->text,
                        "CPUs 0,4 behave as one cluster; the machine declares them as separate");
    assert_string_equal(declared->text,
                        "CPUs 0-1 are declared as SMT siblings but do not behave as such");
    assert_true(isnan(behave->value));
    pool_free(&bench.pool);
}

static void siblings_that_were_not_measured_are_no_disagreement(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    for (size_t i = 0; i < bench.series.point_count; i++) {
        struct point *point = &bench.series.points[i];
        if (point->from + point->to == 5 && point->from / 2 == point->to / 2)
            point->y = summary_of_nothing();
    }
    bench_conclude(&bench, NULL, &as_neighbours);
    assert_null(find(&bench, "cluster.disagreement", "2-3"));
    assert_non_null(find(&bench, "cluster", "0-1"));
    pool_free(&bench.pool);
}

static void caches_are_declared_one_by_one(void **state)
{
    (void)state;
    struct declared_group groups[] = {
        {DECLARED_CACHE, "CPUs that share an L2 cache", {first_ids, 2}},
        {DECLARED_CACHE, "CPUs that share an L2 cache", {fourth_ids, 2}},
        {DECLARED_CACHE, "CPUs that share an L3 cache", {near_ids, 4}},
        {DECLARED_CACHE, "CPUs that share an L3 cache", {far_ids, 4}}};
    const struct declared declared = {groups, 4};
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, NULL, &declared);
    assert_string_equal(find(&bench, "cluster", "6-7")->text,
                        "looks like two CPUs that share a core or its first caches; declared as "
                        "CPUs that share an L2 cache");
    assert_non_null(strstr(find(&bench, "cluster", "4-7")->text, "an L3 cache"));
    assert_non_null(find(&bench, "cluster.disagreement", "2-3"));
    assert_non_null(find(&bench, "cluster.disagreement", "4-5"));
    assert_int_equal(count(&bench, "cluster.disagreement"), 2);
    pool_free(&bench.pool);
}

static void nothing_declared_is_not_the_same_as_unknown(void **state)
{
    (void)state;
    const struct declared none = {0};
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, NULL, &none);
    assert_int_equal(count(&bench, "cluster.disagreement"), 6);
    pool_free(&bench.pool);
}

static void guests_are_flagged(void **state)
{
    (void)state;
    const struct machine_facts facts = {.hypervisor = "KVM"};
    struct bench bench;
    bench_begin(&bench, 1);
    bench_conclude(&bench, &facts, NULL);
    assert_int_equal(find(&bench, "cluster", "0-1")->flags, FLAG_BIT(FLAG_VIRTUAL_MACHINE));
    pool_free(&bench.pool);
}

static void what_is_no_matrix_has_no_clusters(void **state)
{
    (void)state;
    struct bench bench;
    bench_begin(&bench, 1);
    bench.series.matrix = false;
    bench_conclude(&bench, NULL, NULL);
    bench.series.matrix = true;
    bench.series.point_count = 0;
    bench_conclude(&bench, NULL, NULL);
    bench.series.point_count = 1;
    bench_conclude(&bench, NULL, NULL);
    assert_int_equal(bench.probe.finding_count, 0);
    pool_free(&bench.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_stand_as_in_a_tree),
        cmocka_unit_test(a_cluster_has_its_latency_and_a_sentence),
        cmocka_unit_test(one_trial_is_no_interval),
        cmocka_unit_test(what_is_declared_is_named),
        cmocka_unit_test(a_wrong_numbering_is_noticed),
        cmocka_unit_test(siblings_that_were_not_measured_are_no_disagreement),
        cmocka_unit_test(caches_are_declared_one_by_one),
        cmocka_unit_test(nothing_declared_is_not_the_same_as_unknown),
        cmocka_unit_test(guests_are_flagged),
        cmocka_unit_test(what_is_no_matrix_has_no_clusters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
