#include "stats/quiet.h"

#include "sample.h"
#include "stats/quantile.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { N = 100, SAMPLES = 2000 };
static const double truth = 100, deviation = 1;

/* Values of the hardware, of which a neighbour raised some. */
static void draw(struct random *random, double share, double by, double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        values[i] = truth + deviation * sample_normal(random);
        if (random_unit(random) < share)
            values[i] *= 1 + by;
    }
    sort_ascending(values, n);
}

/* How far the centres of samples lie from the truth on average, in deviations of a value. */
static double bias_of_centres(double share, double by)
{
    double values[N], sum = 0;
    struct random random = {7};
    for (int i = 0; i < SAMPLES; i++) {
        draw(&random, share, by, values, N);
        sum += (quiet_centre(values, N) - truth) / deviation / SAMPLES;
    }
    return sum;
}

static void without_neighbours_the_centre_is_the_median(void **state)
{
    (void)state;
    assert_true(fabs(bias_of_centres(0, 0)) < 0.05);
}

static void neighbours_do_not_raise_the_centre(void **state)
{
    (void)state;
    assert_true(fabs(bias_of_centres(0.3, 0.2)) < 0.05);
    assert_true(fabs(bias_of_centres(0.6, 0.2)) < 0.1);
    assert_true(fabs(bias_of_centres(0.5, 3)) < 0.1);
}

static void a_value_below_the_truth_is_no_centre(void **state)
{
    (void)state;
    double values[N];
    struct random random = {3};
    draw(&random, 0, 0, values, N);
    const double before = quiet_centre(values, N);
    values[0] = truth / 2;
    assert_true(fabs(quiet_centre(values, N) - before) < 0.1 * deviation);
}

/* Of 2000 samples of 25 trials each. A neighbour that raises half of them leaves a dozen. */
static void intervals_hold_the_truth(void **state)
{
    (void)state;
    static const double shares[] = {0, 0.3, 0.5};
    enum { TRIALS = 25 };
    double values[TRIALS];
    struct random random = {11};
    for (size_t s = 0; s < sizeof shares / sizeof *shares; s++) {
        int held = 0;
        for (int i = 0; i < SAMPLES; i++) {
            draw(&random, shares[s], 0.2, values, TRIALS);
            const struct quiet quiet = quiet_of(values, TRIALS);
            assert_true(quiet.low <= quiet.value && quiet.value <= quiet.high);
            held += (double)quiet.low <= truth && truth <= (double)quiet.high;
        }
        assert_true(held >= 0.8 * SAMPLES);
    }
}

static void rates_are_the_times_turned_over(void **state)
{
    (void)state;
    double values[N], rates[N], scratch[N];
    struct random random = {5};
    draw(&random, 0.4, 0.3, values, N);
    for (size_t i = 0; i < N; i++)
        rates[N - 1 - i] = 1 / values[i];
    const struct quiet time = quiet_of(values, N), rate = quiet_of_rates(rates, N, scratch);
    assert_true(fabsf(rate.value * time.value - 1) < 1e-5f);
    assert_true(fabsf(rate.low * time.high - 1) < 1e-5f);
    assert_true(fabsf(rate.high * time.low - 1) < 1e-5f);
}

/* Lines differ by where they lie: none of them is a neighbour's doing. */
static void units_have_their_median(void **state)
{
    (void)state;
    static const double lines[] = {40, 40, 41, 80, 80, 81, 82};
    const struct quiet quiet = quiet_of_units(lines, sizeof lines / sizeof *lines);
    assert_true(quiet.value == 80 && quiet.low == 40 && quiet.high == 82);
}

static void few_values_are_no_trouble(void **state)
{
    (void)state;
    static const double one[] = {5}, equal[] = {4, 4, 4, 4, 4, 4};
    const struct quiet quiet = quiet_of(one, 1);
    assert_true(quiet.value == 5 && isnan(quiet.low) && isnan(quiet.high));
    assert_true(quiet_centre(equal, 6) == 4);
    static const double none[] = {NAN, NAN, NAN, NAN};
    assert_true(isnan(quiet_centre(none, 4)));
    assert_true(quiet_is_known(&quiet));
    const struct quiet unknown = quiet_unknown();
    assert_false(quiet_is_known(&unknown));
}

static void two_low_values_that_agree_are_the_hardware(void **state)
{
    (void)state;
    static const double values[] = {100, 100.1, 140, 141, 142, 143, 150, 151, 155};
    const struct quiet quiet = quiet_of(values, sizeof values / sizeof *values);
    assert_true(fabsf(quiet.value - 100.05f) < 1e-3f);
    assert_true(quiet.low < 99.6f && quiet.high > 100.5f && quiet.high < 105);
}

static void three_low_values_are_more_certain(void **state)
{
    (void)state;
    static const double values[] = {100, 100.1, 100.2, 140, 141, 142, 143, 150, 151};
    const struct quiet quiet = quiet_of(values, sizeof values / sizeof *values);
    assert_true(fabsf(quiet.value - 100.1f) < 1e-3f);
    assert_true(quiet.low > 99.7f && quiet.high < 100.5f);
}

/* Luck, or the only trial that nobody disturbed: the interval reaches from the one to the other. */
static void a_single_low_value_leaves_it_open(void **state)
{
    (void)state;
    static const double values[] = {100, 140, 141, 142, 142.5, 143, 144, 145, 146};
    const struct quiet quiet = quiet_of(values, sizeof values / sizeof *values);
    assert_true(quiet.value > 140 && quiet.low < 100 && quiet.high >= 143);
}

/* Where memory lies makes trials differ without a neighbour. */
static void values_without_a_gap_may_all_be_the_hardware_s(void **state)
{
    (void)state;
    double values[25];
    for (int i = 0; i < 25; i++)
        values[i] = i < 9 ? 100 + 0.1 * i : 102 + 3 * (i - 9);
    const struct quiet quiet = quiet_of(values, 25);
    assert_true(quiet.low < 101 && quiet.high > 110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_neighbours_the_centre_is_the_median),
        cmocka_unit_test(neighbours_do_not_raise_the_centre),
        cmocka_unit_test(a_value_below_the_truth_is_no_centre),
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(rates_are_the_times_turned_over),
        cmocka_unit_test(units_have_their_median),
        cmocka_unit_test(few_values_are_no_trouble),
        cmocka_unit_test(two_low_values_that_agree_are_the_hardware),
        cmocka_unit_test(three_low_values_are_more_certain),
        cmocka_unit_test(a_single_low_value_leaves_it_open),
        cmocka_unit_test(values_without_a_gap_may_all_be_the_hardware_s),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
