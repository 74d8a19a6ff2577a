#include "stats/cluster.h"

#include "base/error.h"
#include "stats/cluster_parts.h"
#include "stats/quantile.h"

#include <math.h>
#include <string.h>

int groups_add(struct groups *groups, const struct cells *cells, const size_t *members,
               size_t count, enum cluster_basis basis)
{
    if (count < 2 || count >= cells->m)
        return 0;
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *other = &groups->list[i];
        size_t shared = 0;
        for (size_t j = 0; j < count; j++)
            shared += other->has[members[j]];
        bool crosses = shared && shared < count && shared < other->count;
        if (crosses || (shared == count && shared == other->count))
            return 0;
    }
    void *list = groups->list;
    struct group *group = pool_append(groups->pool, &list, &groups->count, sizeof *group);
    if (!group)
        return ERROR_SYSTEM;
    groups->list = list;
    *group = (struct group){pool_alloc(groups->pool, cells->m, 1), count, basis};
    if (!group->has)
        return ERROR_SYSTEM;
    for (size_t j = 0; j < count; j++)
        group->has[members[j]] = 1;
    return 0;
}

int groups_smallest_with(const struct groups *groups, size_t row)
{
    int smallest = -1;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].has[row] &&
            (smallest < 0 || groups->list[i].count < groups->list[smallest].count))
            smallest = (int)i;
    return smallest;
}

double group_within(const struct group *group, const struct cells *cells, struct pool *scratch)
{
    size_t m = cells->m, count = 0, rows = 0;
    double *values = pool_alloc(scratch, group->count * group->count / 2 + 1, sizeof *values);
    size_t *members = pool_alloc(scratch, group->count, sizeof *members);
    if (!values || !members)
        return NAN;
    for (size_t a = 0; a < m; a++)
        if (group->has[a])
            members[rows++] = a;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < i; j++)
            if (!isnan(cells->known[members[i] * m + members[j]]))
                values[count++] = (double)cells->known[members[i] * m + members[j]];
    sort_ascending(values, count);
    return count ? median(values, count) : NAN;
}

/* The smallest group that holds another; -1 where none does. */
static int parent_of(const struct groups *groups, size_t index, size_t first)
{
    int parent = -1;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].has[first] && groups->list[i].count > groups->list[index].count &&
            (parent < 0 || groups->list[i].count < groups->list[parent].count))
            parent = (int)i;
    return parent;
}

/* What is being written: the found groups, and which of them each row begins. */
struct writing {
    const struct groups *groups;
    const struct cells *cells;
    const int *parent;
    struct clusters *clusters;
    struct pool *pool;
};

static int write_group(struct writing *writing, size_t index, int parent)
{
    const struct group *group = &writing->groups->list[index];
    struct cluster *cluster = &writing->clusters->list[writing->clusters->count++];
    struct pool scratch = {0};
    size_t *members = pool_alloc(writing->pool, group->count, sizeof *members), count = 0;
    if (!members)
        return ERROR_SYSTEM;
    for (size_t a = 0; a < writing->cells->m; a++)
        if (group->has[a])
            members[count++] = writing->cells->rows[a];
    *cluster = (struct cluster){members, count, parent, group->basis,
                                group_within(group, writing->cells, &scratch)};
    pool_free(&scratch);
    return 0;
}

/* The groups directly within `parent` by their first member, each before what it holds. */
static int write_groups(struct writing *writing, int parent, int parent_cluster)
{
    const struct groups *groups = writing->groups;
    for (size_t a = 0; a < writing->cells->m; a++)
        for (size_t i = 0; i < groups->count; i++) {
            const unsigned char *has = groups->list[i].has;
            if (writing->parent[i] != parent || !has[a] || memchr(has, 1, a))
                continue;
            int made = (int)writing->clusters->count;
            if (write_group(writing, i, parent_cluster) < 0 ||
                write_groups(writing, (int)i, made) < 0)
                return ERROR_SYSTEM;
        }
    return 0;
}

static int write_all(struct clusters *clusters, struct pool *pool, const struct groups *groups,
                     const struct cells *cells)
{
    int *parent = pool_alloc(groups->pool, groups->count + 1, sizeof *parent);
    clusters->list = pool_alloc(pool, groups->count + 1, sizeof *clusters->list);
    if (!parent || !clusters->list)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < groups->count; i++) {
        const unsigned char *first = memchr(groups->list[i].has, 1, cells->m);
        parent[i] = parent_of(groups, i, (size_t)(first - groups->list[i].has));
    }
    struct writing writing = {groups, cells, parent, clusters, pool};
    return write_groups(&writing, -1, -1);
}

int clusters_find(struct clusters *clusters, struct pool *pool, const double *latency,
                  const double *noise, size_t n)
{
    struct pool scratch = {0};
    struct cells cells;
    struct groups groups = {.pool = &scratch};
    *clusters = (struct clusters){0};
    int code = cells_read(&cells, &scratch, latency, noise, n);
    if (code == 0 && cells.m > 2) {
        code = groups_add_near(&groups, &cells);
        code = code == 0 ? groups_add_alike(&groups, &cells) : code;
        code = code == 0 ? groups_add_kinds(&groups, &cells) : code;
        code = code == 0 ? write_all(clusters, pool, &groups, &cells) : code;
    }
    pool_free(&scratch);
    return code;
}
