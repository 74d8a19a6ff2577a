/* Plans that a device carries out: a made-up one, whose time is exact. */
#include "measure/engine/device.h"

#include "document/flag.h"
#include "measure/engine/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 3, TRIALS = 6, WAKE = 99 };

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct device device;
    struct seat seat;
    struct plan_point points[POINTS];
    struct series series;
    struct plan plan;
    struct pool pool;
    struct stage_outcome outcome;
    volatile sig_atomic_t stop;
    unsigned prepares[POINTS], batches[POINTS];
    unsigned ready;           /* the work that was prepared last; WAKE is none of a point */
    double slower, slower_by; /* while it wakes: what batches take more, and how that falls */
    unsigned wakes;           /* batches of that */
    bool fails_to_wake;
    int fails_to_prepare, fails_to_measure; /* index of a point; -1: none */
    unsigned stop_after;                    /* batches, in all; 0: never */
    bool shared;                            /* somebody else has it for 10 ms of the first batch */
    double hz, hz_per_trial;
    double at_once; /* a batch works this many times as long as its share of the work takes */
    uint64_t least_repeats, most_repeats;
    unsigned observed;
};

static int prepare(void *self, uint64_t work, uint64_t seed, double *operations,
                   struct error *error)
{
    struct bench *bench = self;
    bench->ready = (unsigned)work;
    *operations = 16;
    if (work == WAKE)
        return bench->fails_to_wake ? error_set(error, ERROR_IMPOSSIBLE, "it is off the bus") : 0;
    bench->prepares[work]++;
    if ((int)work == bench->fails_to_prepare)
        return error_set(error, ERROR_IMPOSSIBLE, "no memory for 8 bytes");
    return 0;
}

/* A batch of the work that wakes it, 1 us a repeat when it is awake. */
static int measure_awakening(struct bench *bench, uint64_t repeats, double *ns)
{
    *ns = 1000.0 * bench->slower * (double)repeats;
    bench->slower = fmax(1, bench->slower - bench->slower_by);
    bench->wakes++;
    return 0;
}

/* Point i takes 100 * (i + 1) ns a repeat. */
static int measure(void *self, uint64_t repeats, struct device_time *took, struct error *error)
{
    struct bench *bench = self;
    const unsigned at = bench->ready;
    if (bench->stop_after && --bench->stop_after == 0)
        bench->stop = 1;
    took->core_hz = bench->hz;
    if (at == WAKE)
        return measure_awakening(bench, repeats, &took->ns);
    bench->batches[at]++;
    bench->least_repeats = repeats < bench->least_repeats ? repeats : bench->least_repeats;
    bench->most_repeats = repeats > bench->most_repeats ? repeats : bench->most_repeats;
    if ((int)at == bench->fails_to_measure)
        return error_set(error, ERROR_IMPOSSIBLE, "the launch failed");
    const double lost_ns = bench->shared && bench->batches[at] == 1 ? 10e6 : 0;
    took->ns = lost_ns + 100.0 * (at + 1) * (double)repeats;
    took->worked_ns = took->ns * bench->at_once;
    took->core_hz += bench->hz_per_trial * (bench->prepares[at] - 1);
    return 0;
}

static void observe(void *observer, const struct observation *observation)
{
    struct bench *bench = observer;
    assert_int_equal(observation->batch_count, bench->plan.batches);
    bench->observed++;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.hz = 2e9,
                           .fails_to_prepare = -1,
                           .fails_to_measure = -1,
                           .least_repeats = UINT64_MAX,
                           .at_once = 1,
                           .seat = {-1, MEASURED}};
    clock_calibrate_below(&bench.clock, NULL);
    bench.device = (struct device){&bench, 0, prepare, measure, WAKE, false, 2e9};
    bench.engine = (struct engine){.machine = &bench.machine, .clock = &bench.clock, .seed = 3};
    assert_int_equal(team_create(&bench.engine.team, &bench.stop, NULL), 0);
    bench.plan = (struct plan){.series = &bench.series,
                               .series_count = 1,
                               .points = bench.points,
                               .point_count = POINTS,
                               .node = -1,
                               .device = &bench.device,
                               .cycles = true,
                               .trials_min = TRIALS,
                               .trials_max = TRIALS,
                               .trials_per_visit = 1,
                               .batches = 3,
                               .repeats = 10,
                               .precision = 0.01,
                               .unstable_above = INFINITY,
                               .budget_s = 60};
    for (int i = 0; i < POINTS; i++)
        bench.points[i] =
            (struct plan_point){.x = i, .seats = &bench.seat, .seat_count = 1, .index = (size_t)i};
    *state = &bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    team_free(bench->engine.team);
    pool_free(&bench->pool);
    return 0;
}

static int sample(struct bench *bench, struct error *error)
{
    const struct trial_work work = {.observe = observe, .observer = bench};
    return stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &bench->outcome, error);
}

static void its_time_and_its_cycles_are_the_points(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->series.point_count, POINTS);
    for (int i = 0; i < POINTS; i++) {
        const struct point *point = &bench->series.points[i];
        assert_int_equal(point->y.n, TRIALS);
        assert_float_equal(point->y.median, 100.0F * (float)(i + 1) / 16, 1e-4);
        assert_float_equal(point->cycles.median, 200.0F * (float)(i + 1) / 16, 1e-4);
        assert_int_equal(point->flags, 0);
        assert_int_equal(bench->prepares[i], TRIALS);
        assert_int_equal(bench->batches[i], 3 * TRIALS);
    }
    assert_int_equal(bench->observed, POINTS * TRIALS);
    assert_int_equal(bench->outcome.core_hz.n, 0); /* it is no CPU's */
}

static void batches_are_filled_to_their_length(void **state)
{
    struct bench *bench = *state;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 1e6;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->least_repeats, 1);
    assert_in_range(bench->most_repeats, 10000, 10001);
    assert_float_equal(bench->series.points[2].y.median, 300.0 / 16, 1e-4);
}

static void a_device_that_does_more_than_was_asked_for_fills_its_batches_no_longer(void **state)
{
    struct bench *bench = *state;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 1e6;
    bench->at_once = 100;
    assert_int_equal(sample(bench, NULL), 0);
    assert_in_range(bench->most_repeats, 100, 101);
    assert_float_equal(bench->series.points[0].y.median, 100.0 / 16, 1e-9);
}

static void a_first_batch_that_others_delay_shortens_no_other(void **state)
{
    struct bench *bench = *state;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 1e6;
    bench->shared = true;
    assert_int_equal(sample(bench, NULL), 0);
    assert_in_range(bench->most_repeats, 10000, 10001);
}

static void what_fails_costs_its_point_alone(void **state)
{
    struct bench *bench = *state;
    bench->fails_to_prepare = 0;
    bench->fails_to_measure = 2;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->outcome.points_failed, 2);
    assert_string_equal(bench->series.points[0].failed, "no memory for 8 bytes");
    assert_string_equal(bench->series.points[2].failed, "the launch failed");
    assert_int_equal(bench->series.points[0].y.n, 0);
    assert_int_equal(bench->series.points[1].y.n, TRIALS);
    assert_int_equal(bench->batches[0], 0);
    assert_int_equal(bench->prepares[2], 1); /* nor is it tried again */
}

static void its_flags_are_its_points(void **state)
{
    struct bench *bench = *state;
    bench->device.flags = FLAG_BIT(FLAG_MODELLED);
    bench->hz_per_trial = 40e6; /* 2 % of its clock from trial to trial */
    assert_int_equal(sample(bench, NULL), 0);
    for (int i = 0; i < POINTS; i++) {
        const unsigned flags = bench->series.points[i].flags;
        assert_true(flags & FLAG_BIT(FLAG_MODELLED));
        assert_true(flags & FLAG_BIT(FLAG_CLOCK_DRIFT));
    }
}

static void a_device_without_a_clock_has_no_cycles(void **state)
{
    struct bench *bench = *state;
    bench->hz = NAN;
    assert_int_equal(sample(bench, NULL), 0);
    assert_true(isnan(bench->series.points[1].cycles.median));
    assert_float_equal(bench->series.points[1].y.median, 200.0 / 16, 1e-4);
    assert_int_equal(bench->series.points[1].flags, 0);
}

static void a_signal_ends_it_between_two_batches(void **state)
{
    struct bench *bench = *state;
    struct error error = {0};
    bench->stop_after = 5;
    assert_int_equal(sample(bench, &error), ERROR_INTERRUPTED);
    assert_int_equal(bench->batches[0] + bench->batches[1] + bench->batches[2], 5);
}

/* --- waking --- */

static void one_that_slept_works_until_its_batches_agree(void **state)
{
    struct bench *bench = *state;
    bench->device.asleep = true;
    bench->slower = 2;
    bench->slower_by = 0.02; /* 50 batches, the last of which differ by more than that share */
    assert_int_equal(sample(bench, NULL), 0);
    assert_in_range(bench->wakes, 50, 100);
    assert_true(bench->slower <= 1);
    assert_false(bench->device.asleep);
    assert_int_equal(bench->series.points[0].y.n, TRIALS);
    assert_null(bench->outcome.not_woken);
    /* Then it is awake. */
    const unsigned wakes = bench->wakes;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->wakes, wakes);
}

/* At a third of what it declares, and without end: it is asked for half a second, in batches of 4
 * ms, before that is believed. So is a clock of which nobody knows what it could be. */
static void a_steady_idle_clock_is_not_believed_at_once(void **state)
{
    struct bench *bench = *state;
    const double declared[] = {6e9, 0, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        bench->device.asleep = true;
        bench->device.full_hz = declared[i];
        bench->slower = 1;
        bench->wakes = 0;
        assert_int_equal(sample(bench, NULL), 0);
        assert_in_range(bench->wakes, 110, 200);
    }
}

static void one_whose_clock_never_settles_is_measured_as_it_is(void **state)
{
    struct bench *bench = *state;
    bench->device.asleep = true;
    bench->slower = 1e6;
    bench->slower_by = 5.4e3;
    assert_int_equal(sample(bench, NULL), 0);
    assert_in_range(bench->wakes, 180, 230);
    assert_int_equal(bench->series.points[0].y.n, TRIALS);
}

static void one_that_does_not_wake_measures_nothing_and_says_why(void **state)
{
    struct bench *bench = *state;
    bench->device.asleep = bench->fails_to_wake = true;
    assert_int_equal(sample(bench, NULL), 0);
    assert_string_equal(bench->outcome.not_woken, "it is off the bus");
    assert_int_equal(bench->outcome.points_missing + bench->outcome.points_failed, 0);
    assert_int_equal(bench->series.point_count, 0);
    assert_int_equal(bench->prepares[0] + bench->prepares[1] + bench->prepares[2], 0);
}

static void a_signal_ends_waking(void **state)
{
    struct bench *bench = *state;
    bench->device.asleep = true;
    bench->slower = 1;
    bench->stop_after = 3;
    assert_int_equal(sample(bench, NULL), ERROR_INTERRUPTED);
    assert_int_equal(bench->wakes, 3);
    assert_int_equal(bench->prepares[0] + bench->prepares[1] + bench->prepares[2], 0);
}

static void no_time_left_is_no_trial(void **state)
{
    struct bench *bench = *state;
    bench->plan.budget_s = -1;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->outcome.points_missing, POINTS);
    assert_int_equal(bench->prepares[0] + bench->prepares[1] + bench->prepares[2], 0);
}

#define DEVICE_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(its_time_and_its_cycles_are_the_points),
        DEVICE_TEST(batches_are_filled_to_their_length),
        DEVICE_TEST(a_device_that_does_more_than_was_asked_for_fills_its_batches_no_longer),
        DEVICE_TEST(a_first_batch_that_others_delay_shortens_no_other),
        DEVICE_TEST(what_fails_costs_its_point_alone),
        DEVICE_TEST(its_flags_are_its_points),
        DEVICE_TEST(a_device_without_a_clock_has_no_cycles),
        DEVICE_TEST(a_signal_ends_it_between_two_batches),
        DEVICE_TEST(one_that_slept_works_until_its_batches_agree),
        DEVICE_TEST(one_whose_clock_never_settles_is_measured_as_it_is),
        DEVICE_TEST(a_steady_idle_clock_is_not_believed_at_once),
        DEVICE_TEST(one_that_does_not_wake_measures_nothing_and_says_why),
        DEVICE_TEST(a_signal_ends_waking),
        DEVICE_TEST(no_time_left_is_no_trial),
    };
    return cmocka_run_group_tests_name("engine/executors/device", tests, NULL, NULL);
}
