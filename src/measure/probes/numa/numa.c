/*
 * Latency and bandwidth from every node with CPUs to every node with memory. The memory is bound to
 * its node and its place is verified afterwards; nodes without CPUs (memory behind CXL, or of a
 * GPU) are measured too. Each memory node has two stages, for latency and bandwidth, because the
 * memory of a stage lies on one node.
 */
#include "document/flag.h"
#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"
#include "stats/compare.h"

#include <math.h>
#include <string.h>

enum numa_series { NUMA_LATENCY, NUMA_BANDWIDTH, NUMA_SERIES };

/* A node that CPUs are on. */
struct numa_from {
    int id;       /* -1: the system does not report these CPUs' node */
    int chaser;   /* the CPU that chases */
    int *readers; /* the CPUs that read together */
    unsigned reader_count;
};

/* A node that memory is on. */
struct numa_to {
    int id;
    uint64_t chase_bytes, read_bytes; /* working sets; read_bytes is the sum of all readers' */
    const char *failed;               /* why it can't be measured; NULL: it can */
    bool verified;                    /* the system reported where the memory lay */
};

struct numa_state {
    struct chases chases;
    struct numa_from *from;
    struct numa_to *to;
    size_t from_count, to_count;
    size_t now; /* current stage: one memory node and one series */
};

static const uint64_t MIB = 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024;
/* Working sets are larger only if the caches are: a ring of 1 GiB takes a second to build, for each
 * cell. */
static const uint64_t usual_bytes = (uint64_t)256 << 20;
static const double usual_precision = 0.02, span_s = 1.5, read_batch_ns = 1e6;
enum { NODE_MOST = 65535, NONE = -1 };

struct numa_options {
    struct setting from, to, pages;
};

#include "numa.help.h"

/* --- planning: from where --- */

static bool is_node(const struct machine_facts *facts, int id)
{
    return node_index(facts, id) < facts->node_count;
}

static int kind_of_cpu(const struct probe_task *task, int cpu)
{
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    return place ? place->kind : NONE;
}

/* Keeps only the node that --from names, if it is given. */
static void choose_from(struct probe_task *task)
{
    const struct setting *asked = &((const struct numa_options *)task->options)->from;
    struct numa_state *state = task->state;
    const char *known = NULL;
    for (size_t i = 0; i < task->cpus.count; i++) {
        /* Adds the CPU to its node: all CPUs of a node read, and the first of the fastest kind
         * chases. */
        const int cpu = task->cpus.ids[i];
        const struct cpu_place *place = machine_cpu(task->machine, cpu);
        const int id = place ? place->node : NONE;
        struct numa_from *from = NULL;
        for (size_t k = 0; k < state->from_count && !from; k++)
            from = state->from[k].id == id ? &state->from[k] : NULL;
        if (!from) {
            from = pool_append(task->pool, (void **)&state->from, &state->from_count, sizeof *from);
            *from = (struct numa_from){
                id, cpu, pool_alloc(task->pool, task->cpus.count, sizeof *from->readers), 0};
        }
        if (kind_of_cpu(task, cpu) > kind_of_cpu(task, from->chaser))
            from->chaser = cpu;
        from->readers[from->reader_count++] = cpu;
    }
    if (!asked->has)
        return;
    const int id = (int)asked->number;
    for (size_t i = 0; i < state->from_count; i++) {
        if (state->from[i].id == id) {
            state->from += i;
            state->from_count = 1;
            return;
        }
        known = pool_printf(task->pool, "%s%s%d", known ? known : "", known ? ", " : "",
                            state->from[i].id);
    }
    pool_leave(task->pool, ERROR_USAGE, "--from %d: %s; choose from %s", id,
               is_node(&task->machine->facts, id) ? "that node has no CPU that may be used"
                                                  : "there is no such NUMA node here",
               known);
}

/* --- planning: to where --- */

static void add_to(struct probe_task *task, int id, uint64_t free_bytes, bool allowed)
{
    struct numa_state *state = task->state;
    struct numa_to *to = pool_append(task->pool, (void **)&state->to, &state->to_count, sizeof *to);
    to->id = id;
    /* A size well beyond the caches, and at most half of the node's free memory. */
    const struct memory_bounds memory = memory_bounds(task);
    const uint64_t last = memory.last_level;
    uint64_t readers = 1; /* the most readers of a node */
    const uint64_t budget = machine_memory_budget(task->machine);
    const uint64_t most = free_bytes / 2 < budget ? free_bytes / 2 : budget;
    uint64_t bytes = 4 * last < usual_bytes ? 4 * last : usual_bytes;
    bytes = bytes < memory.least ? memory.least : bytes;
    to->chase_bytes = bytes <= most ? bytes / HUGE_PAGE * HUGE_PAGE : memory.least / MIB * MIB;
    if (!to->chase_bytes || to->chase_bytes > most)
        to->failed = "too little of its memory is free for a chase beyond the last-level cache";
    for (size_t i = 0; i < state->from_count; i++)
        readers = state->from[i].reader_count > readers ? state->from[i].reader_count : readers;
    /* All readers together may have several last-level caches. */
    uint64_t all = readers * last / 2;
    all = all < to->chase_bytes ? to->chase_bytes : all;
    to->read_bytes = all < most ? all : to->chase_bytes;
    if (!allowed)
        to->failed = "this process may take no memory from it: its cpuset (cpuset.mems) leaves it "
                     "out";
}

/* --- planning: what --- */

static void describe(struct probe_task *task)
{
    static const char *const shows[NUMA_SERIES] = {"latency of one CPU",
                                                   "bandwidth of all CPUs of the node, reading"};
    static const struct axis y[NUMA_SERIES] = {{"latency", "ns"}, {"bandwidth", "B/s"}};
    const struct numa_state *state = task->state;
    const struct machine *machine = task->machine;
    const struct machine_facts *facts = &machine->facts;
    const char *pages = ((const struct numa_options *)task->options)->pages.text;
    for (int i = 0; i < NUMA_SERIES; i++) {
        const unsigned series =
            build_series(task, (struct series){.name = "numa",
                                               .matrix = true,
                                               .headline = i == NUMA_LATENCY &&
                                                           state->from_count * state->to_count > 1,
                                               .y = y[i]});
        build_factor_text(task, series, "shows", shows[i]);
        build_factor_text(task, series, "pages", pages);
    }
    /* The firmware's declared distances, next to the measured values. */
    for (size_t i = 0; machine->nodes && i < facts->node_count; i++) {
        const char *text = NULL;
        for (size_t j = 0; j < facts->node_count; j++)
            if (machine->nodes[i].distances[j])
                text = pool_printf(task->pool, "%s%s%d:%u", text ? text : "", text ? " " : "",
                                   facts->nodes[j].id, machine->nodes[i].distances[j]);
        if (text)
            build_note_text(
                task, pool_printf(task->pool, "declared_distances.%d", facts->nodes[i].id), text);
    }
}

/* Stage i measures one memory node and one series. */
static void plan_stage(struct probe_task *task, size_t i)
{
    struct numa_state *state = task->state;
    const struct numa_to *to = &state->to[i / NUMA_SERIES];
    const enum numa_series series = i % NUMA_SERIES;
    const size_t stages = NUMA_SERIES * state->to_count;
    const struct numa_options *asked = task->options;
    struct plan *plan = probe_plan_begin(task, state->from[0].chaser,
                                         (enum page_policy)asked->pages.choice, usual_precision);
    size_t left = 0; /* the remaining stages, this one included */
    for (size_t later = i; later < stages; later++)
        left += !state->to[later / NUMA_SERIES].failed;
    state->now = i;
    /* A single node needs no binding, which some sandboxes forbid. */
    plan->node = task->machine->facts.node_count > 1 ? to->id : NONE;
    for (size_t f = 0; f < state->from_count; f++)
        if (state->from[f].id == to->id)
            plan->touch_cpu = state->from[f].chaser;
    plan->share = 1.0 / (double)left;
    plan->span_s = task->common.quick.has ? 0 : span_s / (double)stages;
    if (series == NUMA_BANDWIDTH) {
        plan->yields = OPERATIONS_PER_SECOND;
        plan->cycles = false;
        plan->batch_ns = read_batch_ns;
        plan->windows = true;
    } else {
        probe_plan_short_batches(plan, PROBE_TRIAL_NS);
    }
    for (size_t f = 0; f < state->from_count; f++) {
        const bool latency = series == NUMA_LATENCY;
        const uint64_t each = to->read_bytes / state->from[f].reader_count / HUGE_PAGE * HUGE_PAGE;
        struct plan_point *point =
            build_point(task, series, 0, latency ? &state->from[f].chaser : state->from[f].readers,
                        latency ? 1 : state->from[f].reader_count, MEASURED);
        /* Ids are the system's; without any, the only node is 0. */
        point->from = state->from[f].id < 0 ? 0 : state->from[f].id;
        point->to = to->id < 0 ? 0 : to->id;
        point->bytes = latency ? to->chase_bytes : each ? each : HUGE_PAGE;
        point->arena_bytes = (size_t)(point->bytes * point->seat_count);
    }
}

/* Plans the first stage from i on that can be measured; false if there is none. */
static bool plan_from(struct probe_task *task, size_t i)
{
    const struct numa_state *state = task->state;
    while (i < NUMA_SERIES * state->to_count && state->to[i / NUMA_SERIES].failed)
        i++;
    if (i == NUMA_SERIES * state->to_count)
        return false;
    plan_stage(task, i);
    return true;
}

static void plan_numa(struct probe_task *task)
{
    struct numa_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->chases = chases_make_plain(task);
    choose_from(task);
    const struct setting *asked = &((const struct numa_options *)task->options)->to;
    const struct machine *machine = task->machine;
    const struct machine_facts *facts = &machine->facts;
    const int id = asked->has ? (int)asked->number : NONE;
    for (size_t i = 0; i < facts->node_count; i++) {
        const struct node_place *place = machine->nodes ? &machine->nodes[i] : NULL;
        if (facts->nodes[i].memory_bytes && (!asked->has || facts->nodes[i].id == id))
            add_to(task, facts->nodes[i].id,
                   place ? place->free_bytes : facts->nodes[i].memory_bytes,
                   !place || place->allowed);
    }
    if (facts->node_count == 0 && !asked->has)
        add_to(task, NONE, machine->memory_available_bytes, true);
    if (!state->to_count && !asked->has)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "the system tells of no NUMA node's memory: see that /sys is mounted");
    if (!state->to_count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--to %d: %s; leave it out to see those that have memory", id,
                   is_node(&task->machine->facts, id) ? "that node has no memory"
                                                      : "there is no such NUMA node here");
    describe(task);
    if (!plan_from(task, 0))
        build_skip(task,
                   pool_printf(task->pool, "node %d: %s", state->to[0].id, state->to[0].failed));
}

static bool next_numa(struct probe_task *task)
{
    struct numa_state *state = task->state;
    struct numa_to *to = &state->to[state->now / NUMA_SERIES];
    to->verified = task->plan.node >= 0 ? !isnan(task->outcome->placement.node_share)
                                        : task->outcome->placement.node >= 0 &&
                                              task->outcome->placement.node == to->id;
    return plan_from(task, state->now + 1);
}

/* --- measuring --- */

static void prepare_numa(struct trial *trial)
{
    const struct numa_state *state = trial->probe_state;
    const struct plan_point *point = trial->point;
    if (point->series == NUMA_LATENCY) {
        chases_prepare(trial, &state->chases);
        return;
    }
    const struct stream_kernel *kernel = stream_find(STREAM_READ, stream_usual_width(), NULL);
    const struct stream_access access = {STREAM_SEQUENTIAL, 0};
    uint64_t steps = 0;
    for (size_t i = 0; i < point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        _Static_assert(sizeof(struct stream) <= sizeof worker->room, "a stream needs more room");
        worker->state = worker->room;
        worker->run = stream_lay_out((struct stream *)worker->room, kernel,
                                     trial->arena->memory + i * point->bytes, point->bytes, &access,
                                     trial->seed, &steps);
    }
    trial->operations = (double)stream_step_bytes(kernel, &access) * point->seat_count;
}

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
 * is at most 5 %.
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
    struct comparison_of_intervals comparison; /* of b with a */
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
    const size_t i = node_index(facts, from), j = node_index(facts, to), count = facts->node_count;
    return machine->nodes && i < count && j < count ? machine->nodes[i].distances[j] : 0;
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
    pair->ns_a = finding_time_of(pair->a);
    pair->ns_b = finding_time_of(pair->b);
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
        "farther (%.0f ns against %.0f ns; 1 of %zu comparisons, judged together). Likely: %s",
        pair->from, pair->near, pair->far, pair->nearer, pair->farther, (double)pair->ns_a.median,
        (double)pair->ns_b.median, compared,
        guest ? "the virtual machine's nodes follow its configuration, and their memory lies "
                "elsewhere on the host"
              : "the declared table is a general one, or memory is interleaved or clustered "
                "otherwise than it says (BIOS settings: nodes per socket, sub-NUMA clustering)");
}

static void numa_conclude(struct probe_task *task)
{
    const struct numa_state *state = task->state;
    size_t measured = 0, verified = 0;
    add_failed(task);
    for (size_t i = 0; i < state->to_count; i++) {
        measured += !state->to[i].failed;
        verified += state->to[i].verified;
    }
    build_note_text(task, "placement",
                    verified == measured ? "verified by move_pages"
                    : verified           ? "verified by move_pages on some nodes only"
                                         : "not verified: the system does not say where pages are");
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

/* --- the ends --- */

static void add_worst(struct analysis *analysis, const struct series *series,
                      enum numa_series which, bool local)
{
    /* The cell with the highest latency or lowest bandwidth, within a node or between two. */
    const struct point *point = NULL;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *each = &series->points[i];
        if (!each->y.n || (each->from == each->to) != local)
            continue;
        bool worse = !point || (which == NUMA_LATENCY ? each->y.median > point->y.median
                                                      : each->y.median < point->y.median);
        point = worse ? each : point;
    }
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
    analysis_read_off(analysis, series);
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
        const float value = finding_time_of(point).median,
                    least = best ? finding_time_of(best).median : value;
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
    analysis_read_off(analysis, series);
}

static void numa_analyse(struct analysis *analysis)
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

#include "numa.findings.h"

const struct probe numa_probe = {
    .name = "numa",
    .place = 80,
    .help = &help,
    .needs = WANTS_TWO_NODES,
    .weight = 4,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_numa,
    .prepare = prepare_numa,
    .next = next_numa,
    .conclude = numa_conclude,
    .analyse = numa_analyse,
};
