#include "base/sort.h"
#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

/* Kinds of core that show as blocks: slow cores are farther from one another than from fast ones,
 * and fast cores are nearest to one another. A hand-off is as slow as its two cores, whatever is
 * between them, so slow cores are never nearer to one another than to all others. */

/* A kind needs this many rows: a core or two may be slow for other reasons. */
enum { ROWS_MIN = 4 };
/* From one block to the next, latencies rise at least by the first factor and at most by the
 * second: cores that are farther apart are distant, not slow. */
static const double block_ratio = 1.05, block_ratio_most = 1.7;
/* Some cores are always a little slower than others, so latencies must rise more if the kinds do
 * not also differ in having two threads. */
static const double block_ratio_alone = 1.1;
/* Each row is nearer to the faster kind than to the slower one by this factor. */
static const double row_ratio = 1.02;
/* This share of the rows and of the cells may deviate. */
static const double odd = 0.1;

struct row {
    size_t row;
    int pair; /* its group, or -1 */
    double mean;
};

/* Rows sorted by mean latency, and the place of the cut between the two kinds. */
struct blocks {
    const struct cells *cells;
    struct row *rows;
    size_t cut;
    double *room; /* for m * m values */
};

enum block { BLOCK_FAST, BLOCK_BETWEEN, BLOCK_SLOW, BLOCKS };

/* Latency of two rows; NAN for a row with itself and with its pair's other row, because the
 * distance of a core's threads tells nothing about the distance of cores. */
static double latency_of(const struct blocks *blocks, size_t i, size_t j)
{
    const struct row *one = &blocks->rows[i], *other = &blocks->rows[j];
    if (i == j || (one->pair >= 0 && one->pair == other->pair))
        return NAN;
    return (double)blocks->cells->known[one->row * blocks->cells->m + other->row];
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return ORDER_BY({x->mean, y->mean}, {x->row, y->row});
}

static void sort_rows(struct blocks *blocks, const struct groups *groups)
{
    size_t m = blocks->cells->m;
    for (size_t a = 0; a < m; a++) {
        const int group = groups->smallest[a];
        const bool pair = group >= 0 && groups->list[group].count == 2;
        blocks->rows[a] = (struct row){.row = a, .pair = pair ? group : -1};
    }
    for (size_t i = 0; i < m; i++) {
        size_t count = 0;
        double sum = 0;
        for (size_t j = 0; j < m; j++) {
            double value = latency_of(blocks, i, j);
            sum += isnan(value) ? 0 : log(value);
            count += isnan(value) ? 0 : 1;
        }
        blocks->rows[i].mean = count ? sum / (double)count : 0;
    }
    /* The means must be computed from the unsorted rows, so rows are sorted last. */
    qsort(blocks->rows, m, sizeof *blocks->rows, compare_rows);
}

/* The cut with the least sum of squares about the three blocks' means; 0: none. From one cut to the
 * next a single row changes sides, and its cells move to another block. */
static size_t find_cut(struct blocks *blocks)
{
    size_t m = blocks->cells->m, best = 0;
    double sum[BLOCKS] = {0}, count[BLOCKS] = {0}, most = -INFINITY;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < i; j++) {
            double value = latency_of(blocks, i, j);
            sum[BLOCK_SLOW] += isnan(value) ? 0 : log(value);
            count[BLOCK_SLOW] += isnan(value) ? 0 : 1;
        }
    for (size_t cut = 1; cut + ROWS_MIN <= m; cut++) {
        for (size_t j = 0; j < m; j++) {
            double value = latency_of(blocks, cut - 1, j);
            if (isnan(value))
                continue;
            enum block from = j < cut - 1 ? BLOCK_BETWEEN : BLOCK_SLOW;
            enum block to = j < cut - 1 ? BLOCK_FAST : BLOCK_BETWEEN;
            sum[from] -= log(value);
            sum[to] += log(value);
            count[from]--;
            count[to]++;
        }
        double explained = 0;
        for (int block = 0; block < BLOCKS; block++)
            explained += count[block] > 0 ? sum[block] * sum[block] / count[block] : 0;
        /* All slower rows must be single, and the faster rows all in pairs or all single. */
        bool alike = cut >= ROWS_MIN && explained > most;
        for (size_t i = 0; i < m && alike; i++)
            alike = (blocks->rows[i].pair >= 0) == (i < cut && blocks->rows[0].pair >= 0);
        if (alike) {
            most = explained;
            best = cut;
        }
    }
    return best;
}

static double quantile_of(const struct blocks *blocks, size_t first, size_t end, size_t left,
                          size_t right, double p)
{
    /* Gathers the cells of rows [first, end) and columns [left, right) in the room, ascending;
     * returns their number. */
    size_t count = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = left; j < right; j++) {
            double value = latency_of(blocks, i, j);
            if (!isnan(value))
                blocks->room[count++] = value;
        }
    return quantile_unsorted(blocks->room, count, p);
}

/* Whether the cut makes blocks. Comparisons with NAN (not measured) are false. */
static bool are_blocks(const struct blocks *blocks)
{
    size_t m = blocks->cells->m, cut = blocks->cut, blind = 0;
    double least = blocks->rows[0].pair >= 0 ? block_ratio : block_ratio_alone;
    double fast = quantile_of(blocks, 0, cut, 0, cut, 0.5);
    double between = quantile_of(blocks, 0, cut, cut, m, 0.5);
    double slow = quantile_of(blocks, cut, m, cut, m, 0.5);
    if (!(between >= least * fast && between <= block_ratio_most * fast &&
          slow >= least * between && slow <= block_ratio_most * between))
        return false;
    if (!(quantile_of(blocks, cut, m, cut, m, odd) > quantile_of(blocks, 0, cut, cut, m, 1 - odd)))
        return false;
    for (size_t i = 0; i < m; i++)
        blind += !(quantile_of(blocks, i, i + 1, cut, m, 0.5) >=
                   row_ratio * quantile_of(blocks, i, i + 1, 0, cut, 0.5));
    return (double)blind <= odd * (double)m;
}

void groups_add_blocks(struct groups *groups, const struct cells *cells, struct pool *scratch)
{
    const size_t m = cells->m;
    struct blocks blocks = {.cells = cells,
                            .rows = pool_alloc(scratch, m + 1, sizeof *blocks.rows),
                            .room = pool_alloc(scratch, m * m + 1, sizeof *blocks.room)};
    size_t *members = pool_alloc(scratch, m + 1, sizeof *members);
    if (m < 2 * ROWS_MIN)
        return;
    sort_rows(&blocks, groups);
    blocks.cut = find_cut(&blocks);
    for (size_t i = 0; i < m; i++)
        members[i] = blocks.rows[i].row;
    const size_t fast = blocks.cut, slow = m - fast;
    if (!fast || !are_blocks(&blocks) || !groups_fit(groups, members, fast) ||
        !groups_fit(groups, members + fast, slow))
        return;
    groups_add(groups, cells, members, fast, CLUSTER_KIND);
    groups_add(groups, cells, members + fast, slow, CLUSTER_KIND);
}

/* The latencies within groups of different kinds differ at least by this factor. */
static const double least_ratio = 1.5;
/* A kind has at least two groups: a single group is no kind. */
enum { GROUPS_MIN = 2 };

struct leaf {
    double within;
    const size_t *members;
    size_t count;
};

static size_t same_kind(const struct leaf *leaves, size_t count)
{
    size_t same = 1;
    while (same < count && leaves[same].within < least_ratio * leaves[same - 1].within)
        same++;
    return same;
}

/* Whether the groups of each kind have one size, and no two kinds have the same size. The members'
 * distance alone is weak evidence, above all for pairs measured by a coarse clock. `leaves` is
 * sorted by that distance, so the groups of a kind are contiguous. */
static bool are_kinds(const struct leaf *leaves, size_t count, size_t rows, size_t *kind_of_size)
{
    size_t kinds = 0;
    for (size_t i = 0, same; i < count; i += same) {
        same = same_kind(leaves + i, count - i);
        kinds++;
        if (same < GROUPS_MIN)
            return false;
        for (size_t j = i; j < i + same; j++) {
            size_t *kind = &kind_of_size[leaves[j].count];
            if (leaves[j].count != leaves[i].count || (*kind && *kind != kinds))
                return false;
            *kind = kinds;
        }
        rows -= same * leaves[i].count;
    }
    /* The kind of rows in no group is unknown. */
    return kinds >= 2 && rows == 0;
}

void groups_add_kinds(struct groups *groups, const struct cells *cells, struct pool *scratch)
{
    struct leaf *leaves = pool_alloc(scratch, groups->count + 1, sizeof *leaves);
    size_t *members = pool_alloc(scratch, cells->m + 1, sizeof *members);
    bool *holds = pool_alloc(scratch, groups->count + 1, sizeof *holds); /* another group */
    size_t *kind_of_size = pool_alloc(scratch, cells->m + 1, sizeof *kind_of_size), count = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].parent >= 0)
            holds[groups->list[i].parent] = true;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->list[i];
        if (holds[i])
            continue;
        const struct leaf leaf = {group_within(group, cells, scratch), group->members,
                                  group->count};
        if (isfinite(leaf.within))
            leaves[count++] = leaf;
    }
    qsort(leaves, count, sizeof *leaves, by_number);
    if (!are_kinds(leaves, count, cells->m, kind_of_size))
        return;
    for (size_t i = 0, same; i < count; i += same) {
        size_t rows = 0;
        same = same_kind(leaves + i, count - i);
        for (size_t k = i; k < i + same; k++)
            for (size_t j = 0; j < leaves[k].count; j++)
                members[rows++] = leaves[k].members[j];
        groups_add(groups, cells, members, rows, CLUSTER_KIND);
    }
}
