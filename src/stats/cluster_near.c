#include "base/error.h"
#include "stats/cluster_parts.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

/* Smaller differences say nothing of where a core sits, however well they are measured. */
static const double least_gap = 0.0953; /* ln 1.1 */
/* Two single cells of this noise differ so far by chance too seldom to matter among the half
 * million pairs of a thousand rows. */
static const double deviations = 6;
/* A core that is slow by itself is not slower than this. */
static const double slow_core = 2;
enum { ROWS_TO_CORRECT = 6, ROWS_OF_A_CORE = 2 };

/* What each row adds to all its latencies: how its far ones differ from those of the others. The
 * far ones, because near ones differ by where the row sits. */
static int read_own_parts(const struct cells *cells, double *own, double *far)
{
    struct pool scratch = {0};
    size_t m = cells->m;
    double *room = pool_alloc(&scratch, m + 1, sizeof *room);
    for (size_t a = 0; a < m && room; a++) {
        size_t count = 0;
        for (size_t b = 0; b < m; b++)
            if (b != a && !isnan(cells->known[a * m + b]))
                room[count++] = (double)cells->known[a * m + b];
        sort_ascending(room, count);
        own[a] = quantile(room, count, 0.9);
    }
    if (room) {
        memcpy(room, own, m * sizeof *room);
        sort_ascending(room, m);
        *far = median(room, m);
        for (size_t a = 0; a < m; a++)
            own[a] -= *far / 2;
    }
    pool_free(&scratch);
    return room ? 0 : ERROR_SYSTEM;
}

static double noise_of(const struct tree *tree, const struct tree_node *node,
                       const struct cells *cells, double *room)
{
    for (size_t i = 0; i < node->count; i++)
        room[i] = cells->noise[tree->order[node->first + i]];
    sort_ascending(room, node->count);
    return quantile(room, node->count, 0.75);
}

/* The median over the members of a row's latencies to them, less what the rows add; NAN where less
 * than half were measured. */
static double latency_of(size_t row, const struct tree *tree, const struct tree_node *node,
                         const struct cells *cells, const double *own, double *room)
{
    size_t count = 0;
    for (size_t i = node->first; i < node->first + node->count; i++) {
        float value = cells->known[row * cells->m + tree->order[i]];
        if (!isnan(value))
            room[count++] = (double)value - own[row] - own[tree->order[i]];
    }
    sort_ascending(room, count);
    return 2 * count < node->count ? NAN : median(room, count);
}

/* No single row outside comes near, as it would if it were torn from its group. */
static bool is_apart(const struct tree *tree, const struct tree_node *node,
                     const struct cells *cells, const double *own, double *room)
{
    const struct tree_node *next = &tree->nodes[node->parent];
    double nearest = node->adjusted + (next->adjusted - node->adjusted) / 2;
    for (size_t i = 0; i < cells->m; i++)
        if ((i < node->first || i >= node->first + node->count) &&
            latency_of(tree->order[i], tree, node, cells, own, room) < nearest)
            return false;
    return true;
}

/* Whether those that were joined at this node lie nearer than what it was joined with next. */
static bool is_near(const struct tree *tree, const struct tree_node *node,
                    const struct cells *cells, const double *own, double far, double *room)
{
    const struct tree_node *next = &tree->nodes[node->parent];
    if (node->pairs == 0 || next->pairs == 0 || !(next->adjusted > node->adjusted))
        return false;
    double difference = fmin(next->adjusted - node->adjusted, 0.95 * next->join);
    double gap = -log(1 - difference / next->join);
    /* What was corrected by far latencies is as noisy as they are. */
    double noise = noise_of(tree, next, cells, room) * fmax(1, far / next->join);
    double scatter = fmax(noise, fmax(node->scatter, next->scatter));
    /* Cells of a row share what is odd about it: rows count, not cells. */
    double here = (double)(node->pairs < node->count ? node->pairs : node->count);
    double there = (double)(next->pairs < next->count ? next->pairs : next->count);
    return gap >= least_gap && gap >= 3 * scatter &&
           gap >= deviations * noise * sqrt(1 / here + 1 / there) &&
           is_apart(tree, node, cells, own, room);
}

static int add_from(struct groups *groups, const struct cells *cells, const double *own, double far)
{
    struct pool scratch = {0};
    struct tree tree;
    double *room = pool_alloc(&scratch, cells->m + 1, sizeof *room);
    int code = room ? tree_build(&tree, &scratch, cells, own) : ERROR_SYSTEM;
    for (size_t i = cells->m; code == 0 && i < tree.count; i++) {
        const struct tree_node *node = &tree.nodes[i];
        if (node->parent >= 0 && is_near(&tree, node, cells, own, far, room))
            code = groups_add(groups, cells, tree.order + node->first, node->count, CLUSTER_NEAR);
    }
    pool_free(&scratch);
    return code;
}

static bool holds(const struct group *outer, const struct group *inner, size_t m)
{
    if (outer->count <= inner->count)
        return false;
    for (size_t a = 0; a < m; a++)
        if (inner->has[a] && !outer->has[a])
            return false;
    return true;
}

/* The median latency between a group and the rest of what holds it (NULL: of everything). */
static double latency_to_rest(const struct group *group, const struct group *outer,
                              const struct cells *cells, double *room)
{
    size_t count = 0, m = cells->m;
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < m && group->has[a]; b++)
            if (!group->has[b] && (!outer || outer->has[b]) && !isnan(cells->known[a * m + b]))
                room[count++] = (double)cells->known[a * m + b];
    sort_ascending(room, count);
    return count ? median(room, count) : NAN;
}

/* "All but one core" is that core's doing and no group, unless it is too far for being slow. */
static bool is_all_but_a_core(const struct groups *groups, const struct group *group,
                              const struct cells *cells, double *room)
{
    size_t m = cells->m, all = m;
    const struct group *outer = NULL;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *other = &groups->list[i];
        if (other->count < all && holds(other, group, m)) {
            outer = other;
            all = other->count;
        }
    }
    size_t rest = all - group->count;
    if (rest > ROWS_OF_A_CORE || group->count <= all / 2 || group->count <= rest)
        return false;
    if (rest == ROWS_OF_A_CORE) { /* of one core only if they are a group */
        bool together = false;
        for (size_t i = 0; i < groups->count && !together; i++) {
            const struct group *other = &groups->list[i];
            together = other->count == rest;
            for (size_t a = 0; a < m && together; a++)
                together = !other->has[a] || (!group->has[a] && (!outer || outer->has[a]));
        }
        if (!together)
            return false;
    }
    struct pool scratch = {0};
    double within = group_within(group, cells, &scratch);
    pool_free(&scratch);
    return !(latency_to_rest(group, outer, cells, room) > slow_core * within);
}

static int drop_all_but_a_core(struct groups *groups, const struct cells *cells)
{
    struct pool scratch = {0};
    double *room = pool_alloc(&scratch, cells->m * cells->m / 4 + 1, sizeof *room);
    size_t kept = 0;
    for (size_t i = 0; i < groups->count && room; i++)
        if (!is_all_but_a_core(groups, &groups->list[i], cells, room))
            groups->list[kept++] = groups->list[i];
    groups->count = room ? kept : groups->count;
    pool_free(&scratch);
    return room ? 0 : ERROR_SYSTEM;
}

int groups_add_near(struct groups *groups, const struct cells *cells)
{
    struct pool scratch = {0};
    double *own = pool_alloc(&scratch, cells->m + 1, sizeof *own);
    int code = own ? 0 : ERROR_SYSTEM;
    bool correct = cells->m >= ROWS_TO_CORRECT;
    double far = 0;
    if (code == 0 && correct)
        code = read_own_parts(cells, own, &far);
    if (code == 0 && correct)
        code = add_from(groups, cells, own, far);
    if (code == 0) {
        memset(own, 0, cells->m * sizeof *own);
        code = add_from(groups, cells, own, 0);
    }
    if (code == 0)
        code = drop_all_but_a_core(groups, cells);
    pool_free(&scratch);
    return code;
}
