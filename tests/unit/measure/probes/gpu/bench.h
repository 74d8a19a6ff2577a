/*
 * What the tests of the `gpu` probe's experiments share: a device made of facts, a backend that
 * only knows what the device can't do, and a drive through all stages of an experiment on values
 * that a function tells.
 */
#ifndef FATHOM_TESTS_PROBES_GPU_BENCH_H
#define FATHOM_TESTS_PROBES_GPU_BENCH_H

#include "measure/probes/again.h"

#include "measure/probes/gpu/state.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GPU_BENCH_TRIALS = 7, GPU_BENCH_DEVICES = 4 };
static const double gpu_bench_hz = 2e9;

/* Cycles of an operation, or operations a second where the plan yields that. */
typedef double gpu_bench_value(const struct gpu_work *);
typedef const char *gpu_bench_refusal(const struct gpu *, const struct gpu_work *);

struct gpu_bench {
    struct pool pool;
    struct settings settings;
    struct probe_result result;
    struct gpu_facts facts[GPU_BENCH_DEVICES];
    size_t devices;
    struct gpu_backend backend;
    struct gpu_state state;
    struct probe_task task;
    struct gpu_task here;
    bool no_cycles; /* a device without a clock of its own */
    unsigned stages;
};

static const char *gpu_bench_can_all(const struct gpu *gpu, const struct gpu_work *work)
{
    return NULL;
}

static int gpu_bench_prepare(struct gpu *gpu, const struct gpu_work *work, uint64_t seed,
                             struct error *error)
{
    return 0;
}

static int gpu_bench_run(struct gpu *gpu, const struct gpu_work *work, uint64_t repeats,
                         uint64_t *did, struct gpu_time *time, struct error *error)
{
    *did = repeats;
    *time = (struct gpu_time){1e3, 1e3};
    return 0;
}

/* Hopper-like, and a second one beside it. */
static int gpu_bench_set_up(void **state)
{
    static struct gpu_bench bench;
    bench = (struct gpu_bench){.devices = 2};
    for (int i = 0; i < GPU_BENCH_DEVICES; i++)
        bench.facts[i] = (struct gpu_facts){.id = i,
                                            .capability = "9.0",
                                            .multiprocessors = 16,
                                            .memory_bytes = UINT64_C(64) << 30,
                                            .l2_bytes = 48 << 20,
                                            .first_level_bytes = 256 << 10,
                                            .scratchpad_bytes = 228 << 10,
                                            .constant_bytes = 64 << 10};
    bench.backend = (struct gpu_backend){.name = "fake",
                                         .refuses = gpu_bench_can_all,
                                         .prepare = gpu_bench_prepare,
                                         .run = gpu_bench_run};
    *state = &bench;
    return 0;
}

static int gpu_bench_tear_down(void **state)
{
    struct gpu_bench *bench = *state;
    settings_free(&bench->settings);
    pool_free(&bench->pool);
    return 0;
}

static inline void gpu_bench_begin(struct gpu_bench *bench, unsigned device)
{
    struct series *series = bench->task.plan.series;
    size_t count = bench->task.plan.series_count;
    if (bench->settings.count == 0)
        assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    bench->state.backend = &bench->backend;
    bench->state.facts = bench->facts;
    bench->state.count = bench->devices;
    bench->task.pool = &bench->pool;
    bench->task.settings = &bench->settings;
    bench->task.result = &bench->result;
    bench->task.state = &bench->state;
    bench->task.plan.series = series;
    bench->task.plan.series_count = count;
    bench->stages = 0;
    bench->here = (struct gpu_task){.task = &bench->task,
                                    .backend = &bench->backend,
                                    .facts = &bench->facts[device],
                                    .all = bench->facts,
                                    .all_count = bench->devices,
                                    .device = device,
                                    .first_series = count};
}

static inline size_t gpu_bench_plan(struct gpu_bench *bench,
                                    const struct gpu_experiment *experiment)
{
    struct plan *plan = &bench->task.plan;
    plan->yields = TIME_PER_OPERATION;
    plan->cycles = true;
    plan->trials_min = 6;
    plan->trials_max = 25;
    plan->batches = 3;
    plan->batch_ns = 1e6;
    plan->precision = 0.01;
    plan->share = 1;
    bench->here.stage = bench->stages++;
    experiment->plan(&bench->here);
    return plan->point_count;
}

/* What gpu.c does: the next stage that has points, if there is one. */
static inline bool gpu_bench_stage(struct gpu_bench *bench, const struct gpu_experiment *experiment)
{
    struct plan *plan = &bench->task.plan;
    const unsigned stages = experiment->stages ? experiment->stages : 1;
    do
        *plan = (struct plan){.series = plan->series, .series_count = plan->series_count};
    while (bench->stages < stages && gpu_bench_plan(bench, experiment) == 0);
    return plan->point_count > 0;
}

static inline const struct gpu_work *gpu_bench_work(const struct gpu_bench *bench,
                                                    const struct plan_point *point)
{
    return &bench->state.device.works[point->index];
}

/* Trials a thousandth apart. */
static inline void gpu_bench_measure(struct gpu_bench *bench, const struct plan_point *planned,
                                     gpu_bench_value *value)
{
    const struct plan *plan = &bench->task.plan;
    const double middle = value(gpu_bench_work(bench, planned));
    const bool rate = plan->yields == OPERATIONS_PER_SECOND;
    double values[GPU_BENCH_TRIALS];
    if (isnan(middle)) /* there was no time */
        return;
    for (int i = 0; i < GPU_BENCH_TRIALS; i++)
        values[i] = middle * (1 + 0.001 * ((double)i / (double)GPU_BENCH_TRIALS - 0.4)) *
                    (rate ? 1 : 1e9 / gpu_bench_hz);
    struct series *series = &plan->series[planned->series];
    struct point *point =
        pool_append(&bench->pool, (void **)&series->points, &series->point_count, sizeof *point);
    *point = (struct point){.cycles = {NAN, NAN, NAN}};
    if (series->matrix) {
        point->from = planned->from;
        point->to = planned->to;
    } else {
        point->x = planned->x;
    }
    summarize(values, GPU_BENCH_TRIALS, values, &point->y);
    if (plan->cycles && !bench->no_cycles)
        point->cycles = (struct estimate){point->y.median * (float)(gpu_bench_hz * 1e-9),
                                          point->y.low * (float)(gpu_bench_hz * 1e-9),
                                          point->y.high * (float)(gpu_bench_hz * 1e-9)};
}

static inline int gpu_bench_by_x(const void *a, const void *b)
{
    const struct point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* From the series alone an experiment concludes the same: the findings from the first-th on. */
static inline void gpu_bench_again(const struct gpu_bench *bench,
                                   const struct gpu_experiment *experiment, size_t first)
{
    const struct probe_result concluded = {.findings = bench->result.findings + first,
                                           .finding_count = bench->result.finding_count - first};
    struct gpu_task here = bench->here;
    struct probe_result result = bench->result;
    struct probe_task task = {.pool = bench->task.pool, .result = &result};
    task.plan.series = bench->task.plan.series;
    task.plan.series_count = bench->task.plan.series_count;
    result.findings = NULL;
    result.finding_count = 0;
    here.task = &task;
    here.state = NULL;
    experiment->conclude(&here);
    again_compare(&concluded, &result);
}

/* From the first stage to the findings. */
static inline void gpu_bench_drive(struct gpu_bench *bench, const struct gpu_experiment *experiment,
                                   unsigned device, gpu_bench_value *value)
{
    gpu_bench_begin(bench, device);
    while (gpu_bench_stage(bench, experiment)) {
        struct plan *plan = &bench->task.plan;
        assert_true(bench->stages < 20 && plan->point_count > 0);
        for (size_t i = 0; i < plan->point_count; i++)
            gpu_bench_measure(bench, &plan->points[i], value);
        for (size_t i = 0; i < plan->series_count; i++)
            if (!plan->series[i].matrix && plan->series[i].point_count > 1)
                qsort(plan->series[i].points, plan->series[i].point_count,
                      sizeof *plan->series[i].points, gpu_bench_by_x);
    }
    const size_t first = bench->result.finding_count;
    experiment->conclude(&bench->here);
    gpu_bench_again(bench, experiment, first);
}

static inline const struct finding *gpu_bench_find(const struct gpu_bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

/* A number within that share of what is wanted, with an interval that holds it. */
static inline void gpu_bench_value_is(const struct gpu_bench *bench, const char *name,
                                      const char *unit, double wanted, double within)
{
    const struct finding *finding = gpu_bench_find(bench, name);
    if (!finding || !(fabs(finding->value / wanted - 1) <= within))
        fail_msg("%s is %g and not %g", name, finding ? finding->value : NAN, wanted);
    assert_string_equal(finding->unit, unit);
    if (!(finding->low <= finding->value && finding->value <= finding->high))
        fail_msg("%s is %g, outside of [%g, %g]", name, finding->value, finding->low,
                 finding->high);
}

#define GPU_BENCH_TEST(test)                                                                       \
    cmocka_unit_test_setup_teardown(test, gpu_bench_set_up, gpu_bench_tear_down)

#endif
