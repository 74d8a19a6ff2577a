#include "stats/series.h"

#include "base/random.h"
#include "sample.h"
#include "stats/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- autocorrelation --- */

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
    for (size_t n = 8; n <= MOST; n *= 2) {
        const struct held held = try_series(0, n);
        assert_true(held.effective > 0.85);
        assert_true(held.widened >= held.plain && held.widened > 0.93);
    }
}

/* Five groups of five values, of which that share of the variance is their group's. */
static struct held try_groups(double common)
{
    enum { GROUPS = 5, EACH = 5, N = GROUPS * EACH };
    double values[N], scratch[N];
    float groups[N];
    struct random random = {19};
    struct held held = {0};
    for (unsigned i = 0; i < SERIES; i++) {
        struct summary summary;
        double group = 0;
        for (int k = 0; k < N; k++) {
            group = k % EACH ? group : sqrt(common) * sample_normal(&random);
            groups[k] = (float)(k / EACH);
            values[k] = truth + group + sqrt(1 - common) * sample_normal(&random);
        }
        summarize(values, N, scratch, &summary);
        const double effective = effective_in_groups(values, groups, N, scratch);
        held.plain += (double)summary.low <= truth && truth <= (double)summary.high;
        summary_widen(&summary, effective);
        held.widened += (double)summary.low <= truth && truth <= (double)summary.high;
        held.effective += effective / N;
    }
    return (struct held){held.plain / SERIES, held.widened / SERIES, held.effective / SERIES};
}

static void intervals_of_grouped_values_hold_the_truth(void **state)
{
    const struct held apart = try_groups(0), alike = try_groups(0.4);
    assert_true(apart.effective > 0.8 && apart.widened >= apart.plain);
    assert_true(alike.plain < 0.87 && alike.widened > 0.91);
}

/* Twenty moments of ten trials each; at half of them values are a tenth higher. */
static void the_interval_of_values_at_few_moments_stays_among_them(void **state)
{
    enum { GROUPS = 20, EACH = 10, N = GROUPS * EACH };
    double values[N], scratch[N], plain = 0, held = 0;
    float groups[N];
    struct random random = {7};
    for (unsigned i = 0; i < SERIES; i++) {
        struct summary summary;
        for (int k = 0; k < N; k++) {
            static double moment;
            moment = k % EACH ? moment : (double)random_below(&random, 3);
            groups[k] = (float)(k / EACH);
            values[k] = truth * (1 + 0.1 * moment) + 0.2 * sample_normal(&random);
        }
        const double middle = 1.1 * truth,
                     effective = effective_in_groups(values, groups, N, scratch);
        summarize(values, N, scratch, &summary);
        plain += (double)summary.low <= middle && middle <= (double)summary.high;
        assert_true(effective >= 1 && effective < N / 2);
        summary_of_fewer(scratch, N, (size_t)effective, &summary);
        held += (double)summary.low <= middle && middle <= (double)summary.high;
        assert_true(summary.low >= summary.min && summary.high <= summary.max);
    }
    assert_true(plain / SERIES < 0.9 && held / SERIES > 0.93);
}

static void one_group_and_groups_of_one_are_as_they_are(void **state)
{
    const double values[] = {1, 2, 3, 4, 50, 6};
    const float same[6] = {0}, each[] = {0, 1, 2, 3, 4, 5}, halves[] = {0, 0, 0, 1, 1, 1};
    double scratch[6];
    assert_true(effective_in_groups(values, same, 6, scratch) == 6);
    assert_true(effective_in_groups(values, each, 6, scratch) == 6);
    assert_true(effective_in_groups(values, halves, 6, scratch) < 3);
}

/* With n = 25 and 100 and neighbours' correlations of 0.3 and 0.6, for which the plain interval of
 * 95 % holds the truth in 88 % and 75 % of all series. */
static void intervals_of_correlated_values_hold_the_truth(void **state)
{
    assert_true(try_series(0.3, 25).plain < 0.92 && try_series(0.3, 25).widened > 0.92);
    assert_true(try_series(0.6, 25).plain < 0.8 && try_series(0.6, 25).widened > 0.89);
    assert_true(try_series(0.3, 100).widened > 0.94);
    assert_true(try_series(0.6, 100).plain < 0.8 && try_series(0.6, 100).widened > 0.94);
}

/* Bayley and Hammersley: a quarter of them for a correlation of 0.6. */
static void the_count_is_that_of_the_process(void **state)
{
    assert_true(fabs(try_series(0.6, MOST).effective - 0.25) < 0.05);
}

static void fewer_than_eight_values_show_no_correlation(void **state)
{
    static const double rising[] = {1, 2, 3, 4, 5, 6, 7, 8};
    double scratch[8];
    assert_true(effective_count(rising, 7, scratch) == 7);
    assert_true(effective_count(rising, 8, scratch) < 4);
}

static void outliers_are_no_correlation(void **state)
{
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
    struct summary summary = {.median = 10, .low = 9, .high = 12, .n = 16}, same = summary;
    summary_widen(&summary, 4);
    assert_true(fabs((double)summary.low - 8.1) < 1e-3); /* twice as far, by factors */
    assert_true(summary.median == 10 && summary.high == 14);
    summary_widen(&same, 16);
    assert_true(same.low == 9 && same.high == 12);
    summary_widen(&same, 0.01);
    assert_true(same.low >= 0 && same.low < 1); /* no time is negative */
}

/* --- trend --- */

/* "A Mann-Kendall Example (By Hand)", Little, College of the Holy Cross: 72 pairs rise, 18 fall,
 * one is tied; Z = (54 - 1) / sqrt(14 * 13 * 33 / 18 - 2 * 1 * 9 / 18) = 2.9058. */
static const double worked[] = {12.9, 14.8, 13.2, 15.7, 13.8, 15.6, 12.9,
                                11.0, 17.3, 15.9, 19.0, 18.3, 20.1, 21.7};

static void the_worked_example_comes_out(void **state)
{
    double scratch[LENGTH(worked)];
    struct trend trend = trend_test(worked, LENGTH(worked), scratch);
    assert_true(fabs(trend.z - 2.9058) < 0.00005);
    assert_true(fabs(trend.z - 53 / sqrt(14 * 13 * 33 / 18.0 - 1)) < 1e-12);
    assert_true(trend.change > 0);
}

static void time_turned_round_turns_the_sign(void **state)
{
    double scratch[LENGTH(worked)], turned[LENGTH(worked)];
    for (size_t i = 0; i < LENGTH(worked); i++)
        turned[i] = worked[LENGTH(worked) - 1 - i];
    struct trend there = trend_test(worked, LENGTH(worked), scratch);
    struct trend back = trend_test(turned, LENGTH(worked), scratch);
    assert_true(there.z == -back.z);
    assert_true(fabs(there.change + back.change) < 1e-12);
}

static void a_straight_rise_is_reported_as_it_is(void **state)
{
    double values[21], scratch[21];
    for (size_t n = 4; n <= LENGTH(values); n++) {
        for (size_t i = 0; i < n; i++)
            values[i] = 100 + (double)i;
        struct trend trend = trend_test(values, n, scratch);
        double middle = 100 + (double)(n - 1) / 2;
        assert_true(fabs(trend.change - (double)n / middle) < 1e-12);
        assert_true(trend.z > 1.6);
    }
}

/* Sen's slope is a median: an outlier anywhere changes it little. */
static void one_wild_value_makes_no_trend(void **state)
{
    for (size_t wild = 0; wild < 20; wild++) {
        double values[20], scratch[20];
        for (size_t i = 0; i < 20; i++)
            values[i] = i == wild ? 1e6 : 100;
        struct trend trend = trend_test(values, 20, scratch);
        assert_true(fabs(trend.z) < 1.96);
        assert_true(trend.change == 0);
    }
}

static void no_change_and_too_few_values_are_no_trend(void **state)
{
    static const double equal[] = {7, 7, 7, 7, 7, 7, 7}, rising[] = {1, 2, 3}, zeros[4];
    double scratch[7];
    for (size_t n = 0; n <= LENGTH(equal); n++)
        assert_true(trend_test(equal, n, scratch).z == 0 &&
                    trend_test(equal, n, scratch).change == 0);
    for (size_t n = 0; n <= LENGTH(rising); n++)
        assert_true(trend_test(rising, n, scratch).z == 0);
    assert_true(trend_test(zeros, 4, scratch).change == 0);
}

/* Under "no trend" |z| > 1.96 in one case of twenty, ties or not; the share of 4000 seeded cases
 * has a standard error of 0.0034. With few values the exact distribution is coarser. */
static void noise_alone_is_seldom_a_trend(void **state)
{
    enum { REPEATS = 4000 };
    struct random random = {5};
    for (int coarse = 0; coarse <= 1; coarse++) {
        int found = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double values[30], scratch[30];
            for (size_t i = 0; i < 30; i++) {
                values[i] = sample_normal(&random);
                if (coarse)
                    values[i] = round(values[i]);
            }
            found += fabs(trend_test(values, 30, scratch).z) > 1.96;
        }
        assert_in_range(found, REPEATS * 3 / 100, REPEATS * 65 / 1000);
    }
}

/* --- period --- */

/* Periods of times whose period is known, and of times that have none. */

enum { EVENTS = 200 };
static double scratch[4 * EVENTS];

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Of every event, `missing` is the chance that nobody saw it; and `jitter` how far it may be off.
 */
static size_t make(double *times, double period, double missing, double jitter, uint64_t seed)
{
    struct random random = {seed};
    size_t n = 0;
    for (int i = 0; i < EVENTS; i++) {
        const double time = 1e6 + period * (i + jitter * (uniform(&random) - 0.5));
        if (uniform(&random) >= missing)
            times[n++] = time;
    }
    return n;
}

static void a_clock_is_found(void **state)
{
    double times[EVENTS];
    struct period found;
    for (double period = 0.1; period < 1e9; period *= 10) {
        size_t n = make(times, period, 0, 0.02, 1);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / period - 1) < 0.001);
        assert_true(found.low < period && found.high > period);
        assert_int_equal(found.steps, n - 1);
    }
}

static void what_nobody_saw_does_not_matter(void **state)
{
    double times[EVENTS];
    struct period found;
    for (uint64_t seed = 1; seed < 50; seed++) {
        size_t n = make(times, 4000, 0.3, 0.01, seed);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / 4000 - 1) < 0.002);
    }
}

static void others_may_come_in_between(void **state)
{
    double times[EVENTS + EVENTS / 10];
    struct period found;
    for (uint64_t seed = 1; seed < 50; seed++) {
        struct random random = {seed};
        size_t n = make(times, 4000, 0, 0.01, seed);
        for (int i = 0; i < EVENTS / 10; i++)
            times[n++] = 1e6 + 4000 * EVENTS * uniform(&random);
        sort_ascending(times, n);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / 4000 - 1) < 0.002);
    }
}

static void chance_has_no_period(void **state)
{
    double times[EVENTS];
    struct period found;
    for (uint64_t seed = 1; seed < 500; seed++)
        for (size_t n = 0; n <= EVENTS; n = n * 2 + 1) {
            struct random random = {seed};
            for (size_t i = 0; i < n; i++)
                times[i] = uniform(&random);
            sort_ascending(times, n);
            assert_false(period_find(times, n, scratch, &found));
        }
}

static void too_few_times_tell_nothing(void **state)
{
    double times[EVENTS] = {0};
    struct period found;
    make(times, 1, 0, 0, 1);
    assert_false(period_find(times, 8, scratch, &found));
    assert_true(isnan(found.value));
    assert_true(period_find(times, 9, scratch, &found));
    for (int i = 0; i < EVENTS; i++)
        times[i] = 5; /* all at once */
    assert_false(period_find(times, EVENTS, scratch, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_values_keep_their_interval),
        cmocka_unit_test(intervals_of_correlated_values_hold_the_truth),
        cmocka_unit_test(intervals_of_grouped_values_hold_the_truth),
        cmocka_unit_test(the_interval_of_values_at_few_moments_stays_among_them),
        cmocka_unit_test(one_group_and_groups_of_one_are_as_they_are),
        cmocka_unit_test(the_count_is_that_of_the_process),
        cmocka_unit_test(fewer_than_eight_values_show_no_correlation),
        cmocka_unit_test(outliers_are_no_correlation),
        cmocka_unit_test(few_or_equal_values_are_left_alone),
        cmocka_unit_test(what_is_widened_stays_around_the_median),
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(time_turned_round_turns_the_sign),
        cmocka_unit_test(a_straight_rise_is_reported_as_it_is),
        cmocka_unit_test(one_wild_value_makes_no_trend),
        cmocka_unit_test(no_change_and_too_few_values_are_no_trend),
        cmocka_unit_test(noise_alone_is_seldom_a_trend),
        cmocka_unit_test(a_clock_is_found),
        cmocka_unit_test(what_nobody_saw_does_not_matter),
        cmocka_unit_test(others_may_come_in_between),
        cmocka_unit_test(chance_has_no_period),
        cmocka_unit_test(too_few_times_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
