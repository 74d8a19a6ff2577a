#include "conclude/registry/finding.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void one_trial_is_no_interval(void **state)
{
    struct point point = {.y = {.median = 2, .low = 2, .high = 2, .n = 1}, .cycles = {6, 6, 6}};
    struct estimate time = finding_time_of(&point), cycles = finding_cycles_of(&point);
    assert_true(time.median == 2 && isnan(time.low) && isnan(time.high));
    assert_true(cycles.median == 6 && isnan(cycles.low) && isnan(cycles.high));
    point.y.coverage = 0.96f;
    time = finding_time_of(&point);
    cycles = finding_cycles_of(&point);
    assert_true(time.low == 2 && time.high == 2 && cycles.low == 6 && cycles.high == 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_trial_is_no_interval),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
