/* Plans that a device carries out: a made-up one, whose time is exact. */
#include "engine/device.h"

#include "engine/engine.h"
#include "engine/visit.h"
#include "result/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 3, TRIALS = 6 };

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
    int fails_to_prepare, fails_to_measure; /* index of a point; -1: none */
    unsigned stop_after;                    /* batches, in all; 0: never */
    bool shared;                            /* somebody else has it for 10 ms of the first batch */
    double hz, hz_per_trial;
    uint64_t least_repeats, most_repeats;
    unsigned observed;
};

static int index_of(const struct trial *trial)
{
    return (int)trial->point->x;
}

static int prepare(void *self, struct trial *trial, struct error *error)
{
    struct bench *bench = self;
    bench->prepares[index_of(trial)]++;
    trial->operations = 16;
    if (index_of(trial) == bench->fails_to_prepare)
        return error_set(error, ERROR_IMPOSSIBLE, "no memory for 8 bytes");
    return 0;
}

/* Point i takes 100 * (i + 1) ns a repeat. */
static int measure(void *self, const struct trial *trial, uint64_t repeats, struct batch *batch,
                   struct error *error)
{
    struct bench *bench = self;
    const int at = index_of(trial);
    bench->batches[at]++;
    if (bench->stop_after && --bench->stop_after == 0)
        bench->stop = 1;
    bench->least_repeats = repeats < bench->least_repeats ? repeats : bench->least_repeats;
    bench->most_repeats = repeats > bench->most_repeats ? repeats : bench->most_repeats;
    if (at == bench->fails_to_measure)
        return error_set(error, ERROR_IMPOSSIBLE, "the launch failed");
    const double lost_ns = bench->shared && bench->batches[at] == 1 ? 10e6 : 0;
    *batch = (struct batch){lost_ns + 100.0 * (at + 1) * (double)repeats,
                            bench->hz + bench->hz_per_trial * trial->number};
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
                           .seat = {-1, MEASURED}};
    clock_calibrate(&bench.clock);
    bench.device = (struct device){&bench, 0, prepare, measure};
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
        bench.points[i] = (struct plan_point){.x = i, .seats = &bench.seat, .seat_count = 1};
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

static void no_time_left_is_no_trial(void **state)
{
    struct bench *bench = *state;
    bench->plan.budget_s = -1;
    assert_int_equal(sample(bench, NULL), 0);
    assert_int_equal(bench->outcome.points_missing, POINTS);
    assert_int_equal(bench->prepares[0] + bench->prepares[1] + bench->prepares[2], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(its_time_and_its_cycles_are_the_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(batches_are_filled_to_their_length, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_first_batch_that_others_delay_shortens_no_other, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_fails_costs_its_point_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(its_flags_are_its_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_device_without_a_clock_has_no_cycles, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_signal_ends_it_between_two_batches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_time_left_is_no_trial, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("engine/device", tests, NULL, NULL);
}
