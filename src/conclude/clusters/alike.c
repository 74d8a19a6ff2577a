#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

/* Smaller differences between profiles make no groups, however precisely they are measured. */
static const double least_difference = 0.01;
static const double least_noise = 0.004;
enum { POOL_MIN = 8, COLUMNS_LOOKED_AT = 256 };

/* Rows that no smaller group separates yet: the rows directly within one group, or in no group. */
struct ungrouped {
    size_t *rows, count;
    double *distance; /* distances between the profiles, count * count */
    size_t *class; /* for each row, the first row of its class; rows of a class have like latencies
                      to all others */
};

static double *distance_of(const struct ungrouped *pool, size_t i, size_t j)
{
    return &pool->distance[i * pool->count + j];
}

/* The distance of two profiles that differ by noise alone, from each row and the row most like it.
 * Half of the columns select that row, the other half give the distance: of 256 CPUs and more every
 * step-th column, so that time grows with the cells. An odd step, because an even one would visit
 * only the first of each two siblings. */
static double noise_of(const struct ungrouped *pool, const struct cells *cells, double *room)
{
    const size_t step = ((cells->m + COLUMNS_LOOKED_AT - 1) / COLUMNS_LOOKED_AT) | 1;
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        double least = INFINITY;
        size_t nearest = i;
        for (size_t j = 0; j < pool->count; j++) {
            double distance =
                j == i ? NAN : cells_distance(cells, pool->rows[i], pool->rows[j], 0, 2 * step);
            if (distance < least) {
                least = distance;
                nearest = j;
            }
        }
        double noise = cells_distance(cells, pool->rows[i], pool->rows[nearest], step, 2 * step);
        if (isfinite(noise))
            room[count++] = noise;
    }
    double seen = fmax(median_of(room, count), least_noise); /* of NAN and a number, the number */
    for (size_t i = 0; i < pool->count; i++)
        room[i] = cells->noise[pool->rows[i]];
    return fmax(seen, sqrt(2) * median_of(room, pool->count));
}

/* Whether a class is real: its rows are alike, and clearly less like all others. A chain, in which
 * each row is like the next but the ends differ, is no class. Among many rows some two are always
 * most alike, so a class of two must be much more alike. */
static bool is_class(const struct ungrouped *pool, size_t class, double reach)
{
    double inside = 0, outside = INFINITY;
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++) {
        count += pool->class[i] == class;
        for (size_t j = 0; j < pool->count && pool->class[i] == class; j++)
            if (pool->class[j] == class && i != j)
                inside = fmax(inside, *distance_of(pool, i, j));
            else if (pool->class[j] != class)
                outside = fmin(outside, *distance_of(pool, i, j));
    }
    return count >= 2 && inside <= 1.5 * reach && outside >= (count == 2 ? 4 : 1.3) * inside &&
           outside >= least_difference;
}

static void add_classes(struct groups *groups, const struct cells *cells,
                        const struct ungrouped *pool, double reach, struct pool *scratch)
{
    size_t classes = 0, rows = 0, fewest = pool->count, most = 0;
    bool *chosen = pool_alloc(scratch, pool->count, sizeof *chosen);
    size_t *room = pool_alloc(scratch, pool->count, sizeof *room);
    for (size_t i = 0; i < pool->count; i++) {
        size_t class = pool->class[i];
        chosen[i] = class == i ? is_class(pool, class, reach) : chosen[class];
        classes += chosen[i] && class == i;
        rows += chosen[i];
    }
    for (size_t i = 0; i < pool->count; i++) {
        size_t count = 0;
        for (size_t j = i; j < pool->count && chosen[i] && pool->class[i] == i; j++)
            count += pool->class[j] == i;
        fewest = count && count < fewest ? count : fewest;
        most = count > most ? count : most;
    }
    /* A single class among otherwise ungrouped rows is a sign of odd rows and no group. The same
     * holds for a few classes among many rows, and for a small class next to a large one. Modules
     * have equal sizes, except for offline cores. */
    bool regular = classes >= 2 && 2 * rows > pool->count && most <= 2 * fewest;
    for (size_t i = 0; i < pool->count && regular; i++) {
        size_t count = 0;
        for (size_t j = i; j < pool->count && chosen[i] && pool->class[i] == i; j++)
            if (pool->class[j] == i)
                room[count++] = pool->rows[j];
        groups_add(groups, cells, room, count, CLUSTER_ALIKE);
    }
}

static void divide(struct groups *groups, const struct cells *cells, struct pool *scratch,
                   size_t *rows, size_t count)
{
    struct ungrouped pool = {.rows = rows,
                             .count = count,
                             .distance = pool_alloc(scratch, count * count, sizeof(double)),
                             .class = pool_alloc(scratch, count, sizeof(size_t))};
    const size_t step = (cells->m + COLUMNS_LOOKED_AT - 1) / COLUMNS_LOOKED_AT;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            *distance_of(&pool, i, j) = *distance_of(&pool, j, i) =
                cells_distance(cells, rows[i], rows[j], i % step, step);
    const double columns = (double)(cells->m - 2) / (double)step;
    /* The root mean square of k normal values has a relative deviation of 1 / sqrt(2 k). */
    const double reach = noise_of(&pool, cells, pool_alloc(scratch, count, sizeof(double))) *
                         (1 + 8 / sqrt(2 * columns));
    /* Rows within `reach` of one another, directly or by way of others, form one class. */
    for (size_t i = 0; i < pool.count; i++)
        pool.class[i] = i;
    for (size_t i = 0; i < pool.count; i++)
        for (size_t j = 0; j < i; j++) {
            size_t one = pool.class[i], other = pool.class[j];
            if (one == other || *distance_of(&pool, i, j) > reach)
                continue;
            for (size_t k = 0; k < pool.count; k++)
                if (pool.class[k] == (one > other ? one : other))
                    pool.class[k] = one > other ? other : one;
        }
    add_classes(groups, cells, &pool, reach, scratch);
    pool_give_back(scratch, pool.distance);
}

void groups_add_alike(struct groups *groups, const struct cells *cells, struct pool *scratch)
{
    const size_t m = cells->m;
    size_t *rows = pool_alloc(scratch, m + 1, sizeof *rows);
    int *group = pool_alloc(scratch, m + 1, sizeof *group);
    const int count = (int)groups->count;
    memcpy(group, groups->smallest, m * sizeof *group);
    for (int i = -1; i < count; i++) {
        size_t found = 0, all = i < 0 ? m : groups->list[i].count;
        for (size_t k = 0; k < all; k++) {
            const size_t a = i < 0 ? k : groups->list[i].members[k];
            if (group[a] == i)
                rows[found++] = a;
        }
        if (found >= POOL_MIN)
            divide(groups, cells, scratch, rows, found);
    }
}
