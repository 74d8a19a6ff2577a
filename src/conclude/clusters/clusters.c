#include "conclude/clusters/clusters.h"

#include "conclude/clusters/cluster.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "stats/order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* CPUs that share a core, or its first caches, are nearer to each other than to all other CPUs by
 * at least this factor. Latencies can't distinguish the two: two cores with one L2 look like one
 * core with two threads. */
static const double core_ratio = 2;
/* Half a 95 % interval in standard deviations. */
static const double half_interval = 1.96;

/* A series as a square matrix: cells[i * n + j] is the point from the i-th to the j-th CPU. */
struct square {
    int *ids; /* ascending */
    size_t n;
    const struct point **cells;
    double *latency, *noise;
    double *room; /* for n * n values */
};

/* The findings that are being written. */
struct report {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct square *square;
    const struct clusters *clusters;
    const struct declared *declared;
    unsigned flags;
    const int *below;  /* for each cluster, how many levels of near clusters it holds */
    const bool *holds; /* for each, whether it holds any cluster */
};

static size_t find_id(const int *ids, size_t n, int id)
{
    const int *found = n ? bsearch(&id, ids, n, sizeof *ids, cpulist_by_id) : NULL;
    return found ? (size_t)(found - ids) : n;
}

/* Inserts an id at its place unless it is there already: a million points have only a thousand
 * ids. */
static void note_id(struct square *square, int id)
{
    size_t at = square->n;
    if (find_id(square->ids, square->n, id) < square->n)
        return;
    for (; at > 0 && square->ids[at - 1] > id; at--)
        square->ids[at] = square->ids[at - 1];
    square->ids[at] = id;
    square->n++;
}

static void read_points(struct square *square, struct pool *pool, const struct series *series)
{
    size_t n = square->n;
    square->cells = pool_alloc(pool, n * n + 1, sizeof *square->cells);
    square->latency = pool_alloc(pool, n * n + 1, sizeof *square->latency);
    square->noise = pool_alloc(pool, n * n + 1, sizeof *square->noise);
    square->room = pool_alloc(pool, n * n + 1, sizeof *square->room);
    for (size_t i = 0; i < n * n; i++)
        square->latency[i] = square->noise[i] = NAN;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        size_t at = find_id(square->ids, n, point->from) * n + find_id(square->ids, n, point->to);
        if (!isfinite(point->y.median) || point->from == point->to)
            continue;
        square->cells[at] = point;
        square->latency[at] = (double)point->y.median;
        if (point->y.coverage > 0)
            square->noise[at] = (double)(point->y.high - point->y.low) / (2 * half_interval);
    }
}

/* --- the place of a cluster among the others --- */

static const struct cluster *parent_of(const struct report *report, const struct cluster *cluster)
{
    return cluster->parent < 0 ? NULL : &report->clusters->list[cluster->parent];
}

/* Median latency from the members to all other CPUs; NAN: none was measured. */
static double latency_outside(const struct square *square, const struct cluster *cluster)
{
    size_t count = 0, next = 0;
    for (size_t other = 0; other < square->n; other++) {
        while (next < cluster->count && cluster->members[next] < other)
            next++;
        if (next < cluster->count && cluster->members[next] == other)
            continue;
        for (size_t i = 0; i < cluster->count; i++) {
            double value = square->latency[cluster->members[i] * square->n + other];
            if (isfinite(value))
                square->room[count++] = value;
        }
    }
    return median_of(square->room, count);
}

/* --- what is declared --- */

/* Marks the measured CPUs of a declared group; returns how many. */
static size_t mark_declared(const struct square *square, const struct declared_group *group,
                            bool *has)
{
    size_t marked = 0;
    memset(has, 0, square->n * sizeof *has);
    for (size_t i = 0; i < group->cpus.count; i++) {
        size_t at = find_id(square->ids, square->n, group->cpus.ids[i]);
        if (at < square->n && !has[at]) {
            has[at] = true;
            marked++;
        }
    }
    return marked;
}

static bool is_declared_as(const struct square *square, const struct cluster *cluster,
                           const struct declared_group *group, bool *has)
{
    if (!cpulist_has(&group->cpus, square->ids[cluster->members[0]]) ||
        mark_declared(square, group, has) != cluster->count)
        return false;
    size_t shared = 0;
    for (size_t i = 0; i < cluster->count; i++)
        shared += has[cluster->members[i]];
    return shared == cluster->count;
}

/* The first declared group of a kind (DECLARED_ANY: any) that equals the cluster; NULL: none. */
enum { DECLARED_ANY = -1 };
static const struct declared_group *
find_declared(const struct report *report, const struct cluster *cluster, int kind, bool *has)
{
    for (size_t i = 0; i < report->declared->count; i++) {
        const struct declared_group *group = &report->declared->groups[i];
        if ((kind == DECLARED_ANY || (int)group->kind == kind) &&
            is_declared_as(report->square, cluster, group, has))
            return group;
    }
    return NULL;
}

/* --- what a cluster is --- */

/* Describes a cluster by its latencies. Only threads of a core are recognised by their
 * declaration. */
static const char *describe(const struct report *report, const struct cluster *cluster, bool *has)
{
    size_t index = (size_t)(cluster - report->clusters->list);
    int below = report->below[index];
    if (report->declared && find_declared(report, cluster, DECLARED_SIBLINGS, has))
        return cluster->count == 2 ? "two threads of one core (SMT)"
                                   : "the threads of one core (SMT)";
    if (cluster->basis == CLUSTER_KIND)
        return report->holds[index]
                   ? "a kind of core, or CPUs on a separate ring: its groups are alike"
                   : "a kind of core, or CPUs on a separate ring: its CPUs are alike";
    if (cluster->count == 2 && cluster->basis == CLUSTER_ALIKE)
        return "two CPUs of one core, module or place on the interconnect: their latencies to all "
               "others are alike";
    if (cluster->count == 2)
        return latency_outside(report->square, cluster) < core_ratio * cluster->within
                   ? "two CPUs that share a core, a cache or a place on the interconnect"
                   : "two CPUs that share a core or its first caches";
    if (cluster->basis == CLUSTER_ALIKE)
        return "a module or a place on the interconnect: the latencies of its CPUs to all others "
               "are alike";
    bool outermost = true;
    for (const struct cluster *above = parent_of(report, cluster); above;
         above = parent_of(report, above))
        outermost = outermost && above->basis != CLUSTER_NEAR;
    return below >= 2 && outermost ? "a socket or a NUMA node"
                                   : "a core complex: cores that share a cache or a socket";
}

/* --- findings --- */

/* The ids ascend, as members do. */
static const char *list_cpus(struct pool *pool, const int *ids, const size_t *members, size_t count)
{
    const size_t size = count * 12 + 1; /* an int and a comma */
    int *chosen = pool_alloc(pool, count, sizeof *chosen);
    char *text = pool_alloc(pool, size, 1);
    for (size_t i = 0; i < count; i++)
        chosen[i] = ids[members[i]];
    cpulist_format(&(struct cpulist){.ids = chosen, .count = count}, text, size);
    return text;
}

/* Sets value and interval to the medians of the pairs' values and interval ends. The interval is no
 * narrower than a pair's, because all pairs use the same cache lines, whose peculiarities do not
 * cancel. */
static void set_latency(struct finding *finding, const struct square *square,
                        const struct cluster *cluster)
{
    size_t n = square->n, most = cluster->count * (cluster->count - 1), count = 0, ends = 0;
    /* With two rows the room is too small for three lists, so they are handled one by one. */
    double *results[] = {&finding->value, &finding->low, &finding->high};
    for (int which = 0; which < 3; which++) {
        count = ends = 0;
        for (size_t i = 0; i < cluster->count; i++)
            for (size_t j = 0; j < cluster->count; j++) {
                const struct point *point =
                    square->cells[cluster->members[i] * n + cluster->members[j]];
                if (!point || i == j || count == most)
                    continue;
                float value = which == 0   ? point->y.median
                              : which == 1 ? point->y.low
                                           : point->y.high;
                ends += point->y.coverage > 0;
                square->room[count++] = (double)value;
            }
        *results[which] = !count || (which && ends < count) ? NAN : median_of(square->room, count);
    }
}

static void add_disagreement(struct report *report, const char *cpus, const char *text)
{
    struct finding *finding = finding_add(report->result, report->pool, "cluster.disagreement", "");
    finding->cpus = cpus;
    finding->text = text;
    finding->flags = report->flags;
}

static void add_cluster(struct report *report, const struct cluster *cluster, bool *has)
{
    const struct square *square = report->square;
    const struct axis *y = &report->series->y;
    struct finding *finding =
        finding_add(report->result, report->pool, "cluster", y->unit ? y->unit : "");
    set_latency(finding, square, cluster);
    finding->flags = report->flags;
    finding->cpus = list_cpus(report->pool, square->ids, cluster->members, cluster->count);
    const struct declared_group *same =
        report->declared ? find_declared(report, cluster, DECLARED_ANY, has) : NULL;
    finding->text = pool_printf(report->pool, "looks like %s%s%s", describe(report, cluster, has),
                                same               ? "; declared as "
                                : report->declared ? "; not declared"
                                                   : "",
                                same ? same->name : "");
    const char *cpus = finding->cpus;
    if (report->declared && !same)
        add_disagreement(
            report, cpus,
            pool_printf(report->pool,
                        "CPUs %s behave as one cluster; the machine declares them as separate",
                        cpus));
}

/* Adds a disagreement if declared siblings were measured and form no cluster. */
static void compare_siblings(struct report *report, const struct declared_group *group, bool *has)
{
    const struct square *square = report->square;
    size_t marked = mark_declared(square, group, has), count = 0;
    bool measured = false;
    size_t *members = pool_alloc(report->pool, marked + 1, sizeof *members);
    for (size_t i = 0; i < square->n; i++)
        if (has[i])
            members[count++] = i;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++)
            measured = measured || square->cells[members[i] * square->n + members[j]];
    if (count < 2 || count == square->n || !measured)
        return;
    for (size_t i = 0; i < report->clusters->count; i++)
        if (is_declared_as(square, &report->clusters->list[i], group, has))
            return;
    const char *cpus = list_cpus(report->pool, square->ids, members, count);
    add_disagreement(report, cpus,
                     pool_printf(report->pool,
                                 "CPUs %s are declared as SMT siblings but do not behave as such",
                                 cpus));
}

struct finding_of_clusters {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct machine_facts *facts;
    const struct declared *declared;
};

static void add_findings(struct pool *scratch, void *with)
{
    const struct finding_of_clusters *in = with;
    const struct declared *declared = in->declared;
    struct square square = {0};
    struct clusters clusters;
    square.ids = pool_alloc(scratch, CLUSTERS_CPUS_MAX + 2, sizeof *square.ids);
    for (size_t i = 0; i < in->series->point_count && square.n <= CLUSTERS_CPUS_MAX; i++) {
        note_id(&square, in->series->points[i].from);
        note_id(&square, in->series->points[i].to);
    }
    if (square.n <= 2 || square.n > CLUSTERS_CPUS_MAX)
        return;
    read_points(&square, scratch, in->series);
    clusters_find(&clusters, scratch, square.latency, square.noise, square.n);
    bool *has = pool_alloc(scratch, square.n, sizeof *has);
    bool *holds = pool_alloc(scratch, clusters.count + 1, sizeof *holds);
    int *below = pool_alloc(scratch, clusters.count + 1, sizeof *below);
    /* Finds what each cluster holds. A cluster comes before those within it, so going backwards all
     * clusters within one have been seen before it. */
    for (size_t i = clusters.count; i-- > 0;) {
        const struct cluster *cluster = &clusters.list[i];
        int levels = below[i] + (cluster->basis == CLUSTER_NEAR);
        if (cluster->parent < 0)
            continue;
        holds[cluster->parent] = true;
        if (levels > below[cluster->parent])
            below[cluster->parent] = levels;
    }
    const bool guest = in->facts && in->facts->hypervisor;
    struct report report = {in->result,
                            in->pool,
                            in->series,
                            &square,
                            &clusters,
                            declared,
                            guest ? FLAG_BIT(FLAG_VIRTUAL_MACHINE) : 0,
                            below,
                            holds};
    for (size_t i = 0; i < clusters.count; i++)
        add_cluster(&report, &clusters.list[i], has);
    for (size_t i = 0; declared && i < declared->count; i++)
        if (declared->groups[i].kind == DECLARED_SIBLINGS)
            compare_siblings(&report, &declared->groups[i], has);
}

void findings_clusters(struct probe_result *result, struct pool *pool, const struct series *series,
                       const struct machine_facts *facts, const struct declared *declared)
{
    struct finding_of_clusters in = {result, pool, series, facts, declared};
    if (series->matrix)
        pool_scratch(pool, add_findings, &in);
}
