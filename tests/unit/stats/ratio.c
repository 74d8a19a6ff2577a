#include "stats/ratio.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void it_is_of_the_sums(void **state)
{
    (void)state;
    const double parts[] = {1, 0, 5}, wholes[] = {10, 10, 40};
    struct ratio ratio = ratio_of_sums(parts, wholes, 3);
    assert_true(ratio.value == 0.1);
    assert_true(ratio.low >= 0 && ratio.low < 0.1 && ratio.high > 0.1);
}

static void equal_samples_leave_no_doubt(void **state)
{
    (void)state;
    const double parts[] = {2, 2, 2, 4}, wholes[] = {10, 10, 10, 20};
    struct ratio ratio = ratio_of_sums(parts, wholes, 4);
    assert_true(fabs(ratio.value - 0.2) < 1e-12);
    assert_true(fabs(ratio.high - ratio.low) < 1e-12);
}

static void one_sample_has_no_interval_and_none_has_no_value(void **state)
{
    (void)state;
    const double part = 1, whole = 4, little = 0.5, nothing = 0;
    assert_true(ratio_of_sums(&part, &little, 1).value == 2);
    struct ratio ratio = ratio_of_sums(&part, &whole, 1);
    assert_true(ratio.value == 0.25 && isnan(ratio.low) && isnan(ratio.high));
    assert_true(isnan(ratio_of_sums(&nothing, &nothing, 1).value));
    assert_true(isnan(ratio_of_sums(NULL, NULL, 0).value));
}

/* Interruptions that come by chance, of random lengths, in 12 windows. */
static void the_interval_holds_the_true_ratio(void **state)
{
    (void)state;
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
        struct ratio ratio = ratio_of_sums(parts, wholes, WINDOWS);
        held += ratio.low <= 0.25 && ratio.high >= 0.25;
    }
    assert_true(held > 0.93 * (double)RUNS && held < 0.98 * (double)RUNS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_of_the_sums),
        cmocka_unit_test(equal_samples_leave_no_doubt),
        cmocka_unit_test(one_sample_has_no_interval_and_none_has_no_value),
        cmocka_unit_test(the_interval_holds_the_true_ratio),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
