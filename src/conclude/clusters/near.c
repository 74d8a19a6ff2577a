/* Groups whose members are nearer to one another than to all others, by three sorts of evidence. */
#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

/* Pairs as a partition: threads of a core, cores of a module. In a small or noisy matrix one pair
 * may be near by chance. A regular partition is no chance, however much the far cells scatter: most
 * rows are mutually nearest with one other row, and their next row is clearly farther away. No
 * single pair is such evidence. */

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
static const double pair_deviations = 3;

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
    size_t m = pairs.m = cells->m;
    size_t *nearest = pool_alloc(scratch, m, sizeof *nearest);
    pairs.mate = pool_alloc(scratch, m, sizeof *pairs.mate);
    pairs.nearest = pool_alloc(scratch, m, sizeof *pairs.nearest);
    pairs.next = pool_alloc(scratch, m, sizeof *pairs.next);
    pairs.gap = pool_alloc(scratch, m, sizeof *pairs.gap);
    for (size_t a = 0; a < m; a++)
        nearest[a] = find_nearest(cells, a, &pairs.nearest[a], &pairs.next[a]);
    for (size_t a = 0; a < m; a++) {
        size_t b = nearest[a];
        bool mutual = b != a && nearest[b] == a;
        double given = fmax(cells->given[a], cells->given[b]);
        double gap = log(fmin(pairs.next[a], pairs.next[b]) / pairs.nearest[a]);
        pairs.mate[a] = mutual && gap >= log(least_ratio) && gap >= pair_deviations * given ? b : a;
        pairs.gap[a] = gap;
    }
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

/* Plain groups: every latency between members is shorter than every latency to another row. For
 * few or noisy rows this order is better evidence than any estimate of the noise, because it is
 * one among all possible orders of so many latencies. A single group may be all rows but some
 * slow cores; two groups of one size can't. */

/* The least latency to the outside must exceed the greatest inside by this factor. */
static const double plain_ratio = 1.15;
/* The largest probability that all plain groups of a size are chance. Groups that share outside
 * latencies are not independent: in the worst case, two halves, the true probability is five times
 * the computed one. */
static const double most_chance = 0.01;
enum { GROUPS_MIN = 2 };

/* The groups of one size. */
struct same_size {
    size_t groups;
    double chance; /* logarithm of the chance */
};

struct plain {
    const struct cells *cells;
    const struct tree *tree;
    const size_t *mate;
    double *most; /* of each node, the longest latency within */
    bool *found;  /* nodes that are plain */
    struct same_size *sizes;
    size_t items; /* pairs and single rows, because the rows of a pair are near even without the
                     group */
};

/* Shortest latency to a row outside. The members' known noise raises the ratio that is required. */
static double least_outside(const struct plain *plain, const struct tree_node *node, double *given)
{
    double least = INFINITY;
    *given = 0;
    for (size_t i = node->first; i < node->first + node->count; i++) {
        size_t row = plain->tree->order[i], m = plain->cells->m;
        *given = fmax(*given, plain->cells->given[row]);
        for (size_t k = 0; k < m; k++)
            if (k < node->first || k >= node->first + node->count)
                least = fmin(least, (double)plain->cells->known[row * m + plain->tree->order[k]]);
    }
    return least;
}

static void look_at(struct plain *plain, size_t index)
{
    const struct tree_node *node = &plain->tree->nodes[index];
    double *most = plain->most, given;
    most[index] = fmax(node->most, fmax(most[node->left], most[node->right]));
    if (node->parent < 0 || node->count <= 2 || !(most[index] > 0))
        return;
    /* Comparing with the next joined node alone excludes most nodes quickly. */
    const struct tree_node *next = &plain->tree->nodes[node->parent];
    if (!(next->least >= plain_ratio * most[index]))
        return;
    double gap = log(least_outside(plain, node, &given) / most[index]);
    if (!isfinite(gap) || gap < log(plain_ratio) || gap < given)
        return;
    double items = 0, all = (double)plain->items;
    for (size_t i = node->first; i < node->first + node->count; i++)
        items += plain->mate[plain->tree->order[i]] >= plain->tree->order[i];
    /* The chance is the number of sets of as many items over the number of orders of the latencies
     * within and to the rest. */
    const double within = items * (items - 1) / 2, outside = items * (all - items);
    plain->found[index] = true;
    plain->sizes[node->count].groups++;
    plain->sizes[node->count].chance +=
        fmin(0, log_choose(all, items) - log_choose(within + outside, within));
}

static void add_plain(struct groups *groups, const struct cells *cells, const struct tree *tree,
                      const size_t *mate, struct pool *scratch)
{
    struct plain plain = {.cells = cells,
                          .tree = tree,
                          .mate = mate,
                          .most = pool_alloc(scratch, tree->count + 1, sizeof *plain.most),
                          .found = pool_alloc(scratch, tree->count + 1, sizeof *plain.found),
                          .sizes = pool_alloc(scratch, cells->m + 1, sizeof *plain.sizes)};
    for (size_t a = 0; a < cells->m; a++)
        plain.items += mate[a] >= a;
    for (size_t i = cells->m; i < tree->count; i++)
        look_at(&plain, i);
    for (size_t i = cells->m; i < tree->count; i++) {
        const struct tree_node *node = &tree->nodes[i];
        const struct same_size *same = &plain.sizes[node->count];
        if (plain.found[i] && same->groups >= GROUPS_MIN && same->chance <= log(most_chance))
            groups_add(groups, cells, tree->order + node->first, node->count, CLUSTER_NEAR);
    }
}

/* Smaller differences tell nothing about a core's place, however precisely they are measured. */
static const double least_gap = 0.0953; /* ln 1.1 */
/* A chance difference of this many deviations between two single cells is rare enough, even among
 * the half million pairs of a thousand rows. */
static const double deviations = 6;
/* This share of the latencies within a group may be far. */
static const double far_share = 0.2;
/* The largest share of a group's rows from which the group may not look near (is_seen()). */
static const double blind_share = 0.25;
enum { ROWS_TO_CORRECT = 6 };

/* Facts about the rows, found before the tree is built. */
struct rows {
    double *own;  /* what each row adds to all its latencies */
    double far;   /* median over the rows of their far latencies; 0: nothing is corrected */
    size_t *mate; /* the other row of its pair, or the row itself */
};

/* Finds what each row adds to all its latencies: the difference of its far latencies from those of
 * the other rows. Near latencies are unsuitable, because they depend on the row's place. */
static void read_own_parts(const struct cells *cells, struct rows *rows, double *room)
{
    double *own = rows->own;
    const size_t m = cells->m;
    for (size_t a = 0; a < m; a++) {
        size_t count = 0;
        for (size_t b = 0; b < m; b++)
            if (b != a && !isnan(cells->known[a * m + b]))
                room[count++] = (double)cells->known[a * m + b];
        own[a] = quantile_unsorted(room, count, 0.9);
    }
    memcpy(room, own, m * sizeof *room);
    rows->far = median_of(room, m);
    for (size_t a = 0; a < m; a++)
        own[a] -= rows->far / 2;
}

/* A quantile of a row's latencies to the members of `node` that are not in `without` (NULL: to
 * all), less what the rows add; NAN: fewer than half were measured. */
static double latency_of(size_t row, const struct tree *tree, const struct tree_node *node,
                         const struct tree_node *without, const struct cells *cells,
                         const double *own, double p, double *room)
{
    size_t count = 0, all = node->count - (without ? without->count : 0);
    for (size_t i = node->first; i < node->first + node->count; i++) {
        if (without && i >= without->first && i < without->first + without->count)
            continue;
        float value = cells->known[row * cells->m + tree->order[i]];
        if (!isnan(value))
            room[count++] = (double)value - own[row] - own[tree->order[i]];
    }
    return 2 * count < all ? NAN : quantile_unsorted(room, count, p);
}

/* Whether no single row outside is as near as a member would be. */
static bool is_apart(const struct tree *tree, const struct tree_node *node,
                     const struct cells *cells, const double *own, double *room)
{
    const struct tree_node *next = &tree->nodes[node->parent];
    double nearest = node->adjusted + (next->adjusted - node->adjusted) / 2;
    for (size_t i = 0; i < cells->m; i++)
        if ((i < node->first || i >= node->first + node->count) &&
            latency_of(tree->order[i], tree, node, NULL, cells, own, 0.5, room) < nearest)
            return false;
    return true;
}

/* Whether for most of its rows the group is nearer than its surroundings, which have three times as
 * many rows, so that there are enough to compare with. This keeps a core that is near to all others
 * from making a group with one of them. */
static bool is_seen(const struct tree *tree, const struct tree_node *node,
                    const struct cells *cells, const double *own, double *room)
{
    const struct tree_node *next = &tree->nodes[node->parent], *around = next;
    double half = (next->adjusted - node->adjusted) / 2;
    size_t blind = 0;
    while (around->parent >= 0 && around->count < 3 * node->count)
        around = &tree->nodes[around->parent];
    for (size_t i = node->first; i < node->first + node->count; i++) {
        size_t row = tree->order[i];
        blind += latency_of(row, tree, around, node, cells, own, 0.25, room) -
                     latency_of(row, tree, node, NULL, cells, own, 0.5, room) <
                 half;
    }
    return (double)blind <= blind_share * (double)node->count;
}

/* Whether only few of the latencies within are nearer to the latency at which the next group joins.
 * Without this test the correction could make false groups: it moves cores that are farther from
 * one another than from others, such as efficiency cores, near to each of the others, while these
 * others stay as far from one another as from the rest. */
static bool is_whole(const struct tree *tree, const struct tree_node *node,
                     const struct cells *cells, const double *own)
{
    const struct tree_node *next = &tree->nodes[node->parent];
    const size_t *members = tree->order + node->first;
    double between = node->adjusted + (next->adjusted - node->adjusted) / 2;
    size_t count = 0, far = 0;
    for (size_t i = 0; i < node->count; i++)
        for (size_t j = 0; j < i; j++) {
            float value = cells->known[members[i] * cells->m + members[j]];
            if (isnan(value))
                continue;
            count++;
            far += (double)value - own[members[i]] - own[members[j]] > between;
        }
    return (double)far <= far_share * (double)count;
}

/* Whether the rows joined at this node are nearer to each other than to the group that they were
 * joined with next. */
static bool is_near(const struct tree *tree, const struct tree_node *node,
                    const struct cells *cells, const double *own, double far, double *room)
{
    const struct tree_node *next = &tree->nodes[node->parent];
    if (node->pairs == 0 || next->pairs == 0 || !(next->adjusted > node->adjusted))
        return false;
    double gap = -log(1 - fmin((next->adjusted - node->adjusted) / next->join, 0.95));
    /* Latencies that were corrected by far ones are as noisy as the far ones. */
    for (size_t i = 0; i < next->count; i++)
        room[i] = cells->noise[tree->order[next->first + i]];
    double noise = quantile_unsorted(room, next->count, 0.75) * fmax(1, far / next->join);
    double scatter = fmax(noise, fmax(node->scatter, next->scatter));
    /* Cells of a row share its peculiarities, so the number of rows is used, not of cells. */
    double here = (double)(node->pairs < node->count ? node->pairs : node->count);
    double there = (double)(next->pairs < next->count ? next->pairs : next->count);
    return gap >= least_gap && gap >= 3 * scatter &&
           gap >= deviations * noise * sqrt(1 / here + 1 / there) &&
           is_apart(tree, node, cells, own, room) && is_seen(tree, node, cells, own, room) &&
           is_whole(tree, node, cells, own);
}

static void add_from(struct groups *groups, const struct cells *cells, const struct rows *rows,
                     struct pool *scratch)
{
    struct tree tree;
    double *room = pool_alloc(scratch, cells->m + 1, sizeof *room);
    tree_build(&tree, scratch, cells, rows->own);
    if (!(rows->far > 0))
        add_plain(groups, cells, &tree, rows->mate, scratch);
    for (size_t i = cells->m; i < tree.count; i++) {
        const struct tree_node *node = &tree.nodes[i];
        if (node->parent >= 0 && is_near(&tree, node, cells, rows->own, rows->far, room))
            groups_add(groups, cells, tree.order + node->first, node->count, CLUSTER_NEAR);
    }
}

void groups_add_near(struct groups *groups, const struct cells *cells, struct pool *scratch)
{
    const size_t m = cells->m;
    struct rows rows = {.own = pool_alloc(scratch, m + 1, sizeof *rows.own),
                        .mate = pool_alloc(scratch, m + 1, sizeof *rows.mate)};
    for (size_t a = 0; a < m; a++) {
        const struct group *own =
            groups->smallest[a] < 0 ? NULL : &groups->list[groups->smallest[a]];
        rows.mate[a] = own && own->count == 2 ? own->members[own->members[0] == a] : a;
    }
    if (m >= ROWS_TO_CORRECT) {
        read_own_parts(cells, &rows, pool_alloc(scratch, m + 1, sizeof(double)));
        add_from(groups, cells, &rows, scratch);
    }
    const double *own = rows.own, far = rows.far;
    rows.own = pool_alloc(scratch, m + 1, sizeof *rows.own);
    rows.far = 0;
    add_from(groups, cells, &rows, scratch);
    groups_drop_odd(groups, cells, own, far, scratch);
}
