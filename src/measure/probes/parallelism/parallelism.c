/*
 * How many loads can be in flight at once: 1 to 64 independent chases through one ring, in each
 * level. One chain shows a level's latency; more chains take less time per access until a resource
 * is exhausted: the buffers that track misses (line fill buffers, miss address buffers), the queues
 * farther out, or the memory itself.
 *
 * The method is that of lmbench's par_mem (Staelin and McVoy) and of the batches in R. Groot
 * Koerkamp's "CPU performance", and avoids two traps: no chain is spilled to the stack unnoticed
 * (measure/kernels/chains.h), and the caches hold lines that each chain has already passed, not
 * those ahead of it.
 */
#include "measure/probes/parallelism/parallelism.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/chains.h"
#include "measure/probes/kit/build.h"

#include <math.h>

enum { PAGE = 4096, THREADS_MOST = 65536 };
/* Optional stages need this much time; a whole run has only a few seconds for this probe. */
static const double time_enough_s = 6;
/* Shares of the time: the first stage's share of all of it, each other stage's share of the
 * rest. */
static const double first_share = 0.6, next_share = 0.5;

#define AT(option) offsetof(struct parallelism_options, option)
static const struct option_spec options[] = {
    {"chains", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL, AT(chains),
     "numbers of chains, like 1,2,4-16,64, each from 1 to 64 (default: 19 of these)"},
    {"level", 0, OPTION_CHOICE, "LEVEL", "all", 0, 0, parallelism_level_names, AT(level),
     "the one level to look at: L1, L2, L3, L4 or DRAM (default: DRAM, and the others where there "
     "is time)"},
    {"size", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL, AT(size),
     "this working set instead of one for each level"},
    {"threads", 0, OPTION_INTEGER, "N", NULL, 1, THREADS_MOST, NULL, AT(threads),
     "threads that access memory at random at the same time, from one to N by doubling (default: "
     "one, and one on every CPU)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 128, 0, NULL, AT(sets.sizes),
     "curves over these working sets instead, one for each number of chains, or with --work for "
     "each amount of it"},
    {"from", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL, AT(sets.from),
     "the same from this size (default: 1K)"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL, AT(sets.to),
     "the same up to this size (default: four times the last-level cache declared, at most 1G)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL, AT(sets.per_octave),
     "sizes from one power of two to the next (default: 4 below 64M, 2 above)"},
    {"work", 0, OPTION_TEXT, "CYCLES,...", NULL, 0, 0, NULL, AT(work),
     "look also at work after each access, up to this many cycles of it, which no address depends "
     "on: how much of it keeps the processor from seeing the next access; several amounts, like "
     "3,6,12, are those and no others"},
    {"prefetch", 0, OPTION_INTEGER, "STEPS", NULL, 1, CHAINS_MOST, NULL, AT(prefetch),
     "with --work: and at what it wins back to prefetch each line this many steps ahead"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names, AT(pages),
     "page policy: auto takes the largest available; what was obtained is verified and reported"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL, AT(cpu),
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

/* --- stages --- */

const char *const parallelism_all_name = "random accesses by all threads",
                  *const parallelism_work_names[3] = {"one chain, with work", "chains with work",
                                                      "chains with work and prefetch"};

static void add_stage(struct parallelism_state *state, enum parallelism_look look, size_t level,
                      bool optional)
{
    state->stages[state->stage_count++] = (struct parallelism_stage){look, level, optional};
}

static void list_stages(const struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    if (state->sets.count) {
        add_stage(state, LOOK_SIZES, state->far, false);
        return;
    }
    add_stage(state, LOOK_CURVE, state->far, false);
    if (state->levels[state->far].last || state->asked->threads.has)
        add_stage(state, LOOK_THREADS, state->far, false);
    if (state->work_most)
        add_stage(state, LOOK_WORK, state->far, false);
    for (size_t i = 0; i < state->level_count; i++)
        if (i != state->far)
            add_stage(state, LOOK_CURVE, i, true);
    if (!state->chains_named && !task->common.quick.has)
        add_stage(state, LOOK_REST, state->far, !state->asked->level.given);
}

static int add_series(struct probe_task *task, const char *name, const char *unit_x, struct axis y)
{
    const struct parallelism_state *state = task->state;
    const struct chase_level *level = &state->levels[state->stages[state->at].level];
    const unsigned series =
        build_series(task, (struct series){.name = name, .x = {unit_x, ""}, .y = y});
    char size[UNIT_TEXT];
    size_format((double)state->ring.bytes, size);
    build_factor_text(task, series, "level", level->name);
    build_factor_text(task, series, "working set", pool_strdup(task->pool, size));
    build_factor_text(task, series, "pages", state->asked->pages.text);
    return (int)series;
}

static struct plan_point *add_point(struct probe_task *task, int series, double x,
                                    struct parallelism_point does, size_t threads)
{
    const struct parallelism_state *state = task->state;
    struct parallelism_point *own = pool_alloc(task->pool, 1, sizeof *own);
    struct plan_point *point =
        build_point(task, (unsigned)series, x, state->cpus, threads, MEASURED);
    *own = does;
    point->own = own;
    point->arena_bytes = chain_ring_arena_bytes(&state->ring);
    return point;
}

static void plan_curve(struct probe_task *task, size_t level, bool rest)
{
    struct parallelism_state *state = task->state;
    struct parallelism_level *curve = &state->curves[level];
    const char *name = state->levels[level].name;
    if (!rest) {
        curve->level = &state->levels[level];
        curve->series = add_series(task, pool_printf(task->pool, "chains in %s", name), "chains",
                                   (struct axis){"time per access", "ns"});
    }
    const uint64_t room = parallelism_room(state, state->ring.bytes);
    for (size_t i = 0; i < state->chain_count; i++)
        if (state->chains[i] <= room)
            add_point(task, curve->series, state->chains[i],
                      (struct parallelism_point){MODE_CHAINS, state->chains[i], 0}, 1);
}

static void plan_threads(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    task->plan.yields = OPERATIONS_PER_SECOND;
    task->plan.cycles = false;
    state->all =
        add_series(task, parallelism_all_name, "threads", (struct axis){"accesses", "1/s"});
    build_factor(task, (unsigned)state->all, "chains", state->chains_per_thread);
    for (size_t n = 1; n <= state->threads;) {
        add_point(task, state->all, (double)n,
                  (struct parallelism_point){MODE_CHAINS, state->chains_per_thread, 0}, n);
        size_t next = state->asked->threads.has ? 2 * n : state->threads;
        n = n < state->threads && next > state->threads ? state->threads : next > n ? next : n + 1;
    }
}

static void plan_work(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    for (int which = 0; which < (state->ahead ? 3 : 2); which++) {
        const enum parallelism_mode mode = which == 2 ? MODE_PREFETCH : MODE_WORK;
        const unsigned chains = which ? parallelism_chains_at_work(state) : 1;
        const int series = state->work[which] =
            add_series(task, parallelism_work_names[which], "cycles of work",
                       (struct axis){"time per access", "ns"});
        build_factor(task, (unsigned)series, "chains", chains);
        for (size_t i = 0; i < state->work_count && state->work_count > 1; i++)
            add_point(task, series, state->works[i],
                      (struct parallelism_point){mode, chains, state->works[i]}, 1);
        unsigned step = 8;
        for (unsigned work = 0; state->work_count < 2; work += step) {
            work = work < state->work_most ? work : state->work_most;
            add_point(task, series, work, (struct parallelism_point){mode, chains, work}, 1);
            if (work == state->work_most)
                break;
            step = work >= 256 ? 64 : work >= 64 ? 32 : 16;
        }
    }
}

/* A curve of time per access by working set, for one number of chains or (`work` >= 0) one amount
 * of work after each access, over the sizes with two lines for each chain. All sizes have their
 * rings in the same memory, so a note on a page before it holds the size of the present ring. */
static void plan_curve_by_size(struct probe_task *task, const char *name, unsigned chains, int work,
                               enum parallelism_mode mode)
{
    const struct parallelism_state *state = task->state;
    const unsigned series = build_series(task, (struct series){.name = name,
                                                               .headline = true,
                                                               .x = {"working set", "B"},
                                                               .y = {"time per access", "ns"}});
    build_factor(task, series, "chains", chains);
    if (work >= 0)
        build_factor(task, series, "work", work);
    if (mode == MODE_PREFETCH)
        build_factor(task, series, "prefetch", state->ahead);
    build_factor_text(task, series, "pages", state->asked->pages.text);
    for (size_t i = 0; i < state->sets.count; i++) {
        struct chain_ring ring = state->ring;
        ring.bytes = (size_t)state->sets.bytes[i];
        if (parallelism_room(state, ring.bytes) >= chains)
            add_point(task, (int)series, (double)ring.bytes,
                      (struct parallelism_point){mode, chains, work > 0 ? (unsigned)work : 0}, 1)
                ->arena_bytes = PAGE + chain_ring_arena_bytes(&ring);
    }
}

static void plan_sizes(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const unsigned at_work = parallelism_chains_at_work(state);
    state->ring.states = 1;
    state->ring.starts_most = CHAINS_MOST;
    for (size_t i = 0; i < state->chain_count && !state->work_count; i++)
        plan_curve_by_size(task, "chains by size", state->chains[i], -1, MODE_CHAINS);
    for (size_t i = 0; i < state->work_count; i++) {
        plan_curve_by_size(task, "work by size", at_work, (int)state->works[i], MODE_WORK);
        if (state->ahead)
            plan_curve_by_size(task, "work by size, prefetched", at_work, (int)state->works[i],
                               MODE_PREFETCH);
    }
    if (!task->plan.point_count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--sizes: none of them has room for that many chains: give larger ones, or "
                   "fewer --chains");
}

/* Sets the ring of the stage and its number of chains. */
static void lay_out_ring(struct probe_task *task, const struct parallelism_stage *stage)
{
    struct parallelism_state *state = task->state;
    const struct chase_level *level = &state->levels[stage->level];
    const bool threads = stage->look == LOOK_THREADS;
    struct chain_ring *ring = &state->ring;
    ring->bytes = (size_t)(threads ? parallelism_bytes_for_threads(task, level) : level->bytes);
    ring->bytes -= ring->bytes % ring->line_bytes;
    ring->states = threads ? state->threads : 1;
    ring->starts_most = CHAINS_MOST;
    if (!threads)
        return;
    const uint64_t each = parallelism_room(state, ring->bytes) / state->threads;
    if (state->chains_per_thread > each)
        state->chains_per_thread = (unsigned)each;
    ring->starts_most = state->threads * state->chains_per_thread;
}

static void plan_stage(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const struct parallelism_stage *stage = &state->stages[state->at];
    struct plan *plan = &task->plan;
    const bool last = state->at + 1 == state->stage_count;
    lay_out_ring(task, stage);
    state->taken = false;
    plan->touch_cpu = state->cpus[0];
    plan->pages = (enum page_policy)state->asked->pages.choice;
    plan->unstable_above = 0.1;
    plan->span_s = task->common.quick.has ? 0 : 0.5;
    /* Other programs change latencies beyond the caches by more than a percent. */
    if (!task->common.precision.has)
        plan->precision = 0.02;
    plan->share = last || stage->look == LOOK_SIZES ? 1 : state->at == 0 ? first_share : next_share;
    if (stage->look == LOOK_THREADS)
        plan_threads(task);
    else if (stage->look == LOOK_WORK)
        plan_work(task);
    else if (stage->look == LOOK_SIZES)
        plan_sizes(task);
    else
        plan_curve(task, stage->level, stage->look == LOOK_REST);
    trial_values_reserve(task, &state->values, 0);
}

/* Notes a level that is skipped for lack of time, and a budget that is enough even if earlier
 * stages take their full shares. */
static void leave_out(struct probe_task *task, const struct parallelism_stage *stage)
{
    struct parallelism_state *state = task->state;
    const char *name = state->levels[stage->level].name, *before = state->left_out;
    if (stage->look != LOOK_CURVE)
        return;
    state->left_out = before ? pool_printf(task->pool, "%s, %s", before, name) : name;
    state->time_for_all_s = time_enough_s / (1 - first_share);
    for (size_t i = 1; i < state->at; i++)
        state->time_for_all_s /= 1 - next_share;
}

/* --- measuring --- */

/* The trial's ring, of the size in its point's x, in the arena after the note's page. Preparing may
 * be recalled at any moment, so the note is cleared before anything is changed. */
static struct chain_places *ring_of_size(struct chain_ring *ring, const struct trial *trial,
                                         struct arena *arena)
{
    struct trial behind = *trial;
    volatile size_t *noted = (volatile size_t *)trial->arena->memory;
    ring->bytes = (size_t)trial->point->x;
    *arena = *trial->arena;
    arena->memory += PAGE;
    arena->bytes -= PAGE;
    if (*noted != ring->bytes) {
        *noted = 0;
        chain_ring_forget(ring, arena);
    }
    behind.arena = arena;
    struct chain_places *places = chain_ring_places(ring, &behind);
    *noted = ring->bytes;
    return places;
}

static void prepare_parallelism(struct trial *trial)
{
    const struct parallelism_state *state = trial->probe_state;
    const struct plan_point *point = trial->point;
    const struct parallelism_point *does = point->own;
    const enum parallelism_mode mode = does->mode;
    const unsigned chains = does->chains;
    const size_t n = chains * (size_t)point->seat_count;
    struct chain_ring ring = state->ring;
    struct arena arena = *trial->arena;
    struct chain_places *places =
        state->sets.count ? ring_of_size(&ring, trial, &arena) : chain_ring_places(&ring, trial);
    struct random random = {trial->seed};
    const double turn = random_unit(&random);
    for (unsigned i = 0; i < point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        struct chains *own = chain_ring_state(&ring, &arena, i);
        for (unsigned chain = 0; chain < chains; chain++)
            own->position[chain] = chain_ring_start(places, turn, (size_t)i * chains + chain, n);
        worker->state = own;
        worker->run = chains_kernel(chains);
        if (mode == MODE_CHAINS)
            continue;
        worker->state = worker->room;
        worker->run = mode == MODE_WORK ? chains_work_run : chains_prefetch_run;
        *(struct chains_work *)worker->state = (struct chains_work){.chains = own->position,
                                                                    .chain_count = chains,
                                                                    .work = does->work,
                                                                    .ahead = state->ahead};
    }
    trial->operations = (mode == MODE_CHAINS ? chains_steps(chains) : 1) * point->seat_count;
    chain_ring_settle(&ring, places, turn, n);
}

/* --- plan and next --- */

static void plan_parallelism(struct probe_task *task)
{
    struct parallelism_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct chases chases = chases_make(task->machine);
    state->ring =
        (struct chain_ring){.line_bytes = chases.line_bytes, .settled_bytes = chases.settled_bytes};
    state->all = state->work[0] = state->work[1] = state->work[2] = -1;
    state->work_knee = state->prefetch_gain = summary_of_nothing();
    for (size_t i = 0; i < CHASE_LEVELS_MAX; i++)
        state->curves[i] = (struct parallelism_level){
            .series = -1, .sustained = summary_of_nothing(), .four = summary_of_nothing()};
    state->asked = task->options;
    state->cpus = chases_cpus(task, chases_seat(task, &state->asked->cpu)->cpu);
    parallelism_choose(task);
    build_note(task, "chains_in_registers", chains_registers);
    state->chains_per_thread = parallelism_chains_at_work(state);
    list_stages(task);
    plan_stage(task);
}

static bool next_parallelism(struct probe_task *task, const struct stage_outcome *outcome,
                             unsigned stage)
{
    struct parallelism_state *state = task->state;
    const double left_s = task->plan.budget_s / task->plan.share - outcome->elapsed_s;
    (void)stage;
    parallelism_take(task);
    while (++state->at < state->stage_count && state->stages[state->at].optional &&
           left_s < time_enough_s)
        leave_out(task, &state->stages[state->at]);
    if (state->at >= state->stage_count)
        return false;
    parallelism_list_chains(state, state->stages[state->at].look == LOOK_REST);
    probe_plan_clear(task);
    plan_stage(task);
    return true;
}

const struct probe parallelism_probe = {
    .name = "parallelism",
    .place = 50,
    .title = "Loads under way at once",
    .summary = "how many misses overlap, and the time per access that leaves",
    .about =
        "Independent chains of loads go through one working set in random order, one to 64 of them "
        "at once. One chain waits for each load and shows the latency; several overlap, and the "
        "time per access falls until no more loads can be under way. The latency over that time is "
        "how many misses the core sustains: a figure of what it does, not of what it is built of, "
        "which may be more. Programs that look things up at random gain as much by doing that many "
        "look-ups side by side.\n"
        "What moves it: page size (with small pages, walks of the page table wait in the same "
        "queues), neighbours that use the memory, and the distance to it. Thirteen chains "
        "(twenty-seven on AArch64, eight elsewhere) live in registers; a step of each beyond these "
        "also loads and stores its pointer, which only shows in the first-level cache.\n"
        "--work puts dependent additions after each access, one cycle each: the processor sees as "
        "far ahead as its window of instructions (and its schedulers, where work waits) reaches, "
        "and work pushes the next access out of "
        "it. --prefetch asks for lines explicitly, as far ahead as given. With several threads the "
        "figure is accesses per second of all of them together, in one memory that is on the "
        "first thread's NUMA node.",
    .weight = 4,
    .quick = false,
    .sized_by_found = true,
    .options = options,
    .options_bytes = sizeof(struct parallelism_options),
    .findings = {parallelism_lines, parallelism_experiment},
    .plan = plan_parallelism,
    .prepare = prepare_parallelism,
    .observe = trial_values_observe,
    .next = next_parallelism,
    .conclude = parallelism_conclude,
    .analyse = parallelism_analyse,
};
