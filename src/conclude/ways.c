#include "conclude/ways.h"

#include "base/cpulist.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"

#include <math.h>

/* The first matrix of a probe with findings about memory of nodes, or about CPUs. */
static const struct series *find(const struct document *document, enum dimension dimension,
                                 bool of_nodes)
{
    for (size_t p = 0; p < document->probe_count; p++) {
        const struct probe_result *probe = &document->probes[p];
        bool fits = false;
        for (size_t i = 0; i < probe->finding_count && !fits; i++) {
            const struct finding_meaning meaning = finding_meaning(&probe->findings[i]);
            fits = of_nodes ? meaning.fact == FACT_REMOTE || meaning.fact == FACT_LOCAL
                            : meaning.role == ROLE_HANDOFF || meaning.role == ROLE_CLUSTER;
        }
        for (size_t i = 0; fits && i < probe->series_count; i++)
            if (probe->series[i].matrix && quantity_is(probe->series[i].y.unit, dimension))
                return &probe->series[i];
    }
    return NULL;
}

const struct series *ways_between_nodes(const struct document *document, enum dimension dimension)
{
    return find(document, dimension, true);
}

const struct series *ways_between_cpus(const struct document *document)
{
    return find(document, DIMENSION_TIME, false);
}

double way_value(const struct point *point)
{
    const bool usable = point->y.n && !(point->flags & FLAG_BIT(FLAG_MISPLACED));
    return usable ? (double)point->y.median : NAN;
}

void interleave_weights(const double *rates, size_t n, double off, unsigned *weights)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, rates[i]);
    bool near = false;
    for (unsigned largest = 1; largest <= INTERLEAVE_WEIGHT_MAX && !near; largest++) {
        near = true;
        for (size_t i = 0; i < n; i++) {
            const double exact = rates[i] / most * largest;
            weights[i] = exact < 1 ? 1 : (unsigned)lround(exact);
            near = near && fabs(weights[i] / exact - 1) <= off;
        }
    }
}

/* --- of a document --- */

static const double off = 0.05;

/* Fills the row of that node; false: it can't be used. */
static bool read_row(struct interleave_row *row, const struct declared_facts *declared,
                     const struct series *series, int from, struct pool *pool)
{
    size_t most = 0;
    for (size_t i = 0; i < series->point_count; i++)
        most += series->points[i].from == from;
    if (most < 2)
        return false;
    int *to = pool_alloc(pool, most, sizeof *to);
    double *rates = pool_alloc(pool, most, sizeof *rates);
    *row = (struct interleave_row){.from = from,
                                   .to = to,
                                   .rates = rates,
                                   .weights = pool_alloc(pool, most, sizeof *row->weights),
                                   .kernel = pool_alloc(pool, most, sizeof *row->kernel)};
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (point->from != from)
            continue;
        to[row->count] = point->to;
        unsigned *weight = &row->kernel[row->count];
        for (size_t w = 0; w < declared->weight_count && w < NODES_MAX && !*weight; w++)
            if (declared->weights[w].node == point->to &&
                declared->weights[w].weight <= INTERLEAVE_WEIGHT_MAX)
                *weight = declared->weights[w].weight;
        rates[row->count] = way_value(point);
        if (!(rates[row->count++] > 0))
            return false;
    }
    return true;
}

bool interleave_kernel_known(const struct interleave_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (!row->kernel[i])
            return false;
    return row->count > 0;
}

void interleave_read(struct interleave *found, const struct document *document, struct pool *pool)
{
    const struct series *series = ways_between_nodes(document, DIMENSION_BANDWIDTH);
    *found = (struct interleave){.row_count = 0};
    for (size_t i = 0; series && i < series->point_count; i++) {
        struct interleave_row row;
        size_t before = 0; /* a row of the same node */
        while (before < i && series->points[before].from != series->points[i].from)
            before++;
        if (before < i ||
            !read_row(&row, &document->machine.declared, series, series->points[i].from, pool))
            continue;
        interleave_weights(row.rates, row.count, off, row.weights);
        struct interleave_row *slot =
            pool_append(pool, (void **)&found->rows, &found->row_count, sizeof *slot);
        *slot = row;
    }
}
