#include "base/error.h"
#include "stats/cluster_parts.h"

#include <math.h>
#include <stdlib.h>

/* Groups of different makes differ at least so much in how far apart their members lie. */
static const double least_ratio = 1.5;

struct leaf {
    const struct group *group;
    double within;
};

static int compare_leaves(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;
    return (x->within > y->within) - (x->within < y->within);
}

static bool is_leaf(const struct groups *groups, const struct group *group, size_t m)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *other = &groups->list[i];
        if (other == group || other->count >= group->count)
            continue;
        for (size_t a = 0; a < m; a++)
            if (other->has[a] && group->has[a])
                return false;
    }
    return true;
}

static int add_kind(struct groups *groups, const struct cells *cells, const struct leaf *leaves,
                    size_t count, size_t *members)
{
    size_t rows = 0;
    for (size_t a = 0; a < cells->m; a++)
        for (size_t i = 0; i < count; i++)
            if (leaves[i].group->has[a])
                members[rows++] = a;
    return groups_add(groups, cells, members, rows, CLUSTER_KIND);
}

static size_t same_kind(const struct leaf *leaves, size_t count)
{
    size_t same = 1;
    while (same < count && leaves[same].within < least_ratio * leaves[same - 1].within)
        same++;
    return same;
}

int groups_add_kinds(struct groups *groups, const struct cells *cells)
{
    struct pool scratch = {0};
    struct leaf *leaves = pool_alloc(&scratch, groups->count + 1, sizeof *leaves);
    size_t *members = pool_alloc(&scratch, cells->m + 1, sizeof *members);
    int code = leaves && members ? 0 : ERROR_SYSTEM;
    size_t count = 0, rows = 0, kinds = 0, fewest = cells->m;
    for (size_t i = 0; i < groups->count && code == 0; i++) {
        const struct group *group = &groups->list[i];
        if (!is_leaf(groups, group, cells->m))
            continue;
        struct leaf leaf = {group, group_within(group, cells, &scratch)};
        if (!isfinite(leaf.within))
            continue;
        rows += group->count;
        leaves[count++] = leaf;
    }
    if (code == 0 && count)
        qsort(leaves, count, sizeof *leaves, compare_leaves);
    for (size_t i = 0, same; code == 0 && i < count; i += same, kinds++) {
        same = same_kind(leaves + i, count - i);
        fewest = same < fewest ? same : fewest;
    }
    /* Rows in no group are of an unknown make; a single group is its own kind. */
    bool told = rows == cells->m && kinds >= 2 && fewest >= 2;
    struct groups found = *groups;
    for (size_t i = 0, same; code == 0 && told && i < count; i += same) {
        same = same_kind(leaves + i, count - i);
        code = add_kind(&found, cells, leaves + i, same, members);
    }
    *groups = found;
    pool_free(&scratch);
    return code;
}
