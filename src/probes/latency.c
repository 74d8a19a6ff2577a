/*
 * Load-to-use latency by working-set size: one chain of dependent loads through a ring of
 * pointers, one a line, in an order that no prefetcher follows.
 *
 * The method is that of lmbench's lat_mem_rd (McVoy and Staelin, "lmbench: portable tools for
 * performance analysis", USENIX ATC 1996) with its known traps closed: random order over the whole
 * ring, huge pages where they can be had, fresh memory and a fresh ring for every trial, caches
 * left as a long chase leaves them before the clock is read.
 */
#include "base/random.h"
#include "base/units.h"
#include "engine/ring.h"
#include "kernels/chase.h"
#include "probes/probes.h"
#include "probes/working_sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MIB = 1024 * 1024;
enum { SMALL_PAGE = 4096 };

struct latency_state {
    size_t stride;
    enum ring_order order;
    size_t block_bytes;  /* 0: the whole ring is one block */
    uint64_t warm_bytes; /* a chase over so much memory settles every cache */
};

static const struct option_spec options[] = {
    {"from", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "smallest working set (default: 1K, or one stride)"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "largest working set (default: four times the last-level cache declared, at most 1G)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL,
     "sizes from one power of two to the next (default: 8 below 64M, 4 above)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 8, 0, NULL, "these working sets and no others"},
    {"stride", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL,
     "bytes from one pointer to the next in memory, a multiple of 8 (default: one cache line)"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {"order", 0, OPTION_TEXT, "ORDER", "random", 0, 0, NULL,
     "random, forward, backward, or random-in-block:SIZE, which visits one block after another"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {"node", 0, OPTION_INTEGER, "N", NULL, 0, 65535, NULL,
     "NUMA node that holds the memory (default: the CPU's own)"},
    {.name = NULL},
};

/* --- planning --- */

static int parse_order(struct latency_state *state, const char *text, struct error *error)
{
    static const char block_prefix[] = "random-in-block:";
    uint64_t block;
    if (strcmp(text, "random") == 0) {
        state->order = RING_RANDOM;
    } else if (strcmp(text, "forward") == 0) {
        state->order = RING_FORWARD;
    } else if (strcmp(text, "backward") == 0) {
        state->order = RING_BACKWARD;
    } else if (strncmp(text, block_prefix, strlen(block_prefix)) == 0 &&
               size_parse(text + strlen(block_prefix), &block, NULL) == 0 &&
               block >= state->stride) {
        state->order = RING_RANDOM;
        state->block_bytes = (size_t)block;
    } else {
        return error_set(error, ERROR_USAGE,
                         "--order '%s': choose random, forward, backward or "
                         "random-in-block:SIZE with a block of at least one stride",
                         text);
    }
    return 0;
}

static int choose_cpu(struct probe_task *task, int *cpu, struct error *error)
{
    if (settings_has(task->settings, "cpu")) {
        *cpu = (int)settings_number(task->settings, "cpu");
        if (cpulist_has(&task->cpus, *cpu))
            return 0;
        char usable[128];
        return error_set(error, ERROR_USAGE, "--cpu %d: no such CPU may be used; choose from %s",
                         *cpu, cpulist_format(&task->cpus, usable, sizeof usable));
    }
    int best = -1;
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, task->cpus.ids[i]);
        if (place && place->kind > best) {
            best = place->kind;
            *cpu = place->id;
        }
    }
    return 0;
}

static int choose_node(struct probe_task *task, int *node, struct error *error)
{
    const struct machine_facts *facts = &task->machine->facts;
    if (!settings_has(task->settings, "node"))
        return 0;
    *node = (int)settings_number(task->settings, "node");
    char known[128] = "";
    for (size_t i = 0; i < facts->node_count; i++) {
        if (facts->nodes[i].id == *node)
            return 0;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, " %d", facts->nodes[i].id);
    }
    return error_set(error, ERROR_USAGE,
                     "--node %d: there is no such NUMA node here; choose from%s, or leave it out",
                     *node, *known ? known : " none");
}

static int add_points(struct probe_task *task, const struct seat *seat, struct error *error)
{
    const struct latency_state *state = task->state;
    struct plan *plan = &task->plan;
    struct working_sets sets;
    int code = working_sets_choose(&sets, task, state->stride, error);
    if (code < 0)
        return code;
    plan->point_count = sets.count;
    plan->points = pool_alloc(task->pool, sets.count, sizeof *plan->points);
    if (!plan->points)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    for (size_t i = 0; i < sets.count; i++)
        plan->points[i] = (struct plan_point){.x = (double)sets.bytes[i],
                                              .seats = seat,
                                              .seat_count = 1,
                                              .arena_bytes = (size_t)sets.bytes[i],
                                              .detail = sets.bytes[i]};
    return 0;
}

/* What is varied belongs to the series; the CPU that was chosen is a parameter. */
static int describe_series(struct probe_task *task, int cpu, struct error *error)
{
    const struct latency_state *state = task->state;
    struct series *series = &task->plan.series[0];
    struct factor *factors = pool_alloc(task->pool, 3, sizeof *factors);
    if (!factors)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    if (!settings_has(task->settings, "cpu")) {
        struct factor *chosen = probe_add_parameter(task, "cpu");
        if (!chosen)
            return error_set(error, ERROR_SYSTEM, "out of memory");
        chosen->number = cpu;
    }
    factors[0] = (struct factor){"order", settings_text(task->settings, "order"), 0};
    factors[1] = (struct factor){"stride", NULL, (double)state->stride};
    factors[2] = (struct factor){"pages", settings_text(task->settings, "pages"), 0};
    series->factors = factors;
    series->factor_count = 3;
    return 0;
}

static int plan_latency(struct probe_task *task, struct error *error)
{
    struct plan *plan = &task->plan;
    struct latency_state *state = pool_alloc(task->pool, 1, sizeof *state);
    struct seat *seat = pool_alloc(task->pool, 1, sizeof *seat);
    plan->series = pool_alloc(task->pool, 1, sizeof *plan->series);
    if (!state || !seat || !plan->series)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    task->state = state;

    state->stride = settings_has(task->settings, "stride")
                        ? (size_t)settings_size(task->settings, "stride")
                        : machine_line_bytes(task->machine);
    if (state->stride % sizeof(void *) != 0)
        return error_set(error, ERROR_USAGE,
                         "--stride %zu: give a multiple of %zu, a pointer's size", state->stride,
                         sizeof(void *));
    uint64_t last_level = last_level_bytes(task->machine);
    state->warm_bytes = 2 * (last_level ? last_level : 32 * MIB);
    int code = parse_order(state, settings_text(task->settings, "order"), error);
    if (code == 0)
        code = choose_cpu(task, &seat->cpu, error);
    if (code == 0)
        code = choose_node(task, &plan->node, error);
    if (code < 0)
        return code;

    seat->role = MEASURED;
    plan->touch_cpu = seat->cpu;
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    plan->unstable_above = 0.1;
    plan->series_count = 1;
    plan->series[0] =
        (struct series){.name = "latency", .x = {"working set", "B"}, .y = {"latency", "ns"}};
    code = describe_series(task, seat->cpu, error);
    return code == 0 ? add_points(task, seat, error) : code;
}

/* --- measuring --- */

/* Where in the arena a trial lies is part of what is measured, so it varies. Sets of huge pages
 * begin on one, or they would need one more of them. */
static unsigned char *choose_place(const struct trial *trial, uint64_t bytes)
{
    uint64_t align = bytes >= 2 * MIB ? 2 * MIB : SMALL_PAGE;
    uint64_t places = (trial->arena->bytes - bytes) / align + 1;
    struct random random = {trial->seed};
    return trial->arena->memory + random_below(&random, places) * align;
}

static void prepare_latency(struct trial *trial)
{
    const struct latency_state *state = trial->probe_state;
    const uint64_t bytes = trial->point->detail;
    struct ring ring = {.memory = choose_place(trial, bytes),
                        .count = (size_t)(bytes / state->stride),
                        .stride = state->stride,
                        .order = state->order,
                        .block = state->block_bytes / state->stride,
                        .seed = trial->seed};
    ring_build(&ring);
    /* Twice round settles any replacement policy; beyond the caches, their size does. */
    uint64_t settled = state->warm_bytes / state->stride;
    uint64_t visits = 2 * (uint64_t)ring.count;
    struct worker *worker = &trial->workers[0];
    struct chase *chase = (struct chase *)worker->room;
    chase->position = ring_warm(&ring, (size_t)(visits < settled ? visits : settled));
    worker->run = chase_run;
    worker->state = chase;
    trial->operations = chase_steps;
}

/* --- concluding --- */

/* The point whose size is nearest to `bytes` on a logarithmic scale and within a factor of 1.5. */
static const struct point *point_near(const struct series *series, double bytes)
{
    const struct point *best = NULL;
    double nearest = log(1.5);
    for (size_t i = 0; i < series->point_count; i++) {
        double distance = fabs(log(series->points[i].x / bytes));
        if (distance <= nearest) {
            nearest = distance;
            best = &series->points[i];
        }
    }
    return best;
}

static int add_level(struct probe_task *task, const char *level, const struct point *point,
                     const char *where, struct error *error)
{
    char name[32], size[UNIT_TEXT];
    snprintf(name, sizeof name, "%s.latency", level);
    struct finding *cycles = probe_add_summary(task, name, "cycles", &point->cycles, point->flags);
    snprintf(name, sizeof name, "%s.latency_ns", level);
    struct finding *ns = probe_add_summary(task, name, "ns", &point->y, point->flags);
    if (!cycles || !ns)
        return error_set(error, ERROR_SYSTEM, "out of memory");
    cycles->text = ns->text =
        pool_printf(task->pool, "at a working set of %s, %s", size_format(point->x, size), where);
    return 0;
}

static int conclude_latency(struct probe_task *task, const struct sampled *sampled,
                            struct error *error)
{
    const struct series *series = &task->result->series[0];
    const struct machine *machine = task->machine;
    int code = 0, level = 1;
    const struct cache_facts *cache;
    for (; code == 0 && (cache = machine_cache(machine, level)); level++) {
        const struct point *point = point_near(series, (double)cache->size_bytes / 2);
        char name[16];
        snprintf(name, sizeof name, "L%d", level);
        if (point)
            code =
                add_level(task, name, point, "half of what the cache is declared to hold", error);
    }
    const struct point *last =
        series->point_count ? &series->points[series->point_count - 1] : NULL;
    uint64_t last_level = last_level_bytes(machine);
    if (code == 0 && last && last_level && last->x >= 2 * (double)last_level)
        code = add_level(task, "DRAM", last, "beyond every declared cache", error);
    if (code == 0 && sampled->core_hz.n &&
        !probe_add_summary(task, "core.clock", "Hz", &sampled->core_hz, 0))
        code = error_set(error, ERROR_SYSTEM, "out of memory");
    return code;
}

const struct probe latency_probe = {
    .name = "latency",
    .title = "Load latency by working-set size",
    .summary = "how long a load takes, from the first-level cache to DRAM",
    .about = "Load-to-use latency: each load gives the address of the next, so nothing overlaps. "
             "The working set is what the chain runs through, one pointer a cache line, in "
             "random order. While it fits a cache, the latency is that cache's; the steps in "
             "between are soft because part of the set still fits.\n"
             "What moves it: the core clock (cycles stay, ns change), page size (with small "
             "pages, address translation adds to every size beyond the TLB's reach), neighbours "
             "in a shared cache, and the NUMA node that holds the memory.",
    .weight = 0.9,
    .options = options,
    .plan = plan_latency,
    .prepare = prepare_latency,
    .conclude = conclude_latency,
};
