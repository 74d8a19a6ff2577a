#include "measure/probes/gpu/sides.h"

#include "base/cpulist.h"
#include "conclude/clusters/cluster.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>

/* This share of the lines is taken to be near to two multiprocessors of one side: few, for chance
 * may put few there, and not one, which may be wrong. */
static const double nearest_share = 0.1;

static int ascending(const void *a, const void *b)
{
    const size_t p = *(const size_t *)a, q = *(const size_t *)b;
    return (p > q) - (p < q);
}

/* The lines that the matrix is about, each once. */
static size_t list_lines(const struct series *series, size_t *lines)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from >= 0)
            lines[count++] = (size_t)series->points[i].from;
    qsort(lines, count, sizeof *lines, ascending);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || lines[kept - 1] != lines[i])
            lines[kept++] = lines[i];
    return kept;
}

static int read_cells(struct gpu_sides *sides, const struct series *series, struct error *error)
{
    struct pool *pool = sides->task->task->pool;
    const size_t n = sides->multiprocessors;
    size_t *lines = pool_alloc(pool, series->point_count + 1, sizeof *lines);
    sides->lines = list_lines(series, lines);
    sides->line = lines;
    sides->cell = pool_alloc(pool, sides->lines * n + 1, sizeof(const struct point *));
    sides->of = pool_alloc(pool, n + 1, sizeof *sides->of);
    sides->of_line = pool_alloc(pool, sides->lines + 1, sizeof *sides->of_line);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const size_t number = (size_t)point->from;
        const size_t *line = bsearch(&number, lines, sides->lines, sizeof *lines, ascending);
        if (line && point->y.n && point->to >= 0 && (size_t)point->to < n)
            sides->cell[(size_t)(line - lines) * n + (size_t)point->to] = point;
    }
    return 0;
}

/* In cycles, which the clock does not move, where there are any. */
static double latency_at(const struct gpu_sides *sides, size_t line, size_t sm)
{
    const struct point *point = sides->cell[line * sides->multiprocessors + sm];
    if (!point)
        return NAN;
    return (double)(isfinite(point->cycles.median) ? point->cycles.median : point->y.median);
}

/* How near two multiprocessors are: how far the farther of them is from the lines that are nearest
 * to both. NAN where no line was measured from both. */
static double way_between(const struct gpu_sides *sides, size_t a, size_t b, double *ways)
{
    size_t count = 0;
    for (size_t line = 0; line < sides->lines; line++) {
        double one = latency_at(sides, line, a), other = latency_at(sides, line, b);
        if (one > 0 && other > 0)
            ways[count++] = fmax(one, other);
    }
    sort_ascending(ways, count);
    return count ? quantile(ways, count, nearest_share) : NAN;
}

/* Groups within groups, of multiprocessors that share a part of the way, are not looked for. */
static int group(struct gpu_sides *sides, struct pool *scratch, struct error *error)
{
    const size_t n = sides->multiprocessors;
    struct clusters clusters = {0};
    double *ways = pool_alloc(scratch, n * n + 1, sizeof *ways);
    double *some = pool_alloc(scratch, sides->lines + 1, sizeof *some);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            ways[a * n + b] = a == b ? NAN : way_between(sides, a, b, some);
    if (clusters_find(&clusters, scratch, ways, NULL, n) < 0)
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
static int place_lines(struct gpu_sides *sides, struct pool *scratch, struct error *error)
{
    double *values = pool_alloc(scratch, sides->multiprocessors + 1, sizeof *values);
    for (size_t line = 0; line < sides->lines; line++) {
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

int gpu_sides_gather(const struct gpu_sides *sides, bool near, int only, struct gpu_points *points,
                     struct error *error)
{
    int code = 0;
    for (size_t line = 0; line < sides->lines; line++)
        for (size_t sm = 0; sm < sides->multiprocessors && code == 0; sm++) {
            int a = sides->of_line[line], b = sides->of[sm];
            if (a >= 0 && b >= 0 && (a == b) == near && (only < 0 || b == only))
                code = gpu_points_add(points, sides->task,
                                      sides->cell[line * sides->multiprocessors + sm], error);
        }
    return code;
}

const char *gpu_sides_text(const struct gpu_sides *sides, int side)
{
    struct cpulist list = {0};
    const size_t size = sides->multiprocessors * 12 + 1; /* an int and a comma */
    char *text = pool_alloc(sides->task->task->pool, size, 1);
    size_t lines = 0;
    int code = text ? 0 : ERROR_SYSTEM;
    for (size_t line = 0; line < sides->lines; line++)
        lines += sides->of_line[line] == side;
    for (size_t sm = 0; sm < sides->multiprocessors && code == 0; sm++)
        if (sides->of[sm] == side)
            code = cpulist_add(&list, (int)sm);
    if (code == 0)
        cpulist_format(&list, text, size);
    cpulist_free(&list);
    return code == 0 ? pool_printf(sides->task->task->pool,
                                   "multiprocessors %s are near to %zu of the %zu lines looked at",
                                   text, lines, sides->lines)
                     : NULL;
}

int gpu_sides_first(const struct gpu_sides *sides, int side)
{
    for (size_t sm = 0; sm < sides->multiprocessors; sm++)
        if (sides->of[sm] == side)
            return (int)sm;
    return -1;
}

int gpu_sides_find(struct gpu_sides *sides, struct gpu_task *task, const struct series *series,
                   struct error *error)
{
    struct pool scratch = {0};
    *sides = (struct gpu_sides){.task = task, .multiprocessors = task->facts->multiprocessors};
    int code = read_cells(sides, series, error);
    if (code == 0)
        code = group(sides, &scratch, error);
    if (code == 0)
        code = place_lines(sides, &scratch, error);
    if (sides->count < 2)
        sides->count = 0;
    pool_free(&scratch);
    return code;
}
