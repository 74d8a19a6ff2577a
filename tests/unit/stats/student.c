#include "stats/student.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void is_near(double value, double should, double share)
{
    if (!(fabs(value - should) <= share * should))
        fail_msg("%.17g is not %.17g", value, should);
}

/* With one and two degrees of freedom the distribution has a closed form. */
static void closed_forms_agree(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (double t = 0.01; t < 1e6; t *= 1.7) {
        is_near(student_beyond(t, 1), 2 / pi * atan(1 / t), 1e-10);
        const double root = sqrt(2 + t * t);
        is_near(student_beyond(t, 2), 2 / (root * (root + t)), 1e-10);
    }
}

/* Fisher and Yates, "Statistical Tables", table III. */
static void tables_agree(void **state)
{
    (void)state;
    is_near(student_beyond(2.228138852, 10), 0.05, 1e-7);
    is_near(student_beyond(4.586893859, 10), 0.001, 1e-6);
    is_near(student_beyond(-2.042272456, 30), 0.05, 1e-7);
    is_near(student_beyond(1.959963985, 1e9), 0.05, 1e-7);
    is_near(student_beyond(1.959963985, INFINITY), 0.05, 1e-7);
}

static void an_interval_of_95_percent_reaches_so_far(void **state)
{
    (void)state;
    is_near(student_reach(1), 12.70620474, 1e-6);
    is_near(student_reach(2), 4.302652730, 1e-6);
    is_near(student_reach(10), 2.228138852, 1e-6);
    is_near(student_reach(1e9), 1.959963985, 1e-6);
}

static void ends_are_exact(void **state)
{
    (void)state;
    assert_true(student_beyond(0, 7) == 1);
    assert_true(student_beyond(INFINITY, 7) == 0);
    assert_true(isnan(student_beyond(NAN, 7)));
    assert_true(isnan(student_beyond(1, 0)));
}

static void falls_far_out(void **state)
{
    (void)state;
    double before = 1;
    for (double t = 0.5; t < 1e8; t *= 2) {
        const double p = student_beyond(t, 8);
        assert_true(p > 0 && p < before);
        before = p;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_agree),
        cmocka_unit_test(tables_agree),
        cmocka_unit_test(an_interval_of_95_percent_reaches_so_far),
        cmocka_unit_test(ends_are_exact),
        cmocka_unit_test(falls_far_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
