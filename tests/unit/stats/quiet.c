#include "stats/quiet.h"

#include "sample.h"
#include "stats/order.h"

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
        sum += (quiet_centre(values, N) - truth) / deviation / (double)SAMPLES;
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
        assert_true(held >= 0.8 * (double)SAMPLES);
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

/* Of a run, two of three trials of a bandwidth at 26 and 4 GB/s beside one of 42: 6.5 was reported.
 */
static void nothing_is_slower_without_neighbours(void **state)
{
    (void)state;
    struct random random = {11};
    double values[9];
    for (int i = 0; i < SAMPLES; i++)
        for (size_t n = 1; n <= 9; n++) {
            for (size_t at = 0; at < n; at++)
                values[at] = (at ? values[at - 1] : 1) * exp(random_unit(&random));
            const struct quiet quiet = quiet_of(values, n);
            assert_true((double)quiet.value <= values[n / 2] * (1 + 1e-6));
            assert_true(isnan(quiet.low) ||
                        (quiet.low <= quiet.value && quiet.value <= quiet.high));
        }
    const double times[] = {1 / 42., 1 / 25.8, 1 / 3.7};
    assert_true(1 / (double)quiet_of(times, 3).value > 25.7);
}

/* Four values of a normal distribution: a normal interval of their quantiles would cover less. */
static void few_values_have_student_s_interval(void **state)
{
    (void)state;
    struct random random = {5};
    for (size_t n = 3; n <= 6; n++) {
        int held = 0;
        for (int i = 0; i < SAMPLES; i++) {
            double values[6];
            for (size_t at = 0; at < n; at++) {
                double sum = -6;
                for (int draw = 0; draw < 12; draw++)
                    sum += random_unit(&random);
                values[at] = 100 + sum;
            }
            sort_ascending(values, n);
            const struct quiet quiet = quiet_of(values, n);
            held += quiet.low <= 100 && quiet.high >= 100;
        }
        assert_true(held >= 0.9 * (double)SAMPLES);
    }
}

/* A bandwidth of 74 GB/s was once measured beside one that others kept at 0.2. */
static void the_faster_of_two_far_apart_is_the_quiet_one(void **state)
{
    (void)state;
    double scratch[5];
    const double two[] = {0.2, 74}, three[] = {0.2, 30, 74}, alike[] = {72, 74};
    struct quiet quiet = quiet_of_rates(two, 2, scratch);
    assert_true(fabs((double)quiet.value - 74) < 1e-3 && isnan(quiet.low) && isnan(quiet.high));
    quiet = quiet_of_rates(three, 3, scratch);
    assert_true(fabs((double)quiet.value - 74) < 1e-3);
    assert_true(isnan(quiet.low) || (quiet.low > 0 && quiet.low <= 30 && quiet.high >= 74));
    quiet = quiet_of_rates(alike, 2, scratch);
    assert_true(quiet.value > 72 && quiet.value < 74);
    assert_true(isnan(quiet.low) || (quiet.low > 0 && quiet.low < 72 && quiet.high > 74));
    const double luck[] = {450, 500, 501, 502, 503};
    assert_true(quiet_of(luck, 5).value > 499);
}

/* Visits of what fits take 4 cycles, of what does not 5; a neighbour doubles nine tenths of either.
 */
static void the_lowest_visits_tell_what_fits(void **state)
{
    (void)state;
    enum { VISITS = 300 };
    double fits[VISITS], too_many[VISITS];
    struct random random = {23};
    for (int i = 0; i < 200; i++) {
        for (int k = 0; k < VISITS; k++) {
            const double taken = random_unit(&random) < 0.9 ? 2 : 1;
            fits[k] = 4 * taken * (1 + 0.002 * sample_normal(&random));
            too_many[k] = 5 * taken * (1 + 0.002 * sample_normal(&random));
        }
        sort_ascending(fits, VISITS);
        sort_ascending(too_many, VISITS);
        const struct quiet quiet = quiet_of_visits(fits, VISITS);
        assert_true(fabs((double)quiet.value / 4 - 1) < 0.01);
        assert_true(quiet.low <= quiet.value && quiet.value <= quiet.high && quiet.high < 4.1F);
        assert_true(fabs((double)quiet_of_visits(too_many, VISITS).value / 5 - 1) < 0.01);
    }
}

static void single_visits_below_the_truth_are_a_stale_clock(void **state)
{
    (void)state;
    double visits[] = {1, 2, 3.1, 4, 4.01, 4.02, 4.03, 4.03, 4.05, 4.06, 8, 8, 8, 8, 8, 8, 8, 8};
    const size_t n = sizeof visits / sizeof *visits;
    assert_true(quiet_of_visits(visits, n).value == 4);
    assert_true(quiet_of_visits(visits, n).low <
                1); /* and the interval says that there were some */
    assert_true(quiet_of_visits(visits, 1).value == 1);
}

/* Half of 200 samples' intervals would be too few; the quantile is known beforehand. */
static void the_interval_of_visits_holds_the_quantile(void **state)
{
    (void)state;
    enum { VISITS = 400 };
    double visits[VISITS];
    const unsigned samples = sample_seeds(1000);
    unsigned held = 0;
    struct random random = {29};
    for (unsigned i = 0; i < samples; i++) {
        for (int k = 0; k < VISITS; k++)
            visits[k] = 100 + random_unit(&random); /* the lowest hundredth: 100.01 */
        sort_ascending(visits, VISITS);
        const struct quiet quiet = quiet_of_visits(visits, VISITS);
        held += quiet.low <= 100.01F && quiet.high >= 100.01F;
    }
    assert_true(held > 0.95 * samples);
}

/* Two of the lab's machine: its host had other work, and one trial took a thousand times another.
 */
static void an_interval_that_would_reach_0_is_none(void **state)
{
    (void)state;
    static const double few[] = {10, 21, 1000, 2000, 4000, 9000};
    static const double rates[] = {124329.53, 272059.78, 2571451900, 2965260500};
    double scratch[8];
    const struct quiet time = quiet_of(few, sizeof few / sizeof *few);
    assert_true(time.value > 0 && isnan(time.low) && isnan(time.high));
    const struct quiet rate = quiet_of_rates(rates, 4, scratch);
    assert_true(rate.value > 0 && !(rate.high < rate.value));
    double values[8];
    struct random random = {3};
    for (int i = 0; i < SAMPLES; i++) {
        for (size_t n = 2; n <= 8; n++) {
            for (size_t at = 0; at < n; at++)
                values[at] = (at ? values[at - 1] : 1) * exp(5 * random_unit(&random));
            const struct quiet quiet = quiet_of_rates(values, n, scratch);
            assert_true(isnan(quiet.low) ? isnan(quiet.high)
                                         : 0 < quiet.low && quiet.low <= quiet.value &&
                                               quiet.value <= quiet.high && isfinite(quiet.high));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_slower_without_neighbours),
        cmocka_unit_test(few_values_have_student_s_interval),
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
        cmocka_unit_test(the_faster_of_two_far_apart_is_the_quiet_one),
        cmocka_unit_test(the_lowest_visits_tell_what_fits),
        cmocka_unit_test(single_visits_below_the_truth_are_a_stale_clock),
        cmocka_unit_test(the_interval_of_visits_holds_the_quantile),
        cmocka_unit_test(an_interval_that_would_reach_0_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
