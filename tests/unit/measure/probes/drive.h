/* Carries out a probe's stages as the engine would, on latencies that a function tells. */
#ifndef FATHOM_TESTS_PROBES_DRIVE_H
#define FATHOM_TESTS_PROBES_DRIVE_H

#include "support.h"

#include "measure/kernels/chase.h"

#include <math.h>
#include <stdlib.h>

/* Cycles of a load at that point in that trial, at a clock of 1 GHz; NAN: there was no time. */
typedef double drive_cycles(const struct probe_task *, const struct plan_point *, unsigned trial);

static int drive_by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

static void drive_point(struct bench *bench, const struct plan_point *planned, unsigned flags,
                        drive_cycles *cycles)
{
    struct probe_task *task = &bench->task;
    const struct probe *probe = task->probe;
    double *values = calloc(task->plan.trials_max, sizeof *values);
    size_t n = 0;
    for (unsigned number = 0; number < task->plan.trials_max; number++) {
        double value = cycles(task, planned, number);
        if (isnan(value))
            continue;
        struct trial trial = {.plan = &task->plan,
                              .point = planned,
                              .number = number,
                              .operations = 64,
                              .probe_state = task->state};
        struct batch batch = {.ns = value * 64 * 10, .core_hz = 1e9};
        probe->observe(task,
                       &(struct observation){
                           .trial = &trial, .batches = &batch, .batch_count = 1, .repeats = 10});
        values[n++] = value;
    }
    if (n) {
        struct series *series = &task->plan.series[planned->series];
        struct point *point = pool_append(&bench->pool, (void **)&series->points,
                                          &series->point_count, sizeof *point);
        *point = (struct point){.x = planned->x, .flags = flags};
        summarize(values, n, values, &point->y);
        point->cycles = (struct estimate){point->y.median, point->y.low, point->y.high};
    }
    free(values);
}

/* From plan to conclusion; returns how many stages there were. */
static unsigned drive(struct bench *bench, const struct probe *probe, unsigned flags,
                      drive_cycles *cycles)
{
    struct stage_outcome outcome = {0};
    unsigned stage = 0;
    int more = 1;
    assert_int_equal(bench_plan(bench, probe, NULL), 0);
    struct probe_task *task = &bench->task;
    while (more == 1) {
        stage++;
        assert_true(stage < 20);
        for (size_t i = 0; i < task->plan.point_count; i++)
            drive_point(bench, &task->plan.points[i], flags, cycles);
        for (size_t i = 0; i < task->plan.series_count; i++) {
            struct series *series = &task->plan.series[i];
            if (series->point_count > 1)
                qsort(series->points, series->point_count, sizeof *series->points, drive_by_x);
        }
        more = probe_next(task, &outcome, stage, &bench->error);
    }
    assert_int_equal(more, 0);
    bench->result.series = task->plan.series;
    bench->result.series_count = task->plan.series_count;
    assert_int_equal(conclude_twice(task, &outcome, &bench->error), 0);
    return stage;
}

/* Prepares one trial of every `step`-th point, and walks the ring: as many elements as the point's
 * x says, all of them within the arena. */
static inline void drive_rings(struct bench *bench, const struct probe *probe, size_t step)
{
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i += step) {
        const struct plan_point *point = &plan->points[i];
        size_t room = (point->arena_bytes + 4095) / 4096 * 4096;
        struct arena arena = {.memory = aligned_alloc(4096, room), .bytes = room};
        struct worker worker = {0};
        struct trial trial = {.plan = plan,
                              .point = point,
                              .arena = &arena,
                              .seed = i,
                              .workers = &worker,
                              .probe_state = bench->task.state};
        assert_non_null(arena.memory);
        probe->prepare(&trial);
        assert_ptr_equal(worker.run, chase_run);
        assert_true(trial.operations == chase_steps);
        unsigned char *first = ((struct chase *)worker.state)->position, *at = first;
        double steps = 0;
        do {
            assert_true(at >= arena.memory && at + sizeof at <= arena.memory + room);
            memcpy(&at, (void *)at, sizeof at);
        } while (++steps < 1000 && at != first);
        assert_true(steps >= point->x && steps <= point->x);
        free(arena.memory);
    }
}

#endif
