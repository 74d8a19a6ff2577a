/* Pairs as a whole: threads of a core, cores of a module. One pair of a small or noisy matrix may
 * be near by chance. A regular partition, in which row after row has one other as its nearest, that
 * one has it as its own, and the next lies clearly farther away, is no chance, whatever the far
 * cells scatter: it is evidence that no single pair could be. */
#include "base/error.h"
#include "stats/cluster/parts.h"

#include <math.h>

/* What makes pairs a partition: at least so many rows in the matrix, such a share of them in pairs,
 * and in each pair both next ones farther by such a ratio. Of cells that scatter by 20 % and have
 * no structure less than two matrices in a thousand pass any of them, by 10 % none of 20000. */
static const struct {
    size_t rows;
    double share, ratio;
} partitions[] = {
    {4, 0.5, 2}, {4, 0.75, 1.4}, {12, 0.5, 1.4}, {8, 1, 1.15}, {16, 0.75, 1.15}, {4, 0, 3},
};
enum { PAIRS_MIN = 2 };
/* Once there is a partition, a pair that is as near as its others need not stand out as much. */
static const double least_ratio = 1.15, as_near_as_others = 1.5;
/* Noise that is known must not explain the gap. */
static const double deviations = 3;

struct pairs {
    size_t m;
    size_t *mate; /* a row's nearest, if it is that one's nearest too, or the row itself */
    double *nearest, *next; /* latency to that one, and to the next */
    double *gap;            /* of the pair: logarithm of how much farther the nearest third is */
};

/* The nearest of a row, and how near that and the next one are. Of rows with half of their cells
 * missing the nearest may be among those. */
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

static int read_pairs(struct pairs *pairs, struct pool *scratch, const struct cells *cells)
{
    size_t m = pairs->m = cells->m;
    size_t *nearest = pool_alloc(scratch, m, sizeof *nearest);
    pairs->mate = pool_alloc(scratch, m, sizeof *pairs->mate);
    pairs->nearest = pool_alloc(scratch, m, sizeof *pairs->nearest);
    pairs->next = pool_alloc(scratch, m, sizeof *pairs->next);
    pairs->gap = pool_alloc(scratch, m, sizeof *pairs->gap);
    if (!nearest || !pairs->mate || !pairs->nearest || !pairs->next || !pairs->gap)
        return ERROR_SYSTEM;
    for (size_t a = 0; a < m; a++)
        nearest[a] = find_nearest(cells, a, &pairs->nearest[a], &pairs->next[a]);
    for (size_t a = 0; a < m; a++) {
        size_t b = nearest[a];
        bool mutual = b != a && nearest[b] == a;
        double told = fmax(cells->told[a], cells->told[b]);
        double gap = log(fmin(pairs->next[a], pairs->next[b]) / pairs->nearest[a]);
        pairs->mate[a] = mutual && gap >= log(least_ratio) && gap >= deviations * told ? b : a;
        pairs->gap[a] = gap;
    }
    return 0;
}

/* The least gap of the pairs of a partition, or infinity where they are none. */
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

int groups_add_pairs(struct groups *groups, const struct cells *cells)
{
    struct pool scratch = {0};
    struct pairs pairs;
    int code = read_pairs(&pairs, &scratch, cells);
    double gap = code == 0 ? find_partition(&pairs) : INFINITY, farthest = 0;
    for (size_t a = 0; a < cells->m && isfinite(gap); a++)
        if (pairs.mate[a] != a && pairs.gap[a] >= gap)
            farthest = fmax(farthest, pairs.nearest[a]);
    for (size_t a = 0; a < cells->m && isfinite(gap) && code == 0; a++) {
        size_t members[] = {a, pairs.mate[a]};
        if (a < pairs.mate[a] && pairs.nearest[a] <= as_near_as_others * farthest)
            code = groups_add(groups, cells, members, 2, CLUSTER_NEAR);
    }
    pool_free(&scratch);
    return code;
}
