#include "stats/quantile.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

/* quantile(1:9, probs = seq(0, 1, .1)) in the reference manual of R's quantile(). */
static void deciles_of_one_to_nine_are_those_of_r(void **state)
{
    (void)state;
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double expected[] = {1.0, 1.8, 2.6, 3.4, 4.2, 5.0, 5.8, 6.6, 7.4, 8.2, 9.0};
    for (size_t i = 0; i < LENGTH(expected); i++)
        assert_near(quantile(values, LENGTH(values), (double)i / 10), expected[i]);
}

/* quantile(mtcars$wt), an even number of values, as many R tutorials print it. */
static void quartiles_of_the_cars_weights_are_those_of_r(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deciles_of_one_to_nine_are_those_of_r),
        cmocka_unit_test(quartiles_of_the_cars_weights_are_those_of_r),
        cmocka_unit_test(few_values_have_quantiles_too),
        cmocka_unit_test(quantiles_never_leave_the_values),
        cmocka_unit_test(values_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
