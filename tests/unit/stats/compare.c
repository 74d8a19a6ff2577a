#include "stats/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void intervals_alone_can_be_compared(void **state)
{
    const double a[] = {100, 99, 101}, b[] = {120, 119, 121}, c[] = {101, 80, 130};
    const double exact[] = {64, 64, 64}, other[] = {128, 128, 128}, bare[] = {3, NAN, NAN};
    struct comparison_of_intervals comparison;
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
    const double a[] = {246, -20, 300}, zero[] = {246, 0, 300}, b[] = {600, 550, 650};
    const double *const sides[][2] = {{a, b}, {b, a}, {zero, b}, {b, zero}};
    for (size_t i = 0; i < 4; i++) {
        struct comparison_of_intervals comparison;
        compare_intervals(sides[i][0], sides[i][1], 0.03, &comparison);
        assert_true(comparison.ratio == sides[i][1][0] / sides[i][0][0]);
        assert_true(isnan(comparison.low) && isnan(comparison.high) && comparison.p == 1);
    }
}

static void holm_corrects(void **state)
{
    double some[] = {0.04, 0.01, 0.03, 0.005}, none[] = {0.2, 0.03}, all[] = {0.01, 0.02};
    assert_true(compare_holm(some, 4, 0.05) == 0.01); /* 0.03 > 0.05 / 2 */
    assert_true(compare_holm(none, 2, 0.05) == -1);
    assert_true(compare_holm(all, 2, 0.05) == 0.02);
    assert_true(compare_holm(NULL, 0, 0.05) == -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_alone_can_be_compared),
        cmocka_unit_test(an_interval_that_reaches_zero_bounds_no_ratio),
        cmocka_unit_test(holm_corrects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
