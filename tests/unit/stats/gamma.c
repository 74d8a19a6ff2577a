#include "stats/gamma.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double euler = 0.57721566490153286061, pi = 3.14159265358979323846;

static void known_values_hold(void **state)
{
    (void)state;
    assert_true(fabs(digamma(1) + euler) < 1e-12);
    assert_true(fabs(digamma(0.5) + euler + 2 * log(2)) < 1e-12);
    assert_true(fabs(trigamma(1) - pi * pi / 6) < 1e-12);
    assert_true(fabs(trigamma(0.5) - pi * pi / 2) < 1e-11);
}

/* Both step by a known difference, from one side of the series' border to the other. */
static void steps_hold(void **state)
{
    (void)state;
    for (double x = 0.1; x < 100; x *= 1.3) {
        assert_true(fabs(digamma(x + 1) - digamma(x) - 1 / x) < 1e-11 / x);
        assert_true(fabs(trigamma(x) - trigamma(x + 1) - 1 / (x * x)) < 1e-10 / (x * x));
    }
}

static void the_inverse_is_one(void **state)
{
    (void)state;
    for (double x = 0.01; x < 1e4; x *= 1.7)
        assert_true(fabs(trigamma_inverse(trigamma(x)) / x - 1) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_hold),
        cmocka_unit_test(steps_hold),
        cmocka_unit_test(the_inverse_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
