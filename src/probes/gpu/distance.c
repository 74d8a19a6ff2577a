/*
 * How far the lines of the second-level cache are from each multiprocessor. A line lies in a slice,
 * a slice in a partition, and the way from a multiprocessor to the other partition is longer: on an
 * H800, 258 cycles to the near one and 414 to the far one (arXiv 2501.12084). Which line lies where
 * is a hash of its address that nobody tells, so a number of lines is measured from every
 * multiprocessor: a matrix.
 *
 * A cell is a ring of one line, which points to itself, read past the first level: every load hits
 * the second. Lines are at different offsets of one allocation.
 *
 * Sides: two multiprocessors are as near to each other as the lines that are near to both (of which
 * there are none where they sit on two sides), so the matrix gives one of multiprocessors alone,
 * and its groups are the sides. A line is on the side from which it is nearest.
 *
 * Time: a cell is six trials of two batches of some 600 loads (100 us) with their launches of 10
 * us, some 2 ms with what prepares it; 132 multiprocessors and 16 lines take 4 s.
 */
#include "base/cpulist.h"
#include "base/random.h"
#include "probes/gpu/findings.h"
#include "stats/cluster/cluster.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

/* If lines lie on either side by chance, 16 lie all on one with a probability of 2^-15. */
enum { LINES = 16, LINE_BYTES = 128 };
/* Of which the lines are a part: many pages and rows, and within every device's memory. */
static const size_t span_most = 32 << 20;
/* A hundred steps of the slowest device clock: a part in a hundred of a single batch, and much less
 * of what many cells come to. */
static const double batch_ns = 100e3;
enum { BATCHES = 2 };
/* Two readings of that clock (%globaltimer in steps of 1024 ns, on some) can tell a batch, and so
 * the clock rate that a trial saw, longer or shorter by a step each. The slowest and the fastest of
 * a point's trials are then two steps apart; a third leaves room for batches that are shorter than
 * asked for. What the clock moves less is not told here. */
static const double slowest_step_ns = 1024, steps_apart = 3;
/* Of the lines so many are taken to be near to two multiprocessors of one side: few, for chance may
 * put few there, and not one, which may be wrong. */
static const double nearest_share = 0.1;
/* Which lines; the same in every run, so that a second one may be held against the first. */
static const uint64_t lines_seed = 0x6c696e6573;

struct distance_state {
    int series;
    size_t lines[LINES]; /* number of each in the span, ascending */
};

/* --- planning --- */

static size_t span_of(const struct gpu_task *task)
{
    size_t span = span_most;
    while (task->facts->memory_bytes && span > task->facts->memory_bytes / 8 &&
           span > LINES * LINE_BYTES)
        span /= 2;
    return span;
}

static int ascending(const void *a, const void *b)
{
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

/* One line of each sixteenth of the span. */
static void choose_lines(size_t span, size_t lines[LINES])
{
    struct random random = {lines_seed};
    const size_t each = span / LINE_BYTES / LINES;
    for (size_t i = 0; i < LINES; i++)
        lines[i] = i * each + (size_t)random_below(&random, each);
    qsort(lines, LINES, sizeof *lines, ascending);
}

static struct gpu_work cell_of(size_t span, size_t line, int multiprocessor)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_L2;
    work.bytes = work.stride = LINE_BYTES;
    work.span = span;
    work.offset = line * LINE_BYTES;
    work.multiprocessor = multiprocessor;
    return work;
}

static int plan_distance(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct plan *plan = &task->task->plan;
    struct distance_state *state = pool_alloc(task->task->pool, 1, sizeof *state);
    const size_t span = span_of(task);
    if (stage > 0)
        return 0;
    if (!state)
        return error_out_of_memory(error);
    task->state = state;
    choose_lines(span, state->lines);
    const struct gpu_work first = cell_of(span, state->lines[0], 0);
    state->series = -1;
    if (!gpu_can(task, "L2 by line and multiprocessor", &first))
        return 0;
    struct series *series =
        gpu_add_series(task, "L2 by line and multiprocessor",
                       (struct axis){"line to multiprocessor", ""}, (struct axis){"latency", "ns"});
    if (!series)
        return error_out_of_memory(error);
    series->matrix = true;
    state->series = (int)(series - plan->series);
    plan->batches = BATCHES;
    plan->batch_ns = batch_ns;
    plan->clock_spread = steps_apart * slowest_step_ns / batch_ns;
    int code = gpu_add_factor(task, series, "line_bytes", NULL, LINE_BYTES, error);
    for (size_t i = 0; i < LINES; i++)
        for (unsigned sm = 0; sm < task->facts->multiprocessors && code == 0; sm++) {
            const struct gpu_work work = cell_of(span, state->lines[i], (int)sm);
            code = gpu_add_pair(task, (size_t)state->series, (int)state->lines[i], (int)sm, &work,
                                error);
        }
    return code < 0 ? code : 1;
}

/* --- concluding --- */

struct sides {
    struct gpu_task *task;
    const struct point **cell; /* [LINES][multiprocessors]; NULL: no value */
    size_t multiprocessors;
    int of_line[LINES]; /* its side; -1: none */
    int *of;            /* a multiprocessor's */
    size_t count;
    struct pool scratch;
};

static int read_cells(struct sides *sides, const struct distance_state *state,
                      const struct series *series, struct error *error)
{
    const size_t n = sides->multiprocessors;
    sides->cell = pool_alloc(&sides->scratch, LINES * n, sizeof(const struct point *));
    sides->of = pool_alloc(&sides->scratch, n, sizeof *sides->of);
    if (!sides->cell || !sides->of)
        return error_out_of_memory(error);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        size_t line = 0;
        while (line < LINES && state->lines[line] != (size_t)point->from)
            line++;
        if (line < LINES && point->y.n && (size_t)point->to < n)
            sides->cell[line * n + (size_t)point->to] = point;
    }
    return 0;
}

/* In cycles, which the clock does not move, where there are any. */
static double latency_at(const struct sides *sides, size_t line, size_t sm)
{
    const struct point *point = sides->cell[line * sides->multiprocessors + sm];
    if (!point)
        return NAN;
    return (double)(isfinite(point->cycles.median) ? point->cycles.median : point->y.median);
}

/* How near two multiprocessors are: how far the farther of them is from the lines that are nearest
 * to both. NAN where no line was measured from both. */
static double way_between(const struct sides *sides, size_t a, size_t b)
{
    double ways[LINES];
    size_t count = 0;
    for (size_t line = 0; line < LINES; line++) {
        double one = latency_at(sides, line, a), other = latency_at(sides, line, b);
        if (one > 0 && other > 0)
            ways[count++] = fmax(one, other);
    }
    sort_ascending(ways, count);
    return count ? quantile(ways, count, nearest_share) : NAN;
}

/* Groups within groups, of multiprocessors that share a part of the way, are not told. */
static int find_sides(struct sides *sides, struct error *error)
{
    const size_t n = sides->multiprocessors;
    struct clusters clusters = {0};
    double *ways = pool_alloc(&sides->scratch, n * n, sizeof *ways);
    if (!ways)
        return error_out_of_memory(error);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            ways[a * n + b] = a == b ? NAN : way_between(sides, a, b);
    if (clusters_find(&clusters, &sides->scratch, ways, NULL, n) < 0)
        return error_out_of_memory(error);
    for (size_t sm = 0; sm < n; sm++)
        sides->of[sm] = -1;
    for (size_t c = 0; c < clusters.count; c++) {
        const struct cluster *cluster = &clusters.list[c];
        if (cluster->parent >= 0 || cluster->basis != CLUSTER_NEAR)
            continue;
        for (size_t i = 0; i < cluster->count; i++)
            sides->of[cluster->members[i]] = (int)sides->count;
        sides->count++;
    }
    return 0;
}

/* Leaves each line on the side that is nearest to it. */
static int place_lines(struct sides *sides, struct error *error)
{
    double *values = pool_alloc(&sides->scratch, sides->multiprocessors, sizeof *values);
    if (!values)
        return error_out_of_memory(error);
    for (size_t line = 0; line < LINES; line++) {
        double nearest = INFINITY;
        sides->of_line[line] = -1;
        for (int side = 0; (size_t)side < sides->count; side++) {
            size_t count = 0;
            for (size_t sm = 0; sm < sides->multiprocessors; sm++)
                if (sides->of[sm] == side && latency_at(sides, line, sm) > 0)
                    values[count++] = latency_at(sides, line, sm);
            sort_ascending(values, count);
            double here = count ? median(values, count) : INFINITY;
            if (here < nearest) {
                nearest = here;
                sides->of_line[line] = side;
            }
        }
    }
    return 0;
}

/* Cells whose line and multiprocessor are on the same side (that one, or any: -1), or on two. */
static int gather(const struct sides *sides, bool near, int only, struct gpu_points *points,
                  struct error *error)
{
    int code = 0;
    for (size_t line = 0; line < LINES; line++)
        for (size_t sm = 0; sm < sides->multiprocessors && code == 0; sm++) {
            int a = sides->of_line[line], b = sides->of[sm];
            if (a >= 0 && b >= 0 && (a == b) == near && (only < 0 || b == only))
                code = gpu_points_add(points, sides->task,
                                      sides->cell[line * sides->multiprocessors + sm], error);
        }
    return code;
}

/* "multiprocessors 0-65 are near to 7 of the 16 lines looked at" */
static const char *side_text(const struct sides *sides, int side)
{
    struct cpulist list = {0};
    const size_t size = sides->multiprocessors * 12 + 1; /* an int and a comma */
    char *text = pool_alloc(sides->task->task->pool, size, 1);
    size_t lines = 0;
    int code = text ? 0 : ERROR_SYSTEM;
    for (size_t line = 0; line < LINES; line++)
        lines += sides->of_line[line] == side;
    for (size_t sm = 0; sm < sides->multiprocessors && code == 0; sm++)
        if (sides->of[sm] == side)
            code = cpulist_add(&list, (int)sm);
    if (code == 0)
        cpulist_format(&list, text, size);
    cpulist_free(&list);
    return code == 0 ? pool_printf(sides->task->task->pool,
                                   "multiprocessors %s are near to %zu of the %d lines looked at",
                                   text, lines, LINES)
                     : NULL;
}

static int add_side(const struct sides *sides, int side, struct error *error)
{
    struct gpu_points points = {0};
    const char *text = side_text(sides, side);
    const char *name = pool_printf(sides->task->task->pool, "L2.side%d.near", side + 1);
    int code =
        text && name ? gather(sides, true, side, &points, error) : error_out_of_memory(error);
    return code < 0 ? code : gpu_add_latency(sides->task, name, &points, text, error);
}

/* No two sides: all cells are one distance. */
static int add_alike(const struct sides *sides, struct error *error)
{
    struct gpu_points points = {0};
    int code = 0;
    for (size_t i = 0; i < LINES * sides->multiprocessors && code == 0; i++)
        code = gpu_points_add(&points, sides->task, sides->cell[i], error);
    if (code == 0)
        code = gpu_add_latency(sides->task, "L2.near", &points,
                               "no line is nearer to some multiprocessors than to others, as far "
                               "as the latencies tell: there are no sides",
                               error);
    return code;
}

static int add_sides(const struct sides *sides, struct error *error)
{
    struct gpu_points near = {0}, far = {0};
    int code = gather(sides, true, -1, &near, error);
    if (code == 0)
        code = gather(sides, false, -1, &far, error);
    if (code == 0)
        code =
            gpu_add_latency(sides->task, "L2.near", &near,
                            "a hit on a line of the multiprocessor's own side of the cache", error);
    if (code == 0)
        code = gpu_add_latency(sides->task, "L2.far", &far,
                               "a hit on a line of the other side of the cache", error);
    for (int side = 0; (size_t)side < sides->count && code == 0; side++)
        code = add_side(sides, side, error);
    return code;
}

static int conclude_distance(struct gpu_task *task, struct error *error)
{
    const struct distance_state *state = task->state;
    if (!state || state->series < 0)
        return 0;
    struct sides sides = {.task = task, .multiprocessors = task->facts->multiprocessors};
    int code = read_cells(&sides, state, &task->task->plan.series[state->series], error);
    if (code == 0)
        code = find_sides(&sides, error);
    if (code == 0)
        code = place_lines(&sides, error);
    if (code == 0)
        code = sides.count > 1 ? add_sides(&sides, error) : add_alike(&sides, error);
    pool_free(&sides.scratch);
    return code;
}

static const char *refuses_distance(const struct gpu_task *task)
{
    return task->facts->multiprocessors < 2 ? "needs several multiprocessors" : NULL;
}

static int recall_distance(struct gpu_task *task, struct error *error)
{
    struct distance_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    choose_lines(span_of(task), state->lines);
    state->series = gpu_find_series(task, "L2 by line and multiprocessor", NULL, NULL, 0);
    return state->series >= 0;
}

const struct gpu_experiment gpu_distance = {
    .name = "distance",
    .summary = "lines of the second-level cache, near and far, by multiprocessor",
    .weight = 4,
    .by_default = false,
    .refuses = refuses_distance,
    .plan = plan_distance,
    .conclude = conclude_distance,
    .recall = recall_distance,
};
