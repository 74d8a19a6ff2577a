/*
 * The instruction side: what a taken branch and an instruction cost by the footprint of the code,
 * on code that is generated for it (measure/kernels/front.h).
 *
 * Chains of jumps show branch target buffers, as Milenkovic, Milenkovic and Kulick read them off
 * ("Microbenchmarks for determining branch predictor organization", Softw. Pract. Exper. 34(5),
 * 2004); the same chains and straight-line code show the caches. Which of both a step is
 * follows from the distance of the jumps: a buffer counts branches, a cache counts bytes
 * (findings.c).
 *
 * While another hardware thread of the core works, it takes half of the issue slots and a part of
 * every buffer and cache, and a guest can't see that: the same code takes up to twice as long, and
 * less of it fits. So the fastest of many short trials count, as for what fits a cache
 * (stats/undisturbed.h).
 *
 * Code lies on huge pages where there are any, so that its translation hides no cache; jumps about
 * a page and half a page apart lie on the smallest, and show the instruction TLB. They leave out
 * every second page: an outer TLB may give an area of 2 MiB only half of its sets, so that side by
 * side 320 pages fit the 512 + 64 entries of a Zen 3, or 512, by where they begin. Instructions so
 * long that few of them are decoded in a cycle show the cache of decoded ones.
 */
#include "measure/probes/front/front.h"

#include "machine/pages.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

#include <math.h>

enum { FRONT_TRIALS_MIN = 9, FRONT_TRIALS_MAX = 36, FRONT_S = 18, KIB = 1 << 10, MIB = 1 << 20 };
/* Jumps about a page apart fill little of a cache, so they get this many times as many bytes. */
enum { PAGES_MORE = 4, CODE_PAGES = 16 * MIB, FIRST_CACHES = 64 * KIB };
static const double trial_ns = 60e3;
static const char jumps[] = "jumps", scattered[] = "jumps in random order",
                  straight[] = "instructions";

const char front_each[] = "each";
/* Fewer jumps than 64 are predicted by their history. Where all instructions have one length, jumps
 * in random order are the second ladder for caches. A line more than a page spreads jumps over a
 * cache's sets; twice the pages of the last TLB known take 16 MiB. */
const struct front_ladder front_ladders[FRONT_LADDERS] = {
    [JUMP64] = {jumps, FRONT_JUMPS, false, false, 64, 8 * KIB, 0},
    [JUMP32] = {jumps, FRONT_JUMPS, false, false, 32, 2 * KIB, MIB},
    [JUMP16] = {jumps, FRONT_JUMPS, false, false, 16, KIB, MIB / 2},
    [NOP4] = {straight, FRONT_PLAIN, false, false, 4, 2 * KIB, 0},
    [NOP8] = {straight, FRONT_PLAIN, false, false, 8, 2 * KIB, 0},
    [NOP12] = {straight, FRONT_PLAIN, false, false, 12, 2 * KIB, 128 * KIB},
    [FAR64] = {scattered, FRONT_JUMPS, false, true, 64, 4 * KIB, 0},
    [PAGE] = {jumps, FRONT_JUMPS, true, false, FRONT_PAGE + 64, 64 * KIB, CODE_PAGES},
    [HALF] = {jumps, FRONT_JUMPS, true, false, FRONT_PAGE / 2 + 64, 64 * KIB, CODE_PAGES},
};

struct front_options {
    struct setting to, cpu;
};

#include "front.help.h"

/* Memory for code; NULL: none. */
struct code_memory {
    unsigned char *at;
    size_t bytes;
};

struct front_state {
    const struct seat *seat;
    struct code_memory large, small; /* large: on huge pages if there are any; small: never */
};

/* A few small pages fit every TLB, and clearing a huge one takes longer than such a trial. */
static const struct code_memory *memory_of(const struct front_state *state,
                                           const struct front_ladder *ladder, double x)
{
    return ladder->pages || (x <= FIRST_CACHES && state->small.at) ? &state->small : &state->large;
}

/* --- planning --- */

/* Adds the ladder's series and its points: four an octave, and eight where the first caches end. */
static void add_ladder(struct probe_task *task, size_t i)
{
    const struct front_state *state = task->state;
    const struct front_ladder *ladder = &front_ladders[i];
    const double to = (double)((const struct front_options *)task->options)->to.bytes,
                 most = fmin(ladder->pages ? PAGES_MORE * to : to,
                             ladder->most > 0 ? ladder->most : to);
    const bool plain = ladder->kind == FRONT_PLAIN;
    if ((plain && !front_has(ladder->each)) || (ladder->random && front_has(8)) ||
        !memory_of(state, ladder, ladder->from)->at)
        return;
    const unsigned series = build_series(
        task, (struct series){.name = ladder->name,
                              .headline = i == 0,
                              .x = {"code", "B"},
                              .y = {plain ? "time per instruction" : "time per jump", "ns"}});
    build_factor(task, series, front_each, ladder->each);
    for (double x = ladder->from, octave; round(x) <= most; x *= exp2(1 / octave)) {
        octave = i && x >= FIRST_CACHES / 4 && round(x) < FIRST_CACHES ? 8 : 4;
        struct plan_point *point =
            build_point(task, series, floor(round(x) / ladder->each) * ladder->each,
                        &state->seat->cpu, 1, MEASURED);
        point->index = i;
        point->arena_bytes = (ladder->random ? (size_t)point->x / ladder->each : 1) *
                             sizeof *(struct front_code){0}.places;
    }
}

/* Maps memory for the code, and tries on its first page whether it may be executed. */
static struct code_memory map_code(struct probe_task *task, size_t bytes, enum pages_kind kind)
{
    const size_t page = pages_bytes(kind);
    struct code_memory code = {.bytes = (bytes / page + 1) * page};
    code.at = pages_map(code.bytes, kind, page);
    if (!code.at)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "there is no address space for %zu bytes of code: free memory", bytes);
    *(volatile unsigned char *)code.at = 0;
    if (!pages_executable(code.at, code.bytes, true)) {
        pages_unmap(code.at, code.bytes);
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "this system refuses to execute memory that a program has written (SELinux's "
                   "execmem, systemd's MemoryDenyWriteExecute): allow it, or measure elsewhere");
    }
    return code;
}

static void plan_front(struct probe_task *task)
{
    struct front_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    const struct front_options *asked = task->options;
    if (!front_has(0))
        return build_skip(task, "no code is generated for this architecture yet");
    if (!pages_bytes(PAGES_OF_4K))
        return build_skip(task, "this system has no calls that make memory executable");
    state->seat = chases_seat(task, &asked->cpu);
    const size_t bytes = (size_t)asked->to.bytes;
    state->large = map_code(task, bytes, pages_bytes(PAGES_OF_THP) ? PAGES_OF_THP : PAGES_OF_4K);
    const struct front_code pages = {.count = (size_t)fmin(PAGES_MORE * (double)bytes, CODE_PAGES) /
                                              FRONT_PAGE,
                                     .each = FRONT_PAGE,
                                     .sparse = true};
    if (pages_bytes(PAGES_OF_4K) == FRONT_PAGE)
        state->small = map_code(task, front_bytes(&pages), PAGES_OF_4K);
    for (size_t i = 0; i < FRONT_LADDERS; i++)
        add_ladder(task, i);
    struct plan *plan = &task->plan;
    plan->pages = PAGES_SMALL;
    plan->touch_cpu = state->seat->cpu;
    probe_plan_short_batches(plan, trial_ns);
    plan->lowest = true;
    plan->trials_min = FRONT_TRIALS_MIN;
    plan->trials_max = FRONT_TRIALS_MAX;
    plan->lasts_s = task->common.thorough.has ? 0 : FRONT_S;
}

static void release_front(struct probe_task *task)
{
    struct front_state *state = task->state;
    if (state && state->large.at)
        pages_unmap(state->large.at, state->large.bytes);
    if (state && state->small.at)
        pages_unmap(state->small.at, state->small.bytes);
}

/* --- measuring --- */

static void prepare_front(struct trial *trial)
{
    const struct front_state *state = trial->probe_state;
    const struct front_ladder *ladder = &front_ladders[trial->point->index];
    struct worker *worker = &trial->workers[0];
    struct front *front = (struct front *)worker->room;
    const struct code_memory *memory = memory_of(state, ladder, trial->point->x);
    *front = (struct front){.memory = memory->at,
                            .bytes = memory->bytes,
                            .code = {.kind = ladder->kind,
                                     .random = ladder->random,
                                     .sparse = ladder->pages,
                                     .count = (size_t)trial->point->x / ladder->each,
                                     .each = ladder->each,
                                     .seed = trial->seed,
                                     .places = (uint32_t *)(void *)trial->arena->memory}};
    front_make(front);
    worker->run = front_run;
    worker->state = front;
    trial->operations = (double)front->code.count;
    trial->warm_repeats = 1;
}

#include "front.findings.h"

const struct probe front_probe = {
    .name = "front",
    .place = 132,
    .help = &help,
    .thorough = true,
    .findings = {finding_lines, experiment},
    .plan = plan_front,
    .prepare = prepare_front,
    .analyse = front_analyse,
    .release = release_front,
};
