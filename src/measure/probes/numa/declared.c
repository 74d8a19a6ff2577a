/* What the firmware's HMAT declares of a node's memory, and what was measured from the same nodes.
 */
#include "base/cpulist.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/numa/numa.h"

#include <math.h>
#include <string.h>

/* The node's own entry: from nodes that have CPUs, where the kernel tells those apart. */
static const struct declared_way *way_to(const struct declared_facts *declared, int node)
{
    const struct declared_way *found = NULL;
    for (size_t i = 0; i < declared->way_count && i < 2 * NODES_MAX; i++) {
        const struct declared_way *way = &declared->ways[i];
        if (way->node == node && way->from && (!found || way->access > found->access))
            found = way;
    }
    return found;
}

static bool is_better(const struct point *a, const struct point *b, enum numa_series which)
{
    const float x = finding_quiet_time_of(a).median, y = finding_quiet_time_of(b).median;
    return which == NUMA_LATENCY ? x < y : x > y;
}

/* The best of the measured ways that the entry is about. */
static const struct point *measured(const struct series *series, const struct declared_way *way,
                                    enum numa_series which)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (point->to == way->node && point->y.n && cpulist_text_has(way->from, point->from) &&
            !(point->flags & FLAG_BIT(FLAG_MISPLACED)) && (!best || is_better(point, best, which)))
            best = point;
    }
    return best;
}

static int add(struct analysis *analysis, const struct series *series,
               const struct declared_way *way, enum numa_series which, struct error *error)
{
    static const char *const facts[NUMA_SERIES] = {"latency", "bandwidth"},
                             *const units[NUMA_SERIES] = {"ns", "B/s"};
    const struct point *point = measured(series, way, which);
    const uint64_t declared = which == NUMA_LATENCY ? way->read_latency_ns : way->read_bandwidth;
    const size_t first = analysis->result->finding_count;
    if (!point || !declared)
        return 0;
    const char *name = pool_printf(analysis->pool, "numa.node.%d.%s", way->node, facts[which]);
    struct finding *finding =
        name ? analysis_add_point(analysis, name, units[which], point, point->flags) : NULL;
    finding->declared = (double)declared;
    finding->text = pool_printf(
        analysis->pool, "from CPUs of node %d, from which the firmware (HMAT) declares it best",
        point->from);
    analysis_read_off(analysis, first, series);
    return finding->text ? 0 : error_out_of_memory(error);
}

static const struct series *series_of(const struct probe_result *result, const char *what)
{
    for (size_t i = 0; i < result->series_count; i++)
        if (result->series[i].matrix && strcmp(result->series[i].y.name, what) == 0)
            return &result->series[i];
    return NULL;
}

int numa_find_declared(struct analysis *analysis, struct error *error)
{
    const struct machine_facts *machine = analysis->machine;
    const struct series *const series[NUMA_SERIES] = {series_of(analysis->result, "latency"),
                                                      series_of(analysis->result, "bandwidth")};
    int code = 0;
    for (size_t i = 0; machine && i < machine->node_count && i < NODES_MAX && code == 0; i++) {
        const struct declared_way *way = way_to(&machine->declared, machine->nodes[i].id);
        for (int which = 0; way && which < NUMA_SERIES && code == 0; which++)
            code = series[which] ? add(analysis, series[which], way, (enum numa_series)which, error)
                                 : 0;
    }
    return code;
}
