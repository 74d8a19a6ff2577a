#include "stats/compare.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* --- compare --- */

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

/* --- paired --- */

/* What two curves differ by, place by place. */

enum { PLACES = 5, SAMPLES = 4000 };

static double normal(struct random *random)
{
    double sum = -6;
    for (int draw = 0; draw < 12; draw++)
        sum += random_unit(random);
    return sum;
}

/* A curve that rises by a tenth along its places; the second is so many times as high. */
static void fill_some(struct paired_value *values, int places, struct random *random, double times,
                      double deviation)
{
    for (int i = 0; i < places; i++) {
        const double here = 150 * (1 + 0.02 * i);
        values[i] = (struct paired_value){here * exp(deviation * normal(random)),
                                          times * here * exp(deviation * normal(random)), 1, 1};
    }
}

static void fill(struct paired_value values[PLACES], struct random *random, double times,
                 double deviation)
{
    fill_some(values, PLACES, random, times, deviation);
}

static void what_both_curves_share_cancels(void **state)
{
    (void)state;
    struct random random = {1};
    struct paired_value values[PLACES];
    double scratch[PLACES];
    struct comparison comparison;
    fill(values, &random, 1.1, 0);
    compare_paired(values, PLACES, 0, scratch, &comparison);
    assert_true(fabs(comparison.ratio - 1.1) < 1e-9);
    assert_true(comparison.low > 1.095 && comparison.high < 1.105 && comparison.p < 1e-6);
}

static void the_interval_holds_the_truth(void **state)
{
    (void)state;
    struct random random = {2};
    struct paired_value values[PLACES];
    double scratch[PLACES];
    struct comparison comparison;
    for (int places = 2; places <= PLACES; places++) {
        int held = 0, sure = 0;
        for (int i = 0; i < SAMPLES; i++) {
            fill_some(values, places, &random, 1, 0.02);
            compare_paired(values, (size_t)places, 0, scratch, &comparison);
            held += comparison.low <= 1 && comparison.high >= 1;
            sure += comparison.p < 0.025;
        }

        assert_in_range(held, 0.92 * (double)SAMPLES, 0.98 * (double)SAMPLES);
        assert_true(sure <= (places < 4 ? 0.03 : 0.06) * (double)SAMPLES);
    }
}

/* Of three places there is no telling which was disturbed. */
static void two_places_of_three_prove_nothing(void **state)
{
    (void)state;
    const struct paired_value values[] = {{100, 105, 1, 1}, {100, 105.01, 1, 1}, {100, 100, 1, 1}};
    double scratch[3];
    struct comparison comparison;
    compare_paired(values, 3, 0, scratch, &comparison);
    assert_true(comparison.low < 1 && comparison.high > 1.05 && comparison.p > 0.1);
}

static void a_place_that_was_disturbed_is_left_out(void **state)
{
    (void)state;
    struct random random = {3};
    struct paired_value values[PLACES];
    double scratch[PLACES];
    struct comparison comparison;
    fill(values, &random, 1.1, 0.001);
    values[2].b *= 3;
    compare_paired(values, PLACES, 0, scratch, &comparison);
    assert_true(fabs(comparison.ratio - 1.1) < 0.01 && comparison.low > 1.09);
}

static void more_trials_count_for_more(void **state)
{
    (void)state;
    const struct paired_value values[] = {{100, 102, 12, 12}, {100, 100, 1, 1}, {100, 101, 1, 1}};
    double scratch[3];
    struct comparison comparison;
    compare_paired(values, 3, 0, scratch, &comparison);
    assert_true(comparison.ratio > 1.0165 && comparison.ratio < 1.02);
}

/* Its own trials lie far apart, so where it lies says little. */
static void a_place_that_its_trials_doubt_counts_for_little(void **state)
{
    (void)state;
    const struct paired_value values[] = {{145, 160, 6, 6, 0.01},
                                          {150, 165, 6, 6, 0.012},
                                          {155, 171, 6, 6, 0.008},
                                          {168, 173, 6, 6, 0.06}};
    double scratch[4];
    struct comparison comparison;
    compare_paired(values, 4, 0, scratch, &comparison);
    assert_true(comparison.ratio > 1.095 && comparison.low > 1.08 && comparison.p < 1e-6);
}

/* One of which nothing is known leaves only how many there are. */
static void a_narrow_place_does_not_decide_alone(void **state)
{
    (void)state;
    const struct paired_value values[] = {
        {100, 120, 6, 6, 1e-5}, {100, 110, 6, 6, 0.01}, {100, 100, 6, 6, 0.01}};
    struct paired_value unknown[3];
    double scratch[3];
    struct comparison comparison;
    compare_paired(values, 3, 0, scratch, &comparison);
    assert_true(comparison.ratio > 1.09 && comparison.ratio < 1.11);
    for (int i = 0; i < 3; i++) {
        unknown[i] = values[i];
        unknown[i].deviation = i ? 0.5 * i : NAN;
    }
    compare_paired(unknown, 3, 0, scratch, &comparison);
    assert_true(comparison.ratio > 1.09 && comparison.ratio < 1.11);
}

/* As far as each place's trials say how far it scatters: `say` times as far as it does. */
static void coverage(int places, double say, unsigned *held, unsigned *sure)
{
    struct random random = {5};
    struct paired_value values[PLACES];
    double scratch[PLACES];
    struct comparison comparison;
    enum { TRIALS = 6 };
    *held = *sure = 0;
    for (int i = 0; i < SAMPLES; i++) {
        fill_some(values, places, &random, 1, 0.02);
        for (int k = 0; k < places; k++) {
            double squares = 0;
            for (int trial = 0; trial < 2 * TRIALS - 2; trial++) {
                const double one = normal(&random);
                squares += one * one;
            }
            values[k].trials_a = values[k].trials_b = TRIALS;
            values[k].deviation = say * 0.02 * sqrt(2 * squares / (2 * TRIALS - 2));
        }
        compare_paired(values, (size_t)places, 0, scratch, &comparison);
        *held += comparison.low <= 1 && comparison.high >= 1;
        *sure += comparison.p < 0.001;
    }
}

static void few_places_that_scatter_as_their_trials_say_prove_more(void **state)
{
    (void)state;
    for (int places = 2; places <= PLACES; places++) {
        unsigned held, sure;
        coverage(places, 1, &held, &sure);
        assert_in_range(held, 0.91 * (double)SAMPLES, 0.98 * (double)SAMPLES);
        assert_true(sure <= 0.005 * (double)SAMPLES);
        coverage(places, 0.5, &held, &sure); /* what moves whole places is not in their trials */
        assert_in_range(held, 0.85 * (double)SAMPLES, 0.98 * (double)SAMPLES);
        coverage(places, 2, &held, &sure);
        assert_true(held > 0.95 * (double)SAMPLES);
    }
    const struct paired_value values[] = {
        {145, 160, 6, 6, 0.01}, {150, 164, 6, 6, 0.01}, {155, 171, 6, 6, 0.01}};
    struct paired_value alone[3];
    double scratch[3];
    struct comparison with, without;
    for (int i = 0; i < 3; i++) {
        alone[i] = values[i];
        alone[i].deviation = 0;
    }
    compare_paired(values, 3, 0, scratch, &with);
    compare_paired(alone, 3, 0, scratch, &without);
    assert_true(with.p < 1e-6 && without.p > 1e-4);
}

static void a_single_place_has_no_interval(void **state)
{
    (void)state;
    const struct paired_value value = {100, 120, 6, 6};
    double scratch;
    struct comparison comparison;
    compare_paired(&value, 1, 0, &scratch, &comparison);
    assert_true(fabs(comparison.ratio - 1.2) < 1e-9);
    assert_true(isnan(comparison.low) && isnan(comparison.high) && comparison.p == 1);
}

static void within_the_threshold_is_likely(void **state)
{
    (void)state;
    struct random random = {4};
    struct paired_value values[PLACES];
    double scratch[PLACES];
    struct comparison comparison;
    fill(values, &random, 1.02, 0.001);
    compare_paired(values, PLACES, 0.03, scratch, &comparison);
    assert_true(comparison.p > 0.5);
    compare_paired(values, PLACES, 0, scratch, &comparison);
    assert_true(comparison.p < 0.01);
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
        cmocka_unit_test(what_both_curves_share_cancels),
        cmocka_unit_test(the_interval_holds_the_truth),
        cmocka_unit_test(two_places_of_three_prove_nothing),
        cmocka_unit_test(a_place_that_was_disturbed_is_left_out),
        cmocka_unit_test(more_trials_count_for_more),
        cmocka_unit_test(a_place_that_its_trials_doubt_counts_for_little),
        cmocka_unit_test(a_narrow_place_does_not_decide_alone),
        cmocka_unit_test(few_places_that_scatter_as_their_trials_say_prove_more),
        cmocka_unit_test(a_single_place_has_no_interval),
        cmocka_unit_test(within_the_threshold_is_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
