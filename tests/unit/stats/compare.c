#include "stats/compare.h"
#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* n trials around `centre`, skewed upwards like times. */
static struct summary simulate(struct random *random, unsigned n, double centre, double spread)
{
    double values[64], scratch[64];
    struct summary summary;
    for (unsigned i = 0; i < n; i++)
        values[i] = centre * exp(spread * -log(1 - random_unit(random)));
    summarize(values, n, scratch, &summary);
    return summary;
}

static void the_same_is_no_change(void **state)
{
    (void)state;
    struct random random = {1};
    struct summary a = simulate(&random, 11, 5, 0.01);
    struct comparison comparison;
    compare_medians(&a, &a, 0.03, false, &comparison);
    assert_true(comparison.ratio == 1);
    assert_true(comparison.low < 1 && comparison.high > 1);
    assert_true(comparison.p > 0.5);
}

static void a_clear_change_is_seen(void **state)
{
    (void)state;
    struct random random = {2};
    struct summary a = simulate(&random, 11, 5, 0.005), b = simulate(&random, 11, 5.5, 0.005);
    struct comparison comparison;
    compare_medians(&a, &b, 0.03, false, &comparison);
    assert_true(fabs(comparison.ratio - 1.1) < 0.01);
    assert_true(comparison.low > 1.03 && comparison.high < 1.2);
    assert_true(comparison.p < 1e-6);
    compare_medians(&b, &a, 0.03, false, &comparison);
    assert_true(comparison.high < 1 / 1.03);
    assert_true(comparison.p < 1e-6);
}

static void doubt_widens_the_interval(void **state)
{
    (void)state;
    struct random random = {3};
    struct summary a = simulate(&random, 25, 5, 0.1), b = simulate(&random, 25, 6, 0.1);
    struct comparison sure, doubtful;
    compare_medians(&a, &b, 0.03, false, &sure);
    compare_medians(&a, &b, 0.03, true, &doubtful);
    assert_true(doubtful.high - doubtful.low > 1.5 * (sure.high - sure.low));
    assert_true(doubtful.p > sure.p);
}

static void a_single_trial_has_no_interval(void **state)
{
    (void)state;
    struct random random = {4};
    struct summary a = simulate(&random, 1, 5, 0), b = simulate(&random, 11, 6, 0.01);
    struct comparison comparison;
    compare_medians(&a, &b, 0.03, false, &comparison);
    assert_true(comparison.ratio > 1.1);
    assert_true(isnan(comparison.low) && isnan(comparison.high) && comparison.p == 1);
}

/* Where nothing changed, the interval holds a ratio of 1 in about 95 of 100 comparisons. */
static void the_interval_covers(void **state)
{
    (void)state;
    struct random random = {5};
    static const unsigned trials[] = {6, 11, 25, 64};
    for (size_t t = 0; t < 4; t++) {
        int covered = 0;
        for (int i = 0; i < 1000; i++) {
            struct summary a = simulate(&random, trials[t], 5, 0.05);
            struct summary b = simulate(&random, trials[t], 5, 0.05);
            struct comparison comparison;
            compare_medians(&a, &b, 0.03, false, &comparison);
            covered += comparison.low <= 1 && comparison.high >= 1;
        }
        assert_in_range(covered, 910, 990);
    }
}

static void intervals_alone_can_be_compared(void **state)
{
    (void)state;
    const double a[] = {100, 99, 101}, b[] = {120, 119, 121}, c[] = {101, 80, 130};
    const double exact[] = {64, 64, 64}, other[] = {128, 128, 128}, bare[] = {3, NAN, NAN};
    struct comparison comparison;
    compare_intervals(a, b, 0.03, &comparison);
    assert_true(fabs(comparison.low - 119.0 / 101) < 1e-9);
    assert_true(fabs(comparison.high - 121.0 / 99) < 1e-9);
    assert_true(comparison.p < 1e-6);
    compare_intervals(a, c, 0.03, &comparison);
    assert_true(comparison.low < 1 && comparison.high > 1 && comparison.p > 0.05);
    compare_intervals(exact, other, 0.03, &comparison);
    assert_true(comparison.low == 2 && comparison.high == 2 && comparison.p < 1e-6);
    compare_intervals(bare, a, 0.03, &comparison);
    assert_true(isnan(comparison.low) && comparison.p == 1);
}

/* A ratio of values that may be zero may be anything. */
static void an_interval_that_reaches_zero_bounds_no_ratio(void **state)
{
    (void)state;
    const double a[] = {246, -20, 300}, zero[] = {246, 0, 300}, b[] = {600, 550, 650};
    const double *const sides[][2] = {{a, b}, {b, a}, {zero, b}, {b, zero}};
    for (size_t i = 0; i < 4; i++) {
        struct comparison comparison;
        compare_intervals(sides[i][0], sides[i][1], 0.03, &comparison);
        assert_true(comparison.ratio == sides[i][1][0] / sides[i][0][0]);
        assert_true(isnan(comparison.low) && isnan(comparison.high) && comparison.p == 1);
    }
    struct random random = {6};
    struct summary below = simulate(&random, 11, 5, 0.01), above = simulate(&random, 11, 6, 0.01);
    struct comparison comparison;
    below.min = -1;
    compare_medians(&below, &above, 0.03, false, &comparison);
    assert_true(isnan(comparison.low) && isnan(comparison.high) && comparison.p == 1);
}

static void holm_corrects(void **state)
{
    (void)state;
    double some[] = {0.04, 0.01, 0.03, 0.005}, none[] = {0.2, 0.03}, all[] = {0.01, 0.02};
    assert_true(compare_holm(some, 4, 0.05) == 0.01); /* 0.03 > 0.05 / 2 */
    assert_true(compare_holm(none, 2, 0.05) == -1);
    assert_true(compare_holm(all, 2, 0.05) == 0.02);
    assert_true(compare_holm(NULL, 0, 0.05) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_is_no_change),
        cmocka_unit_test(a_clear_change_is_seen),
        cmocka_unit_test(doubt_widens_the_interval),
        cmocka_unit_test(a_single_trial_has_no_interval),
        cmocka_unit_test(the_interval_covers),
        cmocka_unit_test(intervals_alone_can_be_compared),
        cmocka_unit_test(an_interval_that_reaches_zero_bounds_no_ratio),
        cmocka_unit_test(holm_corrects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
