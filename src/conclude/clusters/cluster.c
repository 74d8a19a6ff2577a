#include "conclude/clusters/cluster.h"

#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void groups_begin(struct groups *groups, struct pool *pool, size_t rows)
{
    *groups = (struct groups){.smallest = pool_alloc(pool, rows + 1, sizeof *groups->smallest),
                              .marked = pool_alloc(pool, rows + 1, sizeof *groups->marked),
                              .pool = pool};
    for (size_t a = 0; a < rows; a++)
        groups->smallest[a] = -1;
}

static int compare_rows(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Of the groups that hold the row, finds the largest with fewer than `count` rows and the smallest
 * with at least `count` rows; -1: none. */
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

/* Whether a set has one place in the forest: all its rows are in one group, which may equal the
 * set, and every smaller group that shares a row with the set is within the set. */
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

void groups_add(struct groups *groups, const struct cells *cells, const size_t *members,
                size_t count, enum cluster_basis basis)
{
    int parent, within, around;
    if (count < 2 || count >= cells->m || !has_place(groups, members, count, &parent))
        return;
    if (parent >= 0 && groups->list[parent].count == count) {
        /* A kind is more specific than a near group. */
        if (basis == CLUSTER_KIND)
            groups->list[parent].basis = basis;
        return;
    }
    const int made = (int)groups->count;
    struct group *group =
        pool_append(groups->pool, (void **)&groups->list, &groups->count, sizeof *group);
    *group = (struct group){pool_alloc(groups->pool, count, sizeof *members), count, parent, basis};
    memcpy(group->members, members, count * sizeof *members);
    qsort(group->members, count, sizeof *group->members, compare_rows);
    for (size_t i = 0; i < count; i++) {
        find_place(groups, members[i], count, &within, &around);
        if (within >= 0)
            groups->list[within].parent = made;
        else
            groups->smallest[members[i]] = made;
    }
}

void groups_keep(struct groups *groups, const struct cells *cells, const bool *keep)
{
    struct groups kept;
    groups_begin(&kept, groups->pool, cells->m);
    for (size_t i = 0; i < groups->count; i++)
        if (keep[i])
            groups_add(&kept, cells, groups->list[i].members, groups->list[i].count,
                       groups->list[i].basis);
    *groups = kept;
}

double group_within(const struct group *group, const struct cells *cells, struct pool *scratch)
{
    size_t count = 0;
    double *values = pool_alloc(scratch, group->count * group->count / 2 + 1, sizeof *values);
    for (size_t i = 0; i < group->count; i++)
        for (size_t j = 0; j < i; j++) {
            float value = cells->known[group->members[i] * cells->m + group->members[j]];
            if (!isnan(value))
                values[count++] = (double)value;
        }
    sort_ascending(values, count);
    const double within = count ? median(values, count) : NAN;
    pool_give_back(scratch, values);
    return within;
}

/* Orders groups by their first row, and the larger first if that is the same, so a group comes
 * before those within it. */
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

/* Writes the result. The list of groups is then sorted and no longer a forest. */
static void write_all(struct clusters *clusters, struct pool *pool, const struct groups *groups,
                      const struct cells *cells)
{
    if (groups->count)
        qsort(groups->list, groups->count, sizeof *groups->list, compare_groups);
    clusters->list = pool_alloc(pool, groups->count + 1, sizeof *clusters->list);
    clusters->count = groups->count;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->list[i];
        size_t *members = pool_alloc(pool, group->count, sizeof *members);
        int parent = (int)i - 1;
        while (parent >= 0 && !has_member(&groups->list[parent], group->members[0]))
            parent = clusters->list[parent].parent;
        for (size_t k = 0; k < group->count; k++)
            members[k] = cells->rows[group->members[k]];
        clusters->list[i] = (struct cluster){members, group->count, parent, group->basis,
                                             group_within(group, cells, groups->pool)};
    }
}

struct finding_clusters {
    struct clusters *clusters;
    struct pool *pool;
    const double *latency, *noise;
    size_t n;
};

struct adding {
    void (*add)(struct groups *, const struct cells *, struct pool *scratch);
    struct groups *groups;
    const struct cells *cells;
};

static void add_some(struct pool *scratch, void *with)
{
    const struct adding *adding = with;
    adding->add(adding->groups, adding->cells, scratch);
}

static void find(struct pool *scratch, void *with)
{
    static void (*const steps[])(struct groups *, const struct cells *, struct pool *) = {
        groups_add_pairs, groups_add_near, groups_add_blocks, groups_add_alike, groups_add_kinds,
    };
    const struct finding_clusters *in = with;
    struct cells cells;
    struct groups groups;
    cells_read(&cells, scratch, in->latency, in->noise, in->n);
    groups_begin(&groups, scratch, cells.m);
    for (size_t i = 0; i < sizeof steps / sizeof *steps && cells.m > 2; i++)
        pool_scratch(scratch, add_some, &(struct adding){steps[i], &groups, &cells});
    write_all(in->clusters, in->pool, &groups, &cells);
}

void clusters_find(struct clusters *clusters, struct pool *pool, const double *latency,
                   const double *noise, size_t n)
{
    *clusters = (struct clusters){0};
    pool_scratch(pool, find, &(struct finding_clusters){clusters, pool, latency, noise, n});
}
