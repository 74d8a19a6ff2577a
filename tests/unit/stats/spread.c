#include "stats/spread.h"

#include "sample.h"
#include "stats/quantile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* mad(c(1:9)) in the reference manual of R's mad(), and its neighbour with an outlier. */
static void deviations_are_those_of_r(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double wild[] = {1, 2, 3, 4, 5, 6, 7, 8, 100};
    double scratch[9];
    assert_true(fabs(robust_deviation(values, 9, scratch) - 2.9652) < 1e-12);
    assert_true(fabs(robust_deviation(wild, 9, scratch) - 2.9652) < 1e-12);
    assert_true(robust_deviation(values, 1, scratch) == 0);
}

static void the_deviation_of_a_normal_sample_is_its_standard_deviation(void **state)
{
    (void)state;
    enum { N = 20000 };
    static double values[N], scratch[N];
    struct random random = {1};
    for (size_t i = 0; i < N; i++)
        values[i] = 50 + 3 * sample_normal(&random);
    sort_ascending(values, N);
    assert_true(fabs(robust_deviation(values, N, scratch) - 3) < 0.1);
}

/* Two groups of `lower` and `n - lower` values, each of range 1, with a gap between them. */
static size_t groups_of(size_t lower, size_t n, double gap)
{
    double values[200];
    for (size_t i = 0; i < lower; i++)
        values[i] = lower > 1 ? (double)i / (double)(lower - 1) : 0;
    for (size_t i = lower; i < n; i++)
        values[i] = 1 + gap + (n - lower > 1 ? (double)(i - lower) / (double)(n - lower - 1) : 0);
    return spread_groups(values, n);
}

static void two_groups_need_a_fifth_and_three_values_each(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 100; n++)
        for (size_t lower = 1; lower < n; lower++) {
            size_t fewer = lower < n - lower ? lower : n - lower;
            assert_int_equal(groups_of(lower, n, 10), fewer >= 3 && 5 * fewer >= n ? lower : 0);
        }
}

static void the_gap_is_three_times_the_wider_range(void **state)
{
    (void)state;
    for (size_t n = 8; n <= 60; n++) {
        assert_int_equal(groups_of(n / 2, n, 3.01), n / 2);
        assert_int_equal(groups_of(n / 2, n, 2.99), 0);
    }
}

static void one_value_many_times_is_one_group(void **state)
{
    (void)state;
    double values[40];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = 5;
    for (size_t n = 1; n <= LENGTH(values); n++)
        assert_int_equal(spread_groups(values, n), 0);
}

static double uniform(struct random *random)
{
    return random_unit(random);
}

/* The share of samples of n values that pass as two groups; REPEATS and the seeds leave a standard
 * error below 0.0008 about one in a hundred. */
enum { REPEATS = 16000 };

static double share_in_two(double (*draw)(struct random *), double apart, size_t n, uint64_t seed)
{
    struct random random = {seed};
    int found = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double values[60];
        for (size_t i = 0; i < n; i++)
            values[i] = draw(&random) + (i % 2 ? apart : 0);
        sort_ascending(values, n);
        found += spread_groups(values, n) != 0;
    }
    return (double)found / (double)REPEATS;
}

static const size_t counts[] = {8, 9, 10, 11, 12, 15, 20, 30, 60};

static void one_group_is_seldom_taken_for_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        assert_true(share_in_two(sample_normal, 0, counts[i], i) < 0.01);
        assert_true(share_in_two(uniform, 0, counts[i], i) < 0.01);
    }
}

/* Normal groups 24 deviations apart: of 30 values a side the range is about four. */
static void two_groups_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(counts); i++) {
        assert_true(share_in_two(sample_normal, 24, counts[i], i) > 0.99);
        assert_true(share_in_two(uniform, 4.1, counts[i], i) == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviations_are_those_of_r),
        cmocka_unit_test(the_deviation_of_a_normal_sample_is_its_standard_deviation),
        cmocka_unit_test(two_groups_need_a_fifth_and_three_values_each),
        cmocka_unit_test(the_gap_is_three_times_the_wider_range),
        cmocka_unit_test(one_value_many_times_is_one_group),
        cmocka_unit_test(one_group_is_seldom_taken_for_two),
        cmocka_unit_test(two_groups_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
