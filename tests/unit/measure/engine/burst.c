/* How many cycles a multiplication takes, from made-up times of chains; and that a burst of each
 * kind reads the same clock as far as this machine tells. */
#include "measure/engine/burst.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

/* Times of a core at 3 GHz whose operations take these cycles. */
static unsigned found(double addition, double multiplication, double load)
{
    const struct burst_steps steps = {addition / 3, multiplication / 3, load / 3};
    return burst_multiplication(&steps);
}

static void cores_that_nobody_slows(void **state)
{
    assert_int_equal(found(1, 3, 4), 3);
    assert_int_equal(found(1, 3, 5), 3);
    assert_int_equal(found(1, 4, 4), 4);
    assert_int_equal(found(1, 4, 5), 4);
    assert_int_equal(found(1, 5, 3), 5);
    assert_int_equal(found(1.003, 2.996, 4.004), 3);
}

/* As seen beside a program that keeps the first-level cache busy. */
static void slowed_additions(void **state)
{
    for (double addition = 1; addition <= 1.2; addition += 0.01) {
        assert_int_equal(found(addition, 3, 4), 3);
        assert_int_equal(found(addition, 3, 5), 3);
        assert_int_equal(found(addition, 4, 5), 4);
    }
}

static void what_is_no_whole_number_is_not_believed(void **state)
{
    assert_int_equal(found(1, 3.4, 4), 0);  /* multiplications are slowed */
    assert_int_equal(found(1, 3.36, 4), 0); /* 5 would fit the load, and not the addition */
    assert_int_equal(found(1, 3, 4.3), 0);
    assert_int_equal(found(1.4, 3, 4), 0);
    assert_int_equal(found(1, 40, 40), 0); /* done in software */
    assert_int_equal(found(1, 3, 40.4), 0);
    assert_int_equal(found(1.08, 7, 7), 0); /* or 8: a load as long as that tells nothing */
    assert_int_equal(found(1, 7, 7), 7);
    assert_int_equal(found(1.15, 5, 5), 5);
    assert_int_equal(found(1.15, 4, 4), 4);
    assert_int_equal(found(1, 5, 5), 5);
    assert_int_equal(found(1, 0, 4), 0);
    assert_int_equal(found(NAN, 3, 4), 0);
    assert_int_equal(found(INFINITY, INFINITY, INFINITY), 0);
}

/* Whatever count of cycles is found here. Others may slow either. */
static void both_kinds_read_the_same_clock(void **state)
{
    struct clock clock;
    clock_calibrate_below(&clock, NULL);
    unsigned multiplication = 0;
    for (int tries = 0; tries < 8 && !multiplication; tries++)
        multiplication = burst_measure_multiplication(&clock);
    double by_additions = 0, by_multiplications = 0;
    if (!multiplication)
        skip();
    for (int i = 0; i < 50; i++) {
        by_additions = fmax(by_additions, burst_hz(&clock, 0));
        by_multiplications = fmax(by_multiplications, burst_hz(&clock, multiplication));
    }
    assert_true(by_additions > 0 && by_multiplications > 0);
    if (getenv("FATHOM_EMULATED")) /* an emulator's instructions take no number of cycles */
        return;
    assert_true(by_multiplications / by_additions < 1.5);
    assert_true(by_additions / by_multiplications < 1.5);
}

/* Additions side by side take no longer than one after another, and no core starts more than
 * sixteen in a cycle. */
static void additions_side_by_side_overlap(void **state)
{
    struct clock clock;
    clock_calibrate_below(&clock, NULL);
    double hz = 0, least = INFINITY;
    /* A burst that was interrupted shows too slow a clock or too long a time, never the other way.
     */
    for (int i = 0; i < 50; i++)
        hz = fmax(hz, burst_hz(&clock, 0));
    for (int i = 0; i < 50; i++)
        least = fmin(least, burst_wide_ns(&clock) * hz * 1e-9 / BURST_WIDE_ADDITIONS);
    assert_true(isfinite(least) && least > 0);
    if (getenv("FATHOM_EMULATED")) /* an emulator's instructions take no number of cycles */
        return;
    assert_true(least > 1.0 / 16);
    assert_true(least < 1.1);
}

/* Of a core whose additions side by side took 0.268 cycles alone and 0.3 beside a thread. */
static bool shared(struct burst_core *core, double width)
{
    const double hz = 4e9;
    double alone;
    const double seen = burst_width(core, width / hz * 1e9 * BURST_WIDE_ADDITIONS, hz, &alone);
    return burst_is_shared(seen, alone);
}

static void what_a_core_does_alone_is_known_for_long(void **state)
{
    struct burst_core core = {0};
    for (int i = 0; i < 200; i++)
        assert_false(shared(&core, 0.268 + 0.001 * (i % 3)));
    for (int i = 0; i < 5000; i++)
        assert_true(shared(&core, 0.3 + 0.001 * (i % 3)));
    assert_false(shared(&core, 0.269));
}

static void what_a_core_does_alone_is_learnt_late(void **state)
{
    struct burst_core core = {0};
    for (int i = 0; i < 500; i++)
        shared(&core, 0.3);
    for (int i = 0; i < BURST_WIDTHS; i++)
        shared(&core, 0.268);
    assert_true(shared(&core, 0.3));
}

/* Where another thread works through the first bursts, these are known as shared once later ones
 * have shown what the core does alone. */
static void the_first_bursts_are_judged_by_later_ones(void **state)
{
    struct burst_core core = {0};
    assert_false(shared(&core, 0.3));
    for (int i = 0; i < 20; i++)
        shared(&core, 0.268);
    assert_true(burst_is_shared(0.3, core.alone));
}

/* A clock that was read too low makes a burst seem narrow. */
static void a_few_narrow_bursts_change_nothing(void **state)
{
    struct burst_core core = {0};
    for (int i = 0; i < 2000; i++)
        shared(&core, i % 10 ? 0.268 : 0.2);
    assert_false(shared(&core, 0.268));
    assert_true(shared(&core, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cores_that_nobody_slows),
        cmocka_unit_test(slowed_additions),
        cmocka_unit_test(what_is_no_whole_number_is_not_believed),
        cmocka_unit_test(both_kinds_read_the_same_clock),
        cmocka_unit_test(additions_side_by_side_overlap),
        cmocka_unit_test(what_a_core_does_alone_is_known_for_long),
        cmocka_unit_test(what_a_core_does_alone_is_learnt_late),
        cmocka_unit_test(the_first_bursts_are_judged_by_later_ones),
        cmocka_unit_test(a_few_narrow_bursts_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
