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
 * has a flat that is nearer than the second curve's plateau, the flat is the second cache.
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
#include "measure/probes/gpu/gpu.h"

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
     "a load that declares its memory read-only (ld.global.nc), from the first level"},
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

/* Only some devices have a cache for scalar loads; the others lack nothing. A CPU device has no
 * constant memory and uses plain memory in its place, which `latency` already measures. */
static bool can(struct gpu_task *task, const char *what, const struct gpu_work *work)
{
    if (work->path == GPU_CONSTANT && gpu_is_cpu(task->facts)) {
        gpu_not_measured(task, what, "a CPU's is plain memory");
        return false;
    }
    return work->path == GPU_SCALAR ? !task->backend->refuses(task->gpu, work)
                                    : gpu_can(task, what, work);
}

static void plan_memory(struct gpu_task *task, const struct memory *memory)
{
    struct gpu_work work = chase_of(memory->path, memory->least, memory->stride);
    work.width_bits = memory->width_bits;
    if (!can(task, memory->what, &work))
        return;
    struct series *series = gpu_add_series(task, memory->what, gpu_by_size, gpu_in_ns);
    if (memory->width_bits)
        gpu_add_factor(task, series, "width_bits", NULL, memory->width_bits);
    for (size_t i = 0; i < RINGS; i++) {
        work.bytes = memory->least << i;
        gpu_add_point(task, series, (double)work.bytes, &work);
    }
}

static void plan_ladder(struct gpu_task *task, const struct ladder *ladder)
{
    const size_t line = ladder->line, least = LINES_LEAST * line;
    const uint64_t declared = ladder->path == GPU_CONSTANT ? task->facts->constant_bytes : 0;
    const size_t most = declared && declared < ladder->most ? (size_t)declared : ladder->most;
    struct gpu_work work = chase_of(ladder->path, least, line);
    if (!can(task, ladder->what, &work))
        return;
    struct series *series = gpu_add_series(task, ladder->what, gpu_by_size, gpu_in_ns);
    gpu_add_factor(task, series, "stride", NULL, (double)line);
    size_t last = 0;
    for (int i = 0; last <= most; i++) {
        work.bytes = (size_t)((double)least * exp2((double)i / (double)PER_OCTAVE)) / line * line;
        if (work.bytes <= most && work.bytes != last)
            gpu_add_point(task, series, (double)work.bytes, &work);
        last = work.bytes;
    }
}

static struct series *series_of(const struct gpu_task *task, const struct ladder *ladder)
{
    return gpu_find_series(task, ladder->what, "stride", NULL, (double)ladder->line);
}

/* --- the second constant cache on the first curve --- */

/* A flat of a curve that is too short, or too blurred at its end, for a level to be fitted to it:
 * what sizes beyond the end of the level before agree on, and between which two sizes they stop. */
struct flat {
    double from, to; /* the first and the last size on it */
    double off;      /* the first size beyond it whose latency is more; NAN: none */
    double latency;  /* of its points, in cycles where they have them, else in the series' unit */
};

/* Three sizes are the fewest with which a single outlier can't decide; and timings of one plateau
 * lie within this range (latency.c: a batch is a thousand steps of the clock). */
enum { POINTS_LEAST = 3 };
static const double apart_most = 0.02;

/* The end of the run of points that begins at `first` and stays within bounds. */
static size_t run_end(const struct series *series, size_t first)
{
    double least = gpu_latency_of(&series->points[first]), most = least;
    size_t end = first;
    while (end < series->point_count) {
        const double here = gpu_latency_of(&series->points[end]);
        if (!series->points[end].y.n || !(fmax(most, here) <= (1 + apart_most) * fmin(least, here)))
            break;
        most = fmax(most, here);
        least = fmin(least, here);
        end++;
    }
    return end;
}

/* The first flat beyond that size: three neighbouring sizes at least, within 2 % of one another.
 * False where there is none. The points stand in ascending order. */
static bool find_flat(const struct series *series, double beyond, struct flat *flat)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *points = series->points;
        if (points[i].x <= beyond)
            continue;
        const size_t end = run_end(series, i);
        if (end < i + POINTS_LEAST)
            continue;
        double sum = 0;
        for (size_t k = i; k < end; k++)
            sum += gpu_latency_of(&points[k]);
        *flat = (struct flat){.from = points[i].x,
                              .to = points[end - 1].x,
                              .off = end < series->point_count ? points[end].x : NAN,
                              .latency = sum / (double)(end - i)};
        return true;
    }
    return false;
}

/* Where the flat begins at the earliest: past what the first cache's end blurs. And this much
 * nearer than the second curve's plateau is a cache that this one does not show. */
static const double past_first = 1.3, nearer = 0.95;
/* The flat's end is known when the sizes around it are as near as this. */
static const double narrow = 1.04;
enum { FIRST_CONSTANT, SECOND_CONSTANT };

/* The second constant cache as the first curve shows it, where the second curve does not. */
static bool find_hidden(struct gpu_task *task, struct flat *flat)
{
    const struct series *of[2];
    struct found_levels levels[2];
    for (size_t i = FIRST_CONSTANT; i <= SECOND_CONSTANT; i++) {
        of[i] = series_of(task, &ladders[i]);
        if (!of[i])
            return false;
        levels_of_series(task->task->pool, of[i], NULL, 0, &levels[i]);
        if (levels[i].count <= i)
            return false;
    }
    const double first = levels[FIRST_CONSTANT].list[0].latency,
                 end = levels[FIRST_CONSTANT].list[0].capacity,
                 second = levels[SECOND_CONSTANT].list[1].latency;
    return end > 0 && second > 0 && find_flat(of[FIRST_CONSTANT], past_first * end, flat) &&
           flat->latency < nearer * second && flat->off > 0 && flat->latency > first / nearer;
}

/* Sizes between the flat's last one and the next. */
static void refine_hidden(struct gpu_task *task)
{
    const struct ladder *ladder = &ladders[FIRST_CONSTANT];
    struct flat flat;
    if (!find_hidden(task, &flat) || flat.off <= narrow * flat.to)
        return;
    for (int i = 1; i <= KNEES_SIZES_A_LEVEL; i++) {
        const double x = flat.to + (flat.off - flat.to) * i / (KNEES_SIZES_A_LEVEL + 1);
        const size_t bytes = (size_t)x / ladder->line * ladder->line;
        const struct gpu_work work = chase_of(GPU_CONSTANT, bytes, ladder->line);
        if ((double)bytes > flat.to && (double)bytes < flat.off)
            gpu_add_point(task, series_of(task, ladder), (double)bytes, &work);
    }
}

/* --- from stage to stage --- */

/* More sizes around the ends of the caches. */
static void refine_ladder(struct gpu_task *task, const struct ladder *ladder)
{
    const struct series *series = series_of(task, ladder);
    uint64_t sizes[KNEES_SIZES_MOST];
    const size_t count =
        series ? knees_choose(task->task, series, NULL, 0, ladder->line, sizes) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_work work = chase_of(ladder->path, (size_t)sizes[i], ladder->line);
        gpu_add_point(task, series, (double)sizes[i], &work);
    }
}

static void plan_memories(struct gpu_task *task, unsigned stage)
{
    if (stage == 0) {
        task->task->plan.share = 0.6; /* of the time; the knees' stages have the rest */
        for (size_t i = 0; i < MEMORIES; i++)
            plan_memory(task, &memories[i]);
        for (size_t i = 0; i < LADDERS; i++)
            plan_ladder(task, &ladders[i]);
        return;
    }
    for (size_t i = 0; i < LADDERS; i++)
        refine_ladder(task, &ladders[i]);
    refine_hidden(task);
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
static void conclude_ladder(struct gpu_task *task, const struct ladder *ladder, bool hidden)
{
    struct probe_task *probe = task->task;
    const struct series *series = series_of(task, ladder);
    /* Nothing is declared of them, and no page of theirs is small. */
    const struct machine_facts declared = {.cache_count = 0};
    struct probe_result found = {0};
    unsigned levels = 0;
    if (!series)
        return;
    findings_levels(&found, probe->pool, series, &declared, NULL, 0);
    for (size_t i = 0; i < found.finding_count; i++) {
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
        struct finding *finding = probe_add_finding(probe, gpu_name(task, own), from->unit);
        const char *name = finding->name;
        *finding = *from;
        finding->name = name;
    }
}

/* From its points, and its end from the sizes on either side. */
static void conclude_hidden(struct gpu_task *task, const struct flat *flat)
{
    const struct series *series = series_of(task, &ladders[FIRST_CONSTANT]);
    const struct gpu_points points = gpu_points_between(task, series, flat->from, flat->to);
    gpu_add_latency(task, "constant2.latency", points,
                    "a flat of the curve with several words a line; with one a line it is too "
                    "short to be seen");
    gpu_add_finding(task, "constant2.capacity", "B",
                    (struct level_estimate){(flat->to + flat->off) / 2, flat->to, flat->off},
                    gpu_points_read(task, &points).flags,
                    "between the last size on the flat and the first one beyond it");
}

static void conclude_memories(struct gpu_task *task)
{
    for (size_t i = 0; i < MEMORIES; i++)
        gpu_add_latency(task, memories[i].finding,
                        gpu_points_between(task,
                                           gpu_find_series(task, memories[i].what, NULL, NULL, 0),
                                           0, INFINITY),
                        memories[i].text);
    struct flat flat;
    const bool hidden = find_hidden(task, &flat);
    for (size_t i = 0; i < LADDERS; i++) {
        if (i == SECOND_CONSTANT && hidden)
            conclude_hidden(task, &flat);
        conclude_ladder(task, &ladders[i], hidden);
    }
}

const struct gpu_experiment gpu_memories = {
    .name = "memories",
    .summary = "scratchpad, constant, texture and read-only memory, widths of loads, atomics",
    .weight = 2,
    .by_default = true,
    .stages = 1 + KNEES_STAGES,
    .plan = plan_memories,
    .conclude = conclude_memories,
};
