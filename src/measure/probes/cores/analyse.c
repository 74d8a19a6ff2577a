/* What matrices of hand-offs say, measured here or by another tool. */
#include "measure/probes/cores/cores.h"

#include "base/cpulist.h"
#include "conclude/clusters/clusters.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/cores/topology_groups.h"

#include <math.h>
#include <string.h>

const char *cores_cpus_of(struct pool *pool, const struct point *point)
{
    return point->from < point->to ? pool_printf(pool, "%d,%d", point->from, point->to)
                                   : pool_printf(pool, "%d,%d", point->to, point->from);
}

const char *cores_name_of(struct pool *pool, const struct series *series, const char *what)
{
    const char *op = analysis_factor(series, "op");
    return pool_printf(pool, "cores.%s%s%s", op, *op ? "." : "", what);
}

/* Flags of everything that was measured there. */
static unsigned common_flags(const struct analysis *analysis)
{
    const struct machine_facts *machine = analysis->machine;
    const char *affinity = analysis->document ? analysis->document->conditions.affinity : NULL;
    struct cpulist allowed;
    unsigned flags = machine && machine->hypervisor ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0;
    if (!machine || !affinity || cpulist_parse(affinity, &allowed, NULL) < 0)
        return flags;
    if (allowed.count && allowed.count < machine->threads)
        flags |= FLAG_BIT(FLAG_NARROW_AFFINITY);
    cpulist_free(&allowed);
    return flags;
}

/* --- the least, the most and the mean --- */

static int add_extreme(struct analysis *analysis, const struct series *series, const char *name,
                       const struct point *point, const char *what, struct error *error)
{
    name = cores_name_of(analysis->pool, series, name);
    struct finding *finding = analysis_add_point(analysis, name, series->y.unit, point,
                                                 point->flags | common_flags(analysis));
    finding->cpus = cores_cpus_of(analysis->pool, point);
    finding->text =
        pool_printf(analysis->pool, "%s pair: from CPU %d to CPU %d", what, point->from, point->to);
    return finding->cpus && finding->text ? 0 : error_out_of_memory(error);
}

static int add_extremes(struct analysis *analysis, const struct series *series, struct error *error)
{
    const struct point *least, *most;
    series_extremes(series, &least, &most);
    if (!least)
        return 0;
    int code = add_extreme(analysis, series, "min", least, "nearest", error);
    return code == 0 ? add_extreme(analysis, series, "max", most, "farthest", error) : code;
}

static int add_mean(struct analysis *analysis, const struct series *series, struct error *error)
{
    double mean = 0, low = 0, high = 0, count = 0;
    unsigned flags = common_flags(analysis);
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n)
            continue;
        /* All pairs share their lines, so their errors need not cancel: the mean of the ends. */
        count++;
        mean += (double)point->y.median;
        low += point->y.coverage > 0 ? (double)point->y.low : NAN;
        high += point->y.coverage > 0 ? (double)point->y.high : NAN;
        flags |= point->flags;
    }
    const char *name = cores_name_of(analysis->pool, series, "mean");
    bool added = name && finding_add_value(analysis->result, analysis->pool, name, series->y.unit,
                                           mean / count, low / count, high / count, flags);
    return added ? 0 : error_out_of_memory(error);
}

/* --- clusters --- */

static int add_clusters(struct analysis *analysis, const struct series *series, struct error *error)
{
    const struct factor *groups = analysis_parameter(analysis, parameter_cpu_groups);
    struct declared declared = {0};
    /* Every document of fathom's own says how it measured; those of before have no groups beside
     * it. */
    if (!groups &&
        (analysis_parameter(analysis, "memory_order") || analysis_parameter(analysis, "lines")))
        return (
            analysis_keep(analysis, "cluster, cluster.disagreement",
                          "the document does not hold which CPUs are declared to belong together"),
            0);
    if (groups && declared_parse(&declared, groups->text ? groups->text : "", analysis->pool) < 0)
        return error_out_of_memory(error);
    return findings_clusters(analysis->result, analysis->pool, series, analysis->machine,
                             groups ? &declared : NULL, error);
}

/* --- all of it --- */

/* Without a headline, as in another tool's table, the first series is what it is about. */
static bool is_headline(const struct probe_result *result, size_t index, bool any)
{
    return any ? result->series[index].headline : index == 0;
}

/* Pairs that were measured with another operation as well. */
static int add_ends(struct analysis *analysis, const struct series *matrix, bool any,
                    struct error *error)
{
    const struct probe_result *result = analysis->result;
    int code = 0;
    for (size_t i = 0; i < result->series_count && code == 0; i++) {
        const struct series *ends = &result->series[i];
        const size_t first = result->finding_count;
        if (strcmp(ends->name, matrix->name) != 0 || is_headline(result, i, any))
            continue;
        code = add_extremes(analysis, ends, error);
        analysis_read_off(analysis, first, ends);
    }
    return code;
}

/* What is said of the probe's run, beside the first matrix. */
static int add_beside(struct analysis *analysis, struct error *error)
{
    int code = cores_add_drift(analysis, error);
    return code == 0 ? (analysis_keep(analysis, "cores.one-way.difference, cores.one-way.asymmetry",
                                      "stamps of two counters are in no series"),
                        0)
                     : code;
}

void cores_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    const struct probe_result *result = analysis->result;
    const struct point *least, *most;
    bool any = false, begun = false;
    for (size_t i = 0; i < result->series_count; i++)
        any = any || result->series[i].headline;
    int code = (analysis_keep(analysis, "cores.parallel.bias",
                              "the pairs that stood side by side may have been measured anew"),
                0);
    for (size_t i = 0; i < result->series_count && code == 0; i++) {
        const struct series *matrix = &result->series[i];
        const size_t first = result->finding_count;
        if (!matrix->matrix || !is_headline(result, i, any))
            continue;
        series_extremes(matrix, &least, &most);
        if (!least)
            continue;
        code = add_extremes(analysis, matrix, error);
        if (code == 0)
            code = add_mean(analysis, matrix, error);
        if (code == 0 && !begun)
            code = add_ends(analysis, matrix, any, error);
        if (code == 0)
            code = cores_add_lines(analysis, matrix, error);
        if (code == 0 && !begun)
            code = add_beside(analysis, error);
        if (code == 0)
            code = add_clusters(analysis, matrix, error);
        analysis_read_off(analysis, first, matrix);
        begun = true;
    }
    return (void)pool_check(analysis->pool, code);
}
