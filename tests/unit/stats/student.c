#include "stats/student.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* --- student --- */

static void is_near(double value, double should, double share)
{
    if (!(fabs(value - should) <= share * should))
        fail_msg("%.17g is not %.17g", value, should);
}

/* With one and two degrees of freedom the distribution has a closed form. */
static void closed_forms_agree(void **state)
{
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
    is_near(student_beyond(2.228138852, 10), 0.05, 1e-7);
    is_near(student_beyond(4.586893859, 10), 0.001, 1e-6);
    is_near(student_beyond(-2.042272456, 30), 0.05, 1e-7);
    is_near(student_beyond(1.959963985, 1e9), 0.05, 1e-7);
    is_near(student_beyond(1.959963985, INFINITY), 0.05, 1e-7);
}

static void an_interval_of_95_percent_reaches_so_far(void **state)
{
    is_near(student_reach(1), 12.70620474, 1e-6);
    is_near(student_reach(2), 4.302652730, 1e-6);
    is_near(student_reach(10), 2.228138852, 1e-6);
    is_near(student_reach(1e9), 1.959963985, 1e-6);
}

static void ends_are_exact(void **state)
{
    assert_true(student_beyond(0, 7) == 1);
    assert_true(student_beyond(INFINITY, 7) == 0);
    assert_true(isnan(student_beyond(NAN, 7)));
    assert_true(isnan(student_beyond(1, 0)));
}

static void falls_far_out(void **state)
{
    double before = 1;
    for (double t = 0.5; t < 1e8; t *= 2) {
        const double p = student_beyond(t, 8);
        assert_true(p > 0 && p < before);
        before = p;
    }
}

/* --- ratio --- */

static void it_is_of_the_sums(void **state)
{
    const double parts[] = {1, 0, 5}, wholes[] = {10, 10, 40};
    struct interval ratio = ratio_of_sums(parts, wholes, 3);
    assert_true(ratio.value == 0.1);
    assert_true(ratio.low >= 0 && ratio.low < 0.1 && ratio.high > 0.1);
}

static void equal_samples_leave_no_doubt(void **state)
{
    const double parts[] = {2, 2, 2, 4}, wholes[] = {10, 10, 10, 20};
    struct interval ratio = ratio_of_sums(parts, wholes, 4);
    assert_true(fabs(ratio.value - 0.2) < 1e-12);
    assert_true(fabs(ratio.high - ratio.low) < 1e-12);
}

static void one_sample_has_no_interval_and_none_has_no_value(void **state)
{
    const double part = 1, whole = 4, little = 0.5, nothing = 0;
    assert_true(ratio_of_sums(&part, &little, 1).value == 2);
    struct interval ratio = ratio_of_sums(&part, &whole, 1);
    assert_true(ratio.value == 0.25 && isnan(ratio.low) && isnan(ratio.high));
    assert_true(isnan(ratio_of_sums(&nothing, &nothing, 1).value));
    assert_true(isnan(ratio_of_sums(NULL, NULL, 0).value));
}

/* One window of n has all: the standard error is the ratio itself, and the interval reaches
 * Student's t of it. */
static void the_interval_reaches_students_t(void **state)
{
    for (size_t n = 2; n <= 30; n++) {
        double parts[30] = {1}, wholes[30];
        for (size_t i = 0; i < n; i++)
            wholes[i] = 1;
        const struct interval ratio = ratio_of_sums(parts, wholes, n);
        const double reach = (ratio.high - ratio.value) / ratio.value;
        assert_true(fabs(reach / student_reach((double)n - 1) - 1) < 0.01);
    }
}

/* Interruptions that come by chance, of random lengths, in 12 windows. */
static void the_interval_holds_the_true_ratio(void **state)
{
    enum { RUNS = 2000, WINDOWS = 12, STEPS = 200 };
    struct random random = {7};
    unsigned held = 0;
    for (int run = 0; run < RUNS; run++) {
        double parts[WINDOWS] = {0}, wholes[WINDOWS];
        for (int i = 0; i < WINDOWS; i++) {
            wholes[i] = STEPS;
            for (int step = 0; step < STEPS; step++)
                parts[i] += random_below(&random, 4) == 0;
        }
        struct interval ratio = ratio_of_sums(parts, wholes, WINDOWS);
        held += ratio.low <= 0.25 && ratio.high >= 0.25;
    }
    assert_true(held > 0.93 * (double)RUNS && held < 0.98 * (double)RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_forms_agree),
        cmocka_unit_test(tables_agree),
        cmocka_unit_test(an_interval_of_95_percent_reaches_so_far),
        cmocka_unit_test(ends_are_exact),
        cmocka_unit_test(falls_far_out),
        cmocka_unit_test(it_is_of_the_sums),
        cmocka_unit_test(equal_samples_leave_no_doubt),
        cmocka_unit_test(one_sample_has_no_interval_and_none_has_no_value),
        cmocka_unit_test(the_interval_reaches_students_t),
        cmocka_unit_test(the_interval_holds_the_true_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
