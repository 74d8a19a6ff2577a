#include "conclude/clusters/cluster.h"

#include "base/sort.h"
#include "conclude/clusters/parts.h"

#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An empty list in the pool. */
static void begin_groups(struct groups *groups, struct pool *pool, size_t rows)
{
    *groups = (struct groups){.smallest = pool_alloc(pool, rows + 1, sizeof *groups->smallest),
                              .marked = pool_alloc(pool, rows + 1, sizeof *groups->marked),
                              .pool = pool};
    for (size_t a = 0; a < rows; a++)
        groups->smallest[a] = -1;
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
    qsort(group->members, count, sizeof *group->members, by_size);
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
    begin_groups(&kept, groups->pool, cells->m);
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
    const double within = median_of(values, count);
    pool_give_back(scratch, values);
    return within;
}

/* Orders groups by their first row, and the larger first if that is the same, so a group comes
 * before those within it. */
static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return ORDER_BY({x->members[0], y->members[0]}, {y->count, x->count});
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
        while (parent >= 0 && !bsearch(&group->members[0], groups->list[parent].members,
                                       groups->list[parent].count, sizeof *members, by_size))
            parent--;
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

/* A part of the matrix is far from the rest if the least latency to the rest is this factor of the
 * greatest within the part. */
static const double far_ratio = 1.5;
enum { MAIN_LEAST = 4 };

/* Finds the main part of a matrix: more than half of its rows, from which all others are far, as
 * the cores of another die are. What is far tells nothing about places within the main part, and
 * scatters more. `order` becomes the rows, those of the main part first. Returns their number; 0:
 * no row is far. */
static size_t find_main(const struct cells *cells, size_t *order, struct pool *scratch)
{
    const size_t m = cells->m;
    double *room = pool_alloc(scratch, m + 1, sizeof *room), middle = INFINITY, most = 0;
    /* Most latencies of a row of the main part are within it, so the least median is there. */
    for (size_t a = 0; a < m; a++) {
        size_t known = 0;
        for (size_t b = 0; b < m; b++)
            if (!isnan(cells->known[a * m + b]))
                room[known++] = (double)cells->known[a * m + b];
        sort_ascending(room, known);
        order[a] = a;
        if (known && room[(known - 1) / 2] < middle) {
            middle = room[(known - 1) / 2];
            order[0] = a;
        }
    }
    order[order[0]] = 0;
    /* The nearest other row joins until the gap shows (Prim 1957). */
    for (size_t a = 0; a < m; a++)
        room[a] = INFINITY;
    for (size_t count = 1; count < m; count++) {
        const float *latest = cells->known + order[count - 1] * m;
        size_t next = count;
        for (size_t i = count; i < m; i++) {
            room[order[i]] = fmin(room[order[i]], (double)latest[order[i]]);
            next = room[order[i]] < room[order[next]] ? i : next;
        }
        const size_t row = order[next];
        if (count >= MAIN_LEAST && 2 * count > m && isfinite(room[row]) &&
            room[row] >= far_ratio * most)
            return count;
        order[next] = order[count];
        order[count] = row;
        for (size_t i = 0; i < count; i++)
            most = fmax(most, (double)cells->known[order[i] * m + row]);
    }
    return 0;
}

/* Finds the clusters within a part of the matrix by the latencies of that part alone, and adds
 * them. If the part is a cluster as a whole, it is added first, and they are below it. */
static void add_part(const struct finding_clusters *in, const struct cells *cells, size_t *rows,
                     size_t count, bool whole, struct pool *scratch)
{
    struct clusters within, *clusters = in->clusters;
    const size_t n = in->n, first = clusters->count;
    double *latency = pool_alloc(scratch, n * n, sizeof *latency); /* 0: of another part */
    qsort(rows, count, sizeof *rows, by_size);
    size_t *members = pool_alloc(in->pool, count, sizeof *members);
    for (size_t i = 0; i < count; i++)
        members[i] = cells->rows[rows[i]];
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            latency[members[i] * n + members[j]] = in->latency[members[i] * n + members[j]];
    clusters_find(&within, in->pool, latency, in->noise, n);
    if (whole)
        clusters->list[clusters->count++] = (struct cluster){
            members, count, -1, CLUSTER_NEAR,
            group_within(&(struct group){rows, count, -1, CLUSTER_NEAR}, cells, scratch)};
    for (size_t i = 0; i < within.count; i++) {
        struct cluster *cluster = &clusters->list[clusters->count++];
        *cluster = within.list[i];
        cluster->parent = cluster->parent >= 0 ? cluster->parent + (int)(first + whole)
                          : whole              ? (int)first
                                               : -1;
    }
    pool_give_back(scratch, latency);
}

/* Whether the rest is near to itself and far from the main part. */
static bool is_part(const struct cells *cells, const size_t *order, size_t main)
{
    double most = 0, least = INFINITY;
    for (size_t i = main; i < cells->m; i++)
        for (size_t j = 0; j < i; j++) {
            const double value = (double)cells->known[order[i] * cells->m + order[j]];
            if (j < main)
                least = fmin(least, value);
            else
                most = fmax(most, value);
        }
    return cells->m - main > 1 && most > 0 && least >= far_ratio * most;
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
    size_t *order = pool_alloc(scratch, cells.m + 1, sizeof *order);
    const size_t main = find_main(&cells, order, scratch);
    if (main) {
        const size_t rest = cells.m - main;
        in->clusters->list = pool_alloc(in->pool, 2 * cells.m, sizeof *in->clusters->list);
        add_part(in, &cells, order, main, true, scratch);
        add_part(in, &cells, order + main, rest, is_part(&cells, order, main), scratch);
        return;
    }
    begin_groups(&groups, scratch, cells.m);
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
