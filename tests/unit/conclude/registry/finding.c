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
    (void)state;
    struct point point = {.y = {.median = 2, .low = 2, .high = 2, .n = 1}, .cycles = {6, 6, 6}};
    struct estimate time = finding_time_of(&point), cycles = finding_cycles_of(&point);
    assert_true(time.median == 2 && isnan(time.low) && isnan(time.high));
    assert_true(cycles.median == 6 && isnan(cycles.low) && isnan(cycles.high));
    point.y.coverage = 0.96f;
    time = finding_time_of(&point);
    cycles = finding_cycles_of(&point);
    assert_true(time.low == 2 && time.high == 2 && cycles.low == 6 && cycles.high == 6);
}

static void doubt_widens_three_times(void **state)
{
    (void)state;
    struct finding finding = {.value = 100, .low = 50, .high = 200};
    double bounds[3];
    finding_doubted_bounds(&finding, bounds);
    assert_true(bounds[0] == 100 && fabs(bounds[1] - 50) < 1e-9 && fabs(bounds[2] - 200) < 1e-9);
    finding.flags = FLAG_BIT(FLAG_TOO_FEW);
    finding_doubted_bounds(&finding, bounds);
    assert_true(fabs(bounds[1] - 12.5) < 1e-9 && fabs(bounds[2] - 800) < 1e-9);
}

/* There are no ratios around zero; the value has to stay between its bounds there too. */
static void doubt_widens_around_zero(void **state)
{
    (void)state;
    static const struct finding around[] = {
        {.value = 100, .low = -50, .high = 200},
        {.value = -100, .low = -200, .high = 50},
        {.value = 0, .low = -1, .high = 1},
    };
    for (size_t i = 0; i < 3; i++) {
        struct finding finding = around[i];
        double bounds[3];
        finding.flags = FLAG_BIT(FLAG_UNSTABLE);
        finding_doubted_bounds(&finding, bounds);
        assert_true(fabs(bounds[1] - (finding.value + 3 * (finding.low - finding.value))) < 1e-9);
        assert_true(fabs(bounds[2] - (finding.value + 3 * (finding.high - finding.value))) < 1e-9);
    }
}

static void doubt_takes_an_interval_without_a_width_away(void **state)
{
    (void)state;
    struct finding finding = {.value = 5, .low = 5, .high = 5};
    double bounds[3];
    finding_doubted_bounds(&finding, bounds);
    assert_true(bounds[1] == 5 && bounds[2] == 5);
    finding.flags = FLAG_BIT(FLAG_TOO_FEW);
    finding_doubted_bounds(&finding, bounds);
    assert_true(bounds[0] == 5 && isnan(bounds[1]) && isnan(bounds[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_trial_is_no_interval),
        cmocka_unit_test(doubt_widens_three_times),
        cmocka_unit_test(doubt_widens_around_zero),
        cmocka_unit_test(doubt_takes_an_interval_without_a_width_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
