/* Plain groups: every latency between members is shorter than every latency to another row. For few
 * or noisy rows this order is better evidence than any estimate of the noise, because it is one
 * among all possible orders of so many latencies. A single group may be the remainder without some
 * slow cores; two groups of one size can't be. */
#include "conclude/clusters/parts.h"

#include <math.h>

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

static size_t count_items(const struct plain *plain, const struct tree_node *node)
{
    size_t items = 0;
    for (size_t i = node->first; i < node->first + node->count; i++)
        items += plain->mate[plain->tree->order[i]] >= plain->tree->order[i];
    return items;
}

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

static double log_choose(double n, double k)
{
    return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Logarithm of the chance: the number of sets of `items` over the number of orders of the latencies
 * within and to the rest. */
static double log_chance(double all, double items)
{
    double within = items * (items - 1) / 2, outside = items * (all - items);
    return fmin(0, log_choose(all, items) - log_choose(within + outside, within));
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
    size_t items = count_items(plain, node);
    plain->found[index] = true;
    plain->sizes[node->count].groups++;
    plain->sizes[node->count].chance += log_chance((double)plain->items, (double)items);
}

void groups_add_plain(struct groups *groups, const struct cells *cells, const struct tree *tree,
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
