/*
 * How many loads can be under way at once: independent chases through one ring, one to 64 of them,
 * in each level. One chain shows a level's latency; more chains take less time per access, until
 * something is used up: the places where misses wait (line fill buffers, miss address buffers), the
 * queues further out, or the memory itself.
 *
 * The method is that of lmbench's par_mem (Staelin and McVoy) and of the batches in R. Groot
 * Koerkamp's "CPU performance", with two traps closed: no chain is spilled to the stack unnoticed
 * (measure/kernels/chains.h), and the caches hold what lies behind each chain, not what lies before
 * it.
 */
#include "measure/probes/parallelism/parallelism.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/chains.h"
#include "measure/probes/kit/build.h"

#include <math.h>

enum { THREADS_MOST = 65536 };
/* Further stages are for those who ask for this probe; a run has a few seconds for it. */
static const double time_enough_s = 6;
/* Shares of the time: of all of it for the first stage, of what is left for each of the others. */
static const double first_share = 0.6, next_share = 0.5;

static const struct option_spec options[] = {
    {"chains", 0, OPTION_TEXT, "LIST", NULL, 0, 0, NULL,
     "numbers of chains, like 1,2,4-16,64, each from 1 to 64 (default: 19 of these)"},
    {"level", 0, OPTION_CHOICE, "LEVEL", "all", 0, 0, parallelism_level_names,
     "the one level to look at: L1, L2, L3, L4 or DRAM (default: DRAM, and the others where there "
     "is time)"},
    {"size", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL,
     "this working set instead of one for each level"},
    {"threads", 0, OPTION_INTEGER, "N", NULL, 1, THREADS_MOST, NULL,
     "threads that access memory at random at the same time, from one to N by doubling (default: "
     "one, and one on every CPU)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 128, 0, NULL,
     "curves over these working sets instead, one for each number of chains, or with --work for "
     "each amount of it"},
    {"from", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL, "the same from this size (default: 1K)"},
    {"to", 0, OPTION_SIZE, "SIZE", NULL, 128, 0, NULL,
     "the same up to this size (default: four times the last-level cache declared, at most 1G)"},
    {"per-octave", 0, OPTION_INTEGER, "N", NULL, 1, 64, NULL,
     "sizes from one power of two to the next (default: 4 below 64M, 2 above)"},
    {"work", 0, OPTION_TEXT, "CYCLES,...", NULL, 0, 0, NULL,
     "look also at work after each access, up to this many cycles of it, which no address depends "
     "on: how much of it keeps the processor from seeing the next access; several amounts, like "
     "3,6,12, are those and no others"},
    {"prefetch", 0, OPTION_INTEGER, "STEPS", NULL, 1, CHAINS_MOST, NULL,
     "with --work: and at what it wins back to prefetch each line this many steps ahead"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
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
    const bool asked = settings_given(task->settings, "level");
    if (state->sets.count) {
        add_stage(state, LOOK_SIZES, state->far, false);
        return;
    }
    add_stage(state, LOOK_CURVE, state->far, false);
    if (state->levels[state->far].last || settings_has(task->settings, "threads"))
        add_stage(state, LOOK_THREADS, state->far, false);
    if (state->work_most)
        add_stage(state, LOOK_WORK, state->far, false);
    for (size_t i = 0; i < state->level_count; i++)
        if (i != state->far)
            add_stage(state, LOOK_CURVE, i, true);
    if (!state->chains_named && !settings_has(task->settings, "quick"))
        add_stage(state, LOOK_REST, state->far, !asked);
}

static int add_series(struct probe_task *task, const char *name, const char *unit_x, struct axis y,
                      struct error *error)
{
    const struct parallelism_state *state = task->state;
    const struct chase_level *level = &state->levels[state->stages[state->at].level];
    struct series *series = pool_append(task->pool, (void **)&task->plan.series,
                                        &task->plan.series_count, sizeof *series);
    struct factor *factors = pool_alloc(task->pool, 5, sizeof *factors);
    char size[UNIT_TEXT];
    size_format((double)state->ring.bytes, size);
    factors[0] = (struct factor){"level", level->name, 0};
    factors[1] = (struct factor){"working set", pool_strdup(task->pool, size), 0};
    factors[2] = (struct factor){"pages", settings_text(task->settings, "pages"), 0};
    *series = (struct series){
        .name = name, .factors = factors, .factor_count = 3, .x = {unit_x, ""}, .y = y};
    return (int)task->plan.series_count - 1;
}

struct plan_point *parallelism_add_point(struct probe_task *task, unsigned series, double x,
                                         struct parallelism_point does, size_t threads)
{
    const struct parallelism_state *state = task->state;
    struct parallelism_point *own = pool_alloc(task->pool, 1, sizeof *own);
    struct plan_point *point = build_point(task, series, x, state->cpus, threads, MEASURED);
    *own = does;
    point->own = own;
    point->arena_bytes = chain_ring_arena_bytes(&state->ring);
    return point;
}

static int plan_curve(struct probe_task *task, size_t level, bool rest, struct error *error)
{
    struct parallelism_state *state = task->state;
    struct parallelism_level *curve = &state->curves[level];
    const char *name = state->levels[level].name;
    if (!rest) {
        curve->level = &state->levels[level];
        curve->series = add_series(task, pool_printf(task->pool, "chains in %s", name), "chains",
                                   (struct axis){"time per access", "ns"}, error);
        if (curve->series < 0)
            return curve->series;
    }
    const uint64_t room = parallelism_room(state, state->ring.bytes);
    int code = 0;
    for (size_t i = 0; i < state->chain_count && code == 0; i++)
        if (state->chains[i] <= room)
            parallelism_add_point(task, (unsigned)curve->series, state->chains[i],
                                  (struct parallelism_point){MODE_CHAINS, state->chains[i], 0}, 1);
    return code;
}

static int plan_threads(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    task->plan.yields = OPERATIONS_PER_SECOND;
    task->plan.cycles = false;
    state->all =
        add_series(task, parallelism_all_name, "threads", (struct axis){"accesses", "1/s"}, error);
    int code = state->all < 0 ? state->all : 0;
    if (code == 0) {
        struct series *all = &task->plan.series[state->all];
        all->factors[all->factor_count++] =
            (struct factor){"chains", NULL, state->chains_per_thread};
    }
    const bool doubling = settings_has(task->settings, "threads");
    for (size_t n = 1; code == 0 && n <= state->threads;) {
        parallelism_add_point(task, (unsigned)state->all, (double)n,
                              (struct parallelism_point){MODE_CHAINS, state->chains_per_thread, 0},
                              n);
        size_t next = doubling ? 2 * n : state->threads;
        n = n < state->threads && next > state->threads ? state->threads : next > n ? next : n + 1;
    }
    return code;
}

static int plan_work(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    int code = 0;
    for (int which = 0; which < (state->ahead ? 3 : 2) && code == 0; which++) {
        state->work[which] = add_series(task, parallelism_work_names[which], "cycles of work",
                                        (struct axis){"time per access", "ns"}, error);
        code = state->work[which] < 0 ? state->work[which] : 0;
        struct series *series = &task->plan.series[state->work[which]];
        const unsigned chains = which ? parallelism_chains_at_work(state) : 1;
        series->factors[series->factor_count++] = (struct factor){"chains", NULL, chains};
        const enum parallelism_mode mode = which == 2 ? MODE_PREFETCH : MODE_WORK;
        for (size_t i = 0; i < state->work_count && state->work_count > 1 && code == 0; i++)
            parallelism_add_point(task, (unsigned)state->work[which], state->works[i],
                                  (struct parallelism_point){mode, chains, state->works[i]}, 1);
        unsigned step = 8;
        for (unsigned work = 0; state->work_count < 2 && code == 0; work += step) {
            work = work < state->work_most ? work : state->work_most;
            parallelism_add_point(task, (unsigned)state->work[which], work,
                                  (struct parallelism_point){mode, chains, work}, 1);
            if (work == state->work_most)
                break;
            step = work >= 256 ? 64 : work >= 64 ? 32 : 16;
        }
    }
    return code;
}

/* What the stage goes through, and how many chains at once. */
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

static int plan_stage(struct probe_task *task, struct error *error)
{
    struct parallelism_state *state = task->state;
    const struct parallelism_stage *stage = &state->stages[state->at];
    struct plan *plan = &task->plan;
    const bool last = state->at + 1 == state->stage_count;
    lay_out_ring(task, stage);
    state->taken = false;
    plan->touch_cpu = state->seat->cpu;
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    plan->unstable_above = 0.1;
    plan->span_s = settings_has(task->settings, "quick") ? 0 : 0.5;
    /* Neighbours move what lies beyond the caches by more than a percent. */
    if (!settings_has(task->settings, "precision"))
        plan->precision = 0.02;
    plan->share = last || stage->look == LOOK_SIZES ? 1 : state->at == 0 ? first_share : next_share;
    int code;
    switch (stage->look) {
    case LOOK_THREADS:
        code = plan_threads(task, error);
        break;
    case LOOK_WORK:
        code = plan_work(task, error);
        break;
    case LOOK_SIZES:
        code = parallelism_plan_sizes(task, error);
        break;
    case LOOK_CURVE:
    case LOOK_REST:
    default:
        code = plan_curve(task, stage->level, stage->look == LOOK_REST, error);
    }
    return code < 0 ? code : trial_values_reserve(&state->values, plan, task->pool, error);
}

static int note_number(struct probe_task *task, const char *name, double number,
                       struct error *error)
{
    struct factor *factor = probe_add_parameter(task, name);
    factor->number = number;
    return 0;
}

static void plan_parallelism(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct parallelism_state *state = pool_alloc(task->pool, 1, sizeof *state);
    task->state = state;
    const struct chases chases = chases_make(task->machine);
    state->ring =
        (struct chain_ring){.line_bytes = chases.line_bytes, .settled_bytes = chases.settled_bytes};
    state->all = state->work[0] = state->work[1] = state->work[2] = -1;
    state->work_knee = state->prefetch_gain = summary_of_nothing();
    for (size_t i = 0; i < CHASE_LEVELS_MAX; i++)
        state->curves[i] = (struct parallelism_level){
            .series = -1, .sustained = summary_of_nothing(), .four = summary_of_nothing()};
    int code = chases_seat(task, &state->seat, error);
    if (code == 0)
        code = parallelism_choose(task, error);
    if (code == 0)
        code = note_number(task, "chains_in_registers", chains_registers, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    state->chains_per_thread = parallelism_chains_at_work(state);
    list_stages(task);
    return (void)pool_check(task->pool, plan_stage(task, error));
}

/* Notes a level that there is no time for, and a budget that would be enough however long the
 * stages before it take. */
static int leave_out(struct probe_task *task, const struct parallelism_stage *stage,
                     struct error *error)
{
    struct parallelism_state *state = task->state;
    const char *name = state->levels[stage->level].name, *before = state->left_out;
    if (stage->look != LOOK_CURVE)
        return 0;
    state->left_out = before ? pool_printf(task->pool, "%s, %s", before, name) : name;
    state->time_for_all_s = time_enough_s / (1 - first_share);
    for (size_t i = 1; i < state->at; i++)
        state->time_for_all_s /= 1 - next_share;
    return state->left_out ? 0 : error_out_of_memory(error);
}

static bool next_parallelism(struct probe_task *task, const struct stage_outcome *outcome,
                             unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct parallelism_state *state = task->state;
    const double left_s = task->plan.budget_s / task->plan.share - outcome->elapsed_s;
    (void)stage;
    parallelism_take(task);
    int code = 0;
    while (++state->at < state->stage_count && code == 0) {
        const struct parallelism_stage *stage_now = &state->stages[state->at];
        if (!stage_now->optional || left_s >= time_enough_s)
            break;
        code = leave_out(task, stage_now, error);
    }
    if (code < 0 || state->at >= state->stage_count)
        return pool_check(task->pool, code) > 0;
    parallelism_list_chains(state, state->stages[state->at].look == LOOK_REST);
    probe_plan_clear(task);
    code = plan_stage(task, error);
    return pool_check(task->pool, code < 0 ? code : 1) > 0;
}

/* --- measuring --- */

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
    struct chain_places *places = state->sets.count ? parallelism_ring_of_size(&ring, trial, &arena)
                                                    : chain_ring_places(&ring, trial);
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

static void observe_parallelism(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct parallelism_state *state = task->state;
    trial_values_keep(&state->values, &task->plan, seen);
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
    .findings = {parallelism_lines, parallelism_experiment},
    .plan = plan_parallelism,
    .prepare = prepare_parallelism,
    .observe = observe_parallelism,
    .next = next_parallelism,
    .conclude = parallelism_conclude,
    .analyse = parallelism_analyse,
};
