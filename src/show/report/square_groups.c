/* The pairs of a matrix by the groups of CPUs that its clusters form. */
#include "show/report/square.h"

#include "base/cpulist.h"
#include "conclude/clusters/clusters.h"
#include "stats/quantile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { NESTED_MAX = 2048, NEST_MAX = 16, NO_GROUP = -1 };

/* Whether a list is of no more CPUs than clusters are looked for among: "0-1048575" is few bytes
 * and a million of ids, and another person's document may say it of every cluster. */
static bool is_sensible(const char *cpus)
{
    unsigned long count = 0;
    while (*cpus && count <= CLUSTERS_CPUS_MAX) {
        char *end;
        const unsigned long first = strtoul(cpus, &end, 10);
        const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;
        count += last >= first && last - first < CLUSTERS_CPUS_MAX ? last - first + 1
                                                                   : CLUSTERS_CPUS_MAX + 1ul;
        cpus = end + strcspn(end, ",");
        cpus += *cpus == ',';
    }
    return count <= CLUSTERS_CPUS_MAX;
}

bool cluster_read(const struct catalogue_entry *entry, struct cpulist *cpus, struct pool *pool)
{
    const char *text = entry->finding->cpus;
    return entry->meaning.role == ROLE_CLUSTER && text && is_sensible(text) &&
           cpulist_read(text, cpus, pool, NULL) == 0;
}

bool cluster_is_within(const struct cpulist *inner, const struct cpulist *outer)
{
    for (size_t i = 0; i < inner->count; i++)
        if (!cpulist_has(outer, inner->ids[i]))
            return false;
    return inner->count < outer->count;
}

/* A cluster, and how many others it is within. */
struct nested {
    struct cpulist cpus;
    size_t level;
};

struct nest {
    struct nested *list; /* each behind the ones that it is within */
    size_t count;
};

/* The clusters of the experiment that comes first. */
static void build_nest(struct nest *nest, const struct catalogue_entry *list, size_t count,
                       struct pool *pool)
{
    size_t above[NEST_MAX], depth = 0;
    const struct catalogue_entry *first = NULL;
    *nest = (struct nest){.count = 0};
    for (size_t i = 0; i < count && nest->count < NESTED_MAX; i++) {
        struct cpulist cpus;
        if ((first && list[i].experiment != first->experiment) ||
            !cluster_read(&list[i], &cpus, pool))
            continue;
        first = first ? first : &list[i];
        while (depth &&
               (depth == NEST_MAX || !cluster_is_within(&cpus, &nest->list[above[depth - 1]].cpus)))
            depth--;
        above[depth] = nest->count;
        struct nested *next =
            pool_append(pool, (void **)&nest->list, &nest->count, sizeof *nest->list);
        *next = (struct nested){cpus, depth++};
    }
}

struct place {
    int id;
    size_t at;
};

static int by_number(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* All ids of a square, whether they are rows or columns: in the order of the rows where that is the
 * columns' too, else ascending. */
struct ids {
    int *list;
    struct place *sorted;
    size_t count;
};

static int by_id(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->id != y->id)
        return (x->id > y->id) - (x->id < y->id);
    return (x->at > y->at) - (x->at < y->at);
}

static void collect_ids(struct ids *ids, const struct square *square, struct pool *pool)
{
    const size_t rows = square->row_count, columns = square->column_count;
    const bool alike =
        rows == columns && memcmp(square->rows, square->columns, rows * sizeof *square->rows) == 0;
    const size_t all = alike ? rows : rows + columns;
    *ids = (struct ids){.list = pool_alloc(pool, all + 1, sizeof *ids->list),
                        .sorted = pool_alloc(pool, all + 1, sizeof *ids->sorted)};
    for (size_t i = 0; i < all; i++)
        ids->sorted[i] = (struct place){i < rows ? square->rows[i] : square->columns[i - rows], i};
    qsort(ids->sorted, all, sizeof *ids->sorted, by_id);
    for (size_t i = 0; i < all; i++) {
        if (ids->count && ids->sorted[ids->count - 1].id == ids->sorted[i].id)
            continue;
        ids->sorted[ids->count] = ids->sorted[i];
        if (!alike)
            ids->sorted[ids->count].at = ids->count;
        ids->count++;
    }
    for (size_t i = 0; i < ids->count; i++)
        ids->list[ids->sorted[i].at] = ids->sorted[i].id;
}

/* Where an id stands in the list; their count where it does not. */
static size_t place_of(const struct ids *ids, int id)
{
    size_t low = 0, high = ids->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ids->sorted[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ids->count && ids->sorted[low].id == id ? ids->sorted[low].at : ids->count;
}

/* Which group each id is of: that of the innermost cluster that holds it. Who is in none is a group
 * alone. */
struct grouping {
    struct ids ids;
    int *of; /* by place */
    size_t count;
};

/* By the clusters that are within fewer than `level` others; an inner one comes behind the one that
 * holds it. Groups are numbered in the order of the ids. */
static void group_ids(struct grouping *grouping, const struct nest *nest, size_t level)
{
    const struct ids *ids = &grouping->ids;
    int numbers[NESTED_MAX];
    for (size_t i = 0; i < ids->count; i++)
        grouping->of[i] = NO_GROUP;
    for (size_t i = 0; i < nest->count; i++) {
        numbers[i] = NO_GROUP;
        for (size_t cpu = 0; cpu < nest->list[i].cpus.count && nest->list[i].level < level; cpu++) {
            const size_t place = place_of(ids, nest->list[i].cpus.ids[cpu]);
            if (place < ids->count)
                grouping->of[place] = (int)i;
        }
    }
    grouping->count = 0;
    for (size_t i = 0; i < ids->count; i++) {
        int *number = grouping->of[i] == NO_GROUP ? NULL : &numbers[grouping->of[i]];
        const bool known = number && *number != NO_GROUP;
        grouping->of[i] = known ? *number : (int)grouping->count++;
        if (number)
            *number = grouping->of[i];
    }
}

/* "0-7,16-23": the CPUs of a group. */
static const char *name_cpus(const struct grouping *grouping, int group, struct pool *pool)
{
    enum { MOST_EACH = 9 };
    struct cpulist cpus = {.ids = pool_alloc(pool, grouping->ids.count + 1, sizeof *cpus.ids)};
    for (size_t i = 0; i < grouping->ids.count; i++)
        if (grouping->of[i] == group)
            cpus.ids[cpus.count++] = grouping->ids.list[i];
    qsort(cpus.ids, cpus.count, sizeof *cpus.ids, by_number);
    const size_t size = cpus.count * MOST_EACH + 1;
    return cpulist_format(&cpus, pool_alloc(pool, size, 1), size);
}

/* The values of all cells by the cell of the groups that they belong to. */
struct buckets {
    size_t *begins; /* of each bucket, and one behind the last */
    double *values;
    size_t *holes, *doubts; /* by bucket */
};

/* First how many each bucket has, counted two ahead, so that the second round, which fills them,
 * leaves the beginnings in place. */
static void fill_buckets(struct buckets *buckets, const struct square *square,
                         const struct grouping *grouping, bool counting)
{
    const struct pair_cell *cell = square->cells;
    for (size_t r = 0; r < square->row_count; r++) {
        const size_t row = (size_t)grouping->of[place_of(&grouping->ids, square->rows[r])];
        for (size_t c = 0; c < square->column_count; c++, cell++) {
            const size_t column =
                (size_t)grouping->of[place_of(&grouping->ids, square->columns[c])];
            const bool turn = !square->both_ways && row < column;
            const size_t bucket =
                turn ? column * grouping->count + row : row * grouping->count + column;
            if (counting && cell->kind == PAIR_MISSING)
                buckets->holes[bucket]++;
            if (cell->kind != PAIR_VALUE)
                continue;
            if (counting) {
                buckets->begins[bucket + 2]++;
                buckets->doubts[bucket] += cell->doubt;
            } else
                buckets->values[buckets->begins[bucket + 1]++] = (double)cell->value;
        }
    }
    const size_t count = grouping->count * grouping->count;
    for (size_t i = 2; i < count + 2 && counting; i++)
        buckets->begins[i] += buckets->begins[i - 1];
}

/* A group's cell is doubtful when more than a quarter of its pairs are. */
static struct pair_cell summarise(const struct buckets *buckets, size_t bucket, bool diagonal)
{
    double *values = buckets->values + buckets->begins[bucket];
    const size_t count = buckets->begins[bucket + 1] - buckets->begins[bucket];
    if (!count)
        return (struct pair_cell){.kind = buckets->holes[bucket] ? PAIR_MISSING
                                          : diagonal             ? PAIR_ITSELF
                                                                 : PAIR_EMPTY};
    sort_ascending(values, count);
    return (struct pair_cell){.kind = PAIR_VALUE,
                              .value = (float)median(values, count),
                              .least = (float)values[0],
                              .most = (float)values[count - 1],
                              .doubt = buckets->doubts[bucket] * 4 > count};
}

static const struct square *fill_groups(const struct square *square,
                                        const struct grouping *grouping, struct pool *pool)
{
    const size_t count = grouping->count, all = count * count;
    const size_t cells = square->row_count * square->column_count;
    struct buckets buckets = {.begins = pool_alloc(pool, all + 2, sizeof(size_t)),
                              .values = pool_alloc(pool, cells + 1, sizeof(double)),
                              .holes = pool_alloc(pool, all, sizeof(size_t)),
                              .doubts = pool_alloc(pool, all, sizeof(size_t))};
    struct square *groups = pool_alloc(pool, 1, sizeof *groups);
    *groups = (struct square){.labels = pool_alloc(pool, count, sizeof *groups->labels),
                              .cells = pool_alloc(pool, all, sizeof *groups->cells),
                              .row_count = count,
                              .column_count = count,
                              .both_ways = square->both_ways,
                              .missing = square->missing};
    fill_buckets(&buckets, square, grouping, true);
    fill_buckets(&buckets, square, grouping, false);
    for (size_t i = 0; i < count; i++)
        groups->labels[i] = name_cpus(grouping, (int)i, pool);
    for (size_t i = 0; i < all; i++)
        groups->cells[i] = summarise(&buckets, i, i / count == i % count);
    pool_give_back(pool, buckets.values);
    return groups;
}

size_t square_groupings(struct pool *pool, const struct square *square,
                        const struct catalogue_entry *findings, size_t count,
                        const struct square *groupings[SQUARE_GROUPINGS_MAX])
{
    struct nest nest;
    struct grouping grouping = {.count = 0};
    size_t found = 0, least = SIZE_MAX;
    build_nest(&nest, findings, count, pool);
    if (!nest.count)
        return 0;
    collect_ids(&grouping.ids, square, pool);
    grouping.of = pool_alloc(pool, grouping.ids.count + 1, sizeof *grouping.of);
    for (size_t level = NEST_MAX; level > 0 && found < SQUARE_GROUPINGS_MAX; level--) {
        group_ids(&grouping, &nest, level);
        if (grouping.count <= 1)
            break;
        if (grouping.count >= least || grouping.count > grouping.ids.count / 2)
            continue;
        least = grouping.count;
        groupings[found++] = fill_groups(square, &grouping, pool);
    }
    return found;
}
