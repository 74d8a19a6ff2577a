/*
 * Latency and bandwidth from every node with CPUs to every node with memory. The memory is bound to
 * its node and its place is verified afterwards; nodes without CPUs (memory behind CXL, or of a
 * GPU) are measured too. Each memory node has two stages, for latency and bandwidth, because the
 * memory of a stage lies on one node.
 */
#include "measure/probes/numa/numa.h"

#include "measure/kernels/stream.h"
#include "measure/probes/chase/working_sets.h"

#include <math.h>

static const uint64_t MIB = 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024;
/* Working sets are larger only if the caches are: a ring of 1 GiB takes a second to build, for each
 * cell. */
static const uint64_t usual_bytes = (uint64_t)256 << 20;
static const double usual_precision = 0.02, span_s = 1.5, read_batch_ns = 1e6;
enum { NODE_MOST = 65535, NONE = -1 };

struct numa_options {
    struct setting from, to, pages;
};

static const struct option_spec options[] = {
    {"from", 0, OPTION_INTEGER, "NODE", NULL, 0, NODE_MOST, NULL,
     offsetof(struct numa_options, from),
     "only from the CPUs of this node (default: from every node that has CPUs)"},
    {"to", 0, OPTION_INTEGER, "NODE", NULL, 0, NODE_MOST, NULL, offsetof(struct numa_options, to),
     "only to the memory of this node (default: to every node that has memory)"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     offsetof(struct numa_options, pages),
     "page policy: auto takes the largest available; what was obtained is verified and reported"},
    {.name = NULL},
};

/* --- planning: from where --- */

static bool is_node(const struct probe_task *task, int id)
{
    for (size_t i = 0; i < task->machine->facts.node_count; i++)
        if (task->machine->facts.nodes[i].id == id)
            return true;
    return false;
}

static int kind_of_cpu(const struct probe_task *task, int cpu)
{
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    return place ? place->kind : NONE;
}

/* Adds the CPU to its node: all CPUs of a node read, and the first of the fastest kind chases. */
static void add_cpu(struct probe_task *task, int cpu)
{
    struct numa_state *state = task->state;
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    const int id = place ? place->node : NONE;
    struct numa_from *from = NULL;
    for (size_t i = 0; i < state->from_count && !from; i++)
        from = state->from[i].id == id ? &state->from[i] : NULL;
    if (!from) {
        from = pool_append(task->pool, (void **)&state->from, &state->from_count, sizeof *from);
        *from = (struct numa_from){
            id, cpu, pool_alloc(task->pool, task->cpus.count, sizeof *from->readers), 0};
    }
    if (kind_of_cpu(task, cpu) > kind_of_cpu(task, from->chaser))
        from->chaser = cpu;
    from->readers[from->reader_count++] = cpu;
}

/* Keeps only the node that --from names, if it is given. */
static void choose_from(struct probe_task *task)
{
    const struct setting *asked = &((const struct numa_options *)task->options)->from;
    struct numa_state *state = task->state;
    const char *known = NULL;
    for (size_t i = 0; i < task->cpus.count; i++)
        add_cpu(task, task->cpus.ids[i]);
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
               is_node(task, id) ? "that node has no CPU that may be used"
                                 : "there is no such NUMA node here",
               known);
}

/* --- planning: to where --- */

/* A size well beyond the caches, and at most half of the node's free memory. */
static void choose_bytes(const struct probe_task *task, struct numa_to *to, uint64_t node_free)
{
    const struct numa_state *state = task->state;
    const uint64_t last = last_level_in_effect(task);
    uint64_t readers = 1; /* the most readers of a node */
    const uint64_t budget = machine_memory_budget(task->machine);
    const uint64_t most = node_free / 2 < budget ? node_free / 2 : budget;
    uint64_t bytes = 4 * last < usual_bytes ? 4 * last : usual_bytes;
    bytes = bytes < 2 * last ? 2 * last : bytes;
    bytes = last ? bytes : usual_bytes;
    to->chase_bytes = bytes <= most ? bytes / HUGE_PAGE * HUGE_PAGE : 2 * last / MIB * MIB;
    if (!to->chase_bytes || to->chase_bytes > most)
        to->failed = "too little of its memory is free for a chase beyond the last-level cache";
    for (size_t i = 0; i < state->from_count; i++)
        readers = state->from[i].reader_count > readers ? state->from[i].reader_count : readers;
    /* All readers together may have several last-level caches. */
    uint64_t all = readers * (last ? last : 32 * MIB) / 2;
    all = all < to->chase_bytes ? to->chase_bytes : all;
    to->read_bytes = all < most ? all : to->chase_bytes;
}

static void add_to(struct probe_task *task, int id, uint64_t free_bytes, bool allowed)
{
    struct numa_state *state = task->state;
    struct numa_to *to = pool_append(task->pool, (void **)&state->to, &state->to_count, sizeof *to);
    to->id = id;
    choose_bytes(task, to, free_bytes);
    if (!allowed)
        to->failed = "this process may take no memory from it: its cpuset (cpuset.mems) leaves it "
                     "out";
}

static void choose_to(struct probe_task *task)
{
    const struct setting *asked = &((const struct numa_options *)task->options)->to;
    const struct numa_state *state = task->state;
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
    if (!state->to_count)
        pool_leave(
            task->pool, ERROR_USAGE, "--to %d: %s; leave it out to see those that have memory", id,
            is_node(task, id) ? "that node has no memory" : "there is no such NUMA node here");
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

static void add_point(struct probe_task *task, enum numa_series series,
                      const struct numa_from *from, const struct numa_to *to)
{
    const bool latency = series == NUMA_LATENCY;
    const uint64_t each = to->read_bytes / from->reader_count / HUGE_PAGE * HUGE_PAGE;
    struct plan_point *point = build_point(task, series, 0, latency ? &from->chaser : from->readers,
                                           latency ? 1 : from->reader_count, MEASURED);
    /* Ids are the system's; without any, the only node is 0. */
    point->from = from->id < 0 ? 0 : from->id;
    point->to = to->id < 0 ? 0 : to->id;
    point->bytes = latency ? to->chase_bytes : each ? each : HUGE_PAGE;
    point->arena_bytes = (size_t)(point->bytes * point->seat_count);
}

/* Stage i measures one memory node and one series. */
static void plan_stage(struct probe_task *task, size_t i)
{
    struct numa_state *state = task->state;
    const struct numa_to *to = &state->to[i / NUMA_SERIES];
    const enum numa_series series = i % NUMA_SERIES;
    const size_t stages = NUMA_SERIES * state->to_count;
    struct plan *plan = &task->plan;
    size_t left = 0; /* the remaining stages, this one included */
    for (size_t later = i; later < stages; later++)
        left += !state->to[later / NUMA_SERIES].failed;
    state->now = i;
    plan->pages = (enum page_policy)((const struct numa_options *)task->options)->pages.choice;
    /* A single node needs no binding, which some sandboxes forbid. */
    plan->node = task->machine->facts.node_count > 1 ? to->id : NONE;
    plan->touch_cpu = state->from[0].chaser;
    for (size_t f = 0; f < state->from_count; f++)
        if (state->from[f].id == to->id)
            plan->touch_cpu = state->from[f].chaser;
    plan->share = 1.0 / (double)left;
    plan->span_s = task->common.quick.has ? 0 : span_s / (double)stages;
    if (!task->common.precision.has)
        plan->precision = usual_precision;
    if (series == NUMA_BANDWIDTH) {
        plan->yields = OPERATIONS_PER_SECOND;
        plan->cycles = false;
        plan->batch_ns = read_batch_ns;
    } else {
        probe_plan_short_batches(plan, PROBE_TRIAL_NS);
    }
    for (size_t f = 0; f < state->from_count; f++)
        add_point(task, series, &state->from[f], to);
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
    choose_to(task);
    describe(task);
    if (!plan_from(task, 0))
        build_skip(task,
                   pool_printf(task->pool, "node %d: %s", state->to[0].id, state->to[0].failed));
}

static bool next_numa(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct numa_state *state = task->state;
    struct numa_to *to = &state->to[state->now / NUMA_SERIES];
    (void)stage;
    to->verified = task->plan.node >= 0
                       ? !isnan(outcome->placement.node_share)
                       : outcome->placement.node >= 0 && outcome->placement.node == to->id;
    probe_plan_clear(task);
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
    const struct stream_kernel *kernel = stream_find(STREAM_READ, stream_widest(), NULL);
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

const struct probe numa_probe = {
    .name = "numa",
    .place = 80,
    .title = "Latency and bandwidth by NUMA node",
    .summary = "how far each node's memory is from each node's CPUs, and how wide the way",
    .about =
        "A row is the node whose CPUs measure, a column the node whose memory they measure. "
        "Latency is that of one CPU's chase through DRAM, bandwidth that of all CPUs of the node "
        "reading at the same time, each its own part. The memory is bound to its node, and where "
        "it really lies is asked of the kernel (move_pages): what lies elsewhere is flagged.\n"
        "Nodes of memory only, as behind CXL, are columns without a row. Beside the figures "
        "stand the distances that the firmware declares; the kernel places memory by them, so "
        "where they name the wrong node as the nearer one, that is a finding.\n"
        "What moves it: the links between sockets and what else uses them, how memory is "
        "interleaved, snoop modes and sub-NUMA clustering (firmware settings), and page size. On "
        "a virtual machine nodes may be what the host made up. With one node there is one cell.",
    .needs = WANTS_TWO_NODES,
    .weight = 4,
    .sized_by_found = true,
    .options = options,
    .options_bytes = sizeof(struct numa_options),
    .findings = {numa_lines, numa_experiment},
    .plan = plan_numa,
    .prepare = prepare_numa,
    .next = next_numa,
    .conclude = numa_conclude,
    .analyse = numa_analyse,
};
