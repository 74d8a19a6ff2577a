/*
 * The memories of a multiprocessor beside the caches of `latency`: scratchpad, constant memory,
 * texture and read-only path, loads of different widths, atomics. A chase each, through rings that
 * are small enough for the nearest level that has them.
 *
 * Of constant memory through rings up to its whole bank, whose two caches are read off curves as
 * those of `latency` are: the first off one with a word in each of its lines (64 bytes), what lies
 * beyond it off one with a word in each line of the second (256 bytes), for several words a line
 * would find some of it again, however long the ring.
 *
 * A second cache that is hardly larger than the 8 KiB that the first one serves of its lines shows
 * no plateau there. It does on the first curve, in whose lines it has several words: so where that
 * has a flat (flat.h) that is nearer than the second curve's plateau, the flat is the second cache.
 *
 * Loads whose address a whole group shares go through a cache of their own on AMD's devices (the
 * scalar cache: 16 KiB and lines of 64 bytes on all so far, AMD, "RDNA 2 Instruction Set
 * Architecture", 2.1). What lies beyond it is L2, which `latency` measures.
 *
 * References: Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking",
 * 2018, table 3.1 (lines of the constant caches); NVIDIA, PTX ISA, 9.7.9 (the operators).
 *
 * Time: a point is six trials of three batches of 1 ms and their launches of 10 us, some 20 ms; 24
 * of one size and 60 of constant memory take 2 s, the refinement of three knees half a second.
 */
#include "conclude/levels/levels.h"
#include "conclude/registry/finding.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/flat.h"
#include "measure/probes/gpu/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A word of scratchpad; a line of the caches, at least. */
enum { WORD = 8, LINE = 128 };
/* Rings that fit the first level, or the scratchpad, of every device; for the second level they are
 * longer, so that lines near and far are as many. */
enum { RINGS = 3, FIRST_LEVEL = 1 << 10, SECOND_LEVEL = 32 << 10 };
/* Constant memory: from four lines to the bank that a kernel sees. */
enum { LINES_LEAST = 4, CONSTANT_BANK = 64 << 10, SCALAR_MOST = 256 << 10, PER_OCTAVE = 4 };

/* Memories whose caches are read off a curve over the working set. */
struct ladder {
    const char *what, *finding;
    enum gpu_path path;
    size_t line, most;
    unsigned level; /* that it tells */
    bool alone;     /* there is no other, so its name has no number */
};
static const struct ladder ladders[] = {
    {"constant memory", "constant", GPU_CONSTANT, 64, CONSTANT_BANK, 1, false},
    {"constant memory", "constant", GPU_CONSTANT, 256, CONSTANT_BANK, 2, false},
    {"scalar loads", "scalar", GPU_SCALAR, 64, SCALAR_MOST, 1, true},
};
enum { LADDERS = sizeof ladders / sizeof *ladders };

struct memory {
    const char *what, *finding;
    enum gpu_path path;
    unsigned width_bits;
    size_t stride, least; /* the smallest ring; each further one is twice as long */
    const char *text;
};

static const struct memory memories[] = {
    {"scratchpad", "shared.latency", GPU_SHARED, 0, WORD, FIRST_LEVEL,
     "a load from the multiprocessor's own scratchpad (shared or local memory)"},
    {"scratchpad atomics", "shared.atomic.latency", GPU_SHARED_ATOMIC, 0, WORD, FIRST_LEVEL,
     "an atomic addition in the scratchpad, until its result is there"},
    {"texture", "texture.latency", GPU_TEXTURE, 0, LINE, FIRST_LEVEL,
     "a fetch from a linear texture that the first level holds"},
    {"read-only path", "readonly.latency", GPU_READ_ONLY, 0, LINE, FIRST_LEVEL,
     "a load that says that nobody writes there (ld.global.nc), from the first level"},
    {"loads of 32 bits", "L1.load32.latency", GPU_L1, 32, LINE, FIRST_LEVEL,
     "it holds an index, so the multiplication and addition that make an address of it count too"},
    {"loads of 64 bits", "L1.load64.latency", GPU_L1, 64, LINE, FIRST_LEVEL, "it holds an address"},
    {"loads of 128 bits", "L1.load128.latency", GPU_L1, 128, LINE, FIRST_LEVEL,
     "two words in one load, of which one is the address"},
    {"atomics", "atomic.latency", GPU_ATOMIC, 0, LINE, SECOND_LEVEL,
     "an atomic addition in device memory, until its result is there: the second-level cache does "
     "it"},
};
enum { MEMORIES = sizeof memories / sizeof *memories };

struct memories_state {
    int series[MEMORIES]; /* index in the plan; -1: the device can't */
    int ladder[LADDERS];
};

/* --- planning --- */

static struct gpu_work chase_of(enum gpu_path path, size_t bytes, size_t stride)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = path;
    work.order = GPU_RANDOM;
    work.bytes = bytes;
    work.stride = stride;
    return work;
}

/* Only some devices have a cache for scalar loads: others lack nothing. A CPU has no constant
 * memory, but calls plain memory so, of which `latency` has the curve. */
static bool can(struct gpu_task *task, const char *what, const struct gpu_work *work)
{
    if (work->path == GPU_CONSTANT && gpu_is_cpu(task->facts)) {
        gpu_not_measured(task, what, "a CPU's is plain memory", NULL);
        return false;
    }
    return work->path == GPU_SCALAR ? !task->backend->refuses(task->gpu, work)
                                    : gpu_can(task, what, work);
}

/* A curve over bytes: its index, -1 where the device can't do it, or an error. */
static int add_curve(struct gpu_task *task, const char *what, const struct gpu_work *work,
                     struct error *error)
{
    if (!can(task, what, work))
        return -1;
    struct series *series = gpu_add_series(task, what, (struct axis){"working set", "B"},
                                           (struct axis){"latency", "ns"});
    int code = 0;
    if (work->width_bits)
        code = gpu_add_factor(task, series, "width_bits", NULL, work->width_bits, error);
    return code < 0 ? code : (int)(series - task->task->plan.series);
}

static int plan_memory(struct gpu_task *task, const struct memory *memory, int *index,
                       struct error *error)
{
    struct gpu_work work = chase_of(memory->path, memory->least, memory->stride);
    work.width_bits = memory->width_bits;
    *index = add_curve(task, memory->what, &work, error);
    int code = *index < -1 ? *index : 0;
    for (size_t i = 0; i < RINGS && code == 0 && *index >= 0; i++) {
        work.bytes = memory->least << i;
        code = gpu_add_point(task, (size_t)*index, (double)work.bytes, &work, error);
    }
    return code;
}

static size_t largest_of(const struct gpu_task *task, const struct ladder *ladder)
{
    uint64_t declared = ladder->path == GPU_CONSTANT ? task->facts->constant_bytes : 0;
    return declared && declared < ladder->most ? (size_t)declared : ladder->most;
}

static int plan_ladder(struct gpu_task *task, const struct ladder *ladder, int *index,
                       struct error *error)
{
    const size_t line = ladder->line;
    const double least = (double)(LINES_LEAST * line);
    struct gpu_work work = chase_of(ladder->path, LINES_LEAST * line, line);
    *index = add_curve(task, ladder->what, &work, error);
    int code = *index < -1 ? *index : 0;
    if (*index >= 0)
        code = gpu_add_factor(task, &task->task->plan.series[*index], "stride", NULL, (double)line,
                              error);
    size_t last = 0;
    for (int i = 0; code == 0 && *index >= 0; i++) {
        work.bytes = (size_t)(least * exp2((double)i / (double)PER_OCTAVE)) / line * line;
        if (work.bytes > largest_of(task, ladder))
            break;
        if (work.bytes != last)
            code = gpu_add_point(task, (size_t)*index, (double)work.bytes, &work, error);
        last = work.bytes;
    }
    return code;
}

static int plan_first(struct gpu_task *task, struct error *error)
{
    struct memories_state *state = pool_alloc(task->task->pool, 1, sizeof *state);
    task->state = state;
    task->task->plan.share = 0.6; /* of the time; the knees' stages have the rest */
    int code = 0;
    for (size_t i = 0; i < MEMORIES && code == 0; i++)
        code = plan_memory(task, &memories[i], &state->series[i], error);
    for (size_t i = 0; i < LADDERS && code == 0; i++)
        code = plan_ladder(task, &ladders[i], &state->ladder[i], error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

/* Where the flat begins at the earliest: past what the first cache's end blurs. And this much
 * nearer than the second curve's plateau is a cache that this one does not show. */
static const double past_first = 1.3, nearer = 0.95;
/* The flat's end is known when the sizes around it are as near as this. */
static const double narrow = 1.04;
enum { FIRST_CONSTANT, SECOND_CONSTANT };

/* A level of a ladder's curve as the estimator has it; NAN where it has none. */
static int read_level(struct gpu_task *task, int index, unsigned level, double *latency,
                      double *capacity, struct error *error)
{
    const struct series *series = &task->task->plan.series[index];
    struct found_levels levels;
    double clock;
    struct level_sample *samples =
        findings_level_samples(series, LEVEL_VALUES_QUIET, task->task->pool, &clock);
    if (!samples || levels_find(samples, series->point_count, NULL, 0, &levels) < 0)
        return error_out_of_memory(error);
    *latency = level <= levels.count ? levels.list[level - 1].latency : NAN;
    *capacity = level <= levels.count ? levels.list[level - 1].capacity : NAN;
    return 0;
}

/* The second constant cache as the first curve shows it, where the second curve does not: 1, or 0.
 */
static int find_hidden(struct gpu_task *task, const struct memories_state *state,
                       struct gpu_flat *flat, struct error *error)
{
    double first, end, second, other;
    if (state->ladder[FIRST_CONSTANT] < 0 || state->ladder[SECOND_CONSTANT] < 0)
        return 0;
    int code = read_level(task, state->ladder[FIRST_CONSTANT], 1, &first, &end, error);
    if (code == 0)
        code = read_level(task, state->ladder[SECOND_CONSTANT], 2, &second, &other, error);
    if (code < 0 || !(end > 0) || !(second > 0))
        return code;
    const struct series *series = &task->task->plan.series[state->ladder[FIRST_CONSTANT]];
    return gpu_flat_find(series, past_first * end, flat) && flat->latency < nearer * second &&
           flat->off > 0 && flat->latency > first / nearer;
}

/* Sizes between the flat's last one and the next. */
static int refine_hidden(struct gpu_task *task, struct error *error)
{
    const struct memories_state *state = task->state;
    const size_t line = ladders[FIRST_CONSTANT].line;
    struct gpu_flat flat;
    int code = find_hidden(task, state, &flat, error);
    if (code <= 0 || flat.off <= narrow * flat.to)
        return code < 0 ? code : 0;
    for (int i = 1; i <= KNEES_SIZES_A_LEVEL && code >= 0; i++) {
        const double x = flat.to + (flat.off - flat.to) * i / (KNEES_SIZES_A_LEVEL + 1);
        const size_t bytes = (size_t)x / line * line;
        const struct gpu_work work = chase_of(GPU_CONSTANT, bytes, line);
        if ((double)bytes > flat.to && (double)bytes < flat.off)
            code = gpu_add_point(task, (size_t)state->ladder[FIRST_CONSTANT], (double)bytes, &work,
                                 error);
    }
    return code < 0 ? code : 0;
}

/* More sizes around the ends of the caches. */
static int refine_ladder(struct gpu_task *task, size_t which, struct error *error)
{
    const struct memories_state *state = task->state;
    const int index = state->ladder[which];
    const size_t line = ladders[which].line;
    uint64_t sizes[KNEES_SIZES_MOST];
    if (index < 0)
        return 0;
    int count =
        knees_choose(task->task, &task->task->plan.series[index], NULL, 0, line, sizes, error);
    int code = count < 0 ? count : 0;
    for (int i = 0; i < count && code == 0; i++) {
        const struct gpu_work work = chase_of(ladders[which].path, (size_t)sizes[i], line);
        code = gpu_add_point(task, (size_t)index, (double)sizes[i], &work, error);
    }
    return code;
}

static int refine(struct gpu_task *task, unsigned stage, struct error *error)
{
    int code = 0;
    for (size_t i = 0; i < LADDERS && code == 0 && stage <= KNEES_STAGES; i++)
        code = refine_ladder(task, i, error);
    if (code == 0 && stage <= KNEES_STAGES)
        code = refine_hidden(task, error);
    return code < 0 ? code : task->task->plan.point_count > 0;
}

static int plan_memories(struct gpu_task *task, unsigned stage, struct error *error)
{
    return stage == 0 ? plan_first(task, error) : refine(task, stage, error);
}

/* --- concluding --- */

/* The level that a finding is about: 2 from "L2.latency"; the last plateau, which findings about
 * caches call memory, is the one after those before it. */
static unsigned level_of(const char *name, unsigned *levels)
{
    unsigned level = 0;
    if (sscanf(name, "L%u.", &level) == 1)
        *levels = level;
    return level ? level : *levels + 1;
}

/* What lies beyond the last constant cache counts as one more, where a bank outgrows both. */
static bool level_is_other(const struct ladder *ladder, unsigned level)
{
    return ladder->level == 1 ? level != 1 : level < ladder->level;
}

/* Each level from the curve of its own lines. */
static int conclude_ladder(struct gpu_task *task, size_t which, bool hidden, struct error *error)
{
    const struct memories_state *state = task->state;
    const struct ladder *ladder = &ladders[which];
    struct probe_task *probe = task->task;
    /* Nothing is declared of them, and no page of theirs is small. */
    const struct machine_facts declared = {.cache_count = 0};
    struct probe_result found = {0};
    unsigned levels = 0;
    int code = findings_levels(&found, probe->pool, &probe->plan.series[state->ladder[which]],
                               &declared, NULL, 0, error);
    for (size_t i = 0; i < found.finding_count && code == 0; i++) {
        const struct finding *from = &found.findings[i];
        const unsigned shown = level_of(from->name, &levels);
        const unsigned level = shown + (hidden && ladder->level > 1 && shown > 1);
        /* Remarks on all levels have no value. */
        if (level_is_other(ladder, level) || isnan(from->value))
            continue;
        const char *fact = strchr(from->name, '.');
        const char *own = ladder->alone
                              ? pool_printf(probe->pool, "%s%s", ladder->finding, fact)
                              : pool_printf(probe->pool, "%s%u%s", ladder->finding, level, fact);
        const char *name = own ? gpu_name(task, own) : NULL;
        struct finding *finding = name ? probe_add_finding(probe, name, from->unit) : NULL;
        name = finding->name;
        *finding = *from;
        finding->name = name;
    }
    return code;
}

/* From its points, and its end from the sizes on either side. */
static int conclude_hidden(struct gpu_task *task, const struct gpu_flat *flat, struct error *error)
{
    const struct memories_state *state = task->state;
    const struct series *series = &task->task->plan.series[state->ladder[FIRST_CONSTANT]];
    struct gpu_points points = {0};
    struct gpu_latency_read read;
    const char *name = gpu_name(task, "constant2.capacity");
    int code = gpu_points_between(&points, task, series, flat->from, flat->to, error);
    if (code == 0)
        code = gpu_add_latency(task, "constant2.latency", &points,
                               "a flat of the curve with several words a line; with one a line it "
                               "is too short to be seen",
                               error);
    if (code == 0)
        code = gpu_points_read(&points, task, &read, error);
    if (code < 0)
        return code;
    struct finding *finding =
        name ? finding_add_value(task->task->result, task->task->pool, name, "B",
                                 (flat->to + flat->off) / 2, flat->to, flat->off, read.flags)
             : NULL;
    finding->text = "between the last size on the flat and the first one beyond it";
    return 0;
}

static int conclude_memories(struct gpu_task *task, struct error *error)
{
    const struct memories_state *state = task->state;
    const struct series *series = task->task->plan.series;
    int code = 0;
    for (size_t i = 0; i < MEMORIES && code == 0; i++) {
        struct gpu_points points = {0};
        if (state->series[i] < 0)
            continue;
        code = gpu_points_between(&points, task, &series[state->series[i]], 0, INFINITY, error);
        if (code == 0)
            code = gpu_add_latency(task, memories[i].finding, &points, memories[i].text, error);
    }
    struct gpu_flat flat;
    int hidden = code < 0 ? code : find_hidden(task, state, &flat, error);
    code = hidden < 0 ? hidden : 0;
    for (size_t i = 0; i < LADDERS && code == 0; i++) {
        if (i == SECOND_CONSTANT && hidden)
            code = conclude_hidden(task, &flat, error);
        if (state->ladder[i] >= 0 && code == 0)
            code = conclude_ladder(task, i, hidden, error);
    }
    return code;
}

static int recall_memories(struct gpu_task *task, struct error *error)
{
    struct memories_state *state = task->state = pool_alloc(task->task->pool, 1, sizeof *state);
    int any = 0;
    for (size_t i = 0; i < MEMORIES; i++) {
        state->series[i] = gpu_find_series(task, memories[i].what, NULL, NULL, 0);
        any |= state->series[i] >= 0;
    }
    for (size_t i = 0; i < LADDERS; i++) {
        state->ladder[i] =
            gpu_find_series(task, ladders[i].what, "stride", NULL, (double)ladders[i].line);
        any |= state->ladder[i] >= 0;
    }
    return any;
}

const struct gpu_experiment gpu_memories = {
    .name = "memories",
    .summary = "scratchpad, constant, texture and read-only memory, widths of loads, atomics",
    .weight = 2,
    .by_default = true,
    .plan = plan_memories,
    .conclude = conclude_memories,
    .recall = recall_memories,
};
