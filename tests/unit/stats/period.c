/* Periods of times whose period is known, and of times that have none. */
#include "stats/period.h"

#include "base/random.h"
#include "stats/quantile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { EVENTS = 200 };
static double scratch[4 * EVENTS];

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Of every event, `missing` is the chance that nobody saw it; and `jitter` how far it may be off.
 */
static size_t make(double *times, double period, double missing, double jitter, uint64_t seed)
{
    struct random random = {seed};
    size_t n = 0;
    for (int i = 0; i < EVENTS; i++) {
        const double time = 1e6 + period * (i + jitter * (uniform(&random) - 0.5));
        if (uniform(&random) >= missing)
            times[n++] = time;
    }
    return n;
}

static void a_clock_is_found(void **state)
{
    (void)state;
    double times[EVENTS];
    struct period found;
    for (double period = 0.1; period < 1e9; period *= 10) {
        size_t n = make(times, period, 0, 0.02, 1);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / period - 1) < 0.001);
        assert_true(found.low < period && found.high > period);
        assert_int_equal(found.steps, n - 1);
    }
}

static void what_nobody_saw_does_not_matter(void **state)
{
    (void)state;
    double times[EVENTS];
    struct period found;
    for (uint64_t seed = 1; seed < 50; seed++) {
        size_t n = make(times, 4000, 0.3, 0.01, seed);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / 4000 - 1) < 0.002);
    }
}

static void others_may_come_in_between(void **state)
{
    (void)state;
    double times[EVENTS + EVENTS / 10];
    struct period found;
    for (uint64_t seed = 1; seed < 50; seed++) {
        struct random random = {seed};
        size_t n = make(times, 4000, 0, 0.01, seed);
        for (int i = 0; i < EVENTS / 10; i++)
            times[n++] = 1e6 + 4000 * EVENTS * uniform(&random);
        sort_ascending(times, n);
        assert_true(period_find(times, n, scratch, &found));
        assert_true(fabs(found.value / 4000 - 1) < 0.002);
    }
}

static void chance_has_no_period(void **state)
{
    (void)state;
    double times[EVENTS];
    struct period found;
    for (uint64_t seed = 1; seed < 500; seed++)
        for (size_t n = 0; n <= EVENTS; n = n * 2 + 1) {
            struct random random = {seed};
            for (size_t i = 0; i < n; i++)
                times[i] = uniform(&random);
            sort_ascending(times, n);
            assert_false(period_find(times, n, scratch, &found));
        }
}

static void too_few_times_tell_nothing(void **state)
{
    (void)state;
    double times[EVENTS] = {0};
    struct period found;
    make(times, 1, 0, 0, 1);
    assert_false(period_find(times, 8, scratch, &found));
    assert_true(isnan(found.value));
    assert_true(period_find(times, 9, scratch, &found));
    for (int i = 0; i < EVENTS; i++)
        times[i] = 5; /* all at once */
    assert_false(period_find(times, EVENTS, scratch, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_is_found),
        cmocka_unit_test(what_nobody_saw_does_not_matter),
        cmocka_unit_test(others_may_come_in_between),
        cmocka_unit_test(chance_has_no_period),
        cmocka_unit_test(too_few_times_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
