#include "stats/step.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MOST = 100 };

static bool find(const double *values, size_t n, struct step *step)
{
    double scratch[2 * MOST];
    return step_find(values, n, 0.75, step, scratch);
}

/* A least-recently-used cache of `sets` sets with `entries` entries, walked again and again: all
 * elements of an overfull set miss. */
static double ideal(unsigned pages, unsigned entries, unsigned sets)
{
    unsigned ways = entries / sets, missing = 0;
    for (unsigned set = 0; set < sets; set++) {
        unsigned held = pages / sets + (set < pages % sets);
        missing += held > ways ? held : 0;
    }
    return 5 + 7.0 * missing / pages;
}

static void the_last_value_on_the_floor_is_exact(void **state)
{
    (void)state;
    static const unsigned sets[] = {1, 4, 16};
    for (size_t s = 0; s < 3; s++)
        for (unsigned entries = 32; entries <= 96; entries += 16) {
            double values[MOST];
            struct step step;
            unsigned from = entries * 2 / 3,
                     n = entries * 2 - from > MOST ? MOST : entries * 2 - from;
            for (unsigned i = 0; i < n; i++)
                values[i] = ideal(from + i, entries, sets[s]);
            assert_true(find(values, n, &step));
            assert_int_equal(from + step.last, entries);
            assert_true(fabs(step.floor - 5) < 1e-9);
        }
}

static void noise_on_the_floor_does_not_move_it(void **state)
{
    (void)state;
    struct random random = {3};
    for (int run = 0; run < 200; run++) {
        double values[MOST];
        struct step step;
        for (unsigned i = 0; i < MOST; i++)
            values[i] = ideal(20 + i, 64, 1) * (1 + 0.02 * (random_unit(&random) - 0.5));
        values[random_below(&random, 40)] += 3; /* a spike without a flag */
        assert_true(find(values, MOST, &step));
        assert_int_equal(20 + step.last, 64);
    }
}

static void what_is_no_step_is_not_one(void **state)
{
    (void)state;
    double values[MOST];
    struct step step;
    struct random random = {5};
    for (unsigned i = 0; i < MOST; i++)
        values[i] = 5;
    assert_false(find(values, MOST, &step)); /* flat */
    values[MOST - 1] = 12;
    assert_false(find(values, MOST, &step)); /* one last spike */
    for (unsigned i = 0; i < MOST; i++)
        values[i] = i < 50 ? 5 : 5.5;
    assert_false(find(values, MOST, &step)); /* too small to count */
    for (unsigned i = 0; i < MOST; i++)
        values[i] = i < 50 ? 12 : 5;
    assert_false(find(values, MOST, &step)); /* downwards */
    for (unsigned i = 0; i < MOST; i++)
        values[i] = 5 + 7 * random_unit(&random);
    assert_false(find(values, MOST, &step)); /* scatter */
    assert_false(find((double[]){5, 5, 12}, 3, &step));
    assert_false(find((double[]){5, 12, 12, 12, 12, 12}, 6, &step)); /* the floor is too short */
}

static void values_that_are_no_numbers_are_no_step(void **state)
{
    (void)state;
    struct step step;
    assert_false(find((double[]){5, 5, 5, 5, NAN, 12, 12, 12}, 8, &step) && step.last > 3);
    assert_false(find((double[]){5, 5, 5, 5, INFINITY, INFINITY, INFINITY}, 7, &step));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_value_on_the_floor_is_exact),
        cmocka_unit_test(noise_on_the_floor_does_not_move_it),
        cmocka_unit_test(what_is_no_step_is_not_one),
        cmocka_unit_test(values_that_are_no_numbers_are_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
