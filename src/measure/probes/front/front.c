/*
 * The instruction side: what a taken branch and an instruction cost by the footprint of the code,
 * on code that is generated for it (measure/kernels/front.h).
 *
 * Chains of jumps show branch target buffers, as Milenkovic, Milenkovic and Kulick read them off
 * ("Microbenchmarks for determining branch predictor organization", Softw. Pract. Exper. 34(5),
 * 2004); the same chains and straight-line code show the caches. Which of both a step is, is told
 * by the distance of the jumps: a buffer counts branches, a cache counts bytes, a TLB pages
 * (findings.c).
 *
 * Code lies on huge pages where there are any, so that its translation hides no cache; for the TLB
 * on pages of the smallest size. The largest code is measured last, in few batches, because a
 * repeat takes milliseconds.
 */
#include "measure/probes/front/front.h"

#include "base/units.h"
#include "machine/pages.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

#include <math.h>
#include <string.h>

enum {
    FRONT_TRIALS_MIN = 6,
    FRONT_TRIALS_MAX = 9,
    FAR_BATCHES = 2,
    NEAR_S = 7,
    FAR_S = 8,
    KIB = 1 << 10,
    MIB = 1 << 20
};
static const double near_trial_ns = 150e3, far_from = MIB;
static const char branches[] = "jumps", scattered[] = "jumps in random order",
                  straight[] = "instructions", spread[] = "jumps to other pages";

const char front_each[] = "each";
const struct front_ladder front_ladders[FRONT_LADDERS] = {
    {branches, FRONT_BRANCHES, 64, 512, 4 * MIB, true},
    {branches, FRONT_BRANCHES, 16, 256, MIB / 2, false},
    {branches, FRONT_BRANCHES, 32, 512, MIB, false},
    {branches, FRONT_BRANCHES, 128, 512, 4 * MIB, false},
    {straight, FRONT_STRAIGHT, 4, KIB, 0, false},
    {straight, FRONT_STRAIGHT, 8, KIB, 0, false},
    {straight, FRONT_STRAIGHT, 1, KIB, MIB, false},
    {scattered, FRONT_SCATTERED, 64, 4 * KIB, 4 * MIB, false},
    {scattered, FRONT_SCATTERED, 128, 4 * KIB, 4 * MIB, false},
    {spread, FRONT_SPREAD, 1, 8, KIB, false},
    {spread, FRONT_SPREAD, 2, 8, KIB, false},
};

struct front_options {
    struct setting to, cpu;
};

#define AT(option) offsetof(struct front_options, option)
static const struct option_spec options[] = {
    {"to", 0, OPTION_SIZE, "SIZE", "16M", 64 * KIB, 64 * MIB, NULL, AT(to),
     "largest footprint of code; more than 16M takes longer than 20 s"},
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL, AT(cpu),
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

/* Memory for code: on the largest pages, and on the smallest. */
struct front_memory {
    unsigned char *memory;
    size_t bytes, page;
};

struct front_state {
    const struct seat *seat;
    size_t line_bytes;
    struct front_memory code[2]; /* by whether pages are the smallest */
    int series[FRONT_LADDERS];   /* -1: none */
};

/* --- the code of a point --- */

static struct front_code code_at(const struct front_state *state, const struct front_ladder *ladder,
                                 double x)
{
    const bool pages = ladder->role == FRONT_SPREAD;
    const size_t each = pages ? state->code[1].page / ladder->each : ladder->each;
    return (struct front_code){.kind = pages                            ? FRONT_PAGES
                                       : ladder->role == FRONT_STRAIGHT ? FRONT_PLAIN
                                                                        : FRONT_JUMPS,
                               .random = pages || ladder->role == FRONT_SCATTERED,
                               .count = pages ? (size_t)x * ladder->each : (size_t)x / each,
                               .each = each,
                               .line = state->line_bytes};
}

/* Four sizes an octave, and two where a repeat takes long. */
static double next_size(double x, bool far)
{
    return x * (far ? M_SQRT2 : sqrt(M_SQRT2));
}

/* --- planning --- */

static void plan_stage(struct probe_task *task, bool far)
{
    struct front_state *state = task->state;
    struct plan *plan = &task->plan;
    const double to = (double)((const struct front_options *)task->options)->to.bytes;
    plan->pages = PAGES_SMALL;
    plan->touch_cpu = state->seat->cpu;
    probe_plan_short_batches(plan, near_trial_ns);
    plan->trials_min = FRONT_TRIALS_MIN;
    plan->trials_max = FRONT_TRIALS_MAX;
    plan->batches = far ? FAR_BATCHES : plan->batches;
    plan->lasts_s = far ? FAR_S : NEAR_S;
    for (size_t i = 0; i < FRONT_LADDERS; i++) {
        const struct front_ladder *ladder = &front_ladders[i];
        const bool pages = ladder->role == FRONT_SPREAD;
        double most = pages || (ladder->most > 0 && ladder->most < to) ? ladder->most : to;
        double x = far ? next_size(far_from, far) : ladder->from;
        for (most = far || pages ? most : fmin(most, far_from);
             state->series[i] >= 0 && round(x) <= most; x = next_size(x, far)) {
            const double unit = pages ? 1 : ladder->each;
            struct plan_point *point =
                build_point(task, (unsigned)state->series[i], floor(round(x) / unit) * unit,
                            &state->seat->cpu, 1, MEASURED);
            point->index = i;
            point->arena_bytes =
                code_at(state, ladder, point->x).count * sizeof *(struct front_code){0}.places;
        }
    }
}

static void add_series(struct probe_task *task, size_t i)
{
    struct front_state *state = task->state;
    const struct front_ladder *ladder = &front_ladders[i];
    const bool pages = ladder->role == FRONT_SPREAD;
    state->series[i] = -1;
    if (ladder->role == FRONT_STRAIGHT && !front_has(ladder->each))
        return;
    const unsigned series = build_series(
        task, (struct series){
                  .name = ladder->name,
                  .headline = ladder->headline,
                  .x = pages ? (struct axis){"pages", ""} : (struct axis){"code", "B"},
                  .y = {ladder->role == FRONT_STRAIGHT ? "time per instruction" : "time per jump",
                        "ns"}});
    build_factor(task, series, front_each, ladder->each);
    state->series[i] = (int)series;
}

/* Maps memory for the code, and tries on its first page whether it may be executed. */
static void map_code(struct probe_task *task, bool small, size_t bytes)
{
    struct front_state *state = task->state;
    struct front_memory *code = &state->code[small];
    code->page = small ? 0 : pages_bytes(PAGES_OF_THP);
    const enum pages_kind kind = code->page ? PAGES_OF_THP : PAGES_OF_4K;
    code->page = code->page ? code->page : pages_bytes(PAGES_OF_4K);
    code->bytes = (bytes / code->page + 1) * code->page;
    code->memory = pages_map(code->bytes, kind, code->page);
    if (!code->memory)
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "there is no address space for %zu bytes of code: free memory", bytes);
    *(volatile unsigned char *)code->memory = 0;
    if (!pages_executable(code->memory, code->bytes, true))
        pool_leave(task->pool, ERROR_IMPOSSIBLE,
                   "this system refuses to execute memory that a program has written (SELinux's "
                   "execmem, systemd's MemoryDenyWriteExecute): allow it, or measure elsewhere");
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
    state->line_bytes = machine_line_bytes(task->machine);
    map_code(task, false, (size_t)asked->to.bytes);
    map_code(task, true, (size_t)KIB * pages_bytes(PAGES_OF_4K));
    for (size_t i = 0; i < FRONT_LADDERS; i++)
        add_series(task, i);
    char page[UNIT_TEXT];
    build_note_text(task, "page", pool_strdup(task->pool, size_name(state->code[1].page, page)));
    plan_stage(task, false);
}

static bool next_front(struct probe_task *task)
{
    if (task->stage > 1)
        return false;
    probe_plan_clear(task);
    plan_stage(task, true);
    return task->plan.point_count > 0;
}

static void release_front(struct probe_task *task)
{
    struct front_state *state = task->state;
    for (size_t i = 0; state && i < sizeof state->code / sizeof *state->code; i++)
        if (state->code[i].memory)
            pages_unmap(state->code[i].memory, state->code[i].bytes);
}

/* --- measuring --- */

static void prepare_front(struct trial *trial)
{
    const struct front_state *state = trial->probe_state;
    const struct front_ladder *ladder = &front_ladders[trial->point->index];
    const struct front_memory *code = &state->code[ladder->role == FRONT_SPREAD];
    struct worker *worker = &trial->workers[0];
    struct front *front = (struct front *)worker->room;
    *front = (struct front){.memory = code->memory,
                            .bytes = code->bytes,
                            .code = code_at(state, ladder, trial->point->x)};
    front->code.seed = trial->seed;
    front->code.places = (uint32_t *)(void *)trial->arena->memory;
    front_make(front);
    worker->run = front_run;
    worker->state = front;
    trial->operations = (double)front->code.count;
    trial->warm_repeats = 1;
}

/* Factors that decide a finding's experiment, and the values that its name alone implies. */
static const struct standard experiment[] = {
    {"each", STANDARD_NAMED, NULL, 0},
    {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0},
    {.factor = NULL},
};

static const struct finding_line finding_lines[] = {
#include "front.findings.h"
    {.patterns = NULL},
};

const struct probe front_probe = {
    .name = "front",
    .place = 132,
    .title = "The instruction side",
    .summary = "what a taken branch and an instruction cost by the footprint of the code",
    .about = "Before an instruction can work, the processor must know where it is and fetch it. "
             "Code that is generated for it is run at ever larger footprints: jumps 16 to 128 "
             "bytes apart, straight-line instructions of 1, 4 and 8 bytes, and jumps with one or "
             "two to a page.\nA branch target buffer holds a number of branches, a cache a number "
             "of bytes, a TLB a number of pages. So a level is only told where two ladders agree "
             "on that number, though their jumps are at other distances or their instructions of "
             "other lengths; a step that one ladder shows alone is in its curve and no "
             "finding.\nWhat changes it: the processor's design; a busy hardware thread of the "
             "same core, which shares all of it; for the outer levels the data of all programs, "
             "which share them; and a hypervisor, whose own page size counts in the TLB.",
    .thorough = true,
    .options = options,
    .options_bytes = sizeof(struct front_options),
    .findings = {finding_lines, experiment},
    .plan = plan_front,
    .prepare = prepare_front,
    .next = next_front,
    .analyse = front_analyse,
    .release = release_front,
};
