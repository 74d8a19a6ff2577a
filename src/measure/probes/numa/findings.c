#include "measure/probes/numa/numa.h"

#include "conclude/registry/finding.h"
#include "document/flag.h"
#include "stats/compare.h"

#include <math.h>
#include <string.h>

static const char *const whats[NUMA_SERIES] = {"latency", "bandwidth"}, *const units[NUMA_SERIES] =
                                                                            {"ns", "B/s"};

/* --- what the document has to hold --- */

/* Nodes that could not be measured get cells with the reason. */
static void add_failed(struct probe_task *task)
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
}

/* --- disagreements --- */

/*
 * Pairs of nodes of which the nearer one, as declared by the system, has the higher measured
 * latency. n nodes give up to n(n-1)(n-2)/2 comparisons, some of which fail by chance, so they are
 * judged together: if all declared distances are right, the probability that any pair is reported
 * is at most 5 %. Quiet values are compared, because interference is no distance.
 */

static const double alpha = 0.05;
/* SLIT counts in tenths of the local latency (ACPI 6.5, section 5.2.17), so it can't express
 * differences of less than half of such a step. */
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

static unsigned distance(const struct machine *machine, int from, int to)
{
    const struct machine_facts *facts = &machine->facts;
    for (size_t i = 0; machine->nodes && i < facts->node_count; i++)
        for (size_t j = 0; facts->nodes[i].id == from && j < facts->node_count; j++)
            if (facts->nodes[j].id == to)
                return machine->nodes[i].distances[j];
    return 0;
}

/* A single trial has no interval, and misplaced memory shows another distance. */
static bool is_usable(const struct point *point)
{
    return point && point->y.coverage > 0 && !(point->flags & FLAG_BIT(FLAG_MISPLACED));
}

/* Compares the two latencies; false if they can't be compared. */
static bool is_comparable(const struct probe_task *task, struct disagreement *pair)
{
    pair->a = cell(task, pair->from, pair->near);
    pair->b = cell(task, pair->from, pair->far);
    pair->nearer = distance(task->machine, pair->from, pair->near);
    pair->farther = distance(task->machine, pair->from, pair->far);
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

static void report(struct probe_task *task, const struct disagreement *pair, size_t compared)
{
    const bool guest = task->machine->facts.hypervisor != NULL;
    finding_add_value(
        task->result, task->pool,
        pool_printf(task->pool, "numa.disagreement.%d.%d.%d", pair->from, pair->near, pair->far),
        "", (struct interval){pair->comparison.ratio, pair->comparison.low, pair->comparison.high},
        pair->a->flags | pair->b->flags)
        ->text = pool_printf(
        task->pool,
        "from node %d, node %d is declared nearer than node %d (%u against %u) and was measured "
        "farther (%.0f ns against %.0f ns without neighbours; 1 of %zu comparisons, judged "
        "together). Likely: %s",
        pair->from, pair->near, pair->far, pair->nearer, pair->farther, (double)pair->ns_a.median,
        (double)pair->ns_b.median, compared,
        guest
            ? "the virtual machine's nodes are of its configuration, and lie elsewhere on the host"
            : "the declared table is a general one, or memory is interleaved or clustered "
              "otherwise than it says (BIOS settings: nodes per socket, sub-NUMA clustering)");
}

static void find_disagreements(struct probe_task *task)
{
    const struct numa_state *state = task->state;
    const size_t nodes = state->to_count, most = state->from_count * nodes * nodes;
    struct disagreement *pairs = pool_alloc(task->pool, most, sizeof *pairs);
    double *p = pool_alloc(task->pool, most, sizeof *p);
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        struct disagreement *pair = &pairs[count];
        *pair = (struct disagreement){.from = state->from[i / (nodes * nodes)].id,
                                      .near = state->to[i / nodes % nodes].id,
                                      .far = state->to[i % nodes].id};
        if (is_comparable(task, pair))
            p[count++] = pair->comparison.p;
    }
    const double last = compare_holm(p, count, alpha);
    for (size_t i = 0; i < count; i++)
        if (pairs[i].comparison.p <= last)
            report(task, &pairs[i], count);
}

void numa_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    const struct numa_state *state = task->state;
    size_t measured = 0, verified = 0;
    (void)outcome;
    add_failed(task);
    for (size_t i = 0; i < state->to_count; i++) {
        measured += !state->to[i].failed;
        verified += state->to[i].verified;
    }
    build_note_text(task, "placement",
                    verified == measured ? "verified by move_pages"
                    : verified           ? "verified by move_pages on some nodes only"
                                         : "not verified: the system does not say where pages are");
    find_disagreements(task);
}

/* --- the ends --- */

/* The cell with the highest latency or lowest bandwidth, within a node or between two. */
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

static void add_worst(struct analysis *analysis, const struct series *series,
                      enum numa_series which, bool local)
{
    const struct point *point = worst(series, which, local);
    const size_t first = analysis->result->finding_count;
    if (!point)
        return;
    struct finding *finding = analysis_add_point(
        analysis,
        pool_printf(analysis->pool, "numa.%s.%s", whats[which], local ? "local" : "remote"),
        units[which], point, point->flags);
    if (series->point_count == 1)
        finding->text = "there is one NUMA node here, so this one cell is all there is";
    else if (local)
        finding->text = pool_printf(
            analysis->pool, "from a node's CPUs to its own memory, where that is worst: node %d",
            point->from);
    else
        finding->text =
            pool_printf(analysis->pool,
                        "to another node's memory, where that is worst: from node %d to node %d",
                        point->from, point->to);
    analysis_read_off(analysis, first, series);
}

/* --- comparison with the firmware's HMAT --- */

/* The node's declared entry; of several, the one with the highest access class, which is that from
 * nodes with CPUs. */
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

/* The best measured cell among the entry's paths. */
static const struct point *best_of(const struct series *series, const struct declared_way *way,
                                   enum numa_series which)
{
    const struct point *best = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        if (point->to != way->node || !point->y.n || !cpulist_text_has(way->from, point->from) ||
            (point->flags & FLAG_BIT(FLAG_MISPLACED)))
            continue;
        const float value = finding_quiet_time_of(point).median,
                    least = best ? finding_quiet_time_of(best).median : value;
        if (!best || (which == NUMA_LATENCY ? value < least : value > least))
            best = point;
    }
    return best;
}

static void add_declared(struct analysis *analysis, const struct declared_way *way,
                         enum numa_series which)
{
    const struct probe_result *result = analysis->result;
    const uint64_t declared = which == NUMA_LATENCY ? way->read_latency_ns : way->read_bandwidth;
    const struct series *series = NULL;
    const size_t first = result->finding_count;
    for (size_t i = 0; i < result->series_count && !series; i++)
        if (result->series[i].matrix && strcmp(result->series[i].y.name, whats[which]) == 0)
            series = &result->series[i];
    const struct point *point = series ? best_of(series, way, which) : NULL;
    if (!point || !declared)
        return;
    struct finding *finding = analysis_add_point(
        analysis, pool_printf(analysis->pool, "numa.node.%d.%s", way->node, whats[which]),
        units[which], point, point->flags);
    finding->declared = (double)declared;
    finding->text = pool_printf(
        analysis->pool, "from CPUs of node %d, from which the firmware (HMAT) declares it best",
        point->from);
    analysis_read_off(analysis, first, series);
}

void numa_analyse(struct analysis *analysis)
{
    const struct probe_result *result = analysis->result;
    const struct machine_facts *machine = analysis->machine;
    for (size_t i = 0; i < result->series_count; i++)
        for (int which = 0; which < NUMA_SERIES; which++)
            for (int remote = 0; remote < 2; remote++)
                if (result->series[i].matrix && strcmp(result->series[i].y.name, whats[which]) == 0)
                    add_worst(analysis, &result->series[i], (enum numa_series)which, !remote);
    for (size_t i = 0; machine && i < machine->node_count && i < NODES_MAX; i++) {
        const struct declared_way *way = way_to(&machine->declared, machine->nodes[i].id);
        for (int which = 0; way && which < NUMA_SERIES; which++)
            add_declared(analysis, way, (enum numa_series)which);
    }
    analysis_keep(analysis, "numa.disagreement.<n>.<n>.<n>",
                  "the document does not hold what distances are declared");
}

/* Factors that decide a finding's experiment, and the values that its name alone implies. */
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
              "describe memory that no other program uses.",
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
     .advice =
         "Repeat when no other program uses the memory; the kernel places memory by the declared "
         "distances, so where the finding stays bind memory by hand (numactl)."},
    {.patterns = NULL},
};
