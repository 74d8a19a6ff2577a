/* The knee of queues whose knee is known, and of curves that do not show one. */
#include "stats/knee.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { POINTS = 16 };

/* A queue that serves at most `most` a second: its time is 1 / (most - rate). */
static void queue(double most, double *rate, double *time)
{
    for (int i = 0; i < POINTS; i++) {
        rate[i] = most * (0.5 + i) / (double)POINTS;
        time[i] = 1 / (most - rate[i]);
    }
}

static void of_a_queue_it_is_half_of_the_most(void **state)
{
    (void)state;
    double rate[POINTS], time[POINTS];
    for (double most = 1e-3; most < 1e12; most *= 1000) {
        queue(most, rate, time);
        assert_true(fabs(knee_of_power(rate, time, POINTS) / most - 0.5) < 0.01);
    }
}

static void a_memory_whose_latency_turns_up_at_the_end_has_it_there(void **state)
{
    (void)state;
    /* GB/s and ns, like bandwidth-latency curves of servers. */
    static const double rate[] = {0, 2, 5, 10, 20, 40, 60, 80, 90, 92, 93};
    static const double time[] = {90, 90, 90, 91, 93, 98, 104, 118, 150, 220, 300};
    double knee = knee_of_power(rate, time, 11);
    assert_true(knee > 70 && knee < 85);
}

static void a_curve_that_ends_before_it_does_not_show_it(void **state)
{
    (void)state;
    static const double rate[] = {0, 1, 2, 4, 8}, flat[] = {90, 90, 91, 92, 94};
    assert_true(isnan(knee_of_power(rate, flat, 5)));
    static const double falling[] = {8, 4, 2, 1};
    assert_true(isnan(knee_of_power(falling, flat, 4)));
    assert_true(isnan(knee_of_power(rate, flat, 1)));
    assert_true(isnan(knee_of_power(rate, flat, 0)));
    static const double nothing[] = {0, 0, 0};
    assert_true(isnan(knee_of_power(nothing, flat, 3)));
}

static void points_without_a_value_are_left_out(void **state)
{
    (void)state;
    static const double rate[] = {NAN, 1, 4, NAN, 5}, time[] = {90, 100, 200, 1, 600};
    static const double dense[] = {1, 4, 5}, of_dense[] = {100, 200, 600};
    double knee = knee_of_power(rate, time, 5);
    assert_true(knee > 1 && knee < 5);
    assert_true(knee == knee_of_power(dense, of_dense, 3));
}

static void it_lies_on_the_side_of_the_better_neighbour(void **state)
{
    (void)state;
    static const double rate[] = {2, 4, 8}, time[] = {1, 1, 2.5}, other[] = {1.2, 1, 2.1};
    double nearer_left = knee_of_power(rate, time, 3), nearer_right = knee_of_power(rate, other, 3);
    assert_true(nearer_left > 4 && nearer_left < nearer_right && nearer_right < 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_queue_it_is_half_of_the_most),
        cmocka_unit_test(a_memory_whose_latency_turns_up_at_the_end_has_it_there),
        cmocka_unit_test(a_curve_that_ends_before_it_does_not_show_it),
        cmocka_unit_test(points_without_a_value_are_left_out),
        cmocka_unit_test(it_lies_on_the_side_of_the_better_neighbour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
