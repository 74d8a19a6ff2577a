/*
 * How long a load takes that waits for the one before it, in a few small working sets. This is what
 * scripts/new begins a probe with: it says what is measured, and the engine does the rest. Put your
 * own measurement in its place; docs/adding.md goes through it function by function.
 */
#include "measure/probes/kit/probe.h"

#include "measure/kernels/chase.h"
#include "measure/kernels/ring.h"

enum { LEAST_BYTES = 4096 };

struct skeleton_options {
    struct setting to;
};

static const struct option_spec options[] = {
    {"to", 0, OPTION_SIZE, "SIZE", "16K", LEAST_BYTES, 1 << 30, NULL,
     offsetof(struct skeleton_options, to), "largest working set"},
    {.name = NULL},
};

static void plan_points(struct probe_task *task)
{
    struct plan *plan = &task->plan;
    struct series *series = pool_alloc(task->pool, 1, sizeof *series);
    struct seat *seat = pool_alloc(task->pool, 1, sizeof *seat);
    *series = (struct series){.name = "skeleton", .headline = true};
    series->x = (struct axis){"working set", "B"};
    series->y = (struct axis){"latency", "ns"};
    plan->series = series;
    plan->series_count = 1;
    *seat = (struct seat){task->cpus.ids[0], MEASURED};
    plan->touch_cpu = seat->cpu;
    const struct skeleton_options *asked = task->options;
    for (uint64_t bytes = LEAST_BYTES; bytes <= asked->to.bytes; bytes *= 2) {
        struct plan_point *point =
            pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
        *point = (struct plan_point){
            .x = (double)bytes, .seats = seat, .seat_count = 1, .arena_bytes = (size_t)bytes};
    }
}

/* A fresh ring of one pointer a cache line, in random order, and in the caches as far as it fits.
 */
static void prepare_trial(struct trial *trial)
{
    enum { STRIDE = 64 };
    const struct ring ring = {.memory = trial->arena->memory,
                              .count = trial->point->arena_bytes / STRIDE,
                              .stride = STRIDE,
                              .order = RING_RANDOM,
                              .seed = trial->seed};
    struct worker *worker = &trial->workers[0];
    ring_build(&ring);
    worker->run = chase_run;
    worker->state = worker->room;
    *(struct chase *)worker->state = (struct chase){ring_warm(&ring, 2 * ring.count)};
    trial->operations = chase_steps;
}

/* The finding is what the largest set says that was measured. */
static void analyse_series(struct analysis *analysis)
{
    const struct series *series = analysis_series(analysis, "skeleton", NULL, NULL);
    size_t points = series ? series->point_count : 0;
    while (points && !series->points[points - 1].y.n)
        points--; /* a point that failed has no value */
    if (!points)
        return analysis_keep(analysis, "skeleton.latency", "it has no value");
    const struct point *point = &series->points[points - 1];
    const struct summary *y = &point->y;
    analysis_add_summary(analysis, "skeleton.latency", "ns", y, point->flags);
    analysis_read_off(analysis, series);
}

/* What decides which experiment the finding is of, and what its name alone stands for. */
static const struct standard experiment[] = {
    {"pages", STANDARD_PAGES, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

static const struct finding_line finding_lines[] = {
    {.patterns = "skeleton.latency",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "A load that waits for the one before it, in the largest working set.",
     .moves = "The core clock changes it, and the cache that the set fits.",
     .advice = "Compare it with the latency of that cache."},
    {.patterns = NULL},
};

static const struct probe_help help = {
    .title = "Load latency in a few small working sets",
    .summary = "what skeleton measures: one line for lists",
    .about = "Each load gives the address of the next, so nothing overlaps. Say here what the "
             "number means, and what changes it.",
    .options = options,
    .options_bytes = sizeof(struct skeleton_options),
};

const struct probe skeleton_probe = {
    .name = "skeleton",
    .place = 0,
    .help = &help,
    .weight = 0, /* seconds of a whole run; 0: measured when it is named */
    .findings = {finding_lines, experiment},
    .plan = plan_points,
    .prepare = prepare_trial,
    .analyse = analyse_series,
};
