#include "stats/tails.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 400 };

/* Box and Muller. */
static double normal(struct random *random)
{
    const double pi = 3.14159265358979323846;
    return sqrt(-2 * log(1 - random_unit(random))) * cos(2 * pi * random_unit(random));
}

/* Student's, with three degrees of freedom. */
static double heavy(struct random *random)
{
    double squares = 0;
    for (int i = 0; i < 3; i++)
        squares += pow(normal(random), 2);
    return normal(random) / sqrt(squares / 3);
}

/* Of 200 sets of values, how many have tails that are called heavier than normal. */
static int called_heavy(double draw(struct random *), size_t n)
{
    int called = 0;
    for (unsigned seed = 1; seed <= 200; seed++) {
        struct random random = {seed};
        double values[MOST];
        for (size_t i = 0; i < n; i++)
            values[i] = draw(&random);
        called += isfinite(tails_freedom(values, n));
    }
    return called;
}

static void normal_values_mostly_pass(void **state)
{
    (void)state;
    assert_true(called_heavy(normal, 20) < 20);
    assert_true(called_heavy(normal, 100) < 20);
    assert_true(called_heavy(normal, MOST) < 20);
}

static void heavy_ones_are_seen(void **state)
{
    (void)state;
    assert_true(called_heavy(heavy, 100) > 160);
    assert_int_equal(called_heavy(heavy, MOST), 200);
}

static void the_scale_does_not_matter(void **state)
{
    (void)state;
    struct random random = {5};
    double values[MOST], larger[MOST];
    for (size_t i = 0; i < MOST; i++) {
        values[i] = heavy(&random);
        larger[i] = 1e9 * values[i];
    }
    assert_true(tails_freedom(values, MOST) == tails_freedom(larger, MOST));
}

static void equal_values_have_no_tails(void **state)
{
    (void)state;
    const double values[6] = {0};
    assert_true(isinf(tails_freedom(values, 6)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normal_values_mostly_pass),
        cmocka_unit_test(heavy_ones_are_seen),
        cmocka_unit_test(the_scale_does_not_matter),
        cmocka_unit_test(equal_values_have_no_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
