#include "measure/probes/cores/cores.h"

#include "base/sort.h"
#include "base/units.h"
#include "machine/clock.h"

#include <string.h>

/* Up to this many CPUs are measured pair by pair, which takes some five seconds; more are measured
 * side by side. */
enum { PARALLEL_ABOVE = 32, BIAS_LIMIT = 3, PAGE = 4096, PAYLOAD_LINES = 4, PAYLOAD_MOST = 1024 };
enum { LINES = 64, LINES_OF_THE_ONLY_PAIR = 128 };

enum { ORDER_TOPOLOGY = 1 };
static const char *const orders[] = {"os", [ORDER_TOPOLOGY] = "topology", NULL};

#include "cores_options.help.h"

/* --- CPUs --- */

/* Keeps the first CPU of each core, at most `most` of them. Returns their number. */
static size_t keep_one_per_core(const struct probe_task *task, int *cpus, size_t count, size_t most)
{
    size_t kept = 0;
    for (size_t i = 0; i < count && kept < most; i++) {
        size_t same = 0;
        while (same < kept &&
               machine_core(task->machine, cpus[same]) != machine_core(task->machine, cpus[i]))
            same++;
        if (same == kept)
            cpus[kept++] = cpus[i];
    }
    return kept;
}

static int by_place(const void *a, const void *b)
{
    const struct cpu_place *x = a, *y = b;
    return ORDER_BY({x->package, y->package}, {x->node, y->node}, {x->kind, y->kind},
                    {x->core, y->core}, {x->sibling, y->sibling}, {x->id, y->id});
}

/* A quick run measures one pair instead of all, unless the user chose CPUs. */
static void choose_cpus(struct probe_task *task, struct cores_state *state)
{
    const struct cores_options *asked = task->options;
    state->cpu_count = task->cpus.count;
    state->cpus = pool_alloc(task->pool, state->cpu_count, sizeof *state->cpus);
    memcpy(state->cpus, task->cpus.ids, state->cpu_count * sizeof *state->cpus);
    if (asked->one_per_core.has)
        state->cpu_count = keep_one_per_core(task, state->cpus, state->cpu_count, SIZE_MAX);
    if (state->cpu_count < 2)
        pool_leave(task->pool, ERROR_USAGE,
                   "--one-per-core: the CPUs that may be used are threads of one core; leave it "
                   "out, or choose others with --cpus");
    if (task->common.quick.has && !task->common.cpus.has && state->cpu_count > 2) {
        const int two[2] = {state->cpus[0], state->cpus[1]};
        if (keep_one_per_core(task, state->cpus, state->cpu_count, 2) < 2)
            memcpy(state->cpus, two, sizeof two);
        state->cpu_count = 2;
        /* Marks the document: the nearest, farthest and mean of one pair do not describe all
         * pairs. */
        build_note_text(task, "pairs", "one");
    }
    if (asked->order.has && asked->order.choice == ORDER_TOPOLOGY)
        state->cpus = build_order(task, state->cpus, state->cpu_count, by_place);
}

/* --- homes --- */

static void add_home(struct cores_state *state, int node)
{
    for (size_t i = 0; i < state->home_count; i++)
        if (state->homes[i] == node)
            return;
    state->homes[state->home_count++] = node;
}

static void choose_home(struct probe_task *task, struct cores_state *state)
{
    static const char prefix[] = "node:";
    const struct setting *asked = &((const struct cores_options *)task->options)->home;
    state->homes = pool_alloc(task->pool, state->cpu_count + 1, sizeof *state->homes);
    if (!asked->has)
        return add_home(state, -1);
    if (strncmp(asked->text, prefix, strlen(prefix)) == 0) {
        const char *text = asked->text + strlen(prefix);
        const struct machine_facts *facts = &task->machine->facts;
        const char *known = NULL;
        double node;
        state->home = HOME_NODE;
        for (size_t i = 0; i < facts->node_count; i++) {
            const int id = facts->nodes[i].id;
            if (number_parse(text, &node, NULL) == 0 && node == id)
                return add_home(state, id);
            known = known ? pool_printf(task->pool, "%s,%d", known, id)
                          : pool_printf(task->pool, "%d", id);
        }
        pool_leave(task->pool, ERROR_USAGE,
                   "--home node:%s: there is no such NUMA node; choose from %s", text,
                   known ? known : "none: this machine reports no nodes");
    }
    state->home = strcmp(asked->text, "first") == 0    ? HOME_FIRST
                  : strcmp(asked->text, "second") == 0 ? HOME_SECOND
                                                       : HOME_ANY;
    if (state->home == HOME_ANY)
        pool_leave(task->pool, ERROR_USAGE, "--home '%s': choose first, second or node:N",
                   asked->text);
    /* A machine with one node needs no binding. */
    for (size_t i = 0; i < state->cpu_count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, state->cpus[i]);
        add_home(state, task->machine->facts.node_count > 1 && place ? place->node : -1);
    }
}

/* --- operations and lines --- */

static void choose_operation(struct probe_task *task, struct cores_state *state)
{
    const struct cores_options *asked = task->options;
    const char *missing;
    state->op = (enum handoff_op)asked->op.choice;
    state->handoffs[state->op] = handoff_find(state->op, &missing);
    if (!state->handoffs[state->op])
        pool_leave(task->pool, ERROR_USAGE, "--op %s: %s; choose another operation",
                   handoff_names[state->op], missing);
    /* Other operations are timed on one CPU, by any clock; one-way stamps come from two CPUs and
     * need the counter. */
    if (state->op == HANDOFF_ONE_WAY && task->machine->live && clock_counter_distrusted(NULL))
        pool_leave(task->pool, ERROR_USAGE,
                   "--op one-way: the kernel does not trust this processor's counter, which may "
                   "differ from CPU to CPU; choose another operation, or see 'fathom doctor'");
    /* Without --op the nearest and the farthest pair are measured with a second operation. */
    state->ends = !asked->op.given;
    state->handoffs[HANDOFF_READWRITE] = handoff_find(HANDOFF_READWRITE, &missing);
    if (asked->payload.has && state->op != HANDOFF_PAYLOAD)
        pool_leave(task->pool, ERROR_USAGE,
                   "--payload goes with --op payload, and this is --op %s: leave one out",
                   handoff_names[state->op]);
}

static void choose_lines(struct probe_task *task, struct cores_state *state)
{
    const struct cores_options *asked = task->options;
    const size_t page = state->parallel ? PAGE / 4 : PAGE, /* many regions side by side */
        pairs = state->cpu_count / 2;
    state->seed = task->seed;
    /* Lines differ by a tenth. There is time for 128 of a single pair, whose median is known to 1
     * %.
     */
    state->lines = asked->lines.has                                 ? (unsigned)asked->lines.number
                   : state->cpu_count > 2 || task->common.quick.has ? LINES
                                                                    : LINES_OF_THE_ONLY_PAIR;
    if (!asked->lines.has) /* else the option is noted */
        build_note(task, "lines", state->lines);
    /* A single line is measured in one pass, as single-line tools do. */
    state->passes = state->lines > 1 ? 2 : 1;
    state->line_bytes = machine_line_bytes(task->machine);
    if (state->op == HANDOFF_PAYLOAD)
        state->payload_lines = asked->payload.has ? (unsigned)asked->payload.number : PAYLOAD_LINES;
    state->slot_bytes = (cores_extent(state) + page - 1) / page * page;
    state->regions = !state->parallel ? 1 : pairs < CORES_SIDE_BY_SIDE ? pairs : CORES_SIDE_BY_SIDE;
    const uint64_t bytes = (uint64_t)state->slot_bytes * state->lines * state->regions;
    const uint64_t most = machine_memory_budget(task->machine);
    if (bytes > most)
        pool_leave(task->pool, ERROR_USAGE,
                   "--lines %u: they need %s, and only %s may be used; ask for fewer", state->lines,
                   size_text(task->pool, (double)bytes), size_text(task->pool, (double)most));
    state->trial_values =
        pool_alloc(task->pool, (size_t)state->lines * state->passes, sizeof *state->trial_values);
}

static void choose_parallel(struct probe_task *task, struct cores_state *state)
{
    const struct cores_options *asked = task->options;
    const bool parallel = asked->parallel.has, sequential = asked->sequential.has;
    if (parallel && sequential)
        pool_leave(task->pool, ERROR_USAGE,
                   "--parallel and --sequential contradict: leave one out");
    if (sequential && asked->bias.given)
        pool_leave(task->pool, ERROR_USAGE,
                   "--bias is about pairs measured side by side, and --sequential measures none "
                   "side by side: leave one out");
    const bool wanted = parallel || (!sequential && state->cpu_count > PARALLEL_ABOVE);
    if (!wanted && asked->bias.given)
        pool_leave(task->pool, ERROR_USAGE,
                   "--bias is about pairs measured side by side, and up to %d CPUs are measured "
                   "one pair at a time: give --parallel too",
                   PARALLEL_ABOVE);
    state->parallel = wanted && cores_width(task, state) > 1;
    if (wanted && !state->parallel)
        build_note_text(
            task, parameter_not_measured,
            "pairs side by side: among these CPUs there are no two pairs that share no core");
    state->bias_limit = asked->bias.has ? asked->bias.number : BIAS_LIMIT;
}

void cores_choose(struct probe_task *task, struct cores_state *state)
{
    choose_operation(task, state);
    choose_cpus(task, state);
    choose_parallel(task, state);
    choose_lines(task, state);
    choose_home(task, state);
    if (state->op == HANDOFF_ONE_WAY)
        state->ways = cores_ways_create(state->cpu_count, task->pool);
}
