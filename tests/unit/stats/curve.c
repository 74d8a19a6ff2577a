#include "stats/curve.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* --- knee --- */

/* The knee of queues whose knee is known, and of curves that do not show one. */

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
    double rate[POINTS], time[POINTS];
    for (double most = 1e-3; most < 1e12; most *= 1000) {
        queue(most, rate, time);
        assert_true(fabs(knee_of_power(rate, time, POINTS) / most - 0.5) < 0.01);
    }
}

static void a_memory_whose_latency_turns_up_at_the_end_has_it_there(void **state)
{
    /* GB/s and ns, like bandwidth-latency curves of servers. */
    static const double rate[] = {0, 2, 5, 10, 20, 40, 60, 80, 90, 92, 93};
    static const double time[] = {90, 90, 90, 91, 93, 98, 104, 118, 150, 220, 300};
    double knee = knee_of_power(rate, time, 11);
    assert_true(knee > 70 && knee < 85);
}

static void a_curve_that_ends_before_it_does_not_show_it(void **state)
{
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
    static const double rate[] = {NAN, 1, 4, NAN, 5}, time[] = {90, 100, 200, 1, 600};
    static const double dense[] = {1, 4, 5}, of_dense[] = {100, 200, 600};
    double knee = knee_of_power(rate, time, 5);
    assert_true(knee > 1 && knee < 5);
    assert_true(knee == knee_of_power(dense, of_dense, 3));
}

static void it_lies_on_the_side_of_the_better_neighbour(void **state)
{
    static const double rate[] = {2, 4, 8}, time[] = {1, 1, 2.5}, other[] = {1.2, 1, 2.1};
    double nearer_left = knee_of_power(rate, time, 3), nearer_right = knee_of_power(rate, other, 3);
    assert_true(nearer_left > 4 && nearer_left < nearer_right && nearer_right < 8);
}

/* --- saturation --- */

enum { MOST = 100 };

static void a_plateau_is_what_is_near_the_least(void **state)
{
    static const double y[] = {120, 61, 32, 15.5, 9.8, 9.3, 9.4, 9.6};
    struct saturation found;
    double scratch[MOST];
    assert_true(saturation_find(y, 8, 0.05, &found, scratch));
    assert_int_equal(found.knee, 5); /* 9.8 is 5.4 % above the least */
    assert_true(found.plateau == 9.4);
    assert_int_equal(found.typical, 6);
    assert_false(found.open);
    assert_true(saturation_find(y, 8, 0.06, &found, scratch));
    assert_int_equal(found.knee, 4);
}

static void a_curve_that_still_falls_is_open(void **state)
{
    static const double y[] = {100, 50, 25, 12.5};
    struct saturation found;
    double scratch[MOST];
    assert_true(saturation_find(y, 4, 0.05, &found, scratch));
    assert_true(found.open);
    assert_int_equal(found.knee, 3);
    assert_int_equal(found.typical, 3);
}

static void what_is_no_curve_has_no_plateau(void **state)
{
    static const double gap[] = {100, NAN, 20}, zero[] = {5, 0, 3}, one[] = {7};
    struct saturation found;
    double scratch[MOST];
    assert_false(saturation_find(gap, 3, 0.05, &found, scratch));
    assert_false(saturation_find(zero, 3, 0.05, &found, scratch));
    assert_false(saturation_find(one, 1, 0.05, &found, scratch));
}

static void a_crossing_lies_between_two_values(void **state)
{
    static const double x[] = {1, 2, 3, 4, 5}, y[] = {4, 4, 3, 1, 1};
    assert_true(fabs(crossing_down(x, y, 5, 2) - 3.5) < 1e-12);
    assert_true(fabs(crossing_down(x, y, 5, 2.5) - 3.25) < 1e-12);
}

static void a_single_stray_value_moves_no_crossing(void **state)
{
    double x[20], y[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        y[i] = i < 12 ? 10 : 5;
    }
    y[3] = 4;
    y[17] = 11;
    assert_true(fabs(crossing_down(x, y, 20, 7.5) - 11.5) < 1e-12);
    /* With an outlier right before the step, the next place is as good. */
    y[3] = 10;
    y[17] = 5;
    y[11] = NAN;
    assert_true(fabs(crossing_down(x, y, 20, 7.5) - 11) < 1e-12);
}

static void what_does_not_cross_says_so(void **state)
{
    double x[20], above[20], below[20], mixed[20], rising[20], unknown[20];
    for (int i = 0; i < 20; i++) {
        x[i] = i;
        above[i] = 10;
        below[i] = 1;
        mixed[i] = i % 2 ? 1 : 10;
        rising[i] = i < 10 ? 1 : 10;
        unknown[i] = NAN;
    }
    assert_true(isnan(crossing_down(x, above, 20, 5)));
    assert_true(isnan(crossing_down(x, below, 20, 5)));
    assert_true(isnan(crossing_down(x, mixed, 20, 5)));
    assert_true(isnan(crossing_down(x, rising, 20, 5)));
    assert_true(isnan(crossing_down(x, unknown, 20, 5)));
    assert_true(isnan(crossing_down(x, above, 0, 5)));
}

/* --- step --- */

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
    struct step step;
    assert_false(find((double[]){5, 5, 5, 5, NAN, 12, 12, 12}, 8, &step) && step.last > 3);
    assert_false(find((double[]){5, 5, 5, 5, INFINITY, INFINITY, INFINITY}, 7, &step));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_queue_it_is_half_of_the_most),
        cmocka_unit_test(a_memory_whose_latency_turns_up_at_the_end_has_it_there),
        cmocka_unit_test(a_curve_that_ends_before_it_does_not_show_it),
        cmocka_unit_test(points_without_a_value_are_left_out),
        cmocka_unit_test(it_lies_on_the_side_of_the_better_neighbour),
        cmocka_unit_test(a_plateau_is_what_is_near_the_least),
        cmocka_unit_test(a_curve_that_still_falls_is_open),
        cmocka_unit_test(what_is_no_curve_has_no_plateau),
        cmocka_unit_test(a_crossing_lies_between_two_values),
        cmocka_unit_test(a_single_stray_value_moves_no_crossing),
        cmocka_unit_test(what_does_not_cross_says_so),
        cmocka_unit_test(the_last_value_on_the_floor_is_exact),
        cmocka_unit_test(noise_on_the_floor_does_not_move_it),
        cmocka_unit_test(what_is_no_step_is_not_one),
        cmocka_unit_test(values_that_are_no_numbers_are_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
