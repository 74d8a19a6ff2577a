/*
 * Rounds of modelled work: kernels that say how long they took. One engine, four points and two
 * seats, of which tests use what they need.
 */
#ifndef FATHOM_TESTS_ENGINE_ROUNDS_BENCH_H
#define FATHOM_TESTS_ENGINE_ROUNDS_BENCH_H

#include "measure/engine/engine.h"

#include "base/random.h"
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

/* A trial's model: every operation takes this many picoseconds. */
struct model {
    uint64_t picoseconds;
};

static uint64_t run_model(void *state, uint64_t repeats)
{
    return ((struct model *)state)->picoseconds * repeats;
}

/* Trials of a point are spread over +-`index` percent around 100 ns x (1 + x). */
static void prepare_model(struct trial *trial)
{
    struct random random = {trial->seed};
    double spread = (double)trial->point->index / 100 * (2 * random_unit(&random) - 1);
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
    clock_calibrate_below(&bench.clock, NULL);
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

/* Once more where a point, but for that of x = `but`, got no time to run. */
static int run(struct bench *bench, const struct trial_work *work, double but,
               struct stage_outcome *outcome)
{
    for (int try = 1;; try++) {
        bench->series = (struct series){0};
        bench->stop = 0;
        int code = stage_run(&bench->engine, &bench->plan, work, &bench->pool, outcome, NULL);
        if (try == TRIES || !lacked_time(&bench->plan, &bench->series, but))
            return code;
    }
}

static int sample(struct bench *bench, void (*prepare)(struct trial *),
                  struct stage_outcome *outcome)
{
    const struct trial_work work = {.prepare = prepare, .state = bench};
    return run(bench, &work, NAN, outcome);
}

/* A kernel of known length, on the real clock. */
static uint64_t sleep_a_little(void *state, uint64_t repeats)
{
    uint64_t until = os_raw_ns() + 20000 * repeats;
    while (os_raw_ns() < until)
        ;
    return 0;
}

#define ROUNDS_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

#endif
