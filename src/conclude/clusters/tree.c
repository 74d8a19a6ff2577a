/* Average linkage by nearest-neighbour chains (Murtagh 1983): O(n^2) time, and the same tree as if
 * the nearest two were always joined. */
#include "conclude/clusters/parts.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>

/* The state while joining: slot s of the matrix holds node `node[s]`, or nothing (-1). */
struct joining {
    size_t m;
    float *distance;
    int *node;
};

static float distance_of(const struct joining *joining, size_t a, size_t b)
{
    return joining->distance[a * joining->m + b];
}

static void join(struct joining *joining, struct tree *tree, size_t kept, size_t gone)
{
    struct tree_node *left = &tree->nodes[joining->node[kept]];
    struct tree_node *right = &tree->nodes[joining->node[gone]];
    int made = (int)tree->count++;
    tree->nodes[made] = (struct tree_node){.count = left->count + right->count,
                                           .left = joining->node[kept],
                                           .right = joining->node[gone],
                                           .parent = -1};
    left->parent = right->parent = made;
    float share = (float)left->count / (float)(left->count + right->count);
    for (size_t other = 0; other < joining->m; other++) {
        if (joining->node[other] < 0 || other == kept || other == gone)
            continue;
        float mean = share * distance_of(joining, kept, other) +
                     (1 - share) * distance_of(joining, gone, other);
        joining->distance[kept * joining->m + other] = mean;
        joining->distance[other * joining->m + kept] = mean;
    }
    joining->node[kept] = made;
    joining->node[gone] = -1;
}

static void measure_join(struct tree *tree, struct tree_node *node, const struct cells *cells,
                         const double *own, double *room)
{
    const struct tree_node *left = &tree->nodes[node->left], *right = &tree->nodes[node->right];
    size_t most = cells->m * cells->m / 4 + 1;
    double *adjusted = room + most, *scratch = adjusted + most;
    for (size_t i = left->first; i < left->first + left->count; i++)
        for (size_t j = right->first; j < right->first + right->count; j++) {
            size_t a = tree->order[i], b = tree->order[j];
            float value = cells->known[a * cells->m + b];
            if (isnan(value))
                continue;
            adjusted[node->pairs] = (double)value - own[a] - own[b];
            room[node->pairs++] = (double)value;
        }
    if (node->pairs == 0)
        return;
    sort_ascending(room, node->pairs);
    sort_ascending(adjusted, node->pairs);
    node->join = median(room, node->pairs);
    node->least = room[0];
    node->most = room[node->pairs - 1];
    node->adjusted = median(adjusted, node->pairs);
    if (node->pairs >= 4)
        node->scatter = robust_deviation(adjusted, node->pairs, scratch) / node->join;
}

void tree_build(struct tree *tree, struct pool *pool, const struct cells *cells, const double *own)
{
    const size_t m = cells->m, pairs = m * m / 4 + 1;
    struct joining joining = {.m = m,
                              .distance = pool_alloc(pool, m * m, sizeof(float)),
                              .node = pool_alloc(pool, m, sizeof(int))};
    double *room = pool_alloc(pool, 3 * pairs, sizeof *room);
    tree->nodes = pool_alloc(pool, 2 * m, sizeof *tree->nodes);
    tree->order = pool_alloc(pool, m, sizeof *tree->order);
    tree->count = m;
    for (size_t a = 0; a < m; a++) {
        joining.node[a] = (int)a;
        tree->nodes[a] = (struct tree_node){.count = 1, .left = -1, .right = -1, .parent = -1};
        for (size_t b = 0; b < m; b++)
            joining.distance[a * m + b] = expf(cells->filled[a * m + b]) - (float)(own[a] + own[b]);
    }
    size_t *chain = pool_alloc(pool, m + 1, sizeof(size_t));
    size_t length = 0, start = 0;
    while (tree->count < 2 * joining.m - 1) {
        for (; length == 0 && joining.node[start] < 0; start++)
            ;
        if (length == 0)
            chain[length++] = start;
        size_t last = chain[length - 1], before = length > 1 ? chain[length - 2] : last;
        /* The nearest other slot. `before` is preferred among equally near slots, or the chain
         * might run in a circle. */
        size_t nearest = before;
        float least = before == last ? INFINITY : distance_of(&joining, last, before);
        for (size_t other = 0; other < joining.m; other++)
            if (other != last && joining.node[other] >= 0 &&
                (nearest == last || distance_of(&joining, last, other) < least)) {
                least = distance_of(&joining, last, other);
                nearest = other;
            }
        if (length > 1 && nearest == before) {
            length -= 2;
            join(&joining, tree, before < last ? before : last, before < last ? last : before);
        } else {
            chain[length++] = nearest;
        }
    }
    /* Orders the rows so that the members of each node are contiguous. Parents are handled first:
     * nodes have greater indexes than the nodes within them. */
    for (size_t i = tree->count; i-- > m;) {
        const struct tree_node *node = &tree->nodes[i];
        tree->nodes[node->left].first = node->first;
        tree->nodes[node->right].first = node->first + tree->nodes[node->left].count;
    }
    for (size_t i = 0; i < m; i++)
        tree->order[tree->nodes[i].first] = i;
    for (size_t i = m; i < tree->count; i++) {
        tree->nodes[i].join = tree->nodes[i].adjusted = NAN;
        tree->nodes[i].least = tree->nodes[i].most = NAN;
        measure_join(tree, &tree->nodes[i], cells, own, room);
    }
    pool_give_back(pool, joining.distance);
    pool_give_back(pool, room);
}
