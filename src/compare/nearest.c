#include "compare/nearest.h"

#include "base/text.h"
#include "compare/spread.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>

bool nearest_counts(const struct difference *difference)
{
    return difference->finding && finding_meaning(difference->finding).role != ROLE_CONDITION;
}

/* The most that one difference counts, the root of log(2): where one time lies within a cache and
 * the other beyond it, their ratio may be anything. A step that one matrix lacks counts as much. */
static const double away_most = 0.8325546111576977;

/* Up to 4 MiB: beyond, caches are mostly shared, and memory's latency depends on the board. */
enum { STEPS = 23 };

/* A curve's times at powers of two, in bytes or CPUs, and the shortest of them; 0: none. */
struct shape {
    double at[STEPS], shortest;
};

static double away_of(double ratio)
{
    return fmin(sqrt(fabs(log(ratio))), away_most);
}

static void neighbour_add(struct neighbour *neighbour, double ratio)
{
    neighbour->away += away_of(ratio);
    neighbour->compared++;
}

/* The hand-offs to the nearest CPU, to the 2nd, 4th, 8th and so on, read off all pairs sorted by
 * time: the first n stand for the nearest, the next n for the second, where n is the number of
 * CPUs. */
static void shape_reach(struct shape *shape, const struct series *matrix, struct pool *pool)
{
    double *times = pool_alloc(pool, matrix->point_count, sizeof *times);
    size_t n = 0, row = 0, partners = 1;
    for (const struct point *at = matrix->points; at < matrix->points + matrix->point_count; at++) {
        row = row && at->from == at[-1].from ? row + 1 : 1;
        partners = row > partners ? row : partners;
        if (at->y.n)
            times[n++] = (double)at->y.median;
    }
    sort_ascending(times, n);
    for (size_t k = 0; k < STEPS && (size_t)1 << k <= partners && n; k++)
        shape->at[k] = times[n * (((size_t)2 << k) - 1) / (2 * partners)];
}

static struct shape shape_of(const struct document *document, const char *name, struct pool *pool)
{
    const struct probe_result *probe = document_probe(document, name);
    struct shape shape = {.shortest = INFINITY};
    const struct series *series = NULL; /* the first headline, or else the last */
    for (size_t s = probe ? probe->series_count : 0; s-- > 0;)
        if (!series || probe->series[s].headline)
            series = &probe->series[s];
    if (series && series->matrix)
        shape_reach(&shape, series, pool);
    for (size_t i = 0; series && i < series->point_count; i++) {
        const double k = log2(series->points[i].x);
        if (k >= 0 && k < STEPS && !(k > floor(k)))
            shape.at[(int)k] = (double)series->points[i].y.median;
    }
    for (size_t k = 0; k < STEPS; k++)
        shape.shortest = shape.at[k] > 0 ? fmin(shape.shortest, shape.at[k]) : shape.shortest;
    return shape;
}

/* Adds the shortest time; the other times as multiples of it, which no clock moves; and how much
 * each multiple differs from the one before, because times rise at a capacity. */
static void add_curve(struct neighbour *to, struct nearest *nearest)
{
    const struct shape a = shape_of(to->document, "latency", &nearest->pool),
                       b = shape_of(nearest->document, "latency", &nearest->pool);
    double before = 0; /* the ratio of the step before; 0: none */
    if (isinf(a.shortest) || isinf(b.shortest))
        return;
    for (size_t k = 0; k < STEPS; k++) {
        const double ratio = a.at[k] / a.shortest / (b.at[k] / b.shortest);
        if (a.at[k] > 0 && b.at[k] > 0)
            neighbour_add(to, ratio);
        if (a.at[k] > 0 && b.at[k] > 0 && before > 0)
            neighbour_add(to, ratio / before);
        before = a.at[k] > 0 && b.at[k] > 0 ? ratio : 0;
    }
    neighbour_add(to, a.shortest / b.shortest);
}

/* Adds the times of the second step and of the last one, and what it takes to make one machine's
 * steps the other's, in multiples of the second, which no clock moves: the first is SMT's or a
 * pair's, if there is any. Steps change, come or go (Wagner and Fischer, J. ACM 1974), so machines
 * stay near that differ in SMT, in the CPUs of a complex, or in sockets. */
static void add_steps(struct neighbour *to, struct nearest *nearest)
{
    const struct shape a = shape_of(to->document, "cores", &nearest->pool),
                       b = shape_of(nearest->document, "cores", &nearest->pool);
    const double unit = a.at[a.at[1] > 0] / b.at[b.at[1] > 0];
    double cost[STEPS + 1][STEPS + 1] = {{0}};
    size_t i, j = 0;
    if (!(a.at[0] > 0) || !(b.at[0] > 0))
        return;
    for (i = 0; i == 0 || (i <= STEPS && a.at[i - 1] > 0); i++)
        for (j = 0; j == 0 || (j <= STEPS && b.at[j - 1] > 0); j++) {
            const double gone = i ? cost[i - 1][j] : INFINITY, new = j ? cost[i][j - 1] : INFINITY;
            cost[i][j] = i || j ? fmin(gone, new) + away_most : 0;
            if (i && j)
                cost[i][j] = fmin(cost[i][j],
                                  cost[i - 1][j - 1] + away_of(a.at[i - 1] / b.at[j - 1] / unit));
        }
    to->away += cost[i - 1][j - 1];
    to->compared += j - 1;
    neighbour_add(to, unit);
    neighbour_add(to, a.at[i - 2] / b.at[j - 2]);
}

/* Fills the neighbour of a document; its `compared` is 0 where they have no figure in common.
 * Findings that were read off a curve are not compared again. */
static int measure_away(struct neighbour *other, struct nearest *nearest)
{
    struct differences all = {.count = 0};
    add_curve(other, nearest);
    add_steps(other, nearest);
    const bool shapes = other->compared > 0;
    const int code =
        differences_find(&all, other->document, nearest->document, NAN, nearest->error);
    for (size_t i = 0; code == 0 && i < all.count; i++) {
        if (!nearest_counts(&all.list[i]))
            continue;
        const struct finding_meaning its = finding_meaning(all.list[i].finding);
        const bool of_level = its.role == ROLE_LEVEL && its.fact <= FACT_CAPACITY;
        if (!shapes || !(of_level || its.role == ROLE_HANDOFF || its.role == ROLE_CLUSTER))
            neighbour_add(other, all.list[i].compared.ratio);
    }
    differences_free(&all);
    return code == ERROR_USAGE ? 0 : code;
}

/* The mean with one more figure, which differs as much as can be: few figures say little. */
static double rank_of(const struct neighbour *neighbour)
{
    return (neighbour->away + away_most) / (double)(neighbour->compared + 1);
}

static int by_distance(const void *a, const void *b)
{
    const double left = rank_of(a), right = rank_of(b);
    return (left > right) - (left < right);
}

static bool is_of_model(const struct machine_facts *a, const struct machine_facts *b)
{
    if (!a->cpu_model || !text_same(a->cpu_model, b->cpu_model))
        return false;
    for (int level = 1; level <= 2; level++) {
        const struct cache_facts *in_a = cache_of_cpu(a, level, -1),
                                 *in_b = cache_of_cpu(b, level, -1);
        if (in_a && in_b && in_a->size_bytes != in_b->size_bytes)
            return false;
    }
    return true;
}

/* Compares the document with the others of its model as one document; itself, if it is known, is
 * not among them. */
static int compare_with_model(struct nearest *nearest, const struct document *document,
                              struct error *error)
{
    struct document *const alike = nearest->alike_list;
    const char *left_out = NULL;
    size_t n = 0;
    for (size_t i = 0; i < nearest->count; i++)
        if (is_of_model(&nearest->list[i].document->machine, &document->machine) &&
            !differences_of_copies(nearest->list[i].document, document))
            alike[n++] = *nearest->list[i].document;
    int code = n ? baseline_build(&nearest->others, alike, n, &left_out, error) : ERROR_USAGE;
    if (code == 0)
        code = differences_find(&nearest->differences, &nearest->others, document, NAN, error);
    for (size_t i = 0; code == 0 && i < nearest->differences.count; i++)
        nearest->alike = nearest_counts(&nearest->differences.list[i]) ? n : nearest->alike;
    return code == ERROR_USAGE ? 0 : code;
}

/* Whether a copy of the document is in the list. */
static bool is_known(const struct nearest *nearest, const struct document *document)
{
    for (size_t i = 0; i < nearest->count; i++)
        if (differences_of_copies(nearest->list[i].document, document))
            return true;
    return false;
}

static int list_neighbours(void *with)
{
    struct nearest *nearest = with;
    int code = 0;
    nearest->list = pool_alloc(&nearest->pool, nearest->known_count, sizeof *nearest->list);
    nearest->alike_list = pool_alloc(&nearest->pool, nearest->known_count, sizeof *nearest->known);
    for (size_t i = 0; i < nearest->known_count && code == 0; i++) {
        struct neighbour neighbour = {.document = &nearest->known[i]};
        if (!is_known(nearest, neighbour.document))
            code = measure_away(&neighbour, nearest);
        if (code == 0 && neighbour.compared)
            nearest->list[nearest->count++] = neighbour;
    }
    return code;
}

int nearest_find(struct nearest *nearest, const struct document *document,
                 const struct document *known, size_t known_count, struct error *error)
{
    *nearest = (struct nearest){document, known, error, .known_count = known_count};
    int code = pool_enter(&nearest->pool, list_neighbours, nearest, error);
    if (code == 0 && !nearest->count)
        code = error_set(error, ERROR_USAGE,
                         "no known machine has a figure in common with this document: measure "
                         "'latency' or 'cores', or name documents of other machines");
    if (code < 0)
        return code;
    qsort(nearest->list, nearest->count, sizeof *nearest->list, by_distance);
    return compare_with_model(nearest, document, error);
}

void nearest_free(struct nearest *nearest)
{
    differences_free(&nearest->differences);
    document_free(&nearest->others);
    pool_free(&nearest->pool);
    *nearest = (struct nearest){.count = 0};
}
