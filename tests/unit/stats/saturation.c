#include "stats/saturation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { MOST = 64 };

static void a_plateau_is_what_is_near_the_least(void **state)
{
    (void)state;
    static const double y[] = {120, 61, 32, 15.5, 9.8, 9.3, 9.4, 9.6};
    struct saturation found;
    double scratch[MOST];
    assert_true(saturation_find(y, 8, 0.05, &found, scratch));
    assert_int_equal(found.knee, 5); /* 9.8 is 5.4 % above the least */
    assert_true(found.plateau == 9.4);
    assert_int_equal(found.typical, 6);
    assert_false(found.open);
    assert_true(saturation_find(y, 8, 0.06, &found, scratch));
    assert_int_equal(found.knee, 4);
}

static void a_curve_that_still_falls_is_open(void **state)
{
    (void)state;
    static const double y[] = {100, 50, 25, 12.5};
    struct saturation found;
    double scratch[MOST];
    assert_true(saturation_find(y, 4, 0.05, &found, scratch));
    assert_true(found.open);
    assert_int_equal(found.knee, 3);
    assert_int_equal(found.typical, 3);
}

static void what_is_no_curve_has_no_plateau(void **state)
{
    (void)state;
    static const double gap[] = {100, NAN, 20}, zero[] = {5, 0, 3}, one[] = {7};
    struct saturation found;
    double scratch[MOST];
    assert_false(saturation_find(gap, 3, 0.05, &found, scratch));
    assert_false(saturation_find(zero, 3, 0.05, &found, scratch));
    assert_false(saturation_find(one, 1, 0.05, &found, scratch));
}

static void a_crossing_lies_between_two_values(void **state)
{
    (void)state;
    static const double x[] = {1, 2, 3, 4, 5}, y[] = {4, 4, 3, 1, 1};
    assert_true(fabs(crossing_down(x, y, 5, 2) - 3.5) < 1e-12);
    assert_true(fabs(crossing_down(x, y, 5, 2.5) - 3.25) < 1e-12);
}

static void a_single_stray_value_moves_no_crossing(void **state)
{
    (void)state;
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        y[i] = i < 12 ? 10 : 5;
    }
    y[3] = 4;
    y[17] = 11;
    assert_true(fabs(crossing_down(x, y, 20, 7.5) - 11.5) < 1e-12);
    /* With an outlier right before the step, the next place is as good. */
    y[3] = 10;
    y[17] = 5;
    y[11] = NAN;
    assert_true(fabs(crossing_down(x, y, 20, 7.5) - 11) < 1e-12);
}

static void what_does_not_cross_says_so(void **state)
{
    (void)state;
    double x[20], above[20], below[20], mixed[20], rising[20], unknown[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        above[i] = 10;
        below[i] = 1;
        mixed[i] = i % 2 ? 1 : 10;
        rising[i] = i < 10 ? 1 : 10;
        unknown[i] = NAN;
    }
    assert_true(isnan(crossing_down(x, above, 20, 5)));
    assert_true(isnan(crossing_down(x, below, 20, 5)));
    assert_true(isnan(crossing_down(x, mixed, 20, 5)));
    assert_true(isnan(crossing_down(x, rising, 20, 5)));
    assert_true(isnan(crossing_down(x, unknown, 20, 5)));
    assert_true(isnan(crossing_down(x, above, 0, 5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plateau_is_what_is_near_the_least),
        cmocka_unit_test(a_curve_that_still_falls_is_open),
        cmocka_unit_test(what_is_no_curve_has_no_plateau),
        cmocka_unit_test(a_crossing_lies_between_two_values),
        cmocka_unit_test(a_single_stray_value_moves_no_crossing),
        cmocka_unit_test(what_does_not_cross_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
