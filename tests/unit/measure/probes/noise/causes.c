/* Whom interruptions without a mark are put down to. */
#include "measure/probes/noise/noise.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* One second, watched at a tick a nanosecond: 1000 interruptions of 10 us, 2 of 5 ms. */
static struct noise_tally tally;

static int set_up(void **state)
{
    tally = (struct noise_tally){.over = 500, .windows = 1};
    tally.ticks[WATCHED][0] = 1e9;
    for (int i = 0; i < 1000; i++)
        histogram_add(&tally.lengths[GAP_OTHER], 10000);
    for (int i = 0; i < 2; i++)
        histogram_add(&tally.lengths[GAP_OTHER], 5000000);
    tally.ticks[GAP_OTHER][0] = 1000 * 10e3 + 2 * 5e6;
    return 0;
}

static struct noise_causes attribute(double interrupts, double stolen)
{
    struct noise_causes causes = {.interrupts = interrupts, .stolen = stolen};
    noise_attribute(&tally, 1, &causes);
    double sum = 0;
    for (int cause = 0; cause < CAUSES; cause++) {
        assert_true(causes.share_of_others[cause] >= 0);
        sum += causes.share_of_others[cause];
    }
    assert_true(fabs(sum - 1) < 1e-9);
    return causes;
}

static bool about(double value, double wanted)
{
    return fabs(value - wanted) < 0.01;
}

static void as_many_of_the_shortest_as_there_were_interrupts(void **state)
{
    assert_true(about(attribute(500, 0).share_of_others[CAUSE_INTERRUPTS], 0.25));
    assert_true(about(attribute(1000, 0).share_of_others[CAUSE_INTERRUPTS], 0.5));
    /* However many there were, 5 ms are no interrupt. */
    assert_true(about(attribute(1e6, 0).share_of_others[CAUSE_INTERRUPTS], 0.5));
}

static void a_hypervisor_took_what_it_says_and_no_more_than_there_is(void **state)
{
    struct noise_causes causes = attribute(1000, 0.005);
    assert_true(about(causes.share_of_others[CAUSE_STOLEN], 0.25));
    assert_true(about(causes.share_of_others[CAUSE_UNEXPLAINED], 0.25));
    causes = attribute(1000, 0.5);
    assert_true(about(causes.share_of_others[CAUSE_STOLEN], 0.5));
    assert_true(about(causes.share_of_others[CAUSE_UNEXPLAINED], 0));
}

static void without_counts_nothing_is_explained(void **state)
{
    assert_true(about(attribute(NAN, 0).share_of_others[CAUSE_UNEXPLAINED], 1));
    tally.ticks[GAP_OTHER][0] = 0;
    assert_true(about(attribute(1000, 0.1).share_of_others[CAUSE_UNEXPLAINED], 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(as_many_of_the_shortest_as_there_were_interrupts, set_up),
        cmocka_unit_test_setup(a_hypervisor_took_what_it_says_and_no_more_than_there_is, set_up),
        cmocka_unit_test_setup(without_counts_nothing_is_explained, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
