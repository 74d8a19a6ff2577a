/* Pairs as a partition: threads of a core, cores of a module. In a small or noisy matrix one pair
 * may be near by chance. A regular partition is no chance, however much the far cells scatter: most
 * rows are mutually nearest with one other row, and their next row is clearly farther away. No
 * single pair is such evidence. */
#include "conclude/clusters/parts.h"

#include <math.h>

/* Pairs are a partition with at least this number of rows in the matrix, share of rows in pairs,
 * and ratio of the next row's latency to the pair's, for both rows. Without structure, fewer than
 * two in a thousand matrices whose cells scatter by 20 % pass any of these lines, and none of 20000
 * whose cells scatter by 10 %. */
static const struct {
    size_t rows;
    double share, ratio;
} partitions[] = {
    {4, 0.5, 2}, {4, 0.75, 1.4}, {12, 0.5, 1.4}, {8, 1, 1.15}, {16, 0.75, 1.15}, {4, 0, 3},
};
enum { PAIRS_MIN = 2 };
/* In a partition, a pair that is as near as the other pairs may have a smaller gap. */
static const double least_ratio = 1.15, as_near_as_others = 1.5;
/* The gap must exceed the known noise by this many deviations. */
static const double deviations = 3;

struct pairs {
    size_t m;
    size_t *mate; /* the row's nearest row if the two are mutually nearest, else the row itself */
    double *nearest, *next; /* latency to the nearest row, and to the next */
    double *gap; /* of the row's pair: ln of the nearest third row's latency over the pair's */
};

/* Finds a row's nearest row, and the latencies to it and to the next one. If half of a row's cells
 * are missing, it has no nearest row, because that may be among the missing ones. */
static size_t find_nearest(const struct cells *cells, size_t row, double *nearest, double *next)
{
    size_t found = row, known = 0;
    *nearest = *next = INFINITY;
    for (size_t b = 0; b < cells->m; b++) {
        double value = (double)cells->known[row * cells->m + b];
        if (b == row || isnan(value))
            continue;
        known++;
        if (value < *nearest) {
            *next = *nearest;
            *nearest = value;
            found = b;
        } else if (value < *next) {
            *next = value;
        }
    }
    return known >= 2 && 2 * known >= cells->m - 1 ? found : row;
}

static void read_pairs(struct pairs *pairs, struct pool *scratch, const struct cells *cells)
{
    size_t m = pairs->m = cells->m;
    size_t *nearest = pool_alloc(scratch, m, sizeof *nearest);
    pairs->mate = pool_alloc(scratch, m, sizeof *pairs->mate);
    pairs->nearest = pool_alloc(scratch, m, sizeof *pairs->nearest);
    pairs->next = pool_alloc(scratch, m, sizeof *pairs->next);
    pairs->gap = pool_alloc(scratch, m, sizeof *pairs->gap);
    for (size_t a = 0; a < m; a++)
        nearest[a] = find_nearest(cells, a, &pairs->nearest[a], &pairs->next[a]);
    for (size_t a = 0; a < m; a++) {
        size_t b = nearest[a];
        bool mutual = b != a && nearest[b] == a;
        double given = fmax(cells->given[a], cells->given[b]);
        double gap = log(fmin(pairs->next[a], pairs->next[b]) / pairs->nearest[a]);
        pairs->mate[a] = mutual && gap >= log(least_ratio) && gap >= deviations * given ? b : a;
        pairs->gap[a] = gap;
    }
}

/* The least gap among the pairs of a partition; INFINITY: the pairs are no partition. */
static double find_partition(const struct pairs *pairs)
{
    for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++) {
        size_t rows = 0;
        for (size_t a = 0; a < pairs->m; a++)
            rows += pairs->mate[a] != a && pairs->gap[a] >= log(partitions[i].ratio);
        if (pairs->m >= partitions[i].rows && rows >= PAIRS_MIN * 2 &&
            (double)rows >= partitions[i].share * (double)pairs->m)
            return log(partitions[i].ratio);
    }
    return INFINITY;
}

void groups_add_pairs(struct groups *groups, const struct cells *cells, struct pool *scratch)
{
    struct pairs pairs;
    read_pairs(&pairs, scratch, cells);
    const double gap = find_partition(&pairs);
    double farthest = 0;
    for (size_t a = 0; a < cells->m && isfinite(gap); a++)
        if (pairs.mate[a] != a && pairs.gap[a] >= gap)
            farthest = fmax(farthest, pairs.nearest[a]);
    for (size_t a = 0; a < cells->m && isfinite(gap); a++) {
        const size_t members[] = {a, pairs.mate[a]};
        if (a < pairs.mate[a] && pairs.nearest[a] <= as_near_as_others * farthest)
            groups_add(groups, cells, members, 2, CLUSTER_NEAR);
    }
}
