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

#include <string.h>

enum { PAGE = 4096, HUGE_PAGE = 2 * 1024 * 1024, THREADS_MOST = 65536 };
/* Optional stages need this much time; a whole run has only a few seconds for this probe. */
static const double time_enough_s = 6;
/* Shares of the time: the first stage's share of all of it, each other stage's share of the
 * rest. */
static const double first_share = 0.6, next_share = 0.5;

static const char *const level_names[] = {"all", "L1", "L2", "L3", "L4", "DRAM", NULL};

#include "parallelism.help.h"

static const unsigned few[] = {1, 2, 4, 8, 12, 16, 24, 32, 64};
static const unsigned every[] = {1,  2,  3,  4,  5,  6,  7,  8,  10, 12,
                                 14, 16, 20, 24, 28, 32, 40, 48, 64};
enum { FEW = sizeof few / sizeof *few, EVERY = sizeof every / sizeof *every, LINES_EACH = 2 };

/* Reads a list of numbers from 1 to `most`; returns their count, 0 for an invalid list. */
static size_t read_list(struct pool *pool, const char *text, int most, size_t room,
                        unsigned *numbers)
{
    struct cpulist list;
    size_t count = 0;
    bool good = cpulist_read(text, &list, pool, NULL) == 0 && list.count <= room;
    for (size_t i = 0; i < list.count && good; i++) {
        good = list.ids[i] >= 1 && list.ids[i] <= most;
        numbers[count++] = (unsigned)list.ids[i];
    }
    return good ? count : 0;
}

static void choose_chains(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const char *text = state->asked->chains.text;
    if (!text) {
        state->chain_count = FEW;
        memcpy(state->chains, few, sizeof few);
        return;
    }
    state->chain_count = read_list(task->pool, text, CHAINS_MOST, CURVE_POINTS_MAX, state->chains);
    state->chains_named = true;
    if (!state->chain_count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--chains '%s': give numbers or ranges from 1 to %d, like 1,4-8,16", text,
                   CHAINS_MOST);
}

static void choose_levels(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const struct setting *level = &state->asked->level, *size = &state->asked->size;
    if (size->has) {
        const uint64_t bytes = size->bytes;
        probe_refuse_beside(task, size, "names the only working set",
                            (const struct setting *const[]){level, NULL});
        state->levels[0] = (struct chase_level){.name = "size", .bytes = bytes};
        state->level_count = 1;
        working_sets_check(task, "size", bytes, state->ring.line_bytes);
        return;
    }
    state->level_count = chases_levels(task, state->cpus[0], NULL, state->levels);
    state->far = state->level_count - 1;
    if (!state->level_count)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "no working set is known: nothing is declared of this machine's caches and "
                   "there is no memory for more; give one (--size)");
    if (!level->choice)
        return;
    for (size_t i = 0; i < state->level_count; i++)
        if (strcmp(state->levels[i].name, level->text) == 0) {
            state->levels[0] = state->levels[i];
            state->level_count = 1;
            state->far = 0;
            return;
        }
    pool_leave(task->pool, ERROR_USAGE,
               "--level %s: this machine has no such level, or no memory for it; leave it out, or "
               "give a working set (--size)",
               level->text);
}

/* The number of chains with work: the largest of --chains, or the usual one. */
static unsigned chains_at_work(const struct parallelism_state *state)
{
    unsigned most = 0;
    for (size_t i = 0; i < state->chain_count && state->chains_named; i++)
        most = state->chains[i] > most ? state->chains[i] : most;
    return most ? most : (unsigned)PARALLELISM_USUAL;
}

/* "3x,6x" as "3,6"; sets whether each number had an x. NULL: some had. */
static const char *without_x(struct probe_task *task, const char *text, bool *all)
{
    char *digits = pool_strdup(task->pool, text), *to = digits;
    size_t numbers = 1, marked = 0;
    for (const char *c = text; *c; c++) {
        numbers += *c == ',';
        if (*c == 'x' && (!c[1] || c[1] == ','))
            marked++;
        else
            *to++ = *c;
    }
    *to = '\0';
    *all = marked == numbers;
    return *all || !marked ? digits : NULL;
}

/* An option for sizes that is given, or NULL. */
static const struct setting *working_sets_given(const struct working_set_options *sets)
{
    const struct setting *const all[] = {&sets->per_octave, &sets->to, &sets->from, &sets->sizes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i]->has)
            return all[i];
    return NULL;
}

/* A single amount of --work is the largest of a curve; a list names all amounts. */
static void choose_work(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const char *text = state->asked->work.text;
    if (text) {
        const char *numbers = without_x(task, text, &state->iterations);
        state->work_count = numbers ? read_list(task->pool, numbers, CHAINS_WORK_MOST,
                                                CURVE_POINTS_MAX, state->works)
                                    : 0;
        if (!state->work_count)
            pool_leave(task->pool, ERROR_USAGE,
                       "--work '%s': give cycles from 1 to %d, or several amounts like 3,6,12; or "
                       "iterations like 3x,6x",
                       text, CHAINS_WORK_MOST);
        if (state->iterations && !working_sets_given(&state->asked->sets))
            pool_leave(task->pool, ERROR_USAGE,
                       "--work %s: iterations are measured by size: give --sizes too", text);
        state->work_most = state->works[state->work_count - 1];
    }
    if (!state->asked->prefetch.has)
        return;
    state->ahead = (unsigned)state->asked->prefetch.number;
    const unsigned at_work = chains_at_work(state);
    if (!state->work_most)
        pool_leave(task->pool, ERROR_USAGE,
                   "--prefetch is measured together with work; give --work as well");
    if (state->ahead > at_work)
        pool_leave(task->pool, ERROR_USAGE,
                   "--prefetch %u: with %u chains an address is known at most %u steps ahead; give "
                   "at most that",
                   state->ahead, at_work, at_work);
}

/* Chooses curves over sizes if an option for sizes is given. */
static void choose_sizes(struct probe_task *task)
{
    static const unsigned usual[] = {1, 2, 4, 8, 12, 16, 32};
    struct parallelism_state *state = task->state;
    const struct parallelism_options *asked = state->asked;
    const struct working_set_options *sets = &asked->sets;
    const struct setting *const others[] = {&asked->size, &asked->level, &asked->threads, NULL};
    const struct setting *given = working_sets_given(sets);
    if (!given)
        return;
    probe_refuse_beside(task, given, "asks for curves over sizes", others);
    if (!state->chains_named) {
        state->chain_count = sizeof usual / sizeof *usual;
        memcpy(state->chains, usual, sizeof usual);
    }
    state->sets = working_sets_choose(task, sets, state->ring.line_bytes);
}

/* --- room --- */

/* The most chains in `bytes`: each needs two lines, because with one it would be at the next
 * chain's start after one step. */
static uint64_t room_for(const struct parallelism_state *state, uint64_t bytes)
{
    return bytes / state->ring.line_bytes / LINES_EACH;
}

/* All CPUs together have more cache than one chain's working set has to exceed. */
static uint64_t bytes_for_threads(const struct probe_task *task, const struct chase_level *level)
{
    const struct cache_facts *last = machine_last_cache(task->machine);
    const size_t sharers = last ? cpulist_text_count(last->shared_cpus) : 0;
    const uint64_t most = machine_memory_budget(task->machine), bytes = level->bytes;
    if (!level->last || (last && !sharers))
        return bytes;
    const uint64_t beyond = 2 * last_levels_of(task, task->machine->cpu_count, sharers);
    return beyond <= bytes ? bytes : beyond < most / 2 ? beyond : most / 2;
}

static _Noreturn void too_small(const struct probe_task *task, const struct chase_level *level,
                                uint64_t bytes, uint64_t chains, bool of_threads)
{
    const struct parallelism_state *state = task->state;
    const char *whose = of_threads ? " of all threads" : "";
    const char *fewer = of_threads ? "--threads" : "--chains";
    char least[UNIT_TEXT];
    const char *text = size_text(task->pool, (double)bytes);
    if (state->asked->size.has)
        pool_leave(task->pool, ERROR_USAGE,
                   "--size %s is too small for %llu chains%s: give at least %s, or fewer %s", text,
                   (unsigned long long)chains, whose,
                   size_format((double)(LINES_EACH * chains * state->ring.line_bytes), least),
                   fewer);
    pool_leave(task->pool, ERROR_USAGE,
               "--level %s: its working set of %s is too small for %llu chains%s; give fewer "
               "%s, or another --level",
               level->name, text, (unsigned long long)chains, whose, fewer);
}

/* Checks that the requested levels have room for the chains; in other levels, numbers of chains
 * that do not fit are left out. For threads there must be room for one chain each, or with --size
 * for the usual or requested number. */
static void check_room(const struct probe_task *task)
{
    const struct parallelism_state *state = task->state;
    const bool sized = state->asked->size.has;
    const bool asked = sized || state->asked->level.given;
    unsigned most = 1;
    for (size_t i = 0; i < state->chain_count && (sized || state->chains_named); i++)
        most = state->chains[i] > most ? state->chains[i] : most;
    const unsigned at_work =
        state->work_most && most < chains_at_work(state) ? chains_at_work(state) : most;
    for (size_t i = 0; i < state->level_count; i++) {
        const unsigned chains = i == state->far ? at_work : most;
        const struct chase_level *level = &state->levels[i];
        if ((asked || i == state->far) && room_for(state, level->bytes) < chains)
            too_small(task, level, level->bytes, chains, false);
    }
    const struct chase_level *far = &state->levels[state->far];
    if (state->threads < 2 || !(far->last || state->asked->threads.has))
        return;
    const unsigned each = !sized ? 1 : most < PARALLELISM_USUAL ? PARALLELISM_USUAL : most;
    const uint64_t bytes = bytes_for_threads(task, far), all = each * state->threads;
    if (room_for(state, bytes) < all)
        too_small(task, far, bytes, all, true);
}

/* Fills the numbers of chains of a later curve: all, or (`rest`) those that the first curve left
 * out. */
static void list_chains(struct parallelism_state *state, bool rest)
{
    if (state->chains_named)
        return;
    state->chain_count = 0;
    for (size_t i = 0, k = 0; i < EVERY; i++) {
        while (k < FEW && few[k] < every[i])
            k++;
        if (!rest || k == FEW || few[k] != every[i])
            state->chains[state->chain_count++] = every[i];
    }
}

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
    build_factor_text(task, series, "level", level->name);
    build_factor_text(task, series, "working set",
                      size_text(task->pool, (double)state->ring.bytes));
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
    const uint64_t room = room_for(state, state->ring.bytes);
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
    /* What all threads access lies near all of them, in equal parts. */
    const size_t each = chain_ring_arena_bytes(&state->ring) / state->threads;
    build_parts(task, state->cpus, state->threads, (each / HUGE_PAGE + 1) * HUGE_PAGE);
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
    /* One chain, the most of them, the most with prefetch, and then what else --chains names. */
    const unsigned most = chains_at_work(state);
    const int further = state->chains_named ? (int)state->chain_count : 0;
    for (int which = 0; which < 3 + further; which++) {
        const enum parallelism_mode mode = which == 2 ? MODE_PREFETCH : MODE_WORK;
        const unsigned chains = which > 2 ? state->chains[which - 3] : which ? most : 1;
        if ((which == 2 && !state->ahead) || (which > 2 && (chains == 1 || chains == most)))
            continue;
        const int series = add_series(task, parallelism_work_names[which < 3 ? which : 1],
                                      "cycles of work", (struct axis){"time per access", "ns"});
        if (which < 3)
            state->work[which] = series;
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
    if (work >= 0 && state->iterations)
        build_factor_text(task, series, "work", pool_printf(task->pool, "%dx", work));
    else if (work >= 0)
        build_factor(task, series, "work", work);
    if (mode == MODE_PREFETCH)
        build_factor(task, series, "prefetch", state->ahead);
    build_factor_text(task, series, "pages", state->asked->pages.text);
    for (size_t i = 0; i < state->sets.count; i++) {
        struct chain_ring ring = state->ring;
        ring.bytes = (size_t)state->sets.bytes[i];
        if (room_for(state, ring.bytes) >= chains)
            add_point(task, (int)series, (double)ring.bytes,
                      (struct parallelism_point){mode, chains, work > 0 ? (unsigned)work : 0}, 1)
                ->arena_bytes = PAGE + chain_ring_arena_bytes(&ring);
    }
}

static void plan_sizes(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const unsigned at_work[] = {chains_at_work(state)};
    const unsigned *chains = state->chains_named ? state->chains : at_work;
    const size_t chain_count = state->chains_named ? state->chain_count : 1;
    state->ring.states = 1;
    state->ring.starts_most = CHAINS_MOST;
    for (size_t i = 0; i < state->chain_count && !state->work_count; i++)
        plan_curve_by_size(task, "chains by size", state->chains[i], -1, MODE_CHAINS);
    for (size_t i = 0; i < state->work_count * chain_count; i++) {
        const unsigned number = chains[i % chain_count];
        const int work = (int)state->works[i / chain_count];
        plan_curve_by_size(task, "work by size", number, work, MODE_WORK);
        if (state->ahead && state->ahead <= number)
            plan_curve_by_size(task, "work by size, prefetched", number, work, MODE_PREFETCH);
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
    ring->bytes = (size_t)(threads ? bytes_for_threads(task, level) : level->bytes);
    ring->bytes -= ring->bytes % ring->line_bytes;
    ring->states = threads ? state->threads : 1;
    ring->starts_most = CHAINS_MOST;
    if (!threads)
        return;
    const uint64_t each = room_for(state, ring->bytes) / state->threads;
    if (state->chains_per_thread > each)
        state->chains_per_thread = (unsigned)each;
    ring->starts_most = state->threads * state->chains_per_thread;
}

static void plan_stage(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const struct parallelism_stage *stage = &state->stages[state->at];
    /* Other programs change latencies beyond the caches by more than a percent. */
    struct plan *plan =
        probe_plan_begin(task, state->cpus[0], (enum page_policy)state->asked->pages.choice, 0.02);
    const bool last = state->at + 1 == state->stage_count;
    lay_out_ring(task, stage);
    state->taken = false;
    plan->unstable_above = 0.1;
    plan->span_s = task->common.quick.has ? 0 : 0.5;
    plan->share = last || stage->look == LOOK_SIZES ? 1 : state->at == 0 ? first_share : next_share;
    plan->windows = stage->look == LOOK_THREADS;
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

/* Where the first chain starts, from 0 to 1 of the ring's order. */
static double turn_of(const struct trial *trial)
{
    struct random random = {trial->seed};
    return random_unit(&random);
}

static void build_part(const struct trial *trial, unsigned seat)
{
    const struct parallelism_state *state = trial->probe_state;
    chain_ring_build(&state->ring, trial->arena, seat);
}

static void settle_part(const struct trial *trial, unsigned seat)
{
    const struct parallelism_state *state = trial->probe_state;
    const size_t chains = ((const struct parallelism_point *)trial->point->own)->chains;
    chain_ring_settle_part(&state->ring, trial->arena, turn_of(trial), seat * chains, chains,
                           chains * trial->point->seat_count);
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
    bool built = true;
    struct chain_places *places = state->sets.count ? ring_of_size(&ring, trial, &arena)
                                  : point->seat_count == 1
                                      ? chain_ring_places(&ring, trial)
                                      : chain_ring_parts(&ring, trial, point->seat_count, &built);
    const double turn = turn_of(trial);
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
        worker->run = state->iterations   ? chains_iterations()
                      : mode == MODE_WORK ? chains_work_run
                                          : chains_prefetch_run;
        *(struct chains_work *)worker->state =
            (struct chains_work){.chains = own->position,
                                 .chain_count = chains,
                                 .work = does->work,
                                 .ahead = mode == MODE_PREFETCH ? state->ahead : 0};
    }
    trial->operations = (mode == MODE_CHAINS ? chains_steps(chains) : 1) * point->seat_count;
    if (point->seat_count == 1) {
        chain_ring_settle_part(&ring, &arena, turn, 0, n, n);
        return;
    }
    trial->build = built ? NULL : build_part;
    trial->settle = settle_part;
}

/* --- plan and next --- */

static void plan_parallelism(struct probe_task *task)
{
    struct parallelism_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct chases chases = chases_make(task);
    state->ring =
        (struct chain_ring){.line_bytes = chases.line_bytes, .settled_bytes = chases.settled_bytes};
    state->all = state->work[0] = state->work[1] = state->work[2] = -1;
    state->work_knee = state->prefetch_gain = summary_of_nothing();
    for (size_t i = 0; i < CHASE_LEVELS_MAX; i++)
        state->curves[i] = (struct parallelism_level){
            .series = -1, .sustained = summary_of_nothing(), .four = summary_of_nothing()};
    state->asked = task->options;
    state->cpus = chases_cpus(task, chases_seat(task, &state->asked->cpu)->cpu);
    choose_chains(task);
    choose_levels(task);
    state->threads = chases_threads(task, &state->asked->threads, task->cpus.count);
    choose_work(task);
    choose_sizes(task);
    if (!state->sets.count)
        check_room(task);
    build_note(task, "chains_in_registers", chains_registers);
    state->chains_per_thread = state->chains_named && state->chain_count == 1
                                   ? state->chains[0]
                                   : (unsigned)PARALLELISM_USUAL;
    list_stages(task);
    plan_stage(task);
}

static bool next_parallelism(struct probe_task *task)
{
    struct parallelism_state *state = task->state;
    const double left_s = task->plan.budget_s / task->plan.share - task->outcome->elapsed_s;
    parallelism_take(task);
    while (++state->at < state->stage_count && state->stages[state->at].optional &&
           left_s < time_enough_s)
        leave_out(task, &state->stages[state->at]);
    if (state->at >= state->stage_count)
        return false;
    list_chains(state, state->stages[state->at].look == LOOK_REST);
    plan_stage(task);
    return true;
}

const struct probe parallelism_probe = {
    .name = "parallelism",
    .place = 50,
    .help = &help,
    .weight = 6,
    .sized_by_found = true,
    .findings = {parallelism_lines, parallelism_experiment},
    .plan = plan_parallelism,
    .prepare = prepare_parallelism,
    .observe = trial_values_observe,
    .next = next_parallelism,
    .conclude = parallelism_conclude,
    .analyse = parallelism_analyse,
};
