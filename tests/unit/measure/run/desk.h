/* What the tests of runs share: a machine made of facts, probes that are planned in no time, and a
 * model in the hardware's place. */
#ifndef FATHOM_TESTS_RUN_DESK_H
#define FATHOM_TESTS_RUN_DESK_H

#include "measure/run/run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { DESK_CPUS = 4 };

struct desk {
    struct machine machine;
    struct cpu_place places[DESK_CPUS];
    int allowed[DESK_CPUS];
    struct cache_facts caches[3];
    struct numa_facts node;
    struct settings settings;
    struct document document;
    struct timing_model timing;
    struct run run;
    struct error error;
    volatile sig_atomic_t stop;
    /* what the listener heard */
    unsigned saves, fails_at; /* the save that fails; 0: none */
    size_t probes_saved[8];
    bool complete_saved[8];
    const char *shown;
};

static uint64_t desk_work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    return repeats * 1000;
}

static uint64_t desk_additions(void *self, int cpu, uint64_t additions)
{
    return additions * 500;
}

static uint64_t desk_kernel(void *state, uint64_t repeats)
{
    return repeats;
}

static void desk_prepare(struct trial *trial)
{
    trial->workers[0].run = desk_kernel;
}

/* One point on one CPU without memory. */
static void desk_plan(struct probe_task *task)
{
    struct plan *plan = &task->plan;
    struct seat *seat = pool_alloc(task->pool, 1, sizeof *seat);
    plan->series = pool_alloc(task->pool, 1, sizeof *plan->series);
    plan->points = pool_alloc(task->pool, 1, sizeof *plan->points);
    *seat = (struct seat){task->cpus.ids[0], MEASURED};
    plan->series[0] = (struct series){.name = task->probe->name};
    plan->points[0] = (struct plan_point){.x = 1, .seats = seat, .seat_count = 1};
    plan->series_count = plan->point_count = 1;
    plan->span_s = 0;
}

/* Its x tells how many probes it knew the findings of. */
static void desk_plan_by_found(struct probe_task *task)
{
    desk_plan(task);
    task->plan.points[0].x = (double)task->document->probe_count;
}

static void desk_refuse(struct probe_task *task)
{
    pool_leave(task->pool, ERROR_USAGE, "nothing of the kind");
}

static const struct option_spec desk_options[] = {
    {"lines", 0, OPTION_INTEGER, "N", "4", 1, 100, NULL, 0, "lines"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", "1K", 1, 1 << 20, NULL, 0, "sizes"},
    {.name = NULL},
};

static const struct probe_help desk_help = {.options = desk_options}, desk_plain = {.title = NULL};

static const struct probe desk_short = {
    .name = "short", .weight = 1, .plan = desk_plan, .prepare = desk_prepare, .help = &desk_help};
static const struct probe desk_long = {
    .name = "long", .help = &desk_plain, .weight = 40, .plan = desk_plan, .prepare = desk_prepare};
static const struct probe desk_by_found = {.name = "by found",
                                           .help = &desk_plain,
                                           .weight = 1,
                                           .sized_by_found = true,
                                           .plan = desk_plan_by_found,
                                           .prepare = desk_prepare};
static const struct probe desk_optional = {
    .name = "optional", .help = &desk_plain, .plan = desk_plan, .prepare = desk_prepare};
static const struct probe desk_of_pairs = {.name = "pairs",
                                           .help = &desk_plain,
                                           .weight = 5,
                                           .needs = NEEDS_TWO_CPUS,
                                           .plan = desk_plan,
                                           .prepare = desk_prepare};
static const struct probe desk_refusing = {
    .name = "refusing", .help = &desk_plain, .weight = 1, .plan = desk_refuse};

static void desk_show(void *argument, const char *probe, double done, double left_s,
                      const char *so_far)
{
    struct desk *desk = argument;
    assert_true(done >= 0 && done <= 1 && left_s >= 0 && so_far);
    desk->shown = probe;
}

static int desk_save(void *argument, const struct document *document, struct error *error)
{
    struct desk *desk = argument;
    desk->probes_saved[desk->saves] = document->probe_count;
    desk->complete_saved[desk->saves] = document->run.complete;
    if (++desk->saves == desk->fails_at)
        return error_set(error, ERROR_USAGE, "no room for it");
    return 0;
}

static int desk_set_up(void **state)
{
    static struct desk desk;
    desk = (struct desk){0};
    for (int i = 0; i < DESK_CPUS; i++) {
        desk.places[i] = (struct cpu_place){.id = i, .core = i};
        desk.allowed[i] = i;
    }
    desk.caches[0] = (struct cache_facts){1, "data", 32 << 10, 64, 8, "0"};
    desk.caches[1] = (struct cache_facts){2, "unified", 1 << 20, 64, 16, "0"};
    desk.caches[2] = (struct cache_facts){3, "unified", 16 << 20, 64, 16, "0-3"};
    desk.node = (struct numa_facts){0, "0-3", UINT64_C(16) << 30};
    desk.machine = (struct machine){
        .facts = {.caches = desk.caches, .cache_count = 3, .nodes = &desk.node, .node_count = 1},
        .cpus = desk.places,
        .cpu_count = DESK_CPUS,
        .allowed = {desk.allowed, DESK_CPUS},
        .memory_available_bytes = UINT64_C(8) << 30,
    };
    desk.timing = (struct timing_model){.work = desk_work, .additions = desk_additions};
    desk.run = (struct run){.machine = &desk.machine,
                            .settings = &desk.settings,
                            .document = &desk.document,
                            .model = &desk.timing,
                            .stop = &desk.stop,
                            .listener = {desk_show, desk_save, &desk}};
    *state = &desk;
    return settings_add(&desk.settings, probe_common_options, NULL);
}

static int desk_tear_down(void **state)
{
    struct desk *desk = *state;
    run_release(&desk->run);
    settings_free(&desk->settings);
    document_free(&desk->document);
    return 0;
}

static inline void desk_set(struct desk *desk, const char *name, const char *value)
{
    assert_int_equal(settings_set(&desk->settings, name, value, &desk->error), 0);
}

/* Plans those probes; NULL: a whole run's. */
static inline void desk_plan_run(struct desk *desk, const struct probe *const *list)
{
    desk->run.probes = list;
    if (run_plan(&desk->run, &desk->error) < 0)
        fail_msg("%s", desk->error.text);
}

#define DESK_TEST(test) cmocka_unit_test_setup_teardown(test, desk_set_up, desk_tear_down)

#endif
