/*
 * Where the nearer of two nodes, as the system declares their distances, was measured as the
 * farther one. n nodes give up to n(n-1)(n-2)/2 such comparisons, of which some come out wrong by
 * chance, so they are judged together: that any is reported where all distances are right has a
 * probability of at most 5 %. Compared are quiet values, because a neighbour that came and went is
 * no distance.
 */
#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "measure/probes/numa/numa.h"
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>

static const double alpha = 0.05;
/* SLIT counts in tenths of the local latency (ACPI 6.5, section 5.2.17): what differs by less than
 * half of such a step can't be declared better. */
static const double threshold = 0.05;

struct disagreement {
    int from, near, far;
    unsigned nearer, farther; /* as declared */
    const struct point *a, *b;
    struct estimate ns_a, ns_b;
    struct comparison comparison; /* of b with a */
};

static const struct point *cell(const struct probe_task *task, int from, int to)
{
    const struct series *series = &task->result->series[NUMA_LATENCY];
    for (size_t i = 0; i < series->point_count; i++)
        if (series->points[i].from == from && series->points[i].to == to && series->points[i].y.n)
            return &series->points[i];
    return NULL;
}

static unsigned declared(const struct machine *machine, int from, int to)
{
    const struct machine_facts *facts = &machine->facts;
    for (size_t i = 0; machine->nodes && i < facts->node_count; i++)
        for (size_t j = 0; facts->nodes[i].id == from && j < facts->node_count; j++)
            if (facts->nodes[j].id == to)
                return machine->nodes[i].distances[j];
    return 0;
}

/* A single trial has no interval, and memory that lies elsewhere no distance. */
static bool is_usable(const struct point *point)
{
    return point && point->y.coverage > 0 && !(point->flags & FLAG_BIT(FLAG_MISPLACED));
}

/* Whether the two can be compared at all. */
static bool compare(const struct probe_task *task, struct disagreement *pair)
{
    pair->a = cell(task, pair->from, pair->near);
    pair->b = cell(task, pair->from, pair->far);
    pair->nearer = declared(task->machine, pair->from, pair->near);
    pair->farther = declared(task->machine, pair->from, pair->far);
    if (!is_usable(pair->a) || !is_usable(pair->b) || !pair->nearer ||
        pair->nearer >= pair->farther)
        return false;
    pair->ns_a = finding_quiet_time_of(pair->a);
    pair->ns_b = finding_quiet_time_of(pair->b);
    const double a[] = {(double)pair->ns_a.median, (double)pair->ns_a.low, (double)pair->ns_a.high};
    const double b[] = {(double)pair->ns_b.median, (double)pair->ns_b.low, (double)pair->ns_b.high};
    compare_intervals(b, a, threshold, &pair->comparison);
    if (!(pair->comparison.ratio > 1))
        pair->comparison.p = 1; /* as declared */
    return true;
}

static int report(struct probe_task *task, const struct disagreement *pair, size_t compared,
                  struct error *error)
{
    struct pool *pool = task->pool;
    const char *name =
        pool_printf(pool, "numa.disagreement.%d.%d.%d", pair->from, pair->near, pair->far);
    struct finding *finding =
        name ? finding_add_value(task->result, pool, name, "", pair->comparison.ratio,
                                 pair->comparison.low, pair->comparison.high,
                                 pair->a->flags | pair->b->flags)
             : NULL;
    if (!finding)
        return error_out_of_memory(error);
    const bool guest = task->machine->facts.hypervisor != NULL;
    finding->text = pool_printf(
        pool,
        "from node %d, node %d is declared nearer than node %d (%u against %u) and was measured "
        "farther (%.0f ns against %.0f ns without neighbours; 1 of %zu comparisons, judged "
        "together). Likely: %s",
        pair->from, pair->near, pair->far, pair->nearer, pair->farther, (double)pair->ns_a.median,
        (double)pair->ns_b.median, compared,
        guest
            ? "the virtual machine's nodes are of its configuration, and lie elsewhere on the host"
            : "the declared table is a general one, or memory is interleaved or clustered "
              "otherwise than it says (BIOS settings: nodes per socket, sub-NUMA clustering)");
    return finding->text ? 0 : error_out_of_memory(error);
}

static int judge(struct probe_task *task, const struct disagreement *pairs, size_t count,
                 struct error *error)
{
    double *p = calloc(count + 1, sizeof *p);
    int code = 0;
    if (!p)
        return error_out_of_memory(error);
    for (size_t i = 0; i < count; i++)
        p[i] = pairs[i].comparison.p;
    const double last = compare_holm(p, count, alpha);
    free(p);
    for (size_t i = 0; i < count && code == 0; i++)
        if (pairs[i].comparison.p <= last)
            code = report(task, &pairs[i], count, error);
    return code;
}

int numa_find_disagreements(struct probe_task *task, struct error *error)
{
    const struct numa_state *state = task->state;
    const size_t nodes = state->to_count;
    size_t count = 0;
    struct disagreement *pairs = calloc(state->from_count * nodes * nodes + 1, sizeof *pairs);
    if (!pairs)
        return error_out_of_memory(error);
    for (size_t f = 0; f < state->from_count; f++)
        for (size_t i = 0; i < nodes * nodes; i++) {
            struct disagreement *pair = &pairs[count];
            *pair = (struct disagreement){.from = state->from[f].id,
                                          .near = state->to[i / nodes].id,
                                          .far = state->to[i % nodes].id};
            count += compare(task, pair);
        }
    int code = judge(task, pairs, count, error);
    free(pairs);
    return code;
}
