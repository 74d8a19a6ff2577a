/*
 * Latency from each multiprocessor to lines of the second-level cache. A line lies in a slice, a
 * slice in a partition, and the other partition is farther: on an H800, 258 cycles to the near one
 * and 414 to the far one (arXiv 2501.12084). An unpublished hash of the address selects the slice,
 * so several lines are measured from every multiprocessor. The distance of two multiprocessors is
 * the latency of the lines that are near to both; if they belong to different partitions there are
 * none. The groups in the matrix of these distances are the partitions, called sides. A line
 * belongs to the side with the lowest latency to it.
 *
 * A cell is a ring of one line, which points to itself, read past the first level: every load hits
 * the second level. Lines are at different offsets of one allocation.
 *
 * If a partition keeps copies of the other partition's lines that its multiprocessors read, such a
 * ring is always near. (A100 and H100 seem to: their curves have a step at half of L2, whether
 * loads are plain or .cg: gpu-benches; mt4g finds segments of 20 of 40 and 25 of 50 MiB.) So if
 * reads show no sides, atomic additions of zero are measured: they are carried out at the line's
 * home. If they show sides, a far hit is measured with a ring of three quarters of L2. Most of it
 * is loaded untimed, which evicts the near copies of some lines with a home on the far side, but
 * does not evict the lines at their home, because only half of the ring has its home there. Then
 * those lines are loaded once, timed.
 *
 * Time: a cell is six trials of two batches of some 600 loads (100 us) with their launches of 10
 * us, some 2 ms with its preparation; 132 multiprocessors and 16 lines take 4 s, and as much again
 * where atomics are needed. A ring of 37 MiB takes 0.1 s each time: a second or two for both sides.
 */
#include "base/cpulist.h"
#include "base/random.h"
#include "base/sort.h"
#include "conclude/clusters/cluster.h"
#include "measure/probes/gpu/gpu.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

/* With random homes all of 16 lines lie on one side with a probability of 2^-15. */
enum { LINES = 16, LINE_BYTES = 128 };
/* The lines are spread over this many bytes: many pages and rows, but less than any device's
 * memory. */
static const size_t span_most = 32 << 20;
enum { MEMORY_PART = 8 };
/* A hundred steps of the slowest device clock: a resolution of 1 % for a single batch, and much
 * better for the median of many cells. */
static const double batch_ns = 100e3;
enum { BATCHES = 2 };
/* That clock (%globaltimer in steps of 1024 ns on some devices) can make a batch, and so a trial's
 * measured clock rate, appear longer or shorter by a step. The slowest and the fastest trial of a
 * point may then differ by two steps; a third step allows for batches shorter than asked for.
 * Smaller changes of the clock rate are not reported here. */
static const double slowest_step_ns = 1024, steps_apart = 3;
/* Chooses the lines: the same in every run, so that runs can be compared. */
static const uint64_t lines_seed = 0x6c696e6573;
/* MORE_LINES lines get their side for the ring beyond half of L2, and half of them are far from
 * either side. The chase times whole groups of GROUP loads. */
enum { MORE_LINES = 112, GROUP = 16, TIMED_MOST = 64, SIDES_MOST = 4 };

static const char reads_what[] = "L2 by line and multiprocessor",
                  homes_what[] = "L2 atomics by line and multiprocessor",
                  outer_what[] = "L2 beyond its half by multiprocessor";

/* --- sides --- */

struct sides {
    size_t multiprocessors, lines;
    const size_t *line;        /* each line's number, ascending */
    const struct point **cell; /* [lines][multiprocessors]; NULL: no value */
    int *of_line;              /* [lines]: side; -1: none */
    int *of;                   /* [multiprocessors]: side; -1: none */
    size_t count;              /* of sides; 0: none */
};

/* The share of lines assumed near to two multiprocessors of one side: small, because by chance few
 * lines may lie there, but more than one line, whose latency may be wrong. */
static const double nearest_share = 0.1;

static double latency_at(const struct sides *sides, size_t line, size_t sm)
{
    const struct point *point = sides->cell[line * sides->multiprocessors + sm];
    return point ? gpu_latency_of(point) : NAN;
}

/* Distance of two multiprocessors: the latency, from the farther one, of the lines nearest to both.
 * NAN: no line was measured from both. */
static double way_between(const struct sides *sides, size_t a, size_t b, double *ways)
{
    size_t count = 0;
    for (size_t line = 0; line < sides->lines; line++) {
        double one = latency_at(sides, line, a), other = latency_at(sides, line, b);
        if (one > 0 && other > 0)
            ways[count++] = fmax(one, other);
    }
    return quantile_unsorted(ways, count, nearest_share);
}

/* Assigns each line to the side with the lowest median latency. */
static void place_lines(struct sides *sides, struct pool *pool)
{
    double *values = pool_alloc(pool, sides->multiprocessors + 1, sizeof *values);
    for (size_t line = 0; line < sides->lines; line++) {
        double nearest = INFINITY;
        sides->of_line[line] = -1;
        for (int side = 0; (size_t)side < sides->count; side++) {
            size_t count = 0;
            for (size_t sm = 0; sm < sides->multiprocessors; sm++)
                if (sides->of[sm] == side && latency_at(sides, line, sm) > 0)
                    values[count++] = latency_at(sides, line, sm);
            const double here = median_of(values, count); /* NAN is not less */
            if (here < nearest) {
                nearest = here;
                sides->of_line[line] = side;
            }
        }
    }
}

/* The sides in a matrix of lines (rows) and multiprocessors (columns); none if it was not measured
 * (NULL). */
static struct sides sides_of(const struct gpu_task *task, const struct series *series)
{
    struct sides sides = {.multiprocessors = task->facts->multiprocessors};
    if (!series)
        return sides;
    struct pool *pool = task->task->pool;
    const size_t n = sides.multiprocessors;
    size_t *lines = pool_alloc(pool, series->point_count + 1, sizeof *lines);
    /* The lines of the matrix, each once. */
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from >= 0)
            lines[count++] = (size_t)series->points[i].from;
    qsort(lines, count, sizeof *lines, by_size);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || lines[kept - 1] != lines[i])
            lines[kept++] = lines[i];
    sides.lines = kept;
    sides.line = lines;
    sides.cell = pool_alloc(pool, sides.lines * n + 1, sizeof(const struct point *));
    sides.of = pool_alloc(pool, n + 1, sizeof *sides.of);
    sides.of_line = pool_alloc(pool, sides.lines + 1, sizeof *sides.of_line);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const size_t number = (size_t)point->from;
        const size_t *line = bsearch(&number, lines, sides.lines, sizeof *lines, by_size);
        if (line && point->y.n && point->to >= 0 && (size_t)point->to < n)
            sides.cell[(size_t)(line - lines) * n + (size_t)point->to] = point;
    }
    /* Groups the multiprocessors into sides. Groups within a side, which share a part of the path,
     * are ignored. */
    struct clusters clusters = {0};
    double *ways = pool_alloc(task->task->pool, n * n + 1, sizeof *ways);
    double *some = pool_alloc(task->task->pool, sides.lines + 1, sizeof *some);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            ways[a * n + b] = a == b ? NAN : way_between(&sides, a, b, some);
    clusters_find(&clusters, task->task->pool, ways, NULL, n);
    for (size_t sm = 0; sm < n; sm++)
        sides.of[sm] = -1;
    for (size_t c = 0; c < clusters.count; c++) {
        const struct cluster *cluster = &clusters.list[c];
        if (cluster->parent >= 0 || cluster->basis != CLUSTER_NEAR)
            continue;
        for (size_t i = 0; i < cluster->count; i++)
            sides.of[cluster->members[i]] = (int)sides.count;
        sides.count++;
    }
    pool_give_back(task->task->pool, ways);
    place_lines(&sides, task->task->pool);
    if (sides.count < 2)
        sides.count = 0;
    return sides;
}

/* Cells with line and multiprocessor on the same side (`near`) or on two; `only` selects the
 * multiprocessor's side (-1: any). */
static struct gpu_points gather(struct gpu_task *task, const struct sides *sides, bool near,
                                int only)
{
    struct gpu_points points = {0};
    for (size_t line = 0; line < sides->lines; line++)
        for (size_t sm = 0; sm < sides->multiprocessors; sm++) {
            const int a = sides->of_line[line], b = sides->of[sm];
            if (a >= 0 && b >= 0 && (a == b) == near && (only < 0 || b == only))
                gpu_points_add(&points, task, sides->cell[line * sides->multiprocessors + sm]);
        }
    return points;
}

/* The first multiprocessor of a side; -1: it has none. */
static int first_of(const struct sides *sides, int side)
{
    for (size_t sm = 0; sm < sides->multiprocessors; sm++)
        if (sides->of[sm] == side)
            return (int)sm;
    return -1;
}

/* --- planning --- */

/* Three quarters of L2, in whole groups of lines; 0: unknown, or too much of the device's memory.
 */
static size_t ring_bytes(const struct gpu_task *task)
{
    const uint64_t bytes =
        task->facts->l2_bytes / 4 * 3 / (GROUP * LINE_BYTES) * (GROUP * LINE_BYTES);
    return bytes <= gpu_memory(task) / MEMORY_PART ? (size_t)bytes : 0;
}

static size_t span_of(const struct gpu_task *task)
{
    size_t span = span_most;
    while (task->facts->memory_bytes && span > task->facts->memory_bytes / MEMORY_PART &&
           span > LINES * LINE_BYTES)
        span /= 2;
    return span > ring_bytes(task) ? span : ring_bytes(task);
}

static struct gpu_work cell_of(const struct gpu_task *task, enum gpu_path path, size_t line,
                               int multiprocessor)
{
    struct gpu_work work = gpu_chase(path, LINE_BYTES, LINE_BYTES);
    work.span = span_of(task);
    work.offset = line * LINE_BYTES;
    work.multiprocessor = multiprocessor;
    return work;
}

static void add_cell(struct gpu_task *task, const struct series *matrix, enum gpu_path path,
                     size_t line, int multiprocessor)
{
    const struct gpu_work work = cell_of(task, path, line, multiprocessor);
    gpu_add_pair(task, matrix, (int)line, multiprocessor, &work);
}

/* One line of each sixteenth of the span, from every multiprocessor. */
static void plan_matrix(struct gpu_task *task, const char *what, enum gpu_path path)
{
    struct random random = {lines_seed};
    const size_t each = span_of(task) / LINE_BYTES / LINES;
    const struct gpu_work first = cell_of(task, path, 0, 0);
    if (!gpu_can(task, what, &first))
        return;
    struct series *matrix =
        gpu_add_series(task, what, (struct axis){"line to multiprocessor", ""}, gpu_in_ns);
    matrix->matrix = true;
    gpu_add_factor(task, matrix, "line_bytes", NULL, LINE_BYTES);
    for (size_t i = 0; i < LINES; i++) {
        const size_t line = i * each + (size_t)random_below(&random, each);
        for (unsigned sm = 0; sm < task->facts->multiprocessors; sm++)
            add_cell(task, matrix, path, line, (int)sm);
    }
}

static void plan_outer(struct gpu_task *task, const struct series *homes)
{
    const struct sides sides = sides_of(task, homes);
    const size_t ring = ring_bytes(task);
    const struct series *outer = NULL;
    for (int side = 0; side < (int)sides.count && side < SIDES_MOST && ring; side++) {
        struct gpu_work work = cell_of(task, GPU_L2, 0, first_of(&sides, side));
        work.bytes = ring;
        /* Chooses lines of the ring with a home on another side, in whole groups, as the timed
         * elements. */
        uint32_t *timed = pool_alloc(task->task->pool, TIMED_MOST, sizeof *timed);
        size_t count = 0;
        for (size_t i = 0; i < sides.lines && count < TIMED_MOST; i++)
            if (sides.of_line[i] >= 0 && sides.of_line[i] != side &&
                sides.line[i] < ring / LINE_BYTES)
                timed[count++] = (uint32_t)sides.line[i];
        work.timed = timed;
        work.timed_count = count / GROUP * GROUP;
        if (work.timed_count == 0 || !gpu_can(task, outer_what, &work))
            continue;
        if (!outer)
            outer =
                gpu_add_series(task, outer_what, (struct axis){"multiprocessor", ""}, gpu_in_ns);
        gpu_add_point(task, outer, work.multiprocessor, &work);
    }
    /* One pass is a batch, because 1 ns is always reached. */
    task->task->plan.batches = 1;
    task->task->plan.batch_ns = 1;
    task->task->plan.clock_spread = 1;
}

enum { READS, HOMES, MORE, OUTER, STAGES };

static void plan_distance(struct gpu_task *task)
{
    struct plan *plan = &task->task->plan;
    const struct series *reads = gpu_find_series(task, reads_what, NULL, NULL, 0),
                        *homes = gpu_find_series(task, homes_what, NULL, NULL, 0);
    plan->batches = BATCHES;
    plan->batch_ns = batch_ns;
    plan->clock_spread = steps_apart * slowest_step_ns / batch_ns;
    if (task->stage == READS)
        plan_matrix(task, reads_what, GPU_L2);
    else if (task->stage == HOMES && reads && sides_of(task, reads).count == 0)
        plan_matrix(task, homes_what, GPU_ATOMIC);
    else if (task->stage == MORE) {
        /* More lines, measured from one multiprocessor of each side, to find lines with a far home.
         */
        const struct sides sides = sides_of(task, homes);
        struct random random = {lines_seed + 1};
        const size_t each = ring_bytes(task) / LINE_BYTES / MORE_LINES;
        for (size_t i = 0; i < MORE_LINES && each && sides.count; i++) {
            const size_t line = i * each + (size_t)random_below(&random, each);
            for (int side = 0; side < (int)sides.count && side < SIDES_MOST; side++)
                add_cell(task, homes, GPU_ATOMIC, line, first_of(&sides, side));
        }
    } else if (task->stage == OUTER)
        plan_outer(task, homes);
}

/* --- concluding --- */

/* All cells of the reads by the multiprocessors of side `only` (-1: any). */
static struct gpu_points gather_reads(struct gpu_task *task, const struct series *reads,
                                      const struct sides *sides, int only)
{
    struct gpu_points points = {0};
    for (size_t i = 0; i < reads->point_count; i++) {
        const int sm = reads->points[i].to;
        const bool known = sm >= 0 && (size_t)sm < task->facts->multiprocessors;
        if (only < 0 || (known && sides->of[sm] == only))
            gpu_points_add(&points, task, &reads->points[i]);
    }
    return points;
}

static void add_side(struct gpu_task *task, const struct sides *sides, int side,
                     struct gpu_points points)
{
    struct pool *pool = task->task->pool;
    struct cpulist list = {pool_alloc(pool, sides->multiprocessors, sizeof *list.ids), 0};
    const size_t size = sides->multiprocessors * 12 + 1; /* an int and a comma */
    size_t lines = 0;
    for (size_t line = 0; line < sides->lines; line++)
        lines += sides->of_line[line] == side;
    for (size_t sm = 0; sm < sides->multiprocessors; sm++)
        if (sides->of[sm] == side)
            list.ids[list.count++] = (int)sm;
    const char *near = cpulist_format(&list, pool_alloc(pool, size, 1), size);
    gpu_add_latency(task, pool_printf(pool, "L2.side%d.near", side + 1), points,
                    pool_printf(pool,
                                "multiprocessors %s are near to %zu of the %zu lines looked at",
                                near, lines, sides->lines));
}

/* Counts the cells of all measured lines and multiprocessors, and the measured cells. */
static void count_cells(const struct series *series, size_t *all, size_t *measured)
{
    size_t lines = 0, multiprocessors = 0;
    *measured = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        bool line = true, multiprocessor = true;
        for (size_t j = 0; j < i; j++) {
            const bool known = series->points[j].y.n > 0;
            line = line && !(known && series->points[j].from == series->points[i].from);
            multiprocessor =
                multiprocessor && !(known && series->points[j].to == series->points[i].to);
        }
        const bool counts = series->points[i].y.n > 0;
        lines += counts && line;
        multiprocessors += counts && multiprocessor;
        *measured += counts;
    }
    *all = lines * multiprocessors;
}

/* No two sides: all cells have one distance. That lines are alike is reported only if every cell
 * was measured, because an unmeasured cell may be far. */
static void add_alike(struct gpu_task *task, const struct series *reads, bool homes)
{
    size_t all, measured;
    count_cells(reads, &all, &measured);
    if (measured < all)
        gpu_add_finding(
            task, "L2.near", "cycles", (struct interval){NAN, NAN, NAN}, 0,
            pool_printf(task->task->pool,
                        "not enough data: %zu of %zu pairs of a line and a multiprocessor "
                        "were measured: give it more time (a larger --budget)",
                        measured, all));
    else
        gpu_add_latency(
            task, "L2.near", gather_reads(task, reads, NULL, -1),
            homes ? "no line is nearer to some multiprocessors than to others, as far as the "
                    "latencies of reads and of atomic operations show: there are no sides"
                  : "no line is nearer to some multiprocessors than to others, as far as the "
                    "latencies of reads show: there are no sides, or each keeps copies of the "
                    "other's lines");
}

/* Only atomic operations show the sides: a side keeps copies of lines that its multiprocessors
 * read. */
static void add_copied(struct gpu_task *task, const struct series *reads, const struct sides *sides)
{
    gpu_add_latency(task, "L2.near", gather_reads(task, reads, sides, -1),
                    "a hit in the multiprocessor's own side of the cache, which keeps copies of "
                    "what is read of the other side: only atomic operations show where a line is "
                    "at home");
    gpu_add_latency(task, "L2.far",
                    gpu_points_of(task, gpu_find_series(task, outer_what, NULL, NULL, 0)),
                    "a hit in the other side of the cache, on lines whose copies in the own side "
                    "were evicted by a working set larger than half of the cache");
    for (int side = 0; (size_t)side < sides->count; side++)
        add_side(task, sides, side, gather_reads(task, reads, sides, side));
}

static void conclude_distance(struct gpu_task *task)
{
    const struct series *reads = gpu_find_series(task, reads_what, NULL, NULL, 0),
                        *homes = gpu_find_series(task, homes_what, NULL, NULL, 0);
    if (!reads)
        return;
    const struct sides fixed = sides_of(task, reads), at_home = sides_of(task, homes);
    if (fixed.count) {
        /* Reads show the sides, so lines are not copied. */
        gpu_add_latency(task, "L2.near", gather(task, &fixed, true, -1),
                        "a hit on a line of the multiprocessor's own side of the cache");
        gpu_add_latency(task, "L2.far", gather(task, &fixed, false, -1),
                        "a hit on a line of the other side of the cache");
        for (int side = 0; (size_t)side < fixed.count; side++)
            add_side(task, &fixed, side, gather(task, &fixed, true, side));
    } else if (at_home.count)
        add_copied(task, reads, &at_home);
    else
        add_alike(task, reads, homes != NULL);
}

static const char *refuses_distance(const struct gpu_task *task)
{
    return task->facts->multiprocessors < 2 ? "needs several multiprocessors" : NULL;
}

const struct gpu_experiment gpu_distance = {
    .name = "distance",
    .summary = "lines of the second-level cache, near and far, by multiprocessor",
    .weight = 6,
    .cuda_alone = true,
    .stages = STAGES,
    .refuses = refuses_distance,
    .plan = plan_distance,
    .conclude = conclude_distance,
};
