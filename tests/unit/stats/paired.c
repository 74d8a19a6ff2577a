/* What two curves differ by, place by place. */
#include "stats/paired.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
        cmocka_unit_test(what_both_curves_share_cancels),
        cmocka_unit_test(the_interval_holds_the_truth),
        cmocka_unit_test(two_places_of_three_prove_nothing),
        cmocka_unit_test(a_place_that_was_disturbed_is_left_out),
        cmocka_unit_test(more_trials_count_for_more),
        cmocka_unit_test(a_single_place_has_no_interval),
        cmocka_unit_test(within_the_threshold_is_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
