#include "stats/trend.h"

#include "sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* "A Mann-Kendall Example (By Hand)", Little, College of the Holy Cross: 72 pairs rise, 18 fall,
 * one is tied; Z = (54 - 1) / sqrt(14 * 13 * 33 / 18 - 2 * 1 * 9 / 18) = 2.9058. */
static const double worked[] = {12.9, 14.8, 13.2, 15.7, 13.8, 15.6, 12.9,
                                11.0, 17.3, 15.9, 19.0, 18.3, 20.1, 21.7};

static void the_worked_example_comes_out(void **state)
{
    (void)state;
    double scratch[LENGTH(worked)];
    struct trend trend = trend_test(worked, LENGTH(worked), scratch);
    assert_true(fabs(trend.z - 2.9058) < 0.00005);
    assert_true(fabs(trend.z - 53 / sqrt(14 * 13 * 33 / 18.0 - 1)) < 1e-12);
    assert_true(trend.change > 0);
}

static void time_turned_round_turns_the_sign(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(time_turned_round_turns_the_sign),
        cmocka_unit_test(a_straight_rise_is_reported_as_it_is),
        cmocka_unit_test(one_wild_value_makes_no_trend),
        cmocka_unit_test(no_change_and_too_few_values_are_no_trend),
        cmocka_unit_test(noise_alone_is_seldom_a_trend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
