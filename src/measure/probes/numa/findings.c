#include "measure/probes/numa/numa.h"

#include "base/units.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that nothing could be measured on have cells with the reason. */
static int add_failed(struct probe_task *task, struct error *error)
{
    const struct numa_state *state = task->state;
    size_t failed = 0;
    const struct numa_to *last = NULL;
    for (size_t i = 0; i < state->to_count; i++) {
        const struct numa_to *to = &state->to[i];
        if (!to->failed)
            continue;
        last = to;
        for (size_t f = 0; f < NUMA_SERIES * state->from_count; f++) {
            struct series *series = &task->result->series[f % NUMA_SERIES];
            struct point *point = pool_append(task->pool, (void **)&series->points,
                                              &series->point_count, sizeof *point);
            *point = point_bare();
            point->from = state->from[f / NUMA_SERIES].id;
            point->to = to->id;
            point->failed = to->failed;
            failed++;
        }
    }
    if (failed && task->result->status == PROBE_OK) {
        task->result->status = PROBE_PARTIAL;
        task->result->reason =
            pool_printf(task->pool, "%zu cells could not be measured: node %d: %s", failed,
                        last->id, last->failed);
    }
    return 0;
}

/* Whether the system reported where the memory lay. */
static int note_verified(struct probe_task *task, struct error *error)
{
    const struct numa_state *state = task->state;
    size_t measured = 0, verified = 0;
    for (size_t i = 0; i < state->to_count; i++) {
        measured += !state->to[i].failed;
        verified += state->to[i].verified;
    }
    struct factor *factor = probe_add_parameter(task, "placement");
    factor->text = verified == measured ? "verified by move_pages"
                   : verified           ? "verified by move_pages on some nodes only"
                                        : "not verified: the system does not say where pages are";
    return 0;
}

void numa_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    (void)outcome;
    int code = add_failed(task, error);
    if (code == 0)
        code = note_verified(task, error);
    return (void)pool_check(task->pool, code == 0 ? numa_find_disagreements(task, error) : code);
}

/* --- findings: the ends --- */

static const char *const whats[NUMA_SERIES] = {"latency", "bandwidth"};

/* The slowest or narrowest cell, of those within a node or of those between two. */
static const struct point *worst(const struct series *series, enum numa_series which, bool local)
{
    const struct point *found = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (!point->y.n || (point->from == point->to) != local)
            continue;
        bool worse = !found || (which == NUMA_LATENCY ? point->y.median > found->y.median
                                                      : point->y.median < found->y.median);
        found = worse ? point : found;
    }
    return found;
}

static int add_worst(struct analysis *analysis, const struct series *series, enum numa_series which,
                     bool local, struct error *error)
{
    static const char *const unit[NUMA_SERIES] = {"ns", "B/s"};
    const struct point *point = worst(series, which, local);
    const size_t first = analysis->result->finding_count;
    if (!point)
        return 0;
    const char *name =
        pool_printf(analysis->pool, "numa.%s.%s", whats[which], local ? "local" : "remote");
    struct finding *finding = analysis_add_point(analysis, name, unit[which], point, point->flags);
    if (series->point_count == 1)
        finding->text = "there is one NUMA node here, so this one cell is all there is";
    else if (local)
        finding->text = pool_printf(analysis->pool,
                                    "from a node's CPUs to its own memory, where that is worst: "
                                    "node %d",
                                    point->from);
    else
        finding->text = pool_printf(analysis->pool,
                                    "to another node's memory, where that is worst: from node %d "
                                    "to node %d",
                                    point->from, point->to);
    analysis_read_off(analysis, first, series);
    return finding->text ? 0 : error_out_of_memory(error);
}

static int analyse_worst(struct analysis *analysis, struct error *error)
{
    const struct probe_result *result = analysis->result;
    int code = 0;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        for (int which = 0; which < NUMA_SERIES && code == 0; which++) {
            if (!series->matrix || strcmp(series->y.name, whats[which]) != 0)
                continue;
            code = add_worst(analysis, series, (enum numa_series)which, true, error);
            if (code == 0)
                code = add_worst(analysis, series, (enum numa_series)which, false, error);
        }
    }
    return code;
}

void numa_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    int code = analyse_worst(analysis, error);
    if (code == 0)
        code = numa_find_declared(analysis, error);
    return (void)pool_check(
        analysis->pool,
        code == 0 ? (analysis_keep(analysis, "numa.disagreement.<n>.<n>.<n>",
                                   "the document does not hold what distances are declared"),
                     0)
                  : code);
}

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard numa_experiment[] = {
    {"shows", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

const struct finding_line numa_lines[] = {
    {.patterns = "numa.latency.local",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .fact = FACT_LOCAL,
     .meaning = "A load from DRAM of the CPU's own node, on the node where that is worst.",
     .moves = "Page size, neighbours that use the memory, and modules that differ between nodes "
              "move it.",
     .advice =
         "Hold the remote one against it; where nodes differ, look at their memory's modules."},
    {.patterns = "numa.latency.remote",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .fact = FACT_REMOTE,
     .meaning = "A load from DRAM of another node, where that is worst.",
     .moves = "The links between sockets and what else uses them move it.",
     .advice = "Bind threads and their memory to one node (numactl) where it is much more than the "
               "local one."},
    {.patterns = "numa.bandwidth.local",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .fact = FACT_LOCAL,
     .meaning =
         "What all CPUs of a node read together from their own node's DRAM, where that is worst.",
     .moves = "Each node's memory channels and modules decide it, and neighbours take their share.",
     .advice = "Plan by it: a program whose memory is placed well has that much for each node."},
    {.patterns = "numa.bandwidth.remote",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .fact = FACT_REMOTE,
     .meaning =
         "What all CPUs of a node read together from another node's DRAM, where that is worst.",
     .moves = "The width of the links between nodes decides it, and what else uses them takes its "
              "share.",
     .advice = "Where it is far below the local one, place memory where it is used (first touch)."},
    {.patterns = "numa.node.<n>.latency",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .shared = OF_SHARED,
     .fact = FACT_NODE,
     .meaning = "A load from the node's memory, by a CPU of the nodes from which the firmware "
                "declares it best (HMAT), beside what it declares.",
     .moves = "The firmware's tables are often those of all machines of a kind, or of a model, and "
              "describe memory that nobody else uses.",
     .advice = "The kernel puts nodes into tiers by what is declared: where it is far off, place "
               "memory by what was measured (numactl)."},
    {.patterns = "numa.node.<n>.bandwidth",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .shared = OF_ALL_CPUS,
     .fact = FACT_NODE,
     .meaning = "What all CPUs of the nodes from which the firmware declares it best (HMAT) read "
                "from the node's memory, beside what it declares.",
     .moves = "Firmware mostly declares what the modules or the link could carry at most; programs "
              "reach some 60 to 90 % of that, and fewer CPUs less.",
     .advice = "Interleave by what was measured: 'fathom report -f interleave' writes the "
               "weights."},
    {.patterns = "numa.disagreement.*.*.*",
     .unit = "",
     .role = ROLE_DISAGREEMENT,
     .meaning =
         "From the first node, the second is declared nearer than the third and was measured "
         "farther: the value is how many times as far, of quiet values. All comparisons are judged "
         "together: that any is here by chance has a probability of at most 5 %.",
     .moves =
         "The distances are declared in tenths of the local latency, often for all machines of "
         "a kind; how memory is interleaved, and where a host keeps a virtual machine's, they "
         "do not say.",
     .advice = "Repeat when nobody else uses the memory; the kernel places memory by the declared "
               "distances, so where the finding stays bind memory by hand (numactl)."},
    {.patterns = NULL},
};
