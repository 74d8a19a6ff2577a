#include "conclude/clusters/parts.h"

#include <math.h>
#include <stdlib.h>

/* The latencies within groups of different kinds differ at least by this factor. */
static const double least_ratio = 1.5;
/* A kind has at least two groups: a single group is no kind. */
enum { GROUPS_MIN = 2 };

struct leaf {
    const size_t *members;
    size_t count;
    double within;
};

static int compare_leaves(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return (x->within > y->within) - (x->within < y->within);
}

/* For each group, whether it holds no other. */
static bool *find_leaves(const struct groups *groups, struct pool *scratch)
{
    bool *leaf = pool_alloc(scratch, groups->count + 1, sizeof *leaf);
    for (size_t i = 0; i < groups->count; i++)
        leaf[i] = true;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].parent >= 0)
            leaf[groups->list[i].parent] = false;
    return leaf;
}

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
    const bool *is_leaf = find_leaves(groups, scratch);
    size_t *kind_of_size = pool_alloc(scratch, cells->m + 1, sizeof *kind_of_size), count = 0;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->list[i];
        if (!is_leaf[i])
            continue;
        const struct leaf leaf = {group->members, group->count,
                                  group_within(group, cells, scratch)};
        if (isfinite(leaf.within))
            leaves[count++] = leaf;
    }
    qsort(leaves, count, sizeof *leaves, compare_leaves);
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
