/*
 * The real plan, sampler, visits and statistics on modelled work: kernels that say how long they
 * took. Nothing here depends on this machine's speed.
 */
#include "engine/engine.h"

#include "base/random.h"
#include "result/flag.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A trial's model: every operation takes so many picoseconds. */
struct model {
    uint64_t picoseconds;
};

static uint64_t run_model(void *state, uint64_t repeats)
{
    return ((struct model *)state)->picoseconds * repeats;
}

/* Trials of a point are spread over +-`detail` percent around 100 ns x (1 + x). */
static void prepare_model(struct trial *trial)
{
    struct random random = {trial->seed};
    double spread = (double)trial->point->detail / 100 * (2 * random_unit(&random) - 1);
    struct worker *worker = &trial->workers[0];
    worker->run = run_model;
    worker->state = worker->room;
    *(struct model *)worker->state =
        (struct model){(uint64_t)(1e5 * (1 + trial->point->x) * (1 + spread))};
}

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct seat seats[2];
    struct plan_point points[4];
    struct series series;
    struct plan plan;
    struct pool pool;
    volatile sig_atomic_t stop;
};

static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.seats = {{allowed_cpu(0), MEASURED}, {allowed_cpu(1), PARTNER}}};
    clock_calibrate(&bench.clock);
    bench.engine = (struct engine){.machine = &bench.machine, .clock = &bench.clock, .seed = 11};
    bench.plan = (struct plan){.series = &bench.series,
                               .series_count = 1,
                               .points = bench.points,
                               .point_count = 4,
                               .node = -1,
                               .touch_cpu = bench.seats[0].cpu,
                               .kernel_timed = true,
                               .trials_min = 6,
                               .trials_max = 40,
                               .trials_per_visit = 1,
                               .batches = 3,
                               .repeats = 8,
                               .precision = 0.01,
                               .unstable_above = INFINITY,
                               .budget_s = 60};
    for (int i = 0; i < 4; i++)
        bench.points[i] = (struct plan_point){.x = i, .seats = bench.seats, .seat_count = 1};
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

static int sample(struct bench *bench, void (*prepare)(struct trial *), struct sampled *sampled)
{
    struct trial_work work = {.prepare = prepare, .state = bench};
    return sampler_run(&bench->engine, &bench->plan, &work, &bench->pool, sampled, NULL);
}

static void steady_points_stop_at_the_fewest_trials(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    assert_int_equal(bench->series.point_count, 4);
    assert_int_equal(sampled.points_missing, 0);
    for (int i = 0; i < 4; i++) {
        const struct point *point = &bench->series.points[i];
        assert_true(point->x == i); /* in the plan's order, whatever the rounds' */
        assert_true(fabs(point->y.median / (100.0 * (1 + i)) - 1) < 1e-6);
        assert_int_equal(point->y.n, 6);
        assert_true(point->y.coverage >= 0.95);
        assert_int_equal(point->flags, 0);
    }
}

static void a_wide_point_goes_on_to_the_most_trials_and_is_flagged(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    bench->points[2].detail = 20;
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    assert_int_equal(bench->series.points[1].y.n, 6);
    assert_int_equal(bench->series.points[2].y.n, 40);
    assert_int_equal(bench->series.points[2].flags, FLAG_BIT(FLAG_UNCONVERGED));
    assert_true(bench->series.points[2].y.low <= 300 && bench->series.points[2].y.high >= 300);
}

static void trials_of_one_visit_are_trials_of_their_own(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    bench->points[0].detail = 30;
    bench->plan.trials_per_visit = 7;
    bench->plan.trials_min = bench->plan.trials_max = 40;
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    assert_int_equal(bench->series.points[0].y.n, 40);
    assert_true(bench->series.points[0].y.max > bench->series.points[0].y.min * 1.2);
}

static void same_seed_same_numbers(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    for (int i = 0; i < 4; i++)
        bench->points[i].detail = 10;
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    struct series first = bench->series;
    bench->series = (struct series){0};
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    for (int i = 0; i < 4; i++)
        assert_memory_equal(&bench->series.points[i].y, &first.points[i].y,
                            sizeof first.points[i].y);
}

static void the_fewest_trials_span_the_time_asked_for(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    bench->plan.span_s = 0.6;
    uint64_t began_ns = os_raw_ns();
    assert_int_equal(sample(bench, prepare_model, &sampled), 0);
    assert_true(os_raw_ns() - began_ns >= 500u * 1000 * 1000); /* five pauses of 0.1 s */
    assert_int_equal(bench->series.points[0].y.n, 6);
}

static void no_time_no_points_and_it_says_so(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    for (int budget_s = -1; budget_s <= 0; budget_s++) { /* -1: earlier probes took too long */
        bench->plan.budget_s = budget_s;
        assert_int_equal(sample(bench, prepare_model, &sampled), 0);
        assert_int_equal(bench->series.point_count, 0);
        assert_int_equal(sampled.points_missing, 4);
        assert_int_equal(sampled.points_failed, 0);
    }
}

/* A visit of 40 trials of half a second each must not outlast a budget of one second. */
static uint64_t take_a_sixth_of_a_second(void *state, uint64_t repeats)
{
    uint64_t until = os_raw_ns() + 1000u * 1000 * 1000 / 6;
    while (os_raw_ns() < until)
        ;
    return run_model(state, repeats);
}

static void prepare_slowly(struct trial *trial)
{
    prepare_model(trial);
    trial->workers[0].run = take_a_sixth_of_a_second;
}

static void the_budget_ends_a_long_visit_and_keeps_its_trials(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    bench->plan.point_count = 1;
    bench->plan.trials_per_visit = bench->plan.trials_min = 40;
    bench->plan.budget_s = 1;
    assert_int_equal(sample(bench, prepare_slowly, &sampled), 0);
    assert_int_equal(bench->series.point_count, 1);
    assert_in_range(bench->series.points[0].y.n, 1, 4);
    assert_true(fabs(bench->series.points[0].y.median / 100.0 - 1) < 1e-6);
}

static void prepare_and_stop(struct trial *trial)
{
    prepare_model(trial);
    if (trial->point->x == 3 && trial->number == 1)
        ((struct bench *)trial->probe_state)->stop = SIGTERM;
}

static void a_stop_leaves_what_was_measured(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    assert_int_equal(sample(bench, prepare_and_stop, &sampled), ERROR_INTERRUPTED);
    assert_int_equal(bench->series.point_count, 4);
    for (int i = 0; i < 4; i++)
        assert_in_range(bench->series.points[i].y.n, 1, 2);
}

/* A partner that never answers: the leader would wait for ever. */
static uint64_t wait_for_ever(void *state, uint64_t repeats)
{
    (void)state;
    (void)repeats;
    for (;;)
        arch_relax();
    return 0;
}

static void prepare_dead_partner(struct trial *trial)
{
    prepare_model(trial);
    if (trial->point->seat_count > 1)
        trial->workers[1] = (struct worker){.run = wait_for_ever};
}

static void a_dead_worker_costs_its_point_and_nothing_else(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    if (bench->seats[1].cpu < 0)
        skip();
    bench->points[1].seat_count = 2;
    bench->plan.point_count = 3;
    uint64_t began_ns = os_raw_ns();
    assert_int_equal(sample(bench, prepare_dead_partner, &sampled), 0);
    assert_true(os_raw_ns() - began_ns < UINT64_C(20) * 1000 * 1000 * 1000);
    assert_int_equal(sampled.points_missing, 0);
    assert_int_equal(sampled.points_failed, 1);
    assert_int_equal(bench->series.point_count, 3);
    assert_string_equal(bench->series.points[1].failed, "its workers got no time to run together");
    assert_int_equal(bench->series.points[1].y.n, 0);
    assert_true(isnan(bench->series.points[1].y.median));
    assert_null(bench->series.points[0].failed);
    assert_null(bench->series.points[2].failed);
}

struct touched {
    unsigned char *memory[8];
    size_t count;
};

static void prepare_in_arena(struct trial *trial)
{
    struct touched *touched = (struct touched *)trial->probe_state;
    prepare_model(trial);
    memset(trial->arena->memory, 1, trial->point->arena_bytes);
    if (touched->count < 8)
        touched->memory[touched->count++] = trial->arena->memory;
}

static void the_arena_is_as_large_as_any_point_needs(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    struct touched touched = {0};
    struct trial_work work = {.prepare = prepare_in_arena, .state = &touched};
    bench->points[3].arena_bytes = 3 << 20;
    bench->plan.arena_life = ARENA_WHOLE_RUN;
    bench->plan.pages = PAGES_SMALL;
    assert_int_equal(sampler_run(&bench->engine, &bench->plan, &work, &bench->pool, &sampled, NULL),
                     0);
    assert_int_equal(sampled.pages_used, PAGES_SMALL);
    assert_int_equal(touched.count, 8);
    for (size_t i = 1; i < 8; i++)
        assert_ptr_equal(touched.memory[i], touched.memory[0]);
}

struct tally {
    uint64_t first, all; /* repeats */
};

static uint64_t run_tally(void *state, uint64_t repeats)
{
    struct tally *tally = state;
    tally->first = tally->all ? tally->first : repeats;
    tally->all += repeats;
    return 1000 * repeats;
}

static void prepare_warmth(struct trial *trial)
{
    for (size_t i = 0; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        worker->run = run_tally;
        worker->state = worker->room;
        *(struct tally *)worker->state = (struct tally){0};
    }
    trial->warm_repeats = 5;
}

static void look_at_warmth(void *observer, const struct observation *seen)
{
    for (size_t i = 0; i < seen->trial->point->seat_count; i++) {
        const struct tally *tally = seen->trial->workers[i].state;
        assert_int_equal(tally->first, 5);
        assert_true(tally->all >= 5 + seen->batch_count * seen->repeats);
    }
    ++*(unsigned *)observer;
}

/* Every measured worker, once a trial, and not on the clock. */
static void what_has_to_be_warm_is_warmed_before_the_first_batch(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    unsigned trials = 0;
    struct trial_work work = {
        .prepare = prepare_warmth, .observe = look_at_warmth, .observer = &trials};
    const bool two = bench->seats[1].cpu >= 0;
    const struct arena_part parts[] = {{0, 2 << 20, bench->seats[0].cpu},
                                       {2 << 20, 2 << 20, bench->seats[1].cpu}};
    bench->seats[1].role = MEASURED;
    bench->plan.parts = parts;
    bench->plan.part_count = two ? 2 : 1;
    for (int i = 0; i < 4; i++) {
        bench->points[i].seat_count = two ? 2 : 1;
        bench->points[i].arena_bytes = 1 << 20; /* the second part lies beyond */
    }
    assert_int_equal(sampler_run(&bench->engine, &bench->plan, &work, &bench->pool, &sampled, NULL),
                     0);
    assert_true(trials >= 4 * 6);
    for (size_t i = 0; i < bench->series.point_count; i++)
        assert_true(bench->series.points[i].y.median == 1);
}

/* A kernel of known length, on the real clock. */
static uint64_t sleep_a_little(void *state, uint64_t repeats)
{
    (void)state;
    uint64_t until = os_raw_ns() + 20000 * repeats;
    while (os_raw_ns() < until)
        ;
    return 0;
}

static void prepare_sleep(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = sleep_a_little};
    trial->operations = 2;
}

static void real_time_is_counted_per_operation(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    bench->plan.kernel_timed = false;
    bench->plan.cycles = true;
    bench->plan.repeats = 0;
    bench->plan.batch_ns = 100e3;
    bench->plan.point_count = 1;
    assert_int_equal(sample(bench, prepare_sleep, &sampled), 0);
    const struct point *point = &bench->series.points[0];
    /* It can't be shorter; how much longer depends on who else is here. */
    assert_true(point->y.min >= 10000 * 0.999);
    assert_true(sampled.core_hz.n > 0 && sampled.core_hz.median > 1e6);
    assert_true(point->cycles.median > 0);
}

/* Three times as long as its colleague: the batch lasts from the first start to the last end. */
static uint64_t sleep_thrice(void *state, uint64_t repeats)
{
    return sleep_a_little(state, 3 * repeats);
}

static void prepare_two(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = sleep_a_little};
    trial->workers[1] = (struct worker){.run = sleep_thrice};
    trial->operations = 2; /* one each */
}

static void two_measured_workers_share_their_batches(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    if (bench->seats[1].cpu < 0)
        skip();
    bench->seats[1].role = MEASURED;
    bench->points[0].seat_count = 2;
    bench->plan.kernel_timed = false;
    bench->plan.quantity = OPERATIONS_PER_SECOND;
    bench->plan.point_count = 1;
    assert_int_equal(sample(bench, prepare_two, &sampled), 0);
    assert_int_equal(bench->series.point_count, 1);
    /* Two operations in 60 us at the best. */
    assert_true(bench->series.points[0].y.max <= 2 / 60e-6 * 1.001);
    assert_true(bench->series.points[0].y.min > 0);
}

static atomic_uint background_runs;

static uint64_t count_run(void *state, uint64_t repeats)
{
    (void)state;
    atomic_fetch_add(&background_runs, 1);
    return repeats;
}

static void prepare_background(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = sleep_a_little};
    trial->workers[1] = (struct worker){.run = count_run};
}

static void the_background_works_until_the_measured_are_done(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled;
    if (bench->seats[1].cpu < 0)
        skip();
    bench->seats[1].role = BACKGROUND;
    bench->points[0].seat_count = 2;
    bench->plan.kernel_timed = false;
    bench->plan.point_count = 1;
    atomic_store(&background_runs, 0);
    assert_int_equal(sample(bench, prepare_background, &sampled), 0);
    assert_int_equal(bench->series.point_count, 1);
    assert_true(atomic_load(&background_runs) > bench->series.points[0].y.n);
    unsigned runs = atomic_load(&background_runs);
    usleep(2000); /* and then it rests */
    assert_int_equal(atomic_load(&background_runs), runs);
}

#define SAMPLER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SAMPLER_TEST(steady_points_stop_at_the_fewest_trials),
        SAMPLER_TEST(a_wide_point_goes_on_to_the_most_trials_and_is_flagged),
        SAMPLER_TEST(trials_of_one_visit_are_trials_of_their_own),
        SAMPLER_TEST(same_seed_same_numbers),
        SAMPLER_TEST(the_fewest_trials_span_the_time_asked_for),
        SAMPLER_TEST(no_time_no_points_and_it_says_so),
        SAMPLER_TEST(the_budget_ends_a_long_visit_and_keeps_its_trials),
        SAMPLER_TEST(a_stop_leaves_what_was_measured),
        SAMPLER_TEST(a_dead_worker_costs_its_point_and_nothing_else),
        SAMPLER_TEST(the_arena_is_as_large_as_any_point_needs),
        SAMPLER_TEST(what_has_to_be_warm_is_warmed_before_the_first_batch),
        SAMPLER_TEST(real_time_is_counted_per_operation),
        SAMPLER_TEST(two_measured_workers_share_their_batches),
        SAMPLER_TEST(the_background_works_until_the_measured_are_done),
    };
    if (allowed_cpu(0) < 0) {
        puts("1..0 # SKIP this system can't pin a thread");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
