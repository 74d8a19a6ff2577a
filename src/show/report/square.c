/* The points of a matrix by row and column, and its cells: which pairs are shown, what is shown
 * without a value, and the pairs by groups of CPUs. */
#include "show/report/square.h"

#include "base/clean.h"
#include "base/cpulist.h"
#include "conclude/clusters/clusters.h"
#include "document/flag.h"
#include "stats/order.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- the grid --- */

/* The index of an id among the rows or columns. */
struct grid_place {
    int id;
    size_t at;
};

static int by_id(const void *a, const void *b)
{
    const struct grid_place *x = a, *y = b;
    if (x->id != y->id)
        return (x->id > y->id) - (x->id < y->id);
    return (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct grid_place *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static const struct grid_place *find_place(const struct grid_place *places, size_t count, int id)
{
    return bsearch(&id, places, count, sizeof *places, cpulist_by_id);
}

/* An id's index; `count` if it is not there. */
static size_t place_of(const struct grid_place *places, size_t count, int id)
{
    const struct grid_place *place = find_place(places, count, id);
    return place ? place->at : count;
}

size_t grid_row(const struct grid *grid, int id)
{
    return place_of(grid->row_places, grid->row_count, id);
}

size_t grid_column(const struct grid *grid, int id)
{
    return place_of(grid->column_places, grid->column_count, id);
}

/* Keeps each id once, ascending, with the number of the first point that it belongs to. */
static size_t sort_unique(struct grid_place *places, size_t count)
{
    size_t kept = 0;
    qsort(places, count, sizeof *places, by_id);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || places[kept - 1].id != places[i].id)
            places[kept++] = places[i];
    return kept;
}

/* Whether the points come row by row and every column is also a row: then the order of the rows was
 * chosen on purpose. */
static bool is_in_order(const struct grid *grid, const struct series *series)
{
    size_t runs = 0;
    for (size_t i = 0; i < series->point_count; i++)
        runs += i == 0 || series->points[i].from != series->points[i - 1].from;
    if (runs != grid->row_count)
        return false;
    for (size_t i = 0; i < grid->column_count; i++)
        if (!find_place(grid->row_places, grid->row_count, grid->column_places[i].id))
            return false;
    return true;
}

/* Replaces `at`, the first point of each id, by the id's index: in the order of the points, or
 * ascending. */
static void number_places(struct grid_place *places, int *ids, size_t count, bool ascending)
{
    if (!ascending)
        qsort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++) {
        ids[i] = places[i].id;
        places[i].at = i;
    }
    qsort(places, count, sizeof *places, by_id);
}

bool grid_build(struct grid *grid, const struct series *series, struct pool *pool)
{
    const size_t count = series->point_count;
    *grid = (struct grid){.row_places = pool_alloc(pool, count + 1, sizeof(struct grid_place)),
                          .column_places = pool_alloc(pool, count + 1, sizeof(struct grid_place))};
    for (size_t i = 0; i < count; i++) {
        grid->row_places[i] = (struct grid_place){series->points[i].from, i};
        grid->column_places[i] = (struct grid_place){series->points[i].to, i};
    }
    grid->row_count = sort_unique(grid->row_places, count);
    grid->column_count = sort_unique(grid->column_places, count);
    if (grid->row_count > (16 * count + 4096) / (grid->column_count + 1))
        return false;
    grid->rows = pool_alloc(pool, grid->row_count + 1, sizeof *grid->rows);
    grid->columns = pool_alloc(pool, grid->column_count + 1, sizeof *grid->columns);
    const bool ordered = is_in_order(grid, series);
    number_places(grid->row_places, grid->rows, grid->row_count, !ordered);
    for (size_t i = 0; ordered && i < grid->column_count; i++)
        grid->column_places[i].at = grid_row(grid, grid->column_places[i].id);
    number_places(grid->column_places, grid->columns, grid->column_count, !ordered);
    grid->cells =
        pool_alloc(pool, grid->row_count * grid->column_count + 1, sizeof(struct point *));
    for (size_t i = 0; i < count; i++) {
        size_t row = grid_row(grid, series->points[i].from);
        size_t column = grid_column(grid, series->points[i].to);
        grid->cells[row * grid->column_count + column] = &series->points[i];
    }
    return true;
}

const struct point *grid_point(const struct grid *grid, int from, int to)
{
    const size_t row = grid_row(grid, from), column = grid_column(grid, to);
    const bool there = row < grid->row_count && column < grid->column_count;
    return there ? grid->cells[row * grid->column_count + column] : NULL;
}

/* --- the square --- */

/* Which directions of pairs the square shows. */
enum directions { EVERY_DIRECTION, ONE_WAY, LOWER_TRIANGLE };

static bool has_value(const struct point *point)
{
    return point && isfinite(point->y.median);
}

/* In a triangle only the half below the diagonal is shown, with the mean of both directions. */
static struct pair_cell show_cell(const struct grid *grid, size_t r, size_t c,
                                  enum directions which)
{
    int from = grid->rows[r], to = grid->columns[c];
    const struct point *there = grid->cells[r * grid->column_count + c], *back = NULL;
    if (from == to && !has_value(there))
        return (struct pair_cell){.kind = PAIR_ITSELF};
    if (which == LOWER_TRIANGLE && grid_row(grid, from) < grid_row(grid, to))
        return (struct pair_cell){.kind = PAIR_EMPTY};
    if (which != EVERY_DIRECTION)
        back = grid_point(grid, to, from);
    if (which == ONE_WAY && !has_value(there) && has_value(back))
        return (struct pair_cell){.kind = PAIR_EMPTY};
    if (!has_value(there) && !(which == LOWER_TRIANGLE && has_value(back)))
        return (struct pair_cell){.kind = PAIR_MISSING};
    struct pair_cell shown = {.kind = PAIR_VALUE};
    double value = 0;
    int count = 0;
    for (int side = 0; side < 1 + (which == LOWER_TRIANGLE); side++) {
        const struct point *point = side ? back : there;
        if (!has_value(point))
            continue;
        value += ((double)point->y.median - value) / ++count;
        shown.doubt = shown.doubt || flag_doubts(point->flags);
    }
    shown.value = shown.least = shown.most = (float)value;
    return shown;
}

enum { LABEL_MAX = 12 };

/* "0=c0.0 1=c0.1": ids and labels, separated by blanks. A malformed label is ignored. */
static void read_labels(struct square *square, const struct grid *grid, const char *text,
                        struct pool *pool)
{
    bool any = false;
    square->labels = pool_alloc(pool, square->row_count + 1, sizeof *square->labels);
    while (*text) {
        const char *entry = text + strspn(text, " ");
        char *end, label[LABEL_MAX + 1], clean[LABEL_MAX + 1];
        const long id = strtol(entry, &end, 10);
        text = entry + strcspn(entry, " ");
        const size_t length = end < text ? (size_t)(text - end) - 1 : 0;
        if (end == entry || *end != '=' || id < 0 || id > 1 << 30 || length > LABEL_MAX)
            continue;
        memcpy(label, end + 1, length);
        label[length] = '\0';
        const size_t row = grid_row(grid, (int)id);
        if (row == square->row_count || square->labels[row])
            continue;
        square->labels[row] = pool_strdup(pool, clean_text(label, clean, sizeof clean));
        any = any || (square->labels[row] && length);
    }
    square->labels = any ? square->labels : NULL;
}

const struct square *square_of_series(struct pool *pool, const struct probe_result *probe,
                                      const struct series *series)
{
    struct grid grid;
    const struct factor *labels = probe_parameter(probe, "cpu_labels");
    if (!grid_build(&grid, series, pool))
        return NULL;
    /* If each pair was measured in one direction only, half of the square may be empty. */
    enum directions which = ONE_WAY;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (has_value(point) && has_value(grid_point(&grid, point->to, point->from)))
            which = EVERY_DIRECTION;
    }
    if (probe_parameter(probe, "triangle"))
        which = LOWER_TRIANGLE;
    const size_t cells = grid.row_count * grid.column_count;
    struct square *square = pool_alloc(pool, 1, sizeof *square);
    *square = (struct square){.both_ways = which == EVERY_DIRECTION,
                              .row_count = grid.row_count,
                              .column_count = grid.column_count,
                              .rows = grid.rows,
                              .columns = grid.columns,
                              .cells = pool_alloc(pool, cells + 1, sizeof *square->cells)};
    for (size_t i = 0; i < cells; i++) {
        struct pair_cell *cell = &square->cells[i];
        *cell = show_cell(&grid, i / grid.column_count, i % grid.column_count, which);
        cell->point = grid.cells[i];
        square->missing += cell->kind == PAIR_MISSING;
    }
    if (labels && labels->text)
        read_labels(square, &grid, labels->text, pool);
    pool_give_back(pool, grid.cells);
    return square;
}

static const char *name_of(const int *ids, size_t index, char text[SQUARE_NAME])
{
    enum { LETTERS = 26 };
    if (ids)
        snprintf(text, SQUARE_NAME, "%d", ids[index]);
    else if (index < LETTERS)
        snprintf(text, SQUARE_NAME, "%c", (int)('A' + index));
    else
        snprintf(text, SQUARE_NAME, "%c%c", (int)('A' + (index / LETTERS - 1) % LETTERS),
                 (int)('A' + index % LETTERS));
    return text;
}

const char *square_row_name(const struct square *square, size_t row, char text[SQUARE_NAME])
{
    return name_of(square->rows, row, text);
}

const char *square_column_name(const struct square *square, size_t column, char text[SQUARE_NAME])
{
    return name_of(square->columns, column, text);
}

double square_share(double value, double least, double most)
{
    if (!(least > 0))
        return most > least ? (value - least) / (most - least) : 0;
    return log(value / least) / fmax(log(most / least), log(1.25));
}

int square_decimals(double largest)
{
    return fabs(largest) >= 1000 ? 0 : fabs(largest) >= 10 ? 1 : 2;
}

/* --- pairs by groups of CPUs that clusters form --- */

enum { NESTED_MAX = 2048, NEST_MAX = 16, NO_GROUP = -1 };

/* Whether a list has no more CPUs than clusters are searched for in: "0-1048575" has few bytes but
 * a million ids, and a document from elsewhere may have it in every cluster. */
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
    return inner->count < outer->count && cpulist_common(inner, outer) == inner->count;
}

/* A cluster, and the number of clusters around it. */
struct nested {
    struct cpulist cpus;
    size_t level;
};

struct nest {
    struct nested *list; /* outer clusters before inner ones */
    size_t count;
};

const struct nest *square_nest(struct pool *pool, const struct catalogue_entry *list, size_t count)
{
    size_t above[NEST_MAX], depth = 0;
    const struct catalogue_entry *first = NULL;
    struct nest *nest = pool_alloc(pool, 1, sizeof *nest);
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
    return nest;
}

/* All ids of a square, rows and columns: in the order of the rows if the columns have the same
 * order, else ascending. */
struct ids {
    int *list;
    struct grid_place *sorted;
    size_t count;
};

/* The group of each id: its innermost cluster. An id outside every cluster is a group of its
 * own. */
struct grouping {
    struct ids ids;
    int *of; /* by index in `ids` */
    size_t count;
};

/* Groups the ids by the clusters that lie within fewer than `level` others; inner clusters come
 * later and overwrite outer ones. Groups are numbered in the order of the ids. */
static void group_ids(struct grouping *grouping, const struct nest *nest, size_t level)
{
    const struct ids *ids = &grouping->ids;
    int numbers[NESTED_MAX];
    for (size_t i = 0; i < ids->count; i++)
        grouping->of[i] = NO_GROUP;
    for (size_t i = 0; i < nest->count; i++) {
        numbers[i] = NO_GROUP;
        for (size_t cpu = 0; cpu < nest->list[i].cpus.count && nest->list[i].level < level; cpu++) {
            const size_t place = place_of(ids->sorted, ids->count, nest->list[i].cpus.ids[cpu]);
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
    qsort(cpus.ids, cpus.count, sizeof *cpus.ids, cpulist_by_id);
    const size_t size = cpus.count * MOST_EACH + 1;
    return cpulist_format(&cpus, pool_alloc(pool, size, 1), size);
}

/* The values of all cells, sorted into the cells of their groups. */
struct buckets {
    size_t *begins; /* start of each bucket, and the end of the last */
    double *values;
    size_t *holes, *doubts; /* by bucket */
};

/* The first pass counts each bucket two places ahead, so that the second pass, which fills them,
 * leaves the starts in place. */
static void fill_buckets(struct buckets *buckets, const struct square *square,
                         const struct grouping *grouping, bool counting)
{
    const struct pair_cell *cell = square->cells;
    const struct ids *ids = &grouping->ids;
    for (size_t r = 0; r < square->row_count; r++) {
        const size_t row = (size_t)grouping->of[place_of(ids->sorted, ids->count, square->rows[r])];
        for (size_t c = 0; c < square->column_count; c++, cell++) {
            const size_t column =
                (size_t)grouping->of[place_of(ids->sorted, ids->count, square->columns[c])];
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

/* A group's cell is doubtful if more than a quarter of its pairs are. */
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

size_t square_groupings(struct pool *pool, const struct square *square, const struct nest *nest,
                        const struct square *groupings[SQUARE_GROUPINGS_MAX])
{
    struct grouping grouping = {.count = 0};
    size_t found = 0, least = SIZE_MAX;
    if (!nest->count)
        return 0;
    struct ids *ids = &grouping.ids;
    const size_t rows = square->row_count, columns = square->column_count;
    const bool alike =
        rows == columns && memcmp(square->rows, square->columns, rows * sizeof *square->rows) == 0;
    const size_t all = alike ? rows : rows + columns;
    *ids = (struct ids){.list = pool_alloc(pool, all + 1, sizeof *ids->list),
                        .sorted = pool_alloc(pool, all + 1, sizeof *ids->sorted)};
    for (size_t i = 0; i < all; i++)
        ids->sorted[i] =
            (struct grid_place){i < rows ? square->rows[i] : square->columns[i - rows], i};
    ids->count = sort_unique(ids->sorted, all);
    number_places(ids->sorted, ids->list, ids->count, !alike);
    grouping.of = pool_alloc(pool, grouping.ids.count + 1, sizeof *grouping.of);
    for (size_t level = NEST_MAX; level > 0 && found < SQUARE_GROUPINGS_MAX; level--) {
        group_ids(&grouping, nest, level);
        if (grouping.count <= 1)
            break;
        if (grouping.count >= least || grouping.count > grouping.ids.count / 2)
            continue;
        least = grouping.count;
        groupings[found++] = fill_groups(square, &grouping, pool);
    }
    return found;
}
