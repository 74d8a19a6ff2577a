#include "stats/order.h"

#include "base/random.h"
#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- quantile --- */

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

/* quantile(1:9, probs = seq(0, 1, .1)) in the reference manual of R's quantile(). */
static void deciles_of_one_to_nine_are_those_of_r(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double expected[] = {1.0, 1.8, 2.6, 3.4, 4.2, 5.0, 5.8, 6.6, 7.4, 8.2, 9.0};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_near(quantile(values, LENGTH(values), (double)i / 10), expected[i]);
}

/* quantile(mtcars$wt), an even number of values, as many R tutorials print it. */
static void quartiles_of_the_cars_weights_are_those_of_r(void **state)
{
    static const double weights[] = {1.513, 1.615, 1.835, 1.935, 2.140, 2.200, 2.320, 2.465,
                                     2.620, 2.770, 2.780, 2.875, 3.150, 3.170, 3.190, 3.215,
                                     3.435, 3.440, 3.440, 3.440, 3.460, 3.520, 3.570, 3.570,
                                     3.730, 3.780, 3.840, 3.845, 4.070, 5.250, 5.345, 5.424};
    static const double expected[] = {1.51300, 2.58125, 3.32500, 3.61000, 5.42400};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_near(quantile(weights, LENGTH(weights), (double)i / 4), expected[i]);
    assert_near(median(weights, LENGTH(weights)), 3.325);
}

static void few_values_have_quantiles_too(void **state)
{
    static const double values[] = {3, 5};
    for (double p = 0; p <= 1; p += 0.125) {
        assert_near(quantile(values, 1, p), 3);
        assert_near(quantile(values, 2, p), 3 + 2 * p);
    }
    assert_near(median(values, 1), 3);
    assert_near(median(values, 2), 4);
}

static void quantiles_never_leave_the_values(void **state)
{
    struct random random = {1};
    double values[101];
    for (size_t n = 1; n <= LENGTH(values); n++) {
        for (size_t i = 0; i < n; i++)
            values[i] = random_unit(&random);
        sort_ascending(values, n);
        double last = values[0];
        for (int step = 0; step <= 1000; step++) {
            double value = quantile(values, n, step / 1000.0);
            assert_true(value >= last && value <= values[n - 1]);
            last = value;
        }
        assert_true(last == values[n - 1]);
    }
}

static void values_are_sorted(void **state)
{
    struct random random = {2};
    double values[257], sum = 0, sorted_sum = 0;
    for (size_t i = 0; i < LENGTH(values); i++)
        sum += values[i] = (double)random_below(&random, 100) - 50;
    sort_ascending(values, LENGTH(values));
    for (size_t i = 0; i < LENGTH(values); i++) {
        sorted_sum += values[i];
        assert_true(i == 0 || values[i - 1] <= values[i]);
    }
    assert_true(sum == sorted_sum);
    sort_ascending(values, 1);
    sort_ascending(NULL, 0);
}

/* --- interval --- */

/* Nair, "Table of confidence interval for the median in samples from any continuous population",
 * Sankhya 4 (1940), as Dixon and Massey and Jarrard's "Scientific Methods" reprint it: the lower
 * rank for n = 6 to 65 at more than 95 % and at more than 99 % (0: not to be had). */
static const unsigned char nair_95[] = {1,  1,  1,  2,  2,  2,  3,  3,  3,  4,  4,  5,  5,  5,  6,
                                        6,  6,  7,  7,  8,  8,  8,  9,  9,  10, 10, 10, 11, 11, 12,
                                        12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16, 17, 17, 18, 18,
                                        19, 19, 19, 20, 20, 21, 21, 22, 22, 22, 23, 23, 24, 24, 25};
static const unsigned char nair_99[] = {0,  0,  1,  1,  1,  1,  2,  2,  2,  3,  3,  3,  4,  4,  4,
                                        5,  5,  5,  6,  6,  7,  7,  7,  8,  8,  8,  9,  9,  10, 10,
                                        10, 11, 11, 12, 12, 12, 13, 13, 14, 14, 14, 15, 15, 16, 16,
                                        16, 17, 17, 18, 18, 18, 19, 19, 20, 20, 21, 21, 21, 22, 22};

static void ranks_are_those_of_nairs_table(void **state)
{
    for (size_t i = 0; i < LENGTH(nair_95); i++) {
        size_t n = i + 6;
        struct median_ranks ranks = median_interval(n, 0.95);
        assert_int_equal(ranks.low, nair_95[i]);
        assert_int_equal(ranks.high, n + 1 - nair_95[i]);
        if (nair_99[i])
            assert_int_equal(median_interval(n, 0.99).low, nair_99[i]);
    }
}

static void coverages_are_the_published_ones(void **state)
{
    static const struct {
        size_t n, low, high;
        double coverage;
    } published[] = {{6, 1, 6, 0.9688},    {7, 1, 7, 0.9844},   {8, 1, 8, 0.9922},
                     {9, 2, 8, 0.9609},    {10, 2, 9, 0.9785},  {11, 2, 10, 0.9883},
                     {12, 3, 10, 0.9614},  {15, 4, 12, 0.9648}, {17, 5, 13, 0.9510},
                     {20, 6, 15, 0.9586},  {25, 8, 18, 0.9567}, {30, 10, 21, 0.9572},
                     {40, 14, 27, 0.9615}, {50, 18, 33, 0.9672}};
    for (size_t i = 0; i < LENGTH(published); i++) {
        struct median_ranks ranks = median_interval(published[i].n, 0.95);
        assert_int_equal(ranks.low, published[i].low);
        assert_int_equal(ranks.high, published[i].high);
        assert_true(fabs(ranks.coverage - published[i].coverage) <= 0.00005001);
    }
}

/* Of 2^n equally likely arrangements above and below the median, those in which [x(low), x(high)]
 * misses it: twice the sum of C(n, k) for k < low. Whole numbers, by Pascal's triangle. */
static uint64_t misses(unsigned n, size_t low)
{
    uint64_t row[64] = {1};
    for (unsigned i = 1; i <= n; i++)
        for (unsigned k = i; k > 0; k--)
            row[k] += row[k - 1];
    uint64_t sum = 0;
    for (size_t k = 0; k < low; k++)
        sum += row[k];
    return 2 * sum;
}

static void coverage_is_exact_and_the_interval_the_narrowest(void **state)
{
    static const double confidences[] = {0.1, 0.5, 0.9, 0.95, 0.99, 0.999};
    for (unsigned n = 1; n <= 62; n++)
        for (size_t i = 0; i < LENGTH(confidences); i++) {
            struct median_ranks ranks = median_interval(n, confidences[i]);
            double all = ldexp(1, (int)n);
            assert_in_range(ranks.low, 1, (n + 1) / 2);
            assert_int_equal(ranks.low + ranks.high, n + 1);
            assert_true(fabs(ranks.coverage - (1 - (double)misses(n, ranks.low) / all)) < 1e-13);
            assert_true(ranks.coverage >= confidences[i] || ranks.low == 1);
            if (2 * (ranks.low + 1) <= n)
                assert_true(1 - (double)misses(n, ranks.low + 1) / all < confidences[i]);
        }
}

static void too_few_values_give_the_widest_and_say_so(void **state)
{
    static const double reached[] = {0, 0.5, 0.75, 0.875, 0.9375};
    for (size_t n = 1; n <= LENGTH(reached); n++) {
        struct median_ranks ranks = median_interval(n, 0.95);
        assert_int_equal(ranks.low, 1);
        assert_int_equal(ranks.high, n);
        assert_true(fabs(ranks.coverage - reached[n - 1]) < 1e-15);
    }
}

/* For large n the half width in ranks is 1.96 sqrt(n) / 2, by the normal approximation, and one
 * rank more or less is 0.234 / sqrt(n) of coverage. */
static void many_values_follow_the_normal_approximation(void **state)
{
    for (size_t n = 1000; n <= 1000000; n *= 10) {
        struct median_ranks ranks = median_interval(n, 0.95);
        double half = 1.959964 * sqrt((double)n) / 2;
        assert_true(fabs((double)n / 2 - half - (double)ranks.low) < 2);
        assert_true(ranks.coverage >= 0.95 && ranks.coverage < 0.95 + 0.25 / sqrt((double)n));
    }
}

/* A mode of 70 % and one of 30 % far above it: the median is the normal's 5/7 quantile. */
static double bimodal(struct random *random)
{
    bool upper = random_unit(random) >= 0.7;
    return sample_normal(random) + (upper ? 100 : 0);
}

/* The exact coverage, whatever the distribution: never more than four standard errors from it. */
static void check_coverage(double (*draw)(struct random *), double true_median)
{
    enum { REPEATS = 10000 };
    static const size_t counts[] = {3, 6, 9, 12, 25, 40};
    struct random random = {7};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        size_t n = counts[i];
        struct median_ranks ranks = median_interval(n, 0.95);
        int held = 0;
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            double values[40];
            for (size_t j = 0; j < n; j++)
                values[j] = draw(&random);
            sort_ascending(values, n);
            held += values[ranks.low - 1] <= true_median && true_median <= values[ranks.high - 1];
        }
        double error = sqrt(ranks.coverage * (1 - ranks.coverage) / (double)REPEATS);
        assert_true(fabs((double)held / (double)REPEATS - ranks.coverage) < 4 * error);
    }
}

static void normal_medians_are_covered(void **state)
{
    check_coverage(sample_normal, 0);
}

static void exponential_medians_are_covered(void **state)
{
    check_coverage(sample_exponential, log(2));
}

static void bimodal_medians_are_covered(void **state)
{
    check_coverage(bimodal, 0.5659488219328631);
}

/* --- summary --- */

static const double values[] = {9, 2, 7, 4, 10, 1, 8, 3, 6, 5};

static void ten_values_are_summarised(void **state)
{
    double scratch[LENGTH(values)];
    struct summary summary;
    summarize(values, LENGTH(values), scratch, &summary);
    assert_int_equal(summary.n, 10);
    assert_true(summary.median == 5.5);
    assert_true(summary.low == 2 && summary.high == 9);
    assert_true(fabs(summary.coverage - 0.978515625) < 1e-12);
    assert_true(summary.min == 1 && summary.max == 10);
    assert_true(summary.p25 == 3.25 && summary.p75 == 7.75);
    assert_true(fabs(summary_half_width(&summary) - 3.5 / 5.5) < 1e-12);
}

static void the_values_stay_as_they_are_unless_they_are_the_scratch(void **state)
{
    double own[LENGTH(values)], scratch[LENGTH(values)];
    struct summary apart, within;
    memcpy(own, values, sizeof own);
    summarize(own, LENGTH(own), scratch, &apart);
    assert_memory_equal(own, values, sizeof own);
    summarize(own, LENGTH(own), own, &within);
    assert_memory_equal(&apart, &within, sizeof apart);
    for (size_t i = 0; i < LENGTH(own); i++)
        assert_true(own[i] == (double)(i + 1));
}

static void nothing_measured_is_no_number(void **state)
{
    struct summary summary = {.n = 9};
    summarize(NULL, 0, NULL, &summary);
    const double all[] = {summary.median, summary.low, summary.high, summary.coverage,
                          summary.min,    summary.p25, summary.p75,  summary.max};
    assert_int_equal(summary.n, 0);
    for (size_t i = 0; i < LENGTH(all); i++)
        assert_true(isnan(all[i]));
    assert_true(isinf(summary_half_width(&summary)));
}

static void few_trials_admit_their_coverage(void **state)
{
    double scratch[LENGTH(values)];
    for (size_t n = 1; n <= LENGTH(values); n++) {
        struct summary summary;
        summarize(values, n, scratch, &summary);
        assert_true((summary.coverage >= 0.95) == (n >= 6));
        assert_true(summary.low <= summary.median && summary.median <= summary.high);
        assert_true(isinf(summary_half_width(&summary)) == (n < 2));
    }
}

static void equal_trials_have_no_width(void **state)
{
    const double equal[] = {5, 5, 5, 5, 5, 5};
    double scratch[LENGTH(equal)];
    struct summary summary;
    summarize(equal, LENGTH(equal), scratch, &summary);
    assert_true(summary_half_width(&summary) == 0);
}

static void a_median_of_zero_is_never_precise(void **state)
{
    const double zeros[] = {0, 0, 0, 0, 0, 0};
    double scratch[LENGTH(zeros)];
    struct summary summary;
    summarize(zeros, LENGTH(zeros), scratch, &summary);
    assert_true(isinf(summary_half_width(&summary)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deciles_of_one_to_nine_are_those_of_r),
        cmocka_unit_test(quartiles_of_the_cars_weights_are_those_of_r),
        cmocka_unit_test(few_values_have_quantiles_too),
        cmocka_unit_test(quantiles_never_leave_the_values),
        cmocka_unit_test(values_are_sorted),
        cmocka_unit_test(ranks_are_those_of_nairs_table),
        cmocka_unit_test(coverages_are_the_published_ones),
        cmocka_unit_test(coverage_is_exact_and_the_interval_the_narrowest),
        cmocka_unit_test(too_few_values_give_the_widest_and_say_so),
        cmocka_unit_test(many_values_follow_the_normal_approximation),
        cmocka_unit_test(normal_medians_are_covered),
        cmocka_unit_test(exponential_medians_are_covered),
        cmocka_unit_test(bimodal_medians_are_covered),
        cmocka_unit_test(ten_values_are_summarised),
        cmocka_unit_test(the_values_stay_as_they_are_unless_they_are_the_scratch),
        cmocka_unit_test(nothing_measured_is_no_number),
        cmocka_unit_test(few_trials_admit_their_coverage),
        cmocka_unit_test(equal_trials_have_no_width),
        cmocka_unit_test(a_median_of_zero_is_never_precise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
