/* Near groups that are none after all, seen beside the others. */
#include "base/error.h"
#include "stats/cluster_parts.h"
#include "stats/quantile.h"

#include <math.h>

/* A core that is slow by itself is not slower than this. */
static const double slow_core = 2;
enum { ROWS_OF_A_CORE = 2 };
/* A group is plain if its farthest members are by this much nearer to one another than its nearest
 * others are, but for such a part of either. */
static const double plain_ratio = 1.15, plain_odd = 0.1;
/* A third. */
enum { COMPANY = 3 };

/* A quantile of the latencies between a group and the rest of what holds it (NULL: everything). */
static double latency_to_rest(const struct group *group, const struct group *outer,
                              const struct cells *cells, double p, double *room)
{
    size_t count = 0, m = cells->m, all = outer ? outer->count : m;
    for (size_t i = 0, next = 0; i < all; i++) {
        size_t b = outer ? outer->members[i] : i;
        while (next < group->count && group->members[next] < b)
            next++;
        if (next < group->count && group->members[next] == b)
            continue;
        for (size_t j = 0; j < group->count; j++)
            if (!isnan(cells->known[group->members[j] * m + b]))
                room[count++] = (double)cells->known[group->members[j] * m + b];
    }
    sort_ascending(room, count);
    return count ? quantile(room, count, p) : NAN;
}

/* Whether what the outer group has beside a group in it is a group too. */
static bool rest_is_group(const struct groups *groups, int index, size_t rest)
{
    for (size_t i = 0; i < groups->count; i++)
        if ((int)i != index && groups->list[i].count == rest &&
            groups->list[i].parent == groups->list[index].parent)
            return true;
    return false;
}

/* "All but one core" is that core's doing and no group, unless it is too far for being slow. */
static bool is_all_but_a_core(const struct groups *groups, int index, const struct cells *cells,
                              double *room)
{
    const struct group *group = &groups->list[index];
    const struct group *outer = group->parent < 0 ? NULL : &groups->list[group->parent];
    size_t all = outer ? outer->count : cells->m, rest = all - group->count;
    if (rest > ROWS_OF_A_CORE || group->count <= all / 2 || group->count <= rest)
        return false;
    /* Two are of one core only if they are a group. */
    if (rest == ROWS_OF_A_CORE && !rest_is_group(groups, index, rest))
        return false;
    struct pool scratch = {0};
    double within = group_within(group, cells, &scratch);
    pool_free(&scratch);
    return !(latency_to_rest(group, outer, cells, 0.5, room) > slow_core * within);
}

static bool is_plain(const struct group *group, const struct group *outer,
                     const struct cells *cells, double *room)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        for (size_t j = 0; j < i; j++) {
            float value = cells->known[group->members[i] * cells->m + group->members[j]];
            if (!isnan(value))
                room[count++] = (double)value;
        }
    sort_ascending(room, count);
    double within = count ? quantile(room, count, 1 - plain_odd) : NAN;
    return latency_to_rest(group, outer, cells, plain_odd, room) >= plain_ratio * within;
}

/* A group that is not plain is believed in company: it and others of about its size are a large
 * part of what holds them. Alone it is a few cores of many that happen to be somewhat nearer. */
static bool is_alone(const struct groups *groups, int index, const struct cells *cells,
                     double *room)
{
    const struct group *group = &groups->list[index];
    const struct group *outer = group->parent < 0 ? NULL : &groups->list[group->parent];
    size_t company = 0;
    for (size_t i = 0; i < groups->count; i++)
        if (groups->list[i].parent == group->parent && 2 * groups->list[i].count > group->count &&
            groups->list[i].count < 2 * group->count)
            company += groups->list[i].count;
    return COMPANY * company < (outer ? outer->count : cells->m) &&
           !is_plain(group, outer, cells, room);
}

int groups_drop_odd(struct groups *groups, const struct cells *cells)
{
    /* What the first leaves is the company that the second looks for. */
    static bool (*const tests[])(const struct groups *, int, const struct cells *, double *) = {
        is_all_but_a_core,
        is_alone,
    };
    struct pool scratch = {0};
    double *room = pool_alloc(&scratch, cells->m * cells->m / 2 + 1, sizeof *room);
    bool *keep = pool_alloc(&scratch, groups->count + 1, sizeof *keep);
    int code = room && keep ? 0 : ERROR_SYSTEM;
    for (size_t test = 0; test < sizeof tests / sizeof *tests && code == 0; test++) {
        for (size_t i = 0; i < groups->count; i++)
            keep[i] = !tests[test](groups, (int)i, cells, room);
        code = groups_keep(groups, cells, keep);
    }
    pool_free(&scratch);
    return code;
}
