/* Drops near groups that do not hold up in comparison with the others. */
#include "conclude/clusters/parts.h"
#include "stats/order.h"

#include <math.h>

/* A slow core is slower than others by at most this factor. */
static const double slow_core = 2;
/* A group is plain if its farthest members are nearer to one another by this factor than its
 * nearest outsiders, except for this share on either side. */
static const double plain_ratio = 1.15, plain_odd = 0.1;
/* A member belongs to a group if its nearest member is nearer by this factor than the group's
 * outsiders are, with the share of exceptions as above. */
static const double member_ratio = 1.1;
/* Cores that are slow as such add this share of the median far latency to theirs. */
static const double slow_share = 0.1;
/* Groups of about one size support each other if together they hold a third of the rows of their
 * outer group. */
enum { COMPANY = 3 };

struct room {
    double *values; /* for m * m */
    size_t *rest;   /* for m */
};

/* Finds the rows of the outer group (NULL: of the whole matrix) that are not in the group; returns
 * their number. */
static size_t find_rest(const struct group *group, const struct group *outer, size_t m,
                        size_t *rest)
{
    size_t count = 0, all = outer ? outer->count : m;
    for (size_t i = 0, next = 0; i < all; i++) {
        size_t row = outer ? outer->members[i] : i;
        while (next < group->count && group->members[next] < row)
            next++;
        if (next == group->count || group->members[next] != row)
            rest[count++] = row;
    }
    return count;
}

/* A quantile of the latencies between the rows of two sets, which may be the same set; NAN: no
 * latency was measured. */
static double latency_between(const struct cells *cells, const size_t *rows, size_t row_count,
                              const size_t *columns, size_t column_count, double p, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < row_count; i++)
        for (size_t j = 0; j < column_count; j++) {
            float value = cells->known[rows[i] * cells->m + columns[j]];
            if (!isnan(value))
                room[count++] = (double)value;
        }
    return quantile_unsorted(room, count, p);
}

/* Whether the group is just "all but the slow cores", which is no group. Slow cores are farther
 * from one another than from the group, because a hand-off between two slow cores is slower than
 * one with one slow core, but only within limits. */
static bool is_all_but_slow(const struct groups *groups, int index, const struct cells *cells,
                            struct room *room)
{
    const struct group *group = &groups->list[index];
    const struct group *outer = group->parent < 0 ? NULL : &groups->list[group->parent];
    size_t rest = find_rest(group, outer, cells->m, room->rest);
    if (group->count <= rest)
        return false;
    double within = latency_between(cells, group->members, group->count, group->members,
                                    group->count, 0.5, room->values);
    double between =
        latency_between(cells, group->members, group->count, room->rest, rest, 0.5, room->values);
    if (between > slow_core * within)
        return false;
    /* Two threads of one slow core are still near to one another. */
    if (rest <= 2)
        return true;
    return latency_between(cells, room->rest, rest, room->rest, rest, 0.5, room->values) >= between;
}

/* Whether a group that is not plain is alone. It is trusted only if it and others of about its size
 * make up a large part of their outer group. Alone it is just a few cores of many that happen to be
 * somewhat nearer. */
static bool is_alone(const struct groups *groups, int index, const struct cells *cells,
                     struct room *room)
{
    const struct group *group = &groups->list[index];
    const struct group *outer = group->parent < 0 ? NULL : &groups->list[group->parent];
    size_t company = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].parent == group->parent && 2 * groups->list[i].count > group->count &&
            groups->list[i].count < 2 * group->count)
            company += groups->list[i].count;
    if (COMPANY * company >= (outer ? outer->count : cells->m))
        return false;
    const size_t rest = find_rest(group, outer, cells->m, room->rest);
    const double within = latency_between(cells, group->members, group->count, group->members,
                                          group->count, 1 - plain_odd, room->values);
    const double outside = latency_between(cells, group->members, group->count, room->rest, rest,
                                           plain_odd, room->values);
    return !(outside >= plain_ratio * within);
}

/* A quantile of the latencies from the row to the others of a set, less what the rows add (own[m];
 * NULL: nothing); NAN: no latency was measured. */
static double latency_to(const struct cells *cells, size_t row, const size_t *others, size_t count,
                         double p, const double *own, double *room)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        const float value = cells->known[row * cells->m + others[i]];
        if (others[i] != row && !isnan(value))
            room[known++] = (double)value - (own ? own[row] + own[others[i]] : 0);
    }
    return quantile_unsorted(room, known, p);
}

/* Whether the group has a stranger: an outsider that is as near to a member as that member's
 * nearest member; a member that is as far from all members as the group is from its surroundings
 * (because its pair's other core was left out of the group); or members that are farther from other
 * members than from outsiders within the same outer group. */
static bool has_stranger(const struct groups *groups, const struct group *group,
                         const struct cells *cells, const double *own, struct room *room)
{
    const struct group *outer = group->parent < 0 ? NULL : &groups->list[group->parent];
    const size_t *members = group->members, count = group->count;
    size_t rest = find_rest(group, NULL, cells->m, room->rest), far = 0;
    double outside = INFINITY;
    for (size_t i = 0; i < count; i++)
        outside = fmin(
            outside, latency_to(cells, members[i], room->rest, rest, plain_odd, own, room->values));
    for (size_t i = 0; i < count; i++) {
        const double nearest = latency_to(cells, members[i], members, count, 0, NULL, room->values);
        const double inside = latency_to(cells, members[i], members, count, 0, own, room->values);
        const double next = latency_to(cells, members[i], room->rest, rest, 0, own, room->values);
        if (inside >= next - (member_ratio - 1) * nearest || inside >= outside)
            return true;
    }
    rest = find_rest(group, outer, cells->m, room->rest);
    for (size_t i = 0; i < count; i++)
        far += latency_to(cells, members[i], members, count, 1 - plain_odd, own, room->values) >
               latency_to(cells, members[i], room->rest, rest, plain_odd, own, room->values);
    return (double)far > plain_odd * (double)count;
}

/* Whether the members are slow cores: they add more to their latencies than others do, by a share
 * of the median far latency. */
static bool is_slow(const struct group *group, const struct cells *cells, const double *own,
                    double far, struct room *room)
{
    const size_t rest = find_rest(group, NULL, cells->m, room->rest);
    for (size_t i = 0; i < group->count; i++)
        room->values[i] = own[group->members[i]];
    const double inside = median_of(room->values, group->count);
    for (size_t i = 0; i < rest; i++)
        room->values[i] = own[room->rest[i]];
    return inside - median_of(room->values, rest) > slow_share * far;
}

void groups_drop_odd(struct groups *groups, const struct cells *cells, const double *own,
                     double far, struct pool *scratch)
{
    /* Each test compares with the groups that the tests before it left. */
    static bool (*const tests[])(const struct groups *, int, const struct cells *,
                                 struct room *) = {
        is_all_but_slow,
        is_alone,
    };
    struct room room = {
        .values = pool_alloc(scratch, cells->m * cells->m + 1, sizeof *room.values),
        .rest = pool_alloc(scratch, cells->m + 1, sizeof *room.rest),
    };
    bool *keep = pool_alloc(scratch, groups->count + 1, sizeof *keep);
    /* Slow cores are far from all others, so a group of slow cores is also judged by latencies less
     * what its rows add. */
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->list[i];
        keep[i] = group->basis != CLUSTER_NEAR ||
                  !has_stranger(groups, group, cells, NULL, &room) ||
                  ((group->count == 2 || is_slow(group, cells, own, far, &room)) &&
                   !has_stranger(groups, group, cells, own, &room));
    }
    groups_keep(groups, cells, keep);
    for (size_t test = 0; test < sizeof tests / sizeof *tests; test++) {
        for (size_t i = 0; i < groups->count; i++)
            keep[i] = !tests[test](groups, (int)i, cells, &room);
        groups_keep(groups, cells, keep);
    }
}
