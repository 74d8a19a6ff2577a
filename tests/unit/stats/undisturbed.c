#include "stats/undisturbed.h"

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
        sum += (undisturbed_of(values, N).value - truth) / deviation / (double)SAMPLES;
    }
    return sum;
}

static void without_neighbours_the_centre_is_the_median(void **state)
{
    assert_true(fabs(bias_of_centres(0, 0)) < 0.05);
}

static void neighbours_do_not_raise_the_centre(void **state)
{
    assert_true(fabs(bias_of_centres(0.3, 0.2)) < 0.05);
    assert_true(fabs(bias_of_centres(0.6, 0.2)) < 0.1);
    assert_true(fabs(bias_of_centres(0.5, 3)) < 0.1);
}

static void a_value_below_the_truth_is_no_centre(void **state)
{
    double values[N];
    struct random random = {3};
    draw(&random, 0, 0, values, N);
    const double before = undisturbed_of(values, N).value;
    values[0] = truth / 2;
    assert_true(fabs(undisturbed_of(values, N).value - before) < 0.1 * deviation);
}

static void few_values_are_no_trouble(void **state)
{
    static const double one[] = {5}, equal[] = {4, 4, 4, 4, 4, 4}, first[] = {NAN, 4, 4, 4};
    assert_true(undisturbed_of(one, 1).value == 5);
    assert_true(undisturbed_of(equal, 6).value == 4);
    assert_true(isnan(undisturbed_of(first, 4).value));
}

static struct summary envelope(const double *ascending, size_t n)
{
    struct summary summary = summary_of_nothing();
    undisturbed_envelope(ascending, n, &summary);
    return summary;
}

/* Visits of what fits take 4 cycles, of what does not 5; a neighbour doubles nine tenths of either.
 */
static void the_lowest_visits_tell_what_fits(void **state)
{
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
        const struct summary low = envelope(fits, VISITS);
        assert_true(fabs((double)low.median / 4 - 1) < 0.01);
        assert_true(low.low <= low.median && low.median <= low.high && low.high < 4.1F);
        assert_true(fabs((double)envelope(too_many, VISITS).median / 5 - 1) < 0.01);
    }
}

/* The lowest hundredth, as a rank. */
static void the_envelope_is_at_its_hundredth(void **state)
{
    double visits[800];
    for (size_t i = 0; i < 800; i++)
        visits[i] = 100 + 0.1 * (double)i;
    assert_true(envelope(visits, 800).median == 100.7F);
    assert_true(envelope(visits, 200).median == 100.2F); /* at least the third */
    /* Its quartiles are those of the fifteen visits up to its interval's end. */
    const struct summary lowest = envelope(visits, 800);
    assert_true(lowest.high == 101.4F && fabsf(lowest.p25 - 100.35F) < 1e-4F);
}

static void single_visits_below_the_truth_are_a_stale_clock(void **state)
{
    double visits[] = {1, 2, 3.1, 4, 4.01, 4.02, 4.03, 4.03, 4.05, 4.06, 8, 8, 8, 8, 8, 8, 8, 8};
    const size_t n = sizeof visits / sizeof *visits;
    assert_true(envelope(visits, n).median == 4);
    assert_true(envelope(visits, n).low == 1); /* and the interval says that there were some */
    assert_true(envelope(visits, 1).median == 1);
}

/* Half of 200 samples' intervals would be too few; the quantile is known beforehand. */
static void the_interval_of_visits_holds_the_quantile(void **state)
{
    enum { VISITS = 400 };
    double visits[VISITS];
    const unsigned samples = sample_seeds(1000);
    unsigned held = 0;
    struct random random = {29};
    for (unsigned i = 0; i < samples; i++) {
        for (int k = 0; k < VISITS; k++)
            visits[k] = 100 + random_unit(&random); /* the lowest hundredth: 100.01 */
        sort_ascending(visits, VISITS);
        const struct summary low = envelope(visits, VISITS);
        held += low.low <= 100.01F && low.high >= 100.01F;
    }
    assert_true(held > 0.95 * samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_neighbours_the_centre_is_the_median),
        cmocka_unit_test(neighbours_do_not_raise_the_centre),
        cmocka_unit_test(a_value_below_the_truth_is_no_centre),
        cmocka_unit_test(few_values_are_no_trouble),
        cmocka_unit_test(the_lowest_visits_tell_what_fits),
        cmocka_unit_test(the_envelope_is_at_its_hundredth),
        cmocka_unit_test(single_visits_below_the_truth_are_a_stale_clock),
        cmocka_unit_test(the_interval_of_visits_holds_the_quantile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
