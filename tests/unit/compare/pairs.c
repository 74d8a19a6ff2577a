#include "compare/pairs.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

struct bench {
    struct pool pool;
    struct probe_result a, b;
    struct finding_pairs pairs;
};

static struct finding *add(struct bench *bench, struct probe_result *to, const char *name,
                           const char *cpus, double value)
{
    struct finding *finding =
        finding_add_value(to, &bench->pool, name, "ns", (struct interval){value, NAN, NAN}, 0);
    finding->cpus = cpus;
    return finding;
}

static void pair(struct bench *bench)
{
    finding_pairs_find(&bench->pairs, &bench->pool, &bench->a, NULL, &bench->b, NULL);
}

/* The partner of a's i-th finding is b's j-th, and vice versa; -1: none. */
static void assert_pair(const struct bench *bench, int i, int j)
{
    if (i >= 0)
        assert_ptr_equal(bench->pairs.of_a[i], j < 0 ? NULL : &bench->b.findings[j]);
    if (j >= 0)
        assert_ptr_equal(bench->pairs.of_b[j], i < 0 ? NULL : &bench->a.findings[i]);
}

static void names_pair_whatever_their_cpus(void **state)
{
    struct bench bench = {0};
    add(&bench, &bench.a, "cores.min", "0,1", 5);
    add(&bench, &bench.a, "alone", NULL, 5);
    add(&bench, &bench.b, "other", NULL, 5);
    add(&bench, &bench.b, "cores.min", "2,3", 5);
    pair(&bench);
    assert_pair(&bench, 0, 1);
    assert_pair(&bench, 1, -1);
    assert_pair(&bench, -1, 0);
    pool_free(&bench.pool);
}

static void another_experiment_is_no_partner(void **state)
{
    struct bench bench = {0};
    struct factor forward = {"order", "forward", 0}, backward = {"order", "backward", 0};
    struct finding *of_a = add(&bench, &bench.a, "L2.latency", NULL, 6);
    of_a->factors = &forward;
    of_a->factor_count = of_a->deviations = 1;
    add(&bench, &bench.b, "L2.latency", NULL, 17);
    struct finding *of_b = add(&bench, &bench.b, "L2.latency", NULL, 7);
    of_b->factors = &backward;
    of_b->factor_count = of_b->deviations = 1;
    pair(&bench);
    assert_pair(&bench, 0, -1);
    of_b->factors = &forward;
    pair(&bench);
    assert_pair(&bench, 0, 1);
    assert_pair(&bench, -1, 0);
    pool_free(&bench.pool);
}

/* Findings about the same CPUs pair first; the rest by their number of CPUs, in the order of the
 * values. */
static void clusters_pair_by_their_cpus_and_then_by_their_kind(void **state)
{
    struct bench bench = {0};
    add(&bench, &bench.a, "cluster", "0-7", 40);
    add(&bench, &bench.a, "cluster", "0-1", 9);
    add(&bench, &bench.a, "cluster", "2-3", 5);
    add(&bench, &bench.a, "cluster", "4-5", 7);
    add(&bench, &bench.b, "cluster", "0,4", 5.5);
    add(&bench, &bench.b, "cluster", "1,5", 9.5);
    add(&bench, &bench.b, "cluster", "4-5", 100);
    add(&bench, &bench.b, "cluster", "8-10", 1);
    pair(&bench);
    assert_pair(&bench, 0, -1);
    assert_pair(&bench, 1, 1);
    assert_pair(&bench, 2, 0);
    assert_pair(&bench, 3, 2);
    assert_pair(&bench, -1, 3);
    pool_free(&bench.pool);
}

/* Quadratic time would be noticed. */
static void two_hundred_thousand_pair(void **state)
{
    struct bench bench = {0};
    enum { MANY = 200000 };
    char cpus[16];
    for (int i = 0; i < MANY; i++) {
        snprintf(cpus, sizeof cpus, "%d", i);
        add(&bench, &bench.a, "cluster", pool_strdup(&bench.pool, cpus), i);
        snprintf(cpus, sizeof cpus, "%d", MANY - i);
        add(&bench, &bench.b, "cluster", pool_strdup(&bench.pool, cpus), i);
    }
    pair(&bench);
    assert_pair(&bench, 1, MANY - 1);
    assert_pair(&bench, 0, 0); /* the ones that were left in both */
    pool_free(&bench.pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_pair_whatever_their_cpus),
        cmocka_unit_test(another_experiment_is_no_partner),
        cmocka_unit_test(clusters_pair_by_their_cpus_and_then_by_their_kind),
        cmocka_unit_test(two_hundred_thousand_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
