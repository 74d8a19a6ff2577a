#include "measure/probes/cores/cores.h"

#include "base/units.h"
#include "machine/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Measured pair by pair, this many CPUs take some five seconds; the matrix of more of them is
 * measured side by side. */
enum { PARALLEL_ABOVE = 32, BIAS_LIMIT = 3, PAGE = 4096, PAYLOAD_MOST = 1024 };

static const char *const orders[] = {"os", "topology", NULL};

const struct option_spec cores_options[] = {
    {"op", 0, OPTION_CHOICE, "OP", "cas", 0, 0, handoff_names,
     "how the turn is passed on: cas, exchange, fetch-add or store-load on one line; readwrite: "
     "each side writes a line of its own and reads the other's; one-way: a stamp of the counter "
     "travels, which tells the two directions apart as far as that can be done; payload: the turn "
     "and lines of data. cas-llsc and cas-lse choose the kind of cas on AArch64"},
    {"payload", 0, OPTION_INTEGER, "N", NULL, 1, PAYLOAD_MOST, NULL,
     "lines of data that travel with --op payload (default: 4)"},
    {"lines", 0, OPTION_INTEGER, "N", "64", 1, 4096, NULL,
     "cache lines to measure every pair on; the result is their median"},
    {"samples", 0, OPTION_INTEGER, "N", "11", 1, 100000, NULL,
     "timed batches on each line, half of them at another time"},
    {"iterations", 0, OPTION_INTEGER, "N", NULL, 1, 10000000, NULL,
     "round trips a batch (default: enough for the clock, some 5 us)"},
    {"one-per-core", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "only the first hardware thread of every core"},
    {"order", 0, OPTION_CHOICE, "ORDER", NULL, 0, 0, orders,
     "of CPUs in the matrix: os, as the operating system counts them (default), or topology, "
     "neighbours side by side"},
    {"triangle", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "show half of the matrix, each pair's two directions as one; both are measured all the same"},
    {"home", 0, OPTION_TEXT, "HOME", NULL, 0, 0, NULL,
     "where the lines' memory is: first or second (on the NUMA node of that CPU of each pair), or "
     "node:N (default: on the first CPU's node)"},
    {"parallel", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "measure pairs that share no core side by side, and some again alone, to see what that does "
     "to them (default: above 32 CPUs)"},
    {"sequential", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "measure one pair at a time, however many there are"},
    {"bias", 0, OPTION_REAL, "PCT", NULL, 0, 1000, NULL,
     "above this difference between side by side and alone, every pair is measured alone (default: "
     "3)"},
    {"correct-drift", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL,
     "divide every value by how a reference pair, measured again and again, has moved"},
    {"samples-out", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL,
     "write every batch to FILE as CSV: pair, line, pass, address, time"},
    {.name = NULL},
};

/* --- CPUs --- */

static int core_of(const struct machine *machine, int cpu)
{
    const struct cpu_place *place = machine_cpu(machine, cpu);
    return place && place->core >= 0 ? place->core : -1 - cpu;
}

static bool core_seen(const struct probe_task *task, const int *cpus, size_t count, int core)
{
    for (size_t i = 0; i < count; i++)
        if (core_of(task->machine, cpus[i]) == core)
            return true;
    return false;
}

/* Keeps the first CPU of each core, and no more than `most` of them. Returns how many. */
static size_t keep_one_per_core(const struct probe_task *task, int *cpus, size_t count, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < most; i++)
        if (!core_seen(task, cpus, kept, core_of(task->machine, cpus[i])))
            cpus[kept++] = cpus[i];
    return kept;
}

static int by_place(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    const int order[][2] = {{x->package, y->package}, {x->node, y->node},       {x->kind, y->kind},
                            {x->core, y->core},       {x->sibling, y->sibling}, {x->id, y->id}};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (order[i][0] != order[i][1])
            return order[i][0] < order[i][1] ? -1 : 1;
    return 0;
}

static int sort_by_place(const struct probe_task *task, struct cores_state *state)
{
    struct cpu_place *places = calloc(state->cpu_count, sizeof *places);
    if (!places)
        return ERROR_SYSTEM;
    for (size_t i = 0; i < state->cpu_count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        places[i] = place ? *place : (struct cpu_place){.id = state->cpus[i]};
    }
    qsort(places, state->cpu_count, sizeof *places, by_place);
    for (size_t i = 0; i < state->cpu_count; i++)
        state->cpus[i] = places[i].id;
    free(places);
    return 0;
}

/* The nearest, the farthest and the mean of one pair are no values of all pairs. */
static int note_one_pair(struct probe_task *task)
{
    struct factor *pairs = probe_add_parameter(task, "pairs");
    if (!pairs)
        return ERROR_SYSTEM;
    pairs->text = "one";
    return 0;
}

/* In a quick run one pair stands for all, unless the person has chosen CPUs. */
static int choose_cpus(struct probe_task *task, struct cores_state *state, struct error *error)
{
    const struct settings *settings = task->settings;
    bool quick = settings_has(settings, "quick") && !settings_has(settings, "cpus");
    state->cpu_count = task->cpus.count;
    state->cpus = pool_alloc(task->pool, state->cpu_count, sizeof *state->cpus);
    if (!state->cpus)
        return cores_out_of_memory(error);
    memcpy(state->cpus, task->cpus.ids, state->cpu_count * sizeof *state->cpus);
    if (settings_has(settings, "one-per-core"))
        state->cpu_count = keep_one_per_core(task, state->cpus, state->cpu_count, SIZE_MAX);
    if (state->cpu_count < 2)
        return error_set(error, ERROR_USAGE,
                         "--one-per-core: the CPUs that may be used are threads of one core; leave "
                         "it out, or choose others with --cpus");
    if (quick && state->cpu_count > 2) {
        int two[2] = {state->cpus[0], state->cpus[1]};
        if (keep_one_per_core(task, state->cpus, state->cpu_count, 2) < 2)
            memcpy(state->cpus, two, sizeof two);
        state->cpu_count = 2;
        if (note_one_pair(task) < 0)
            return cores_out_of_memory(error);
    }
    bool by_topology = settings_has(settings, "order") && settings_choice(settings, "order") == 1;
    if (by_topology && sort_by_place(task, state) < 0)
        return cores_out_of_memory(error);
    return 0;
}

/* --- homes --- */

static int node_of(const struct probe_task *task, int cpu)
{
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    return place ? place->node : -1;
}

static void add_home(struct cores_state *state, int node)
{
    for (size_t i = 0; i < state->home_count; i++)
        if (state->homes[i] == node)
            return;
    state->homes[state->home_count++] = node;
}

static int choose_node(const struct probe_task *task, struct cores_state *state, const char *text,
                       struct error *error)
{
    double node;
    char known[128] = "";
    const struct machine_facts *facts = &task->machine->facts;
    for (size_t i = 0; i < facts->node_count; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%d", i ? "," : "", facts->nodes[i].id);
        if (number_parse(text, &node, NULL) == 0 && node == facts->nodes[i].id) {
            add_home(state, facts->nodes[i].id);
            return 0;
        }
    }
    return error_set(error, ERROR_USAGE,
                     "--home node:%s: there is no such NUMA node; choose from %s", text,
                     *known ? known : "none: this machine reports no nodes");
}

static int choose_home(struct probe_task *task, struct cores_state *state, struct error *error)
{
    static const char prefix[] = "node:";
    state->homes = pool_alloc(task->pool, state->cpu_count + 1, sizeof *state->homes);
    if (!state->homes)
        return cores_out_of_memory(error);
    if (!settings_has(task->settings, "home")) {
        add_home(state, -1);
        return 0;
    }
    const char *text = settings_text(task->settings, "home");
    if (strncmp(text, prefix, strlen(prefix)) == 0) {
        state->home = HOME_NODE;
        return choose_node(task, state, text + strlen(prefix), error);
    }
    state->home = strcmp(text, "first") == 0    ? HOME_FIRST
                  : strcmp(text, "second") == 0 ? HOME_SECOND
                                                : HOME_ANY;
    if (state->home == HOME_ANY)
        return error_set(error, ERROR_USAGE, "--home '%s': choose first, second or node:N", text);
    /* On one node there is nothing to bind to. */
    for (size_t i = 0; i < state->cpu_count; i++)
        add_home(state, task->machine->facts.node_count > 1 ? node_of(task, state->cpus[i]) : -1);
    return 0;
}

/* --- operations and lines --- */

static int choose_operation(struct probe_task *task, struct cores_state *state, struct error *error)
{
    const struct settings *settings = task->settings;
    const char *missing;
    state->op = (enum handoff_op)settings_choice(settings, "op");
    state->handoffs[state->op] = handoff_find(state->op, &missing);
    if (!state->handoffs[state->op])
        return error_set(error, ERROR_USAGE, "--op %s: %s; choose another operation",
                         handoff_names[state->op], missing);
    /* All else is timed on one CPU, by any clock; stamps are of two, and need the counter. */
    if (state->op == HANDOFF_ONE_WAY && task->machine->live && clock_counter_distrusted(NULL))
        return error_set(error, ERROR_USAGE,
                         "--op one-way: the kernel does not trust this processor's counter, which "
                         "may differ from CPU to CPU; choose another operation, or see 'fathom "
                         "doctor'");
    /* Who named no operation gets a second one for the nearest and the farthest pair. */
    state->ends = !settings_given(settings, "op");
    state->handoffs[HANDOFF_READWRITE] = handoff_find(HANDOFF_READWRITE, &missing);
    if (settings_has(settings, "payload") && state->op != HANDOFF_PAYLOAD)
        return error_set(error, ERROR_USAGE,
                         "--payload goes with --op payload, and this is --op %s: leave one out",
                         handoff_names[state->op]);
    return 0;
}

static int choose_lines(struct probe_task *task, struct cores_state *state, struct error *error)
{
    const struct settings *settings = task->settings;
    state->seed = task->seed;
    state->lines = (unsigned)settings_number(settings, "lines");
    /* A single line is measured as single-line tools do: in one go. */
    state->passes = state->lines > 1 ? 2 : 1;
    state->line_bytes = machine_line_bytes(task->machine);
    state->payload_lines = state->op != HANDOFF_PAYLOAD ? 0
                           : settings_has(settings, "payload")
                               ? (unsigned)settings_number(settings, "payload")
                               : 4;
    size_t page = state->parallel ? PAGE / 4 : PAGE; /* times as many pairs as there are cores */
    state->slot_bytes = (cores_extent(state) + page - 1) / page * page;
    size_t pairs = state->cpu_count / 2;
    state->regions = !state->parallel ? 1 : pairs < CORES_SIDE_BY_SIDE ? pairs : CORES_SIDE_BY_SIDE;
    uint64_t wanted = (uint64_t)state->slot_bytes * state->lines * state->regions;
    uint64_t most = machine_memory_budget(task->machine);
    char asked[UNIT_TEXT], usable[UNIT_TEXT];
    if (wanted > most)
        return error_set(
            error, ERROR_USAGE, "--lines %u: they need %s, and only %s may be used; ask for fewer",
            state->lines, size_format((double)wanted, asked), size_format((double)most, usable));
    state->trial_values =
        pool_alloc(task->pool, (size_t)state->lines * state->passes, sizeof *state->trial_values);
    return state->trial_values ? 0 : cores_out_of_memory(error);
}

/* Who asked for pairs side by side learns that there were none. */
static int note_narrow(struct probe_task *task)
{
    struct factor *remark = probe_add_parameter(task, parameter_not_measured);
    if (!remark)
        return ERROR_SYSTEM;
    remark->text = "pairs side by side: among these CPUs there are no two pairs that share no core";
    return 0;
}

static int choose_parallel(struct probe_task *task, struct cores_state *state, struct error *error)
{
    const struct settings *settings = task->settings;
    bool parallel = settings_has(settings, "parallel");
    bool sequential = settings_has(settings, "sequential");
    if (parallel && sequential)
        return error_set(error, ERROR_USAGE,
                         "--parallel and --sequential contradict: leave one out");
    if (sequential && settings_given(settings, "bias"))
        return error_set(error, ERROR_USAGE,
                         "--bias is about pairs measured side by side, and --sequential measures "
                         "none so: leave one out");
    const bool wanted = parallel || (!sequential && state->cpu_count > PARALLEL_ABOVE);
    if (!wanted && settings_given(settings, "bias"))
        return error_set(error, ERROR_USAGE,
                         "--bias is about pairs measured side by side, and up to %d CPUs are "
                         "measured one pair at a time: give --parallel too",
                         PARALLEL_ABOVE);
    size_t width = 0;
    if (wanted && cores_width(task, state, &width) < 0)
        return cores_out_of_memory(error);
    state->parallel = width > 1;
    if (wanted && !state->parallel && note_narrow(task) < 0)
        return cores_out_of_memory(error);
    state->bias_limit =
        settings_has(settings, "bias") ? settings_number(settings, "bias") : (double)BIAS_LIMIT;
    return 0;
}

int cores_choose(struct probe_task *task, struct cores_state *state, struct error *error)
{
    int code = choose_operation(task, state, error);
    if (code == 0)
        code = choose_cpus(task, state, error);
    if (code == 0)
        code = choose_parallel(task, state, error);
    if (code == 0)
        code = choose_lines(task, state, error);
    if (code == 0)
        code = choose_home(task, state, error);
    if (code == 0 && state->op == HANDOFF_ONE_WAY) {
        state->ways = cores_ways_create(state->cpu_count, task->pool);
        code = state->ways ? 0 : cores_out_of_memory(error);
    }
    if (code == 0 && settings_has(task->settings, "samples-out"))
        code = cores_samples_begin(&state->samples, settings_text(task->settings, "samples-out"),
                                   task->pool, error);
    return code;
}
