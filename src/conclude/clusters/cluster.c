#include "conclude/clusters/cluster.h"

#include "base/error.h"
#include "conclude/clusters/parts.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int groups_begin(struct groups *groups, struct pool *pool, size_t rows)
{
    *groups = (struct groups){.smallest = pool_alloc(pool, rows + 1, sizeof *groups->smallest),
                              .marked = pool_alloc(pool, rows + 1, sizeof *groups->marked),
                              .pool = pool};
    if (!groups->smallest || !groups->marked)
        return ERROR_SYSTEM;
    for (size_t a = 0; a < rows; a++)
        groups->smallest[a] = -1;
    return 0;
}

static int compare_rows(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Finds, of the groups that hold the row, the largest with fewer than `count` rows and the smallest
 * with no fewer; -1: none. */
static void find_place(const struct groups *groups, size_t row, size_t count, int *within,
                       int *around)
{
    *within = -1;
    *around = groups->smallest[row];
    while (*around >= 0 && groups->list[*around].count < count) {
        *within = *around;
        *around = groups->list[*around].parent;
    }
}

/* Whether a set has one place in the forest: all its rows lie in the same group, which may be the
 * set itself, and every smaller group that shares a row with it lies wholly within it. */
static bool has_place(struct groups *groups, const size_t *members, size_t count, int *parent)
{
    int within, around;
    size_t mark = ++groups->marks;
    for (size_t i = 0; i < count; i++)
        groups->marked[members[i]] = mark;
    find_place(groups, members[0], count, &within, parent);
    for (size_t i = 0; i < count; i++) {
        find_place(groups, members[i], count, &within, &around);
        if (around != *parent)
            return false;
        const struct group *inner = within < 0 ? NULL : &groups->list[within];
        if (inner && groups->marked[inner->members[0]] != mark)
            return false;
        /* Looks at each group once, at its first row. */
        for (size_t j = 0; inner && members[i] == inner->members[0] && j < inner->count; j++)
            if (groups->marked[inner->members[j]] != mark)
                return false;
    }
    return true;
}

bool groups_fit(struct groups *groups, const size_t *members, size_t count)
{
    int parent;
    return has_place(groups, members, count, &parent);
}

int groups_add(struct groups *groups, const struct cells *cells, const size_t *members,
               size_t count, enum cluster_basis basis)
{
    int parent, within, around;
    if (count < 2 || count >= cells->m || !has_place(groups, members, count, &parent))
        return 0;
    if (parent >= 0 && groups->list[parent].count == count) {
        /* That a group is a kind says more than that its members are near. */
        if (basis == CLUSTER_KIND)
            groups->list[parent].basis = basis;
        return 0;
    }
    void *list = groups->list;
    int made = (int)groups->count;
    struct group *group = pool_append(groups->pool, &list, &groups->count, sizeof *group);
    if (!group)
        return ERROR_SYSTEM;
    groups->list = list;
    *group = (struct group){pool_alloc(groups->pool, count, sizeof *members), count, parent, basis};
    if (!group->members)
        return ERROR_SYSTEM;
    memcpy(group->members, members, count * sizeof *members);
    qsort(group->members, count, sizeof *group->members, compare_rows);
    for (size_t i = 0; i < count; i++) {
        find_place(groups, members[i], count, &within, &around);
        if (within >= 0)
            groups->list[within].parent = made;
        else
            groups->smallest[members[i]] = made;
    }
    return 0;
}

int groups_keep(struct groups *groups, const struct cells *cells, const bool *keep)
{
    struct groups kept;
    int code = groups_begin(&kept, groups->pool, cells->m);
    for (size_t i = 0; i < groups->count && code == 0; i++)
        if (keep[i])
            code = groups_add(&kept, cells, groups->list[i].members, groups->list[i].count,
                              groups->list[i].basis);
    if (code == 0)
        *groups = kept;
    return code;
}

double group_within(const struct group *group, const struct cells *cells, struct pool *scratch)
{
    size_t count = 0;
    double *values = pool_alloc(scratch, group->count * group->count / 2 + 1, sizeof *values);
    if (!values)
        return NAN;
    for (size_t i = 0; i < group->count; i++)
        for (size_t j = 0; j < i; j++) {
            float value = cells->known[group->members[i] * cells->m + group->members[j]];
            if (!isnan(value))
                values[count++] = (double)value;
        }
    sort_ascending(values, count);
    return count ? median(values, count) : NAN;
}

/* Orders groups by their first rows, and of two with the same first row the larger first: the order
 * of a tree that is walked from its root. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    if (x->members[0] != y->members[0])
        return x->members[0] > y->members[0] ? 1 : -1;
    return (x->count < y->count) - (x->count > y->count);
}

static bool has_member(const struct group *group, size_t row)
{
    return bsearch(&row, group->members, group->count, sizeof row, compare_rows) != NULL;
}

static int write_group(struct clusters *clusters, struct pool *pool, const struct group *sorted,
                       size_t index, const struct cells *cells)
{
    const struct group *group = &sorted[index];
    struct pool scratch = {0};
    size_t *members = pool_alloc(pool, group->count, sizeof *members);
    int parent = (int)index - 1;
    if (!members)
        return ERROR_SYSTEM;
    while (parent >= 0 && !has_member(&sorted[parent], group->members[0]))
        parent = clusters->list[parent].parent;
    for (size_t i = 0; i < group->count; i++)
        members[i] = cells->rows[group->members[i]];
    clusters->list[index] = (struct cluster){members, group->count, parent, group->basis,
                                             group_within(group, cells, &scratch)};
    clusters->count = index + 1;
    pool_free(&scratch);
    return 0;
}

/* Writes the result. The list of groups is then sorted and no longer a forest. */
static int write_all(struct clusters *clusters, struct pool *pool, struct groups *groups,
                     const struct cells *cells)
{
    int code = 0;
    clusters->list = pool_alloc(pool, groups->count + 1, sizeof *clusters->list);
    if (!clusters->list)
        return ERROR_SYSTEM;
    if (groups->count)
        qsort(groups->list, groups->count, sizeof *groups->list, compare_groups);
    for (size_t i = 0; i < groups->count && code == 0; i++)
        code = write_group(clusters, pool, groups->list, i, cells);
    return code;
}

int clusters_find(struct clusters *clusters, struct pool *pool, const double *latency,
                  const double *noise, size_t n)
{
    static int (*const steps[])(struct groups *, const struct cells *) = {
        groups_add_pairs, groups_add_near, groups_add_blocks, groups_add_alike, groups_add_kinds,
    };
    struct pool scratch = {0};
    struct cells cells;
    struct groups groups;
    *clusters = (struct clusters){0};
    int code = cells_read(&cells, &scratch, latency, noise, n);
    if (code == 0)
        code = groups_begin(&groups, &scratch, cells.m);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && code == 0 && cells.m > 2; i++)
        code = steps[i](&groups, &cells);
    if (code == 0)
        code = write_all(clusters, pool, &groups, &cells);
    pool_free(&scratch);
    return code;
}
