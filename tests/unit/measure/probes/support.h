/* What the probes' tests share: a machine made of facts, and a task planned on it. */
#ifndef FATHOM_TESTS_PROBES_SUPPORT_H
#define FATHOM_TESTS_PROBES_SUPPORT_H

#include "again.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/stages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BENCH_CPUS = 6 };

/* Six CPUs of which 0 to 4 are allowed, 3 and 4 of the faster kind; L1 32 KiB, L2 1 MiB, L3 16 MiB;
 * 8 GiB free. */
struct bench {
    struct machine machine;
    struct cpu_place places[BENCH_CPUS];
    int allowed[BENCH_CPUS - 1];
    struct cache_facts caches[3];
    struct numa_facts node;
    struct settings settings;
    struct probe_result result;
    struct probe_task task;
    struct pool pool;
    struct error error;
    struct arena arena; /* of the trial that was prepared last */
    struct worker workers[BENCH_CPUS];
    struct trial trial;
};

static int bench_set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){0};
    for (int i = 0; i < BENCH_CPUS; i++)
        bench.places[i] = (struct cpu_place){i, i, 0, 0, 0, i == 3 || i == 4};
    for (int i = 0; i < BENCH_CPUS - 1; i++)
        bench.allowed[i] = i;
    bench.caches[0] = (struct cache_facts){1, "data", 32 << 10, 64, 8, "0"};
    bench.caches[1] = (struct cache_facts){2, "unified", 1 << 20, 64, 16, "0"};
    bench.caches[2] = (struct cache_facts){3, "unified", 16 << 20, 64, 16, "0-5"};
    bench.node = (struct numa_facts){0, "0-5", UINT64_C(16) << 30};
    bench.machine = (struct machine){
        .facts = {.caches = bench.caches, .cache_count = 3, .nodes = &bench.node, .node_count = 1},
        .cpus = bench.places,
        .cpu_count = BENCH_CPUS,
        .allowed = {bench.allowed, BENCH_CPUS - 1},
        .memory_available_bytes = UINT64_C(8) << 30,
    };
    *state = &bench;
    return 0;
}

static int bench_tear_down(void **state)
{
    struct bench *bench = *state;
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    pool_free(&bench->pool);
    free(bench->arena.memory);
    bench->arena = (struct arena){0};
    return 0;
}

/* Plans the probe with options given as name, value, name, value, ..., NULL. May be called again.
 */
static int bench_plan(struct bench *bench, const struct probe *probe, ...)
{
    stages_close(&bench->task);
    probe_release(&bench->task);
    settings_free(&bench->settings);
    assert_int_equal(settings_add(&bench->settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_add(&bench->settings, probe->help->options, NULL), 0);
    bench->task.seed = 1;
    va_list options;
    va_start(options, probe);
    const char *name;
    while ((name = va_arg(options, const char *))) {
        const char *value = va_arg(options, const char *);
        assert_int_equal(settings_set(&bench->settings, name, value, &bench->error), 0);
    }
    va_end(options);
    return probe_prepare(&bench->task, probe, &bench->settings, &bench->machine, &bench->pool,
                         &bench->result, &bench->error);
}

/* Prepares a trial of the point, in memory that stays as long as it is large enough. */
static inline struct trial *bench_trial(struct bench *bench, const struct plan_point *point,
                                        uint64_t seed, unsigned number)
{
    if (bench->arena.bytes < point->arena_bytes) {
        free(bench->arena.memory);
        bench->arena.bytes = (point->arena_bytes + 4095) / 4096 * 4096;
        bench->arena.memory = aligned_alloc(4096, bench->arena.bytes);
        assert_non_null(bench->arena.memory);
    }
    bench->trial = (struct trial){.plan = &bench->task.plan,
                                  .point = point,
                                  .arena = &bench->arena,
                                  .seed = seed,
                                  .number = number,
                                  .workers = bench->workers,
                                  .probe_state = bench->task.state};
    bench->task.probe->prepare(&bench->trial);
    for (unsigned i = 0; bench->trial.build && i < point->seat_count; i++)
        bench->trial.build(&bench->trial, i);
    for (unsigned i = 0; bench->trial.settle && i < point->seat_count; i++)
        bench->trial.settle(&bench->trial, i);
    return &bench->trial;
}

/* Adds to each planned point's series what six trials would have given, five of them at `value` and
 * one a quarter above, and the series to the result. */
static inline void bench_measured(struct bench *bench,
                                  double (*value)(const struct bench *, const struct plan_point *))
{
    struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *planned = &plan->points[i];
        struct series *series = &plan->series[planned->series];
        struct point *point = pool_append(&bench->pool, (void **)&series->points,
                                          &series->point_count, sizeof *point);
        const float y = (float)value(bench, planned);
        *point = (struct point){.x = planned->x,
                                .y = {.median = y,
                                      .low = y,
                                      .high = y * 1.25f,
                                      .coverage = 0.97f,
                                      .min = y,
                                      .p10 = y,
                                      .p90 = y * 1.125f,
                                      .max = y * 1.25f,
                                      .n = 6}};
    }
    bench->result.series = plan->series;
    bench->result.series_count = plan->series_count;
}

/* NULL where there is none. */
static inline const struct finding *bench_find(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->result.finding_count; i++)
        if (strcmp(bench->result.findings[i].name, name) == 0)
            return &bench->result.findings[i];
    return NULL;
}

static inline const struct finding *bench_finding(const struct bench *bench, const char *name)
{
    const struct finding *finding = bench_find(bench, name);
    if (finding)
        return finding;
    for (size_t i = 0; i < bench->result.finding_count; i++)
        print_message("# %s %g\n", bench->result.findings[i].name, bench->result.findings[i].value);
    fail_msg("there is no finding %s, only those above", name);
    return NULL;
}

#define BENCH_TEST(test) cmocka_unit_test_setup_teardown(test, bench_set_up, bench_tear_down)

#endif
