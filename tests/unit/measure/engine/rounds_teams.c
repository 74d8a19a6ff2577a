/* The real rounds and visits with a second worker: measured as well, in the background, or dead.
 */
#include "rounds_bench.h"

#include "background.h"

/* A partner that never answers: the leader would wait for ever. */
static uint64_t wait_for_ever(void *state, uint64_t repeats)
{
    (void)state;
    static volatile atomic_bool
        over; /* ThreadSanitizer keeps a recall back until an atomic is read */
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        arch_relax();
    return repeats;
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
    struct stage_outcome outcome;
    if (bench->seats[1].cpu < 0)
        skip();
    const struct trial_work work = {.prepare = prepare_dead_partner};
    bench->points[1].seat_count = 2;
    bench->plan.point_count = 3;
    assert_int_equal(run(bench, &work, 1, &outcome), 0);
    assert_int_equal(outcome.points_missing, 0); /* the budget was not used up on it */
    assert_int_equal(outcome.points_failed, 1);
    assert_int_equal(bench->series.point_count, 3);
    assert_string_equal(bench->series.points[1].failed, "its workers got no time to run together");
    assert_int_equal(bench->series.points[1].y.n, 0);
    assert_true(isnan(bench->series.points[1].y.median));
    assert_null(bench->series.points[0].failed);
    assert_null(bench->series.points[2].failed);
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
    struct stage_outcome outcome;
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
    assert_int_equal(run(bench, &work, NAN, &outcome), 0);
    assert_true(trials >= 4 * 6);
    for (size_t i = 0; i < bench->series.point_count; i++)
        assert_true(bench->series.points[i].y.median == 1);
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
    struct stage_outcome outcome;
    if (bench->seats[1].cpu < 0)
        skip();
    bench->seats[1].role = MEASURED;
    bench->points[0].seat_count = 2;
    bench->plan.kernel_timed = false;
    bench->plan.yields = OPERATIONS_PER_SECOND;
    bench->plan.point_count = 1;
    assert_int_equal(sample(bench, prepare_two, &outcome), 0);
    assert_int_equal(bench->series.point_count, 1);
    /* Two operations in 60 us at the best. */
    assert_true(bench->series.points[0].y.max <= 2 / 60e-6 * 1.01);
    assert_true(bench->series.points[0].y.min > 0);
}

static void the_background_works_until_the_measured_are_done(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome;
    if (bench->seats[1].cpu < 0)
        skip();
    bench->seats[1].role = BACKGROUND;
    bench->points[0].seat_count = 2;
    bench->plan.kernel_timed = false;
    bench->plan.point_count = 1;
    assert_int_equal(sample(bench, prepare_with_background, &outcome), 0);
    assert_int_equal(bench->series.point_count, 1);
    assert_true(bench->series.points[0].y.n >= 6);
    unsigned runs = atomic_load(&background_runs);
    usleep(2000); /* and then it rests */
    assert_int_equal(atomic_load(&background_runs), runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUNDS_TEST(a_dead_worker_costs_its_point_and_nothing_else),
        ROUNDS_TEST(what_has_to_be_warm_is_warmed_before_the_first_batch),
        ROUNDS_TEST(two_measured_workers_share_their_batches),
        ROUNDS_TEST(the_background_works_until_the_measured_are_done),
    };
    if (allowed_cpu(0) < 0) {
        puts("1..0 # SKIP this system can't pin a thread");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
