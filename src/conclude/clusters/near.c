#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>
#include <string.h>

/* Smaller differences tell nothing about a core's place, however precisely they are measured. */
static const double least_gap = 0.0953; /* ln 1.1 */
/* A chance difference of this many deviations between two single cells is rare enough, even among
 * the half million pairs of a thousand rows. */
static const double deviations = 6;
/* This share of the latencies within a group may be far. */
static const double far_share = 0.2;
/* This share of a group's rows may not see it as near (is_seen()). */
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
        sort_ascending(room, count);
        own[a] = quantile(room, count, 0.9);
    }
    memcpy(room, own, m * sizeof *room);
    sort_ascending(room, m);
    rows->far = median(room, m);
    for (size_t a = 0; a < m; a++)
        own[a] -= rows->far / 2;
}

static double noise_of(const struct tree *tree, const struct tree_node *node,
                       const struct cells *cells, double *room)
{
    for (size_t i = 0; i < node->count; i++)
        room[i] = cells->noise[tree->order[node->first + i]];
    sort_ascending(room, node->count);
    return quantile(room, node->count, 0.75);
}

/* A quantile of a row's latencies to the members of `node` that are not in `without` (NULL: to
 * all), less what the rows add; NAN: fewer than half were measured. */
static double latency_of(size_t row, const struct tree *tree, const struct tree_node *node,
                         const struct tree_node *without, const struct cells *cells,
                         const double *own, double p, double *room)
{
    size_t count = 0, all = node->count - (without ? without->count : 0);
    for (size_t i = node->first; i < node->first + node->count; i++) {
        if (without && i == without->first)
            i += without->count;
        if (i == node->first + node->count)
            break;
        float value = cells->known[row * cells->m + tree->order[i]];
        if (!isnan(value))
            room[count++] = (double)value - own[row] - own[tree->order[i]];
    }
    sort_ascending(room, count);
    return 2 * count < all ? NAN : quantile(room, count, p);
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
    double difference = fmin(next->adjusted - node->adjusted, 0.95 * next->join);
    double gap = -log(1 - difference / next->join);
    /* Latencies that were corrected by far ones are as noisy as the far ones. */
    double noise = noise_of(tree, next, cells, room) * fmax(1, far / next->join);
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
        groups_add_plain(groups, cells, &tree, rows->mate, scratch);
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
