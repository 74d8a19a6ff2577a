#include "stats/autocorrelation.h"

#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100, SERIES = 2000 };
static const double truth = 100, deviation = 1;

/* A stationary autoregressive series of first order around the truth. */
static void draw(struct random *random, double correlation, double *values, size_t n)
{
    double at = sample_normal(random);
    for (size_t i = 0; i < n; i++) {
        values[i] = truth + deviation * at;
        at = correlation * at + sqrt(1 - correlation * correlation) * sample_normal(random);
    }
}

struct held {
    double plain, widened; /* share of the series whose interval holds the truth */
    double effective;      /* mean over n */
};

static struct held try_series(double correlation, size_t n)
{
    double values[MOST], scratch[MOST];
    struct random random = {17};
    const unsigned series =
        SERIES; /* also where an emulator runs it: the limits are for that many */
    struct held held = {0};
    for (unsigned i = 0; i < series; i++) {
        struct summary summary;
        draw(&random, correlation, values, n);
        summarize(values, n, scratch, &summary);
        const double effective = effective_count(values, n, scratch);
        held.plain += (double)summary.low <= truth && truth <= (double)summary.high;
        summary_widen(&summary, effective);
        held.widened += (double)summary.low <= truth && truth <= (double)summary.high;
        held.effective += effective / (double)n;
    }
    return (struct held){held.plain / series, held.widened / series, held.effective / series};
}

static void independent_values_keep_their_interval(void **state)
{
    (void)state;
    for (size_t n = 8; n <= MOST; n *= 2) {
        const struct held held = try_series(0, n);
        assert_true(held.effective > 0.85);
        assert_true(held.widened >= held.plain && held.widened > 0.93);
    }
}

/* With n = 25 and 100 and neighbours' correlations of 0.3 and 0.6, for which the plain interval of
 * 95 % holds the truth in 88 % and 75 % of all series. */
static void intervals_of_correlated_values_hold_the_truth(void **state)
{
    (void)state;
    assert_true(try_series(0.3, 25).plain < 0.92 && try_series(0.3, 25).widened > 0.92);
    assert_true(try_series(0.6, 25).plain < 0.8 && try_series(0.6, 25).widened > 0.89);
    assert_true(try_series(0.3, 100).widened > 0.94);
    assert_true(try_series(0.6, 100).plain < 0.8 && try_series(0.6, 100).widened > 0.94);
}

/* Bayley and Hammersley: a quarter of them for a correlation of 0.6. */
static void the_count_is_that_of_the_process(void **state)
{
    (void)state;
    assert_true(fabs(try_series(0.6, MOST).effective - 0.25) < 0.05);
}

static void outliers_are_no_correlation(void **state)
{
    (void)state;
    double values[25], scratch[25];
    struct random random = {5};
    draw(&random, 0, values, 25);
    const double before = effective_count(values, 25, scratch);
    values[7] *= 10;
    values[8] *= 12;
    assert_true(effective_count(values, 25, scratch) > 0.5 * before);
}

static void few_or_equal_values_are_left_alone(void **state)
{
    (void)state;
    double scratch[25], rising[25], same[25];
    for (int i = 0; i < 25; i++) {
        rising[i] = i;
        same[i] = 3;
    }
    assert_true(effective_count(rising, 7, scratch) == 7);
    assert_true(effective_count(same, 25, scratch) == 25);
    assert_true(effective_count(rising, 25, scratch) < 5);
}

static void what_is_widened_stays_around_the_median(void **state)
{
    (void)state;
    struct summary summary = {.median = 10, .low = 9, .high = 12, .n = 16}, same = summary;
    summary_widen(&summary, 4);
    assert_true(summary.low == 8 && summary.median == 10 && summary.high == 14);
    summary_widen(&same, 16);
    assert_true(same.low == 9 && same.high == 12);
    summary_widen(&same, 0.01);
    assert_true(same.low == 0); /* no time is shorter */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_values_keep_their_interval),
        cmocka_unit_test(intervals_of_correlated_values_hold_the_truth),
        cmocka_unit_test(the_count_is_that_of_the_process),
        cmocka_unit_test(outliers_are_no_correlation),
        cmocka_unit_test(few_or_equal_values_are_left_alone),
        cmocka_unit_test(what_is_widened_stays_around_the_median),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
