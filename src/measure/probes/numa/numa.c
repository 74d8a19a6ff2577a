/*
 * Latency and bandwidth from every node of CPUs to every node of memory. The memory is bound to its
 * node and looked for afterwards; a node without CPUs (memory behind CXL, or of a GPU) is one like
 * any other. Each memory node has two stages of its own, one for each kind of number, because the
 * memory of a stage lies on one node.
 */
#include "measure/probes/numa/numa.h"

#include "base/units.h"
#include "measure/kernels/stream.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/probe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint64_t MIB = 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024;
/* Larger than this only where caches are: a ring of 1 GiB takes a second to build, for each cell.
 */
static const uint64_t usual_bytes = (uint64_t)256 << 20;
static const double usual_precision = 0.02, span_s = 1.5, read_batch_ns = 1e6;
enum { NODE_MOST = 65535, NONE = -1 };

static const struct option_spec options[] = {
    {"from", 0, OPTION_INTEGER, "NODE", NULL, 0, NODE_MOST, NULL,
     "only from the CPUs of this node (default: from every node that has CPUs)"},
    {"to", 0, OPTION_INTEGER, "NODE", NULL, 0, NODE_MOST, NULL,
     "only to the memory of this node (default: to every node that has memory)"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {.name = NULL},
};

/* --- planning: from where --- */

static int node_of(const struct probe_task *task, int cpu)
{
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    return place ? place->node : NONE;
}

static int kind_of_cpu(const struct probe_task *task, int cpu)
{
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    return place ? place->kind : NONE;
}

/* The node's CPUs that may be used: all of them read, and the first of the fastest kind chases. */
static int add_from(struct probe_task *task, int id, struct error *error)
{
    struct numa_state *state = task->state;
    struct numa_from *from =
        pool_append(task->pool, (void **)&state->from, &state->from_count, sizeof *from);
    struct seat *readers = pool_alloc(task->pool, task->cpus.count, sizeof *readers);
    struct seat *chase = pool_alloc(task->pool, 1, sizeof *chase);
    unsigned count = 0;
    for (size_t i = 0; i < task->cpus.count; i++) {
        const int cpu = task->cpus.ids[i];
        if (node_of(task, cpu) != id)
            continue;
        if (count == 0 || kind_of_cpu(task, cpu) > kind_of_cpu(task, chase->cpu))
            *chase = (struct seat){cpu, MEASURED};
        readers[count++] = (struct seat){cpu, MEASURED};
    }
    *from = (struct numa_from){id, chase, readers, count};
    return 0;
}

static bool has_from(const struct numa_state *state, int id)
{
    for (size_t i = 0; i < state->from_count; i++)
        if (state->from[i].id == id)
            return true;
    return false;
}

static const char *node_list(struct probe_task *task, bool of_memory)
{
    const struct numa_state *state = task->state;
    const size_t count = of_memory ? state->to_count : state->from_count;
    const char *text = "";
    for (size_t i = 0; i < count && text; i++)
        text = pool_printf(task->pool, "%s%s%d", text, i ? ", " : "",
                           of_memory ? state->to[i].id : state->from[i].id);
    return text && *text ? text : "none";
}

static bool is_node(const struct probe_task *task, int id)
{
    for (size_t i = 0; i < task->machine->facts.node_count; i++)
        if (task->machine->facts.nodes[i].id == id)
            return true;
    return false;
}

/* Leaves the one that --from names, where it is given. */
static int choose_from(struct probe_task *task, struct error *error)
{
    struct numa_state *state = task->state;
    int code = 0;
    for (size_t i = 0; i < task->cpus.count && code == 0; i++) {
        const int id = node_of(task, task->cpus.ids[i]);
        if (!has_from(state, id))
            code = add_from(task, id, error);
    }
    if (code < 0 || !settings_has(task->settings, "from"))
        return code;
    const int asked = (int)settings_number(task->settings, "from");
    for (size_t i = 0; i < state->from_count; i++)
        if (state->from[i].id == asked) {
            state->from += i;
            state->from_count = 1;
            return 0;
        }
    return error_set(error, ERROR_USAGE, "--from %d: %s; choose from %s", asked,
                     is_node(task, asked) ? "that node has no CPU that may be used"
                                          : "there is no such NUMA node here",
                     node_list(task, false));
}

/* --- planning: to where --- */

static uint64_t most_readers(const struct numa_state *state)
{
    unsigned most = 1;
    for (size_t i = 0; i < state->from_count; i++)
        if (state->from[i].reader_count > most)
            most = state->from[i].reader_count;
    return most;
}

/* As much as lies well beyond the caches, at most half of what the node has free. */
static void choose_bytes(const struct probe_task *task, struct numa_to *to, uint64_t node_free)
{
    const struct numa_state *state = task->state;
    const uint64_t last = last_level_in_effect(task), readers = most_readers(state);
    const uint64_t budget = machine_memory_budget(task->machine);
    const uint64_t most = node_free / 2 < budget ? node_free / 2 : budget;
    uint64_t bytes = 4 * last < usual_bytes ? 4 * last : usual_bytes;
    bytes = bytes < 2 * last ? 2 * last : bytes;
    bytes = last ? bytes : usual_bytes;
    to->chase_bytes = bytes <= most ? bytes / HUGE_PAGE * HUGE_PAGE : 2 * last / MIB * MIB;
    if (!to->chase_bytes || to->chase_bytes > most)
        to->failed = "too little of its memory is free for a chase beyond the last-level cache";
    /* Several caches of the last level may lie between all readers and the memory. */
    uint64_t all = readers * (last ? last : 32 * MIB) / 2;
    all = all < to->chase_bytes ? to->chase_bytes : all;
    to->read_bytes = all < most ? all : to->chase_bytes;
}

static int add_to(struct probe_task *task, int id, uint64_t free_bytes, bool allowed,
                  struct error *error)
{
    struct numa_state *state = task->state;
    struct numa_to *to = pool_append(task->pool, (void **)&state->to, &state->to_count, sizeof *to);
    to->id = id;
    choose_bytes(task, to, free_bytes);
    if (!allowed)
        to->failed = "this process may take no memory from it: its cpuset (cpuset.mems) leaves it "
                     "out";
    return 0;
}

static int choose_to(struct probe_task *task, struct error *error)
{
    struct numa_state *state = task->state;
    const struct machine *machine = task->machine;
    const struct machine_facts *facts = &machine->facts;
    const bool named = settings_has(task->settings, "to");
    const int asked = named ? (int)settings_number(task->settings, "to") : NONE;
    int code = 0;
    for (size_t i = 0; i < facts->node_count && code == 0; i++) {
        const struct node_place *place = machine->nodes ? &machine->nodes[i] : NULL;
        if (facts->nodes[i].memory_bytes && (!named || facts->nodes[i].id == asked))
            code = add_to(task, facts->nodes[i].id,
                          place ? place->free_bytes : facts->nodes[i].memory_bytes,
                          !place || place->allowed, error);
    }
    if (code == 0 && facts->node_count == 0 && !named)
        code = add_to(task, NONE, machine->memory_available_bytes, true, error);
    if (code < 0 || state->to_count)
        return code;
    return error_set(
        error, ERROR_USAGE, "--to %d: %s; leave it out to see those that have memory", asked,
        is_node(task, asked) ? "that node has no memory" : "there is no such NUMA node here");
}

/* --- planning: what --- */

static int describe(struct probe_task *task, struct error *error)
{
    static const char *const shows[NUMA_SERIES] = {"latency of one CPU",
                                                   "bandwidth of all CPUs of the node, reading"};
    const struct numa_state *state = task->state;
    const struct machine *machine = task->machine;
    struct plan *plan = &task->plan;
    plan->series = pool_alloc(task->pool, NUMA_SERIES, sizeof *plan->series);
    plan->series_count = NUMA_SERIES;
    for (int i = 0; i < NUMA_SERIES; i++) {
        struct factor *factors = pool_alloc(task->pool, 2, sizeof *factors);
        factors[0] = (struct factor){"shows", shows[i], 0};
        factors[1] = (struct factor){"pages", settings_text(task->settings, "pages"), 0};
        plan->series[i] = (struct series){
            .name = "numa",
            .factors = factors,
            .factor_count = 2,
            .matrix = true,
            .headline = i == NUMA_LATENCY && state->from_count * state->to_count > 1,
            .y = i == NUMA_LATENCY ? (struct axis){"latency", "ns"}
                                   : (struct axis){"bandwidth", "B/s"}};
    }
    /* What the firmware says of the ways, beside what was measured. */
    for (size_t i = 0; machine->nodes && i < machine->facts.node_count; i++) {
        const char *text = NULL;
        for (size_t j = 0; j < machine->facts.node_count; j++)
            if (machine->nodes[i].distances[j])
                text = pool_printf(task->pool, "%s%s%d:%u", text ? text : "", text ? " " : "",
                                   machine->facts.nodes[j].id, machine->nodes[i].distances[j]);
        const char *name =
            pool_printf(task->pool, "declared_distances.%d", machine->facts.nodes[i].id);
        struct factor *factor = text && name ? probe_add_parameter(task, name) : NULL;
        if (text && !factor)
            return error_out_of_memory(error);
        if (factor)
            factor->text = text;
    }
    return 0;
}

static int add_point(struct probe_task *task, enum numa_series series, const struct numa_from *from,
                     const struct numa_to *to, struct error *error)
{
    struct plan_point *point = pool_append(task->pool, (void **)&task->plan.points,
                                           &task->plan.point_count, sizeof *point);
    const bool latency = series == NUMA_LATENCY;
    const uint64_t each = to->read_bytes / from->reader_count / HUGE_PAGE * HUGE_PAGE;
    /* Ids are those of the system; where it has none, the one node there is has number 0. */
    *point = (struct plan_point){.series = series,
                                 .from = from->id < 0 ? 0 : from->id,
                                 .to = to->id < 0 ? 0 : to->id,
                                 .seats = latency ? from->chase : from->readers,
                                 .seat_count = latency ? 1 : from->reader_count,
                                 .bytes = latency ? to->chase_bytes
                                          : each  ? each
                                                  : HUGE_PAGE};
    point->arena_bytes = (size_t)(point->bytes * point->seat_count);
    return 0;
}

/* The stages that are still to come after number `done`, this one included. */
static size_t stages_left(const struct numa_state *state, size_t done)
{
    size_t left = 0;
    for (size_t i = done; i < NUMA_SERIES * state->to_count; i++)
        left += !state->to[i / NUMA_SERIES].failed;
    return left;
}

/* Stage number i is of one memory node and one series. */
static int plan_stage(struct probe_task *task, size_t i, struct error *error)
{
    struct numa_state *state = task->state;
    const struct numa_to *to = &state->to[i / NUMA_SERIES];
    const enum numa_series series = i % NUMA_SERIES;
    struct plan *plan = &task->plan;
    state->now = i;
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    /* Where there is one node there is nothing to ask for, and some sandboxes forbid to ask. */
    plan->node = task->machine->facts.node_count > 1 ? to->id : NONE;
    plan->touch_cpu = state->from[0].chase->cpu;
    for (size_t f = 0; f < state->from_count; f++)
        if (state->from[f].id == to->id)
            plan->touch_cpu = state->from[f].chase->cpu;
    plan->share = 1.0 / (double)stages_left(state, i);
    plan->span_s = settings_has(task->settings, "quick")
                       ? 0
                       : span_s / (double)(NUMA_SERIES * state->to_count);
    if (!settings_has(task->settings, "precision"))
        plan->precision = usual_precision;
    if (series == NUMA_BANDWIDTH) {
        plan->yields = OPERATIONS_PER_SECOND;
        plan->cycles = false;
        plan->batch_ns = read_batch_ns;
    } else {
        probe_plan_short_batches(plan, PROBE_TRIAL_NS);
    }
    int code = 0;
    for (size_t f = 0; f < state->from_count && code == 0; f++)
        code = add_point(task, series, &state->from[f], to, error);
    return code;
}

/* The first stage from number i on that can be measured: 1, 0 where there is none. */
static int plan_from(struct probe_task *task, size_t i, struct error *error)
{
    const struct numa_state *state = task->state;
    while (i < NUMA_SERIES * state->to_count && state->to[i / NUMA_SERIES].failed)
        i++;
    if (i == NUMA_SERIES * state->to_count)
        return 0;
    int code = plan_stage(task, i, error);
    return code < 0 ? code : 1;
}

static void plan_numa(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct numa_state *state = pool_alloc(task->pool, 1, sizeof *state);
    task->state = state;
    int code = chases_make_plain(&state->chases, task, error);
    if (code == 0)
        code = choose_from(task, error);
    if (code == 0)
        code = choose_to(task, error);
    if (code == 0)
        code = describe(task, error);
    if (code == 0)
        code = plan_from(task, 0, error);
    if (code == 0) {
        task->result->status = PROBE_SKIPPED;
        task->result->reason =
            pool_printf(task->pool, "node %d: %s", state->to[0].id, state->to[0].failed);
    }
    return (void)pool_check(task->pool, code < 0 ? code : 0);
}

static bool next_numa(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct numa_state *state = task->state;
    struct numa_to *to = &state->to[state->now / NUMA_SERIES];
    (void)stage;
    to->verified = task->plan.node >= 0
                       ? !isnan(outcome->placement.node_share)
                       : outcome->placement.node >= 0 && outcome->placement.node == to->id;
    probe_plan_clear(task);
    return pool_check(task->pool, plan_from(task, state->now + 1, error)) > 0;
}

/* --- measuring --- */

static void prepare_numa(struct trial *trial)
{
    const struct plan_point *point = trial->point;
    if (point->series == NUMA_LATENCY) {
        chases_prepare(trial);
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
    .findings = {numa_lines, numa_experiment},
    .plan = plan_numa,
    .prepare = prepare_numa,
    .next = next_numa,
    .conclude = numa_conclude,
    .analyse = numa_analyse,
};
