/* Teams on CPUs that are taken away, and teams side by side. Nothing depends on speed. */
#include "measure/engine/executor.h"

#include "measure/engine/engine.h"
#include "support.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 4, NO_CPU = 1 << 19 };

static int cpu_ids[2]; /* as they were before any thread was pinned */

struct bench {
    struct machine machine;
    struct clock clock;
    struct engine engine;
    struct seat seats[POINTS][2];
    struct plan_point points[POINTS];
    struct series series;
    struct plan plan;
    struct pool pool;
    struct stage_outcome outcome;
};

/* Two sides that pass a turn, as hand-offs do: each waits for the other at every repeat. */
static atomic_uint turn;

static uint64_t pass_turn(void *state, uint64_t repeats)
{
    unsigned side = *(unsigned *)state;
    for (uint64_t i = 0; i < repeats; i++) {
        while (atomic_load_explicit(&turn, memory_order_acquire) % 2 != side)
            arch_relax();
        atomic_fetch_add_explicit(&turn, 1, memory_order_acq_rel);
    }
    return repeats;
}

static uint64_t count_ps(void *state, uint64_t repeats)
{
    return repeats * 100000;
}

static void prepare(struct trial *trial)
{
    bool pair = trial->point->seat_count > 1;
    atomic_store(&turn, 0);
    for (unsigned i = 0; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        worker->run = pair ? pass_turn : count_ps;
        worker->state = worker->room;
        *(unsigned *)worker->state = i;
    }
}

static void set_up(struct bench *bench, int (*pin)(int cpu, struct error *))
{
    *bench = (struct bench){.plan = {.series = &bench->series,
                                     .series_count = 1,
                                     .points = bench->points,
                                     .point_count = POINTS,
                                     .node = -1,
                                     .kernel_timed = true,
                                     .trials_min = 6,
                                     .trials_max = 6,
                                     .trials_per_visit = 2,
                                     .batches = 2,
                                     .repeats = 20,
                                     .precision = 0.01,
                                     .unstable_above = INFINITY,
                                     .budget_s = 60}};
    clock_calibrate_below(&bench->clock, NULL);
    bench->engine = (struct engine){.machine = &bench->machine, .clock = &bench->clock, .seed = 2};
    for (int i = 0; i < POINTS; i++) {
        bench->seats[i][0] = (struct seat){cpu_ids[0], MEASURED};
        bench->seats[i][1] = (struct seat){cpu_ids[1], PARTNER};
        bench->points[i] = (struct plan_point){.x = i, .seats = bench->seats[i], .seat_count = 1};
    }
    assert_int_equal(team_create_pinned_by(&bench->engine.team, pin, NULL, NULL), 0);
}

static void tear_down(struct bench *bench)
{
    team_free(bench->engine.team);
    pool_free(&bench->pool);
}

struct scenario {
    int (*pin)(int cpu, struct error *);
    void (*arrange)(struct bench *); /* before each try */
    void (*prepare)(struct trial *);
    double stuck; /* x of the point that is meant to get no time; NAN */
};

/* Once more where another point got no time to run. */
static void measure(struct bench *bench, const struct scenario *scenario)
{
    const struct trial_work work = {.prepare = scenario->prepare};
    for (int try = 1;; try++) {
        set_up(bench, scenario->pin);
        scenario->arrange(bench);
        assert_int_equal(
            stage_run(&bench->engine, &bench->plan, &work, &bench->pool, &bench->outcome, NULL), 0);
        if (try == TRIES || !lacked_time(&bench->plan, &bench->series, scenario->stuck))
            return;
        tear_down(bench);
    }
}

static void assert_failed(const struct bench *bench, int index, const char *why)
{
    const struct point *point = &bench->series.points[index];
    assert_true(point->x == index);
    assert_int_equal(point->y.n, 0);
    assert_true(isnan(point->y.median));
    assert_non_null(point->failed);
    assert_non_null(strstr(point->failed, why));
}

static void arrange_absence(struct bench *bench)
{
    bench->seats[2][0].cpu = NO_CPU;
}

static void arrange_absence_in_groups(struct bench *bench)
{
    static const unsigned groups[] = {1, 1, 1, 1};
    bench->plan.groups = groups;
    bench->plan.group_count = POINTS;
    arrange_absence(bench);
}

static void a_cpu_that_is_not_there_fails_its_point_alone(void **state)
{
    struct bench bench;
    for (int grouped = 0; grouped < 2; grouped++) {
        measure(&bench, &(struct scenario){os_pin_thread,
                                           grouped ? arrange_absence_in_groups : arrange_absence,
                                           prepare, NAN});
        assert_int_equal(bench.outcome.points_failed, 1);
        assert_int_equal(bench.outcome.points_missing, 0);
        assert_int_equal(bench.series.point_count, POINTS);
        assert_failed(&bench, 2, "524288");
        assert_string_equal(bench.outcome.failure, bench.series.points[2].failed);
        for (int i = 0; i < POINTS; i++)
            assert_int_equal(bench.series.points[i].y.n, i == 2 ? 0 : 6);
        tear_down(&bench);
    }
}

static void arrange_two_absences(struct bench *bench)
{
    static const unsigned groups[] = {2, 2};
    bench->plan.groups = groups;
    bench->plan.group_count = 2;
    bench->seats[0][0].cpu = NO_CPU;
    bench->seats[3][0].cpu = NO_CPU + 1;
}

static void its_companions_of_a_group_go_on(void **state)
{
    struct bench bench;
    measure(&bench, &(struct scenario){os_pin_thread, arrange_two_absences, prepare, NAN});
    assert_int_equal(bench.outcome.points_failed, 2);
    assert_failed(&bench, 0, "524288");
    assert_failed(&bench, 3, "524289");
    assert_int_equal(bench.series.points[1].y.n, 6);
    assert_int_equal(bench.series.points[2].y.n, 6);
    tear_down(&bench);
}

/* Two CPUs of which one is gone: the kernel keeps both threads on the other. */
static int pin_to_the_first(int cpu, struct error *error)
{
    return os_pin_thread(cpu_ids[0], error);
}

static void arrange_pair(struct bench *bench)
{
    bench->points[1].seat_count = 2;
}

static void workers_forced_onto_one_cpu_fail_and_nothing_hangs(void **state)
{
    struct bench bench;
    char why[64];
    if (cpu_ids[1] < 0)
        skip();
    measure(&bench, &(struct scenario){pin_to_the_first, arrange_pair, prepare, NAN});
    assert_int_equal(bench.outcome.points_failed, 1);
    snprintf(why, sizeof why, "the worker of CPU %d ran on CPU %d", cpu_ids[1], cpu_ids[0]);
    assert_failed(&bench, 1, why);
    assert_int_equal(bench.series.points[0].y.n, 6);
    assert_int_equal(bench.series.points[2].y.n, 6);
    tear_down(&bench);
}

/* The CPU goes away after some trials and does not come back; later it does. */
static atomic_int trials_until_gone, pins_until_back;

static int pin_while_there(int cpu, struct error *error)
{
    if (cpu == cpu_ids[1] && atomic_load(&trials_until_gone) <= 0 &&
        atomic_fetch_sub(&pins_until_back, 1) > 0)
        return error_set(error, ERROR_IMPOSSIBLE, "CPU %d is offline", cpu);
    return os_pin_thread(cpu, error);
}

static uint64_t lose_cpu(void *state, uint64_t repeats)
{
    if (atomic_fetch_sub(&trials_until_gone, 1) == 1)
        os_pin_thread(cpu_ids[0], NULL); /* as the kernel does with the thread */
    return count_ps(state, repeats);
}

static void prepare_to_lose(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = trial->point->x == 1 ? lose_cpu : count_ps};
}

static void arrange_loss(struct bench *bench)
{
    atomic_store(&trials_until_gone, 9); /* two batches each: in the fifth trial */
    atomic_store(&pins_until_back, 1000);
    bench->seats[1][0].cpu = cpu_ids[1];
}

static void arrange_short_loss(struct bench *bench)
{
    arrange_loss(bench);
    atomic_store(&pins_until_back, 0);
}

static void arrange_loss_until_the_next_round(struct bench *bench)
{
    arrange_loss(bench);
    atomic_store(&pins_until_back, 1);
}

static void lose_the_second(struct bench *bench, void (*arrange)(struct bench *))
{
    measure(bench, &(struct scenario){pin_while_there, arrange, prepare_to_lose, NAN});
    assert_int_equal(bench->series.point_count, POINTS);
    for (int i = 0; i < POINTS; i++)
        if (i != 1)
            assert_int_equal(bench->series.points[i].y.n, 6);
}

static void a_cpu_that_goes_offline_fails_its_point_with_the_systems_reason(void **state)
{
    struct bench bench;
    if (cpu_ids[1] < 0)
        skip();
    lose_the_second(&bench, arrange_loss);
    assert_failed(&bench, 1, "is offline");
    assert_int_equal(bench.outcome.points_failed, 1);
    tear_down(&bench);
}

static void a_cpu_that_is_back_in_the_next_round_goes_on_with_what_it_had(void **state)
{
    struct bench bench;
    if (cpu_ids[1] < 0)
        skip();
    lose_the_second(&bench, arrange_loss_until_the_next_round);
    assert_int_equal(bench.outcome.points_failed, 0);
    assert_null(bench.series.points[1].failed);
    assert_int_equal(bench.series.points[1].y.n, 6);
    tear_down(&bench);
}

static void a_cpu_that_is_back_at_once_is_measured_again(void **state)
{
    struct bench bench;
    if (cpu_ids[1] < 0)
        skip();
    lose_the_second(&bench, arrange_short_loss);
    assert_int_equal(bench.outcome.points_failed, 0);
    assert_int_equal(bench.series.points[1].y.n, 6);
    assert_null(bench.series.points[1].failed);
    tear_down(&bench);
}

/* Whoever is measured beside another sees that the other has been prepared for the same trial; were
 * they measured in turn, the first would wait for ever. */
static atomic_uint trials_prepared[2];

struct companion {
    unsigned me, number;
};

static uint64_t wait_for_the_other(void *state, uint64_t repeats)
{
    const struct companion *companion = state;
    while (atomic_load(&trials_prepared[1 - companion->me]) <= companion->number)
        arch_relax();
    return count_ps(state, repeats);
}

static void prepare_companions(struct trial *trial)
{
    struct worker *worker = &trial->workers[0];
    struct companion *companion = (struct companion *)worker->room;
    *companion = (struct companion){trial->point->x == 1, trial->number};
    atomic_store(&trials_prepared[companion->me], trial->number + 1);
    worker->run = wait_for_the_other;
    worker->state = companion;
}

static void arrange_companions(struct bench *bench)
{
    static const unsigned groups[] = {2};
    bench->plan.point_count = 2;
    bench->plan.groups = groups;
    bench->plan.group_count = 1;
    bench->seats[1][0].cpu = cpu_ids[1];
    atomic_store(&trials_prepared[0], 0);
    atomic_store(&trials_prepared[1], 0);
}

static void points_of_a_group_are_measured_at_the_same_time(void **state)
{
    struct bench bench;
    if (cpu_ids[1] < 0)
        skip();
    measure(&bench, &(struct scenario){os_pin_thread, arrange_companions, prepare_companions, NAN});
    assert_int_equal(bench.series.point_count, 2);
    assert_int_equal(bench.series.points[0].y.n, 6);
    assert_int_equal(bench.series.points[1].y.n, 6);
    tear_down(&bench);
}

/* One of two companions never comes back: it starves, and the other is none the worse. */
static uint64_t work_for_ever(void *state, uint64_t repeats)
{
    static volatile atomic_bool
        over; /* ThreadSanitizer keeps a recall back until an atomic is read */
    while (!atomic_load_explicit(&over, memory_order_relaxed))
        arch_relax();
    return repeats;
}

static void prepare_one_endless(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = trial->point->x == 1 ? work_for_ever : count_ps};
}

static void a_stuck_companion_starves_alone(void **state)
{
    struct bench bench;
    if (cpu_ids[1] < 0)
        skip();
    measure(&bench, &(struct scenario){os_pin_thread, arrange_companions, prepare_one_endless, 1});
    assert_int_equal(bench.series.points[0].y.n, 6);
    assert_null(bench.series.points[0].failed);
    assert_failed(&bench, 1, "no time to run together");
    tear_down(&bench);
}

static void arrange_one_endless(struct bench *bench)
{
    bench->plan.budget_s = 0.3;
    bench->points[0].x = 1;
    bench->plan.point_count = 1;
}

/* A visit that would outlast the budget by far is recalled, and so is the run. */
static void the_budget_recalls_what_does_not_end(void **state)
{
    struct bench bench;
    measure(&bench,
            &(struct scenario){os_pin_thread, arrange_one_endless, prepare_one_endless, NAN});
    assert_int_equal(bench.outcome.points_missing, 1);
    assert_int_equal(bench.outcome.points_failed, 0);
    assert_int_equal(bench.series.point_count, 0);
    tear_down(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cpu_that_is_not_there_fails_its_point_alone),
        cmocka_unit_test(its_companions_of_a_group_go_on),
        cmocka_unit_test(workers_forced_onto_one_cpu_fail_and_nothing_hangs),
        cmocka_unit_test(a_cpu_that_goes_offline_fails_its_point_with_the_systems_reason),
        cmocka_unit_test(a_cpu_that_is_back_in_the_next_round_goes_on_with_what_it_had),
        cmocka_unit_test(a_cpu_that_is_back_at_once_is_measured_again),
        cmocka_unit_test(points_of_a_group_are_measured_at_the_same_time),
        cmocka_unit_test(a_stuck_companion_starves_alone),
        cmocka_unit_test(the_budget_recalls_what_does_not_end),
    };
    cpu_ids[0] = allowed_cpu(0);
    cpu_ids[1] = allowed_cpu(1);
    if (cpu_ids[0] < 0) {
        puts("1..0 # SKIP this system can't pin a thread");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
