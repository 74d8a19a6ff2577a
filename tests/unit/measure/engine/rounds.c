/*
 * The real plan, rounds, visits and statistics on modelled work. Nothing here depends on this
 * machine's speed.
 */
#include "rounds_bench.h"

static void steady_points_stop_at_the_fewest_trials(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    assert_int_equal(sample(bench, prepare_model, &outcome), 0);
    assert_int_equal(bench->series.point_count, 4);
    assert_int_equal(outcome.points_missing, 0);
    for (int i = 0; i < 4; i++) {
        const struct point *point = &bench->series.points[i];
        assert_true(point->x == i); /* in the plan's order, whatever the rounds' */
        assert_true(fabs(point->y.median / (100.0 * (1 + i)) - 1) < 1e-6);
        assert_int_equal(point->y.n, 6);
        assert_true(point->y.coverage >= 0.95);
        assert_int_equal(point->flags & ~noise_flags, 0);
    }
}

static void a_wide_point_goes_on_to_the_most_trials_and_is_flagged(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->points[2].index = 20;
    assert_int_equal(sample(bench, prepare_model, &outcome), 0);
    assert_int_equal(bench->series.points[1].y.n, 6);
    assert_int_equal(bench->series.points[2].y.n, 40);
    assert_int_equal(bench->series.points[2].flags & ~noise_flags, FLAG_BIT(FLAG_UNCONVERGED));
    assert_true(bench->series.points[2].y.low <= 300 && bench->series.points[2].y.high >= 300);
}

static void trials_of_one_visit_are_trials_of_their_own(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->points[0].index = 30;
    bench->plan.trials_per_visit = 7;
    bench->plan.trials_min = bench->plan.trials_max = 40;
    assert_int_equal(sample(bench, prepare_model, &outcome), 0);
    assert_int_equal(bench->series.points[0].y.n, 40);
    assert_true(bench->series.points[0].y.max > bench->series.points[0].y.min * 1.2);
}

static bool same_numbers(const struct series *a, const struct series *b)
{
    for (int i = 0; i < 4; i++)
        if (memcmp(&a->points[i].y, &b->points[i].y, sizeof a->points[i].y) != 0)
            return false;
    return true;
}

/* But for a run in which a visit got no time, for then all that follow have other trials. */
static void same_seed_same_numbers(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bool same = false;
    for (int i = 0; i < 4; i++)
        bench->points[i].index = 10;
    assert_int_equal(sample(bench, prepare_model, &outcome), 0);
    for (int try = 0; try < TRIES && !same; try++) {
        struct series before = bench->series;
        assert_int_equal(sample(bench, prepare_model, &outcome), 0);
        same = same_numbers(&before, &bench->series);
    }
    assert_true(same);
}

static void the_fewest_trials_span_the_time_asked_for(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.span_s = 0.6;
    uint64_t began_ns = os_raw_ns();
    assert_int_equal(sample(bench, prepare_model, &outcome), 0);
    assert_true(os_raw_ns() - began_ns >= 500u * 1000 * 1000); /* five pauses of 0.1 s */
    assert_int_equal(bench->series.points[0].y.n, 6);
}

static void no_time_no_points_and_it_says_so(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    for (int budget_s = -1; budget_s <= 0; budget_s++) { /* -1: earlier probes took too long */
        bench->plan.budget_s = budget_s;
        assert_int_equal(sample(bench, prepare_model, &outcome), 0);
        assert_int_equal(bench->series.point_count, 0);
        assert_int_equal(outcome.points_missing, 4);
        assert_int_equal(outcome.points_failed, 0);
    }
}

/* The trials from the third on end when the budget does. */
static uint64_t budget_over_ns;

static uint64_t outlast_the_budget(void *state, uint64_t repeats)
{
    while (os_raw_ns() < budget_over_ns)
        arch_relax();
    return run_model(state, repeats);
}

static void prepare_to_outlast(struct trial *trial)
{
    prepare_model(trial);
    if (trial->number >= 2)
        trial->workers[0].run = outlast_the_budget;
}

/* A visit of 40 trials, of which there is time for three at most; the longer the budget, the surer
 * there is time for one, whoever else is here. */
static void the_budget_ends_a_long_visit_and_keeps_its_trials(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.point_count = 1;
    bench->plan.trials_per_visit = bench->plan.trials_min = 40;
    bench->plan.budget_s = 0.2;
    for (int try = 0; try < TRIES; try++) {
        const struct trial_work work = {.prepare = prepare_to_outlast};
        bench->series = (struct series){0};
        /* Surely after the stage's own end, which begins later. */
        budget_over_ns = os_raw_ns() + (uint64_t)((bench->plan.budget_s + 0.05) * 1e9);
        assert_int_equal(
            stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &outcome, NULL), 0);
        assert_int_equal(bench->series.point_count + outcome.points_missing, 1);
        if (!outcome.points_missing)
            break;
        /* A leg that outlasts two seconds would be given up. */
        bench->plan.budget_s = fmin(4 * bench->plan.budget_s, 1.6);
    }
    assert_int_equal(bench->series.point_count, 1);
    assert_in_range(bench->series.points[0].y.n, 1, 3);
    assert_true(fabs(bench->series.points[0].y.median / 100.0 - 1) < 1e-6);
}

static void prepare_and_stop(struct trial *trial)
{
    prepare_model(trial);
    if (trial->point->x == 3 && trial->number == 1)
        __atomic_store_n(&((struct bench *)trial->probe_state)->stop, SIGTERM, __ATOMIC_RELAXED);
}

static void a_stop_leaves_what_was_measured(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.trials_min = 1;
    assert_int_equal(sample(bench, prepare_and_stop, &outcome), ERROR_INTERRUPTED);
    assert_int_equal(bench->series.point_count, 4);
    for (int i = 0; i < 4; i++)
        assert_in_range(bench->series.points[i].y.n, 1, 2);
}

static void prepare_sleep(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = sleep_a_little};
    trial->operations = 2;
}

static void real_time_is_counted_per_operation(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.kernel_timed = false;
    bench->plan.cycles = true;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 100e3;
    bench->plan.point_count = 1;
    assert_int_equal(sample(bench, prepare_sleep, &outcome), 0);
    const struct point *point = &bench->series.points[0];
    /* It can't be shorter; how much longer depends on who else is here. */
    assert_true(point->y.min >= 10000 * 0.99);
    assert_true(outcome.core_hz.n > 0 && outcome.core_hz.median > 1e6);
    assert_true(point->cycles.median > 0);
}

/* --- the first look, and a stage that is left and gone on with --- */

static const uint32_t looked_at[] = {3, 1};

/* Points 0 to 3, of which 3 and 1 are to be looked at, need 1, 5, 9 and 17 MiB. */
static void plan_sizes(struct bench *bench)
{
    for (size_t i = 0; i < 4; i++)
        bench->points[i].arena_bytes = (i ? ((size_t)4 << 20 << (i - 1)) : 0) + (1 << 20);
    bench->plan.look = looked_at;
    bench->plan.look_count = 2;
    bench->series = (struct series){0};
}

/* As if it had not been left: the points come in the series once, whatever was sorted or added
 * meanwhile. */
static void a_stage_that_was_summed_up_goes_on(void **state)
{
    struct bench *bench = *state;
    const struct trial_work work = {.prepare = prepare_model, .state = bench};
    struct stage_outcome outcome;
    struct stage *stage;
    plan_sizes(bench);
    for (int i = 0; i < 4; i++)
        bench->points[i].index = 20;
    assert_int_equal(stage_open(&stage, &bench->engine, &bench->plan, &work, &bench->pool, NULL),
                     0);
    assert_int_equal(stage_look(stage, 60, NULL), 0);
    stage_sum_up(stage, &outcome);
    const size_t before = bench->series.point_count;
    assert_int_equal(before + outcome.points_missing, 4);
    assert_true(before <= 2 && stage_is_open(stage));
    if (before == 2) { /* in another order, and with one more of another stage */
        struct point *points = bench->series.points, first = points[0];
        points[0] = points[1];
        points[1] = first;
    }
    struct point *other = pool_append(&bench->pool, (void **)&bench->series.points,
                                      &bench->series.point_count, sizeof *other);
    assert_non_null(other);
    other->x = 7;
    other->y.n = 1;
    assert_int_equal(stage_reopen(stage, &bench->plan, NULL), 0);
    assert_int_equal(stage_advance(stage, 60, 1, NULL), 0);
    stage_sum_up(stage, &outcome);
    stage_close(stage, false);
    assert_int_equal(bench->series.point_count + outcome.points_missing, 5);
    unsigned seen = 0;
    for (size_t i = 0; i < bench->series.point_count; i++) {
        const struct point *point = &bench->series.points[i];
        assert_false(seen >> (int)point->x & 1);
        seen |= 1U << (int)point->x;
        if (point->x < 4 && !point->failed) {
            assert_true(point->y.n > 1);
            assert_true(fabs((double)point->y.median / (100 * (1 + point->x)) - 1) < 0.2);
        }
    }
    assert_true(seen >> 7 & 1);
}

/* How many trials of each point were observed, and whether their numbers counted up. */
struct swept {
    unsigned observed[4];
    bool in_order;
};

static void count_swept(void *observer, const struct observation *seen)
{
    struct swept *swept = observer;
    const int point = (int)seen->trial->point->x;
    swept->in_order = swept->in_order && seen->trial->number == swept->observed[point];
    swept->observed[point]++;
}

/* Three points a visit; what was interrupted is dropped and comes again, so none has fewer. */
static void a_sweep_gives_every_point_many_short_trials(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    struct swept swept = {.in_order = true};
    const struct trial_work work = {
        .prepare = prepare_model, .observe = count_swept, .observer = &swept, .state = bench};
    bench->points[3].index = 60;
    bench->plan.sweep = 3;
    bench->plan.lowest = true;
    bench->plan.batch_ns = 1e6;
    bench->plan.batches = 1;
    bench->plan.trials_min = 32;
    bench->plan.trials_max = 96;
    bench->plan.precision = 0.001;
    assert_int_equal(stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &outcome, NULL),
                     0);
    assert_int_equal(bench->series.point_count, 4);
    assert_true(swept.in_order);
    for (int i = 0; i < 4; i++) {
        const struct point *point = &bench->series.points[i];
        assert_true(point->y.n >= 32 && point->y.n <= 96);
        assert_int_equal(point->y.n, swept.observed[i]);
        assert_true(i == 3 || fabs((double)point->y.median / (100.0 * (1 + i)) - 1) < 0.01);
    }
    /* Of trials between 160 and 640 ns. */
    assert_true(bench->series.points[3].y.n == 96);
    assert_true(bench->series.points[3].y.median < 260 && bench->series.points[3].y.max > 300);
}

/* A timer that ends before the thread has gone to sleep counts as no switch: of 1 us, some do. */
static uint64_t run_asleep(void *state, uint64_t repeats)
{
    usleep(200);
    return 10 * run_model(state, repeats);
}

static void prepare_asleep(struct trial *trial)
{
    prepare_model(trial);
    trial->workers[0].run = trial->number % 2 ? run_asleep : run_model;
}

/* Every second trial of a visit sleeps in all its attempts. */
static void a_trial_that_must_be_whole_is_dropped_where_it_was_interrupted(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    bench->plan.batches = 1;
    bench->plan.trials_per_visit = 8;
    for (int whole = 0; whole < 2; whole++) {
        bench->plan.whole = whole;
        assert_int_equal(sample(bench, prepare_asleep, &outcome), 0);
        for (int i = 0; i < 4; i++) {
            const struct point *point = &bench->series.points[i];
            const double most = (double)point->y.max / (100.0 * (1 + i));
            assert_true(point->y.n >= 6 && point->redone > 0);
            assert_true(whole ? fabs(most - 1) < 1e-6 : most > 9);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUNDS_TEST(steady_points_stop_at_the_fewest_trials),
        ROUNDS_TEST(a_wide_point_goes_on_to_the_most_trials_and_is_flagged),
        ROUNDS_TEST(trials_of_one_visit_are_trials_of_their_own),
        ROUNDS_TEST(same_seed_same_numbers),
        ROUNDS_TEST(the_fewest_trials_span_the_time_asked_for),
        ROUNDS_TEST(no_time_no_points_and_it_says_so),
        ROUNDS_TEST(the_budget_ends_a_long_visit_and_keeps_its_trials),
        ROUNDS_TEST(a_stop_leaves_what_was_measured),
        ROUNDS_TEST(real_time_is_counted_per_operation),
        ROUNDS_TEST(a_stage_that_was_summed_up_goes_on),
        ROUNDS_TEST(a_sweep_gives_every_point_many_short_trials),
        ROUNDS_TEST(a_trial_that_must_be_whole_is_dropped_where_it_was_interrupted),
    };
    if (allowed_cpu(0) < 0) {
        puts("1..0 # SKIP this system can't pin a thread");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
