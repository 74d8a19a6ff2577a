#include "measure/engine/reservoir.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void few_readings_are_all_kept(void **state)
{
    (void)state;
    static struct reservoir reservoir;
    assert_int_equal(reservoir_summary(&reservoir).n, 0);
    for (int i = 1; i <= 101; i++)
        reservoir_add(&reservoir, i);
    struct summary summary = reservoir_summary(&reservoir);
    assert_int_equal(summary.n, 101);
    assert_true(fabs((double)summary.median - 51) < 1e-6);
}

/* A sample of the last or the first readings would miss these quartiles by far; one of 4096 that is
 * uniform misses them by 1 % of the range in one case of five. */
static void of_many_a_uniform_sample_is_kept(void **state)
{
    (void)state;
    static struct reservoir reservoir = {.random = {4}};
    for (int i = 0; i < 1000000; i++)
        reservoir_add(&reservoir, i * 1e-6);
    struct summary summary = reservoir_summary(&reservoir);
    assert_int_equal(summary.n, RESERVOIR_READINGS);
    assert_true(fabs((double)summary.p25 - 0.25) < 0.03);
    assert_true(fabs((double)summary.median - 0.5) < 0.03);
    assert_true(fabs((double)summary.p75 - 0.75) < 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_readings_are_all_kept),
        cmocka_unit_test(of_many_a_uniform_sample_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
