#include "stats/peers.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100 };

static struct peers judge(struct peer *peers, size_t n)
{
    const struct peers_prior none = {0};
    double scratch[MOST];
    const struct peers all = peers_fit(peers, n, scratch);
    peers_judge(peers, n, &all, &none);
    return all;
}

static double normal(struct random *random)
{
    const double pi = 3.14159265358979323846;
    return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * pi * random_unit(random));
}

static void draw(struct peer *peers, size_t n, uint64_t seed, double spread)
{
    struct random random = {seed};
    for (size_t i = 0; i < n; i++)
        peers[i] = (struct peer){.value = spread * normal(&random)};
}

/* By hand: the others are 1, 2, 3, 4 with mean 2.5 and variance 5/3, and 5/3 (1 + 1/4) = 25/12. */
static void a_value_is_compared_with_the_others(void **state)
{
    struct peer peers[] = {{.value = 1}, {.value = 2}, {.value = 3}, {.value = 4}, {.value = 5}};
    const struct peers all = judge(peers, 5);
    assert_true(all.centre == 3 && !all.counted);
    assert_true(fabs(peers[4].distance - 2.5 / sqrt(25.0 / 12)) < 1e-12);
    assert_true(fabs(peers[0].distance + peers[4].distance) < 1e-12);
}

/* A p of 5 % or less has to come by chance in one case of twenty. */
static void chance_is_as_frequent_as_said(void **state)
{
    size_t below = 0, all = 0;
    for (unsigned seed = 1; seed <= 400; seed++) {
        struct peer peers[20];
        draw(peers, 20, seed, 3);
        judge(peers, 20);
        for (size_t i = 0; i < 20; i++, all++)
            below += peers[i].p <= 0.05;
    }
    const double share = (double)below / (double)all;
    assert_true(share > 0.035 && share < 0.06);
}

static void odd_values_do_not_hide_each_other(void **state)
{
    struct peer peers[20];
    draw(peers, 20, 9, 1);
    for (size_t i = 0; i < 4; i++)
        peers[i].value += 12;
    const struct peers all = judge(peers, 20);
    for (size_t i = 0; i < 20; i++)
        assert_true(i < 4 ? peers[i].p < 1e-5 : peers[i].p > 1e-3);
    assert_true(all.spread < 2);
}

/* What its own interval allows for is no distance. */
static void a_wide_interval_excuses(void **state)
{
    struct peer peers[20];
    draw(peers, 20, 4, 1);
    for (size_t i = 0; i < 20; i++)
        peers[i].below = peers[i].above = 1;
    peers[0].value = peers[1].value = 8;
    peers[1].below = 12;
    judge(peers, 20);
    assert_true(peers[0].p < 1e-5);
    assert_true(peers[1].p > 0.05);
}

/* What most agree on does not scatter by itself: only what is known of others like it tells how far
 * one may lie away, and its own interval. */
static void counts_are_counted(void **state)
{
    struct peer peers[10];
    double scratch[10];
    const struct peers_prior none = {0, 0};
    for (size_t i = 0; i < 10; i++)
        peers[i] = (struct peer){.value = i == 3 || i == 4 ? 1 : 2, .above = i == 4 ? 1 : 0};
    struct peers all = peers_fit(peers, 10, scratch);
    assert_true(all.counted);
    all.equal = (struct variance){0.01, 40};
    peers_judge(peers, 10, &all, &none);
    assert_true(peers[3].distance == -10 && peers[3].p < 1e-9);
    assert_true(peers[4].p > 0.04 && peers[0].p == 1);
}

static void equal_values_are_alike(void **state)
{
    struct peer peers[5] = {{.value = 7}, {.value = 7}, {.value = 7}, {.value = 7}, {.value = 7}};
    judge(peers, 5);
    for (size_t i = 0; i < 5; i++)
        assert_true(peers[i].p == 1 && peers[i].distance == 0);
}

/* Where a tenth of the values is scattered three times as wide, far ones are no surprise. */
static void heavy_tails_excuse(void **state)
{
    struct peer plain[MOST], heavy[MOST];
    draw(plain, MOST, 21, 1);
    draw(heavy, MOST, 21, 1);
    for (size_t i = 0; i < MOST; i += 5)
        heavy[i].value *= 3;
    plain[0].value = heavy[0].value = 7;
    judge(plain, MOST);
    const struct peers all = judge(heavy, MOST);
    assert_true(all.tails < 20);
    assert_true(heavy[0].p > 100 * plain[0].p);
}

/* Quantities that scatter as their intervals say help one of which there are few values, and one
 * that scatters otherwise is left alone. */
static void quantities_help_each_other(void **state)
{
    enum { QUANTITIES = 20, NODES = 8 };
    struct peer peers[QUANTITIES][NODES];
    struct peers all[QUANTITIES];
    const struct peers_prior none = {0};
    double scratch[MOST];
    for (size_t q = 0; q < QUANTITIES; q++) {
        draw(peers[q], NODES, 100 + q, 1);
        for (size_t i = 0; i < NODES; i++)
            peers[q][i].below = peers[q][i].above = 1.96;
        if (q == 1) /* one of its own */
            for (size_t i = 0; i < NODES; i++)
                peers[q][i].value *= 20;
        if (q == 0)
            peers[q][3].value = 7;
        all[q] = peers_fit(peers[q], NODES, scratch);
    }
    const struct peers_prior prior = peers_prior_of(all, QUANTITIES, scratch);
    assert_true(prior.freedom > 8);
    assert_true(prior.ratio > 0.5 && prior.ratio < 1.6);
    peers_judge(peers[0], NODES, &all[0], &none);
    const double alone = peers[0][3].p;
    peers_judge(peers[0], NODES, &all[0], &prior);
    assert_true(peers[0][3].p < alone / 10);
    peers_judge(peers[1], NODES, &all[1], &none);
    const double before = peers[1][2].p;
    peers_judge(peers[1], NODES, &all[1], &prior);
    assert_true(peers[1][2].p == before);
    assert_true(peers_prior_of(all, 3, scratch).freedom == 0);
}

/* Distances have no unit: all values ten times as large are as far away, by what other quantities
 * tell too. */
static void a_unit_changes_no_distance(void **state)
{
    const struct peers_prior prior = {.ratio = 4, .freedom = 10};
    struct peer once[8], tenfold[8];
    double scratch[8];
    draw(once, 8, 3, 2);
    for (size_t i = 0; i < 8; i++) {
        once[i].below = once[i].above = 1;
        tenfold[i] = (struct peer){.value = 10 * once[i].value, .below = 10, .above = 10};
    }
    const struct peers all = peers_fit(once, 8, scratch), larger = peers_fit(tenfold, 8, scratch);
    peers_judge(once, 8, &all, &prior);
    peers_judge(tenfold, 8, &larger, &prior);
    for (size_t i = 0; i < 8; i++)
        assert_true(fabs(tenfold[i].distance - once[i].distance) < 1e-9);
}

static void values_without_measure_are_borne(void **state)
{
    struct peer peers[8];
    for (size_t i = 0; i < 8; i++)
        peers[i] = (struct peer){.value = i % 2 ? 1e308 : -1e308 * (double)i / 8};
    judge(peers, 8);
    for (size_t i = 0; i < 8; i++)
        assert_true(isfinite(peers[i].distance) && peers[i].p >= 0 && peers[i].p <= 1);
}

/* Benjamini and Hochberg's own example, section 3.2: of fifteen, four at 5 %. */
static void the_published_example_holds(void **state)
{
    double p[] = {0.0459, 0.0001, 0.0278, 0.0004, 0.0344, 0.0019, 0.0095, 0.0201,
                  0.0298, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    assert_true(false_discovery_limit(p, 15, 0.05) == 0.0095);
}

static void nothing_is_found_among_nothing(void **state)
{
    double p[] = {0.9, 0.2, 0.5, 1};
    assert_true(false_discovery_limit(p, 4, 0.05) == -1);
    assert_true(false_discovery_limit(p, 0, 0.05) == -1);
}

static void a_larger_one_carries_smaller_ones(void **state)
{
    double p[] = {0.04, 0.03, 0.045, 0.05};
    assert_true(false_discovery_limit(p, 4, 0.05) == 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_example_holds),
        cmocka_unit_test(nothing_is_found_among_nothing),
        cmocka_unit_test(a_larger_one_carries_smaller_ones),
        cmocka_unit_test(a_value_is_compared_with_the_others),
        cmocka_unit_test(chance_is_as_frequent_as_said),
        cmocka_unit_test(odd_values_do_not_hide_each_other),
        cmocka_unit_test(a_wide_interval_excuses),
        cmocka_unit_test(counts_are_counted),
        cmocka_unit_test(equal_values_are_alike),
        cmocka_unit_test(heavy_tails_excuse),
        cmocka_unit_test(quantities_help_each_other),
        cmocka_unit_test(a_unit_changes_no_distance),
        cmocka_unit_test(values_without_measure_are_borne),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
