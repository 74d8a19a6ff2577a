/*
 * The real plan, rounds, visits and statistics on a model in the place of the hardware: any number
 * of CPUs, and a time of its own, so that budgets and drift can be asserted to the percent.
 */
#include "measure/engine/timing_model.h"

#include "document/flag.h"
#include "measure/engine/engine.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 24, SEATS = 3, MODEL_HZ = 2000000000, FIRST_CPU = 1000000 };
static const double INTERRUPTION_PS = 10e9;

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct timing_model model;
    struct seat seats[POINTS][SEATS];
    struct plan_point points[POINTS];
    unsigned groups[POINTS];
    struct series series;
    struct plan plan;
    struct pool pool;
    volatile sig_atomic_t stop;
    /* the model's */
    double operation_ps, drift_per_s; /* of each operation; how it rises with the model's time */
    double modelled_s;
    unsigned prepared, prepares, calls[SEATS];
    uint64_t round;       /* of every trial */
    unsigned interrupted; /* as many of the next calls take INTERRUPTION_PS longer */
    uint64_t repeats[SEATS];
    /* the observer's */
    unsigned observed, reference_observed;
    uint64_t reference_seed, least_repeats, last_repeats; /* of a batch */
    double last_s;
    /* progress */
    unsigned shown;
    double first_left_s, worst_ratio, took_s;
};

static uint64_t never_runs(void *state, uint64_t repeats)
{
    fail_msg("a kernel ran although a model stands in for it");
    return 0;
}

static void prepare(struct trial *trial)
{
    struct bench *bench = (struct bench *)trial->probe_state;
    bench->prepares++;
    trial->round = bench->round;
    for (size_t i = 0; i < trial->point->seat_count; i++)
        trial->workers[i] = (struct worker){.run = never_runs, .state = trial->workers[i].room};
}

static void prepared(void *self, const struct trial *trial)
{
    struct bench *bench = self;
    assert_ptr_equal(trial->workers[0].run, never_runs);
    assert_int_equal(++bench->prepared, bench->prepares); /* each right after its prepare() */
}

/* The CPU's last digit is the seat. */
static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct bench *bench = self;
    int seat = cpu % 10;
    assert_in_range(seat, 0, SEATS - 1);
    assert_ptr_equal(run, never_runs);
    assert_non_null(state);
    bench->calls[seat]++;
    bench->repeats[seat] += repeats;
    double took_ps = (double)repeats * bench->operation_ps * (seat + 1) *
                     (1 + bench->drift_per_s * bench->modelled_s);
    if (bench->interrupted) {
        bench->interrupted--;
        took_ps += INTERRUPTION_PS;
    }
    bench->modelled_s += took_ps * 1e-12;
    return (uint64_t)took_ps;
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    struct bench *bench = self;
    assert_in_range(cpu, FIRST_CPU, FIRST_CPU + 10 * POINTS);
    bench->modelled_s += (double)count / (double)MODEL_HZ;
    return (uint64_t)((double)count * (1e12 / (double)MODEL_HZ));
}

static void observe(void *observer, const struct observation *observation)
{
    struct bench *bench = observer;
    const struct trial *trial = observation->trial;
    assert_in_range(observation->batch_count, 1, bench->plan.batches); /* the budget may cut */
    assert_true(observation->batches[0].ns > 0);
    assert_true(observation->repeats > 0);
    if (observation->repeats < bench->least_repeats)
        bench->least_repeats = observation->repeats;
    bench->last_repeats = observation->repeats;
    assert_true(observation->at_s >= bench->last_s);
    bench->last_s = observation->at_s;
    bench->observed += !observation->reference;
    if (observation->reference) {
        assert_ptr_equal(trial->point, bench->points);
        assert_int_equal(trial->number, bench->reference_observed % bench->plan.trials_per_visit);
        if (!bench->reference_observed)
            bench->reference_seed = trial->seed;
        if (trial->number == 0)
            assert_true(trial->seed == bench->reference_seed);
        bench->reference_observed++;
    }
}

static void show(void *argument, double done, double left_s)
{
    struct bench *bench = argument;
    assert_true(done >= 0 && done <= 1 && left_s >= 0);
    assert_true(left_s <= bench->plan.budget_s);
    if (!bench->shown++)
        bench->first_left_s = left_s;
}

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.operation_ps = 10000, .least_repeats = UINT64_MAX};
    clock_calibrate_below(&bench.clock, NULL);
    bench.model = (struct timing_model){&bench, prepared, work, additions, NULL};
    bench.engine = (struct engine){.machine = &bench.machine,
                                   .clock = &bench.clock,
                                   .seed = 3,
                                   .progress = {show, &bench, 0.25},
                                   .model = &bench.model};
    bench.plan = (struct plan){.series = &bench.series,
                               .series_count = 1,
                               .points = bench.points,
                               .point_count = POINTS,
                               .node = -1,
                               .touch_cpu = FIRST_CPU,
                               .trials_min = 6,
                               .trials_max = 12,
                               .trials_per_visit = 1,
                               .batches = 3,
                               .batch_ns = 100e3,
                               .cycles = true,
                               .precision = 0.01,
                               .unstable_above = INFINITY,
                               .budget_s = 100};
    for (int i = 0; i < POINTS; i++) {
        for (int seat = 0; seat < SEATS; seat++)
            bench.seats[i][seat] = (struct seat){FIRST_CPU + 10 * i + seat, MEASURED};
        bench.points[i] = (struct plan_point){.x = i, .seats = bench.seats[i], .seat_count = 1};
    }
    *state = &bench;
    return team_create(&bench.engine.team, &bench.stop, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    team_free(bench->engine.team);
    pool_free(&bench->pool);
    return 0;
}

static int sample(struct bench *bench, struct stage_outcome *outcome)
{
    const struct trial_work trial_work = {prepare, observe, bench, bench};
    int code = stage_run(&bench->engine, &bench->plan, &trial_work, &bench->pool, outcome, NULL);
    return code;
}

static bool near(double value, double wanted, double share)
{
    return fabs(value / wanted - 1) <= share;
}

static void cpus_need_not_exist_and_every_point_is_flagged(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    assert_int_equal(sample(bench, &outcome), 0);
    assert_int_equal(bench->series.point_count, POINTS);
    for (int i = 0; i < POINTS; i++) {
        const struct point *point = &bench->series.points[i];
        assert_int_equal(point->y.n, 6);
        assert_int_equal(point->flags, FLAG_BIT(FLAG_MODELLED));
        assert_true(near((double)point->y.median, 10, 1e-4));
        assert_true(near((double)point->cycles.median, 20, 1e-4));
    }
    assert_int_equal(bench->prepared, POINTS * 6);
    assert_int_equal(bench->observed, POINTS * 6);
    assert_int_equal(bench->reference_observed, 0);
    assert_true(near((double)outcome.core_hz.median, MODEL_HZ, 1e-4));
    assert_true(outcome.stolen_s == 0);
}

static void a_batch_is_as_long_as_planned_in_the_models_time(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    assert_int_equal(sample(bench, &outcome), 0);
    /* 100 us of 10 ns operations, three batches a trial, and what finding that out took. */
    const double batches = POINTS * 6 * 3;
    assert_true(near((double)bench->repeats[0], batches * 10000, 0.2));
    assert_true(near(outcome.elapsed_s, bench->modelled_s, 0.001));
}

/* Found in a run that was interrupted, repeats would be far too few, and all batches from then on
 * too short to tell anything. */
static void an_interruption_while_repeats_are_found_shortens_no_batch(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.point_count = 1;
    bench->plan.reference_every_s = 0;
    /* A run, both runs, or these and the first batch, which then lasts long enough. */
    for (unsigned interrupted = 1; interrupted <= 3; interrupted++) {
        bench->series = (struct series){0};
        bench->interrupted = interrupted;
        bench->least_repeats = UINT64_MAX;
        bench->last_s = 0;
        assert_int_equal(sample(bench, &outcome), 0);
        assert_int_equal(bench->series.points[0].y.n, 6);
        assert_true(near((double)bench->last_repeats, 10000, 0.01));
        assert_true(interrupted == 3 || bench->least_repeats >= 9900);
    }
}

static void a_batch_goes_whole_rounds_where_it_is_a_good_part_of_one(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    static const double cases[][2] = {{0, 10000}, {3000, 9000}, {24000, 24000}, {48000, 10000}};
    bench->plan.point_count = 1;
    bench->plan.reference_every_s = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench->series = (struct series){0};
        bench->last_s = 0;
        bench->round = (uint64_t)cases[i][0];
        assert_int_equal(sample(bench, &outcome), 0);
        assert_true(near((double)bench->last_repeats, cases[i][1], 0.02));
    }
}

static void partners_and_background_have_their_turn_in_every_run_of_batches(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.point_count = 1;
    bench->plan.repeats = 100;
    bench->plan.warm_repeats = 7;
    bench->plan.batch_ns = 0;
    bench->points[0].seat_count = 3;
    bench->seats[0][1].role = PARTNER;
    bench->seats[0][2].role = BACKGROUND;
    assert_int_equal(sample(bench, &outcome), 0);
    /* A batch takes 1 us: the first is a run of its own, then the rest of the trial. */
    assert_int_equal(bench->calls[1], 6 * 2);
    assert_int_equal(bench->calls[2], 6 * 2);
    assert_int_equal(bench->repeats[0], 6 * (3 * 100 + 2 * 7));
    assert_int_equal(bench->repeats[1], bench->repeats[0]); /* or they would wait for ever */
    assert_int_equal(bench->repeats[2], 6 * 2);
    assert_true(near((double)bench->series.points[0].y.median, 10, 1e-4));
}

static void the_slowest_of_several_measured_tells(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.point_count = 1;
    bench->points[0].seat_count = 3;
    assert_int_equal(sample(bench, &outcome), 0);
    assert_int_equal(bench->repeats[0], bench->repeats[2]);
    assert_true(near((double)bench->series.points[0].y.median, 30, 1e-4));
}

static void a_span_takes_the_models_time_and_no_other(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.span_s = 60;
    uint64_t began_ns = os_raw_ns();
    assert_int_equal(sample(bench, &outcome), 0);
    assert_true(outcome.elapsed_s >= 50 && outcome.elapsed_s < 60);
    assert_true(os_raw_ns() - began_ns < UINT64_C(50) * 1000 * 1000 * 1000);
}

/* Whatever the budget cuts: rounds, the trials of a visit or the batches of a trial. */
static void the_budget_is_kept_within_a_tenth(void **state)
{
    struct bench *bench = *state;
    static const struct {
        unsigned trials_a_visit, batches;
        double batch_ns, budget_s;
        bool all; /* every point has a value */
    } cases[] = {
        {1, 3, 1e6, 0.3, true},     {1, 3, 1e6, 0.02, false},  {12, 3, 1e6, 0.1, false},
        {12, 30, 1e6, 0.1, false},  {12, 3, 20e6, 1, false},   {1, 1000, 1e6, 0.2, false},
        {1, 11, 5e3, 0.005, false}, {12, 11, 5e3, 0.03, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stage_outcome outcome;
        bench->series = (struct series){0};
        bench->plan.trials_min = bench->plan.trials_max = 12;
        bench->plan.trials_per_visit = cases[i].trials_a_visit;
        bench->plan.batches = cases[i].batches;
        bench->plan.repeats = (uint64_t)(cases[i].batch_ns / 10);
        bench->plan.budget_s = cases[i].budget_s;
        const struct trial_work trial_work = {.prepare = prepare, .state = bench};
        assert_int_equal(
            stage_run(&bench->engine, &bench->plan, &trial_work, &bench->pool, &outcome, NULL), 0);
        assert_true(outcome.elapsed_s <= 1.1 * cases[i].budget_s);
        assert_true(outcome.elapsed_s >= 0.9 * cases[i].budget_s ||
                    bench->series.points[0].y.n == 12);
        assert_int_equal(bench->series.point_count + outcome.points_missing, POINTS);
        assert_true(!cases[i].all || outcome.points_missing == 0);
        assert_true(bench->series.point_count > 0);
    }
}

static void the_time_needed_is_said_before_the_start(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.batch_ns = 20e6; /* 24 points of 6 trials of 3 batches of 20 ms */
    assert_int_equal(sample(bench, &outcome), 0);
    assert_true(near(bench->first_left_s, 8.64, 0.1));
    assert_true(near(bench->first_left_s, outcome.elapsed_s, 0.2));
    assert_in_range(bench->shown, 20, 40);
}

static void groups_run_at_the_same_time(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome alone, together;
    assert_int_equal(sample(bench, &alone), 0);
    bench->series = (struct series){0};
    bench->last_s = 0;
    for (int i = 0; i < POINTS / 6; i++)
        bench->groups[i] = 6;
    bench->plan.groups = bench->groups;
    bench->plan.group_count = POINTS / 6;
    assert_int_equal(sample(bench, &together), 0);
    assert_true(near(together.elapsed_s, alone.elapsed_s / 6, 0.05));
    assert_int_equal(bench->series.point_count, POINTS);
    for (int i = 0; i < POINTS; i++) {
        assert_true(bench->series.points[i].x == i);
        assert_int_equal(bench->series.points[i].y.n, 6);
        assert_true(near((double)bench->series.points[i].y.median, 10, 1e-4));
    }
}

/* The model slows down by a fifth in the course of the run. */
static void drift_is_read_off_the_reference_and_corrected_where_asked(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.batch_ns = 1e6;
    bench->plan.trials_min = bench->plan.trials_max = 12;
    bench->plan.trials_per_visit = 2;
    bench->plan.reference_every_s = 0.02;
    bench->drift_per_s = 0.2;
    assert_int_equal(sample(bench, &outcome), 0);
    const double rise = 1 + 0.2 * outcome.elapsed_s;
    assert_true(rise > 1.15 && rise < 1.3);
    assert_in_range(outcome.reference_visits, 20, 60);
    assert_int_equal(bench->reference_observed, 2 * outcome.reference_visits);
    assert_int_equal(bench->observed, POINTS * 12);
    assert_true(outcome.drift_least == 1);
    assert_true(near(outcome.drift_most, rise, 0.02));
    assert_true((double)bench->series.points[5].y.max > 11);
    assert_true(bench->series.points[5].flags & FLAG_BIT(FLAG_DRIFT));

    bench->series = (struct series){0};
    bench->plan.correct_drift = true;
    bench->modelled_s = bench->last_s = bench->reference_observed = 0;
    assert_int_equal(sample(bench, &outcome), 0);
    for (int i = 0; i < POINTS; i++) {
        const struct point *point = &bench->series.points[i];
        assert_int_equal(point->y.n, 12);
        assert_true(near((double)point->y.min, 10, 0.01) && near((double)point->y.max, 10, 0.01));
        assert_true(near((double)point->cycles.median, 20, 0.01));
        assert_false(point->flags & FLAG_BIT(FLAG_DRIFT));
    }
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    struct summary first[POINTS];
    for (int run = 0; run < 2; run++) {
        bench->series = (struct series){0};
        bench->modelled_s = bench->last_s = 0;
        bench->drift_per_s = 0.5; /* the order of the visits shows */
        bench->plan.budget_s = 0.05;
        assert_int_equal(sample(bench, &outcome), 0);
        assert_true(bench->series.point_count > POINTS / 2);
        for (size_t i = 0; i < bench->series.point_count && run == 0; i++)
            first[i] = bench->series.points[i].y;
        for (size_t i = 0; i < bench->series.point_count && run == 1; i++)
            assert_memory_equal(&first[i], &bench->series.points[i].y, sizeof first[i]);
    }
}

static void a_stop_ends_it(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->stop = SIGINT;
    assert_int_equal(sample(bench, &outcome), ERROR_INTERRUPTED);
    assert_int_equal(bench->prepares, 1);
}

#define MODEL_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL_TEST(cpus_need_not_exist_and_every_point_is_flagged),
        MODEL_TEST(a_batch_is_as_long_as_planned_in_the_models_time),
        MODEL_TEST(an_interruption_while_repeats_are_found_shortens_no_batch),
        MODEL_TEST(a_batch_goes_whole_rounds_where_it_is_a_good_part_of_one),
        MODEL_TEST(partners_and_background_have_their_turn_in_every_run_of_batches),
        MODEL_TEST(the_slowest_of_several_measured_tells),
        MODEL_TEST(a_span_takes_the_models_time_and_no_other),
        MODEL_TEST(the_budget_is_kept_within_a_tenth),
        MODEL_TEST(the_time_needed_is_said_before_the_start),
        MODEL_TEST(groups_run_at_the_same_time),
        MODEL_TEST(drift_is_read_off_the_reference_and_corrected_where_asked),
        MODEL_TEST(the_same_seed_gives_the_same_numbers),
        MODEL_TEST(a_stop_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
