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
 *
 * A hypervisor may back huge pages with small ones, and then a TLB holds the small ones. So the
 * same jumps, a small page apart, are measured on huge pages, too. If they do not take what they
 * take on small ones, jumps a huge page apart are measured: hundreds of MiB for the TLB.
 */
#include "measure/probes/front/front.h"

#include "machine/os.h"
#include "machine/pages.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

#include <math.h>

/* Of the second stage: its huge pages may take a guest 2 s to get before it begins. */
enum { FRONT_TRIALS_MIN = 9, FRONT_TRIALS_MAX = 36, FRONT_S = 15, FRONT_LARGE_S = 2 };
enum { KIB = 1 << 10, MIB = 1 << 20 };
/* Jumps about a page apart fill little of a cache, so they get this many times as many bytes. */
enum { PAGES_MORE = 4, CODE_PAGES = 16 * MIB, PIECES = 4 * MIB, FIRST_CACHES = 64 * KIB };
/* First TLBs hold up to 64 huge pages. PIECE lies on the second number of them. */
enum { LARGE_PAGES = 160, PIECE_PAGES = 16, LARGE_BYTES = LARGE_PAGES * FRONT_LARGE_PAGE };
static const double trial_ns = 60e3;
static const char jumps[] = "jumps", scattered[] = "jumps in random order",
                  straight[] = "instructions", on_large[] = "jumps on pages of 2M";

const char front_each[] = "each", front_no_large[] = "no_large_pages";
/* Fewer jumps than 64 are predicted by their history. Where all instructions have one length, jumps
 * in random order are the second ladder for caches. A line more than a page spreads jumps over a
 * cache's sets; twice the pages of the last TLB known take 16 MiB. A small page more than a large
 * one spreads them over the sets of a TLB of small pages. */
const struct front_ladder front_ladders[FRONT_LADDERS] = {
    [JUMP64] = {jumps, FRONT_JUMPS, FRONT_NEAR, false, 64, 8 * KIB, 0},
    [JUMP32] = {jumps, FRONT_JUMPS, FRONT_NEAR, false, 32, 2 * KIB, MIB},
    [JUMP16] = {jumps, FRONT_JUMPS, FRONT_NEAR, false, 16, KIB, MIB / 2},
    [NOP4] = {straight, FRONT_PLAIN, FRONT_NEAR, false, 4, 2 * KIB, 0},
    [NOP8] = {straight, FRONT_PLAIN, FRONT_NEAR, false, 8, 2 * KIB, 0},
    [NOP12] = {straight, FRONT_PLAIN, FRONT_NEAR, false, 12, 2 * KIB, 128 * KIB},
    [FAR64] = {scattered, FRONT_JUMPS, FRONT_NEAR, true, 64, 4 * KIB, 0},
    [PAGE] = {jumps, FRONT_JUMPS, FRONT_SMALL, false, FRONT_PAGE + 64, 64 * KIB, CODE_PAGES},
    [HALF] = {jumps, FRONT_JUMPS, FRONT_SMALL, false, FRONT_PAGE / 2 + 64, 64 * KIB, CODE_PAGES},
    [PIECE] = {on_large, FRONT_JUMPS, FRONT_PIECES, false, FRONT_PAGE + 64, 64 * KIB, PIECES},
    [LARGE] = {on_large, FRONT_JUMPS, FRONT_LARGE, false, 2 * MIB + 4 * KIB + 64, 8 * MIB, 0},
    [LARGE_HALF] = {on_large, FRONT_JUMPS, FRONT_LARGE, false, MIB + 4 * KIB + 64, 8 * MIB, 0},
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
    struct code_memory huge;         /* on huge pages, which are all there */
};

/* A few small pages fit every TLB, and clearing a huge one takes longer than such a trial. */
static const struct code_memory *memory_of(const struct front_state *state,
                                           const struct front_ladder *ladder, double x)
{
    if (ladder->where >= FRONT_PIECES)
        return &state->huge;
    return ladder->where == FRONT_SMALL || (x <= FIRST_CACHES && state->small.at) ? &state->small
                                                                                  : &state->large;
}

/* --- planning --- */

/* Adds the ladder's series and its points: four an octave, and eight where the first caches end. */
static void add_ladder(struct probe_task *task, size_t i)
{
    const struct front_state *state = task->state;
    const struct front_ladder *ladder = &front_ladders[i];
    const double to = (double)((const struct front_options *)task->options)->to.bytes,
                 asked = ladder->where == FRONT_NEAR ? to : PAGES_MORE * to,
                 most = ladder->where == FRONT_LARGE
                            ? (double)(LARGE_BYTES - FRONT_LARGE_PAGE)
                            : fmin(asked, ladder->most > 0 ? ladder->most : asked);
    const bool plain = ladder->kind == FRONT_PLAIN;
    if ((plain && !front_has(ladder->each)) || (ladder->random && front_has(8)) ||
        !memory_of(state, ladder, ladder->from)->at)
        return;
    const unsigned series = build_series(
        task, (struct series){.name = ladder->name,
                              .headline = i == 0,
                              .x = {ladder->where == FRONT_LARGE ? "span of code" : "code", "B"},
                              .y = {plain ? "time per instruction" : "time per jump", "ns"}});
    build_factor(task, series, front_each, ladder->each);
    for (double x = ladder->from, octave; round(x) <= most; x *= exp2(1 / octave)) {
        octave = i && x >= FIRST_CACHES / 4 && round(x) < FIRST_CACHES ? 8 : 4;
        struct plan_point *point = build_point(task, series, round(x / ladder->each) * ladder->each,
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

static void unmap_code(struct code_memory *code)
{
    if (code->at)
        pages_unmap(code->at, code->bytes);
    *code = (struct code_memory){NULL, 0};
}

/* Touches the first huge pages. Where there are none, or others, the document has the reason. */
static void touch_huge(struct probe_task *task, size_t pages, const char *why)
{
    struct code_memory *huge = &((struct front_state *)task->state)->huge;
    struct os_placement placement;
    pages_executable(huge->at, huge->bytes, false);
    for (size_t i = 0; huge->at && i < pages; i++)
        *(volatile unsigned char *)(huge->at + i * FRONT_LARGE_PAGE) = 0;
    os_verify(huge->at, huge->bytes, -1, &placement);
    if (placement.page_bytes == FRONT_LARGE_PAGE)
        return;
    build_note_text(task, front_no_large, huge->at ? "the system gave small ones" : why);
    unmap_code(huge);
}

static void plan_stage(struct probe_task *task, double lasts_s)
{
    const struct front_state *state = task->state;
    struct plan *plan = &task->plan;
    plan->pages = PAGES_SMALL;
    plan->touch_cpu = state->seat->cpu;
    probe_plan_short_batches(plan, trial_ns);
    plan->lowest = true;
    plan->trials_min = FRONT_TRIALS_MIN;
    plan->trials_max = FRONT_TRIALS_MAX;
    plan->lasts_s = task->common.thorough.has ? 0 : lasts_s;
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
    struct error error = {.text = "too little memory is free"};
    if (machine_memory_budget(task->machine) >= LARGE_BYTES)
        state->huge = (struct code_memory){os_map(LARGE_BYTES, PAGES_THP, -1, &error), LARGE_BYTES};
    touch_huge(task, PIECE_PAGES, pool_strdup(task->pool, error.text));
    for (size_t i = 0; i <= PIECE; i++)
        add_ladder(task, i);
    plan_stage(task, FRONT_S);
    task->plan.share = 0.8;
}

static bool next_front(struct probe_task *task)
{
    const struct front_state *state = task->state;
    struct analysis seen = {.result =
                                &(struct probe_result){.series = task->plan.series,
                                                       .series_count = task->plan.series_count},
                            .pool = task->pool};
    if (task->stage > 1 || !state->huge.at || !front_large_are_whole(&seen))
        return false;
    probe_plan_clear(task);
    touch_huge(task, LARGE_PAGES, NULL);
    for (size_t i = LARGE; i < FRONT_LADDERS; i++)
        add_ladder(task, i);
    plan_stage(task, FRONT_LARGE_S);
    return state->huge.at;
}

static void release_front(struct probe_task *task)
{
    struct front_state *state = task->state;
    if (!state)
        return;
    unmap_code(&state->large);
    unmap_code(&state->small);
    unmap_code(&state->huge);
}

/* --- measuring --- */

static void prepare_front(struct trial *trial)
{
    const struct front_state *state = trial->probe_state;
    const struct front_ladder *ladder = &front_ladders[trial->point->index];
    struct worker *worker = &trial->workers[0];
    struct front *front = (struct front *)worker->room;
    const struct code_memory *memory = memory_of(state, ladder, trial->point->x);
    *front = (struct front){
        .memory = memory->at,
        .bytes = memory->bytes,
        .code = {.kind = ladder->kind,
                 .random = ladder->random,
                 .sparse = ladder->where == FRONT_SMALL || ladder->where == FRONT_PIECES,
                 .kept = ladder->where >= FRONT_PIECES,
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
    .next = next_front,
    .prepare = prepare_front,
    .analyse = front_analyse,
    .release = release_front,
};
