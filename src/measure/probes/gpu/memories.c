/*
 * The memories of a multiprocessor other than the caches of `latency`: scratchpad, constant memory,
 * texture and read-only path, loads of different widths, atomics. Each is a chase through rings
 * that fit the path's nearest level.
 *
 * Constant memory has rings up to its whole bank, and its two caches are found in curves as in
 * `latency`: the first one in a curve with a word in each of its lines (64 bytes), later levels in
 * a curve with a word in each line of the second cache (256 bytes), because with several words a
 * line some loads would hit for any length of the ring.
 *
 * On that second curve the first cache serves 8 KiB, and a second cache that is hardly larger shows
 * no plateau. The first curve shows it, because it has several words in each line of the second
 * cache: if that curve has a flat with a lower latency than the second curve's plateau, the flat is
 * the second cache.
 *
 * Loads with one address for a whole group use a separate cache on AMD's devices (the scalar cache:
 * 16 KiB with lines of 64 bytes on all known ones, AMD, "RDNA 2 Instruction Set
 * Architecture", 2.1). The next level is L2, which `latency` measures.
 *
 * References: Jia et al., "Dissecting the NVIDIA Volta GPU architecture via microbenchmarking",
 * 2018, table 3.1 (lines of the constant caches); NVIDIA, PTX ISA, 9.7.9 (the operators).
 *
 * Time: a point is six trials of three batches of 1 ms and their launches of 10 us, some 20 ms; 24
 * of one size and 60 of constant memory take 2 s, the refinement of three knees half a second.
 */
#include "conclude/levels/level.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/gpu/gpu.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of a word of the scratchpad, and of a cache line, at least. */
enum { WORD = 8, LINE = 128 };
/* Bytes of the smallest rings: for the first level or the scratchpad they fit every device; for the
 * second level they are longer, so that near and far lines are about as many. */
enum { RINGS = 3, FIRST_LEVEL = 1 << 10, SECOND_LEVEL = 32 << 10 };
/* Constant memory: from four lines to the bank that a kernel sees. */
enum { LINES_LEAST = 4, CONSTANT_BANK = 64 << 10, SCALAR_MOST = 256 << 10, PER_OCTAVE = 4 };

/* Memories with caches that are found in a curve over the working set. */
struct ladder {
    const char *what, *finding;
    enum gpu_path path;
    size_t line, most;
    unsigned level; /* the cache that the curve shows */
    bool alone;     /* the only cache, so its findings' names have no number */
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
#include "memories.texts.h"
};
enum { MEMORIES = sizeof memories / sizeof *memories };

/* --- planning --- */

/* Whether the device can do that work; if not, records the reason, except for scalar loads, because
 * only some devices have a cache for them. A CPU device uses plain memory as constant memory, which
 * `latency` already measures. */
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
    struct gpu_work work = gpu_chase(memory->path, memory->least, memory->stride);
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
    struct gpu_work work = gpu_chase(ladder->path, least, line);
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

/* A flat of a curve, too short or with too gradual an end for a fitted level: the sizes with equal
 * latency beyond the previous level's end. */
struct flat {
    double from, to; /* the first and the last size on it */
    double off;      /* the first size beyond it with a higher latency; NAN: none */
    double latency;  /* of its points, in cycles if they have them, else in the series' unit */
};

/* With three sizes or more a single outlier can't decide. Latencies of one plateau lie within this
 * range (latency.c: a batch is a thousand steps of the clock). */
enum { POINTS_LEAST = 3 };
static const double apart_most = 0.02;

/* The end of the run of points from `first` on with latencies within apart_most. */
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

/* The first flat beyond that size: at least three neighbouring sizes within 2 % of one another.
 * False: there is none. The points are in ascending order. */
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

/* The flat begins at least this factor beyond the first cache's end, past the gradual rise there. A
 * flat below `nearer` times the second curve's plateau is a cache that the second curve does not
 * show. */
static const double past_first = 1.3, nearer = 0.95;
/* The flat's end is precise enough if the sizes around it have at most this ratio. */
static const double narrow = 1.04;
enum { FIRST_CONSTANT, SECOND_CONSTANT };

/* Finds the second constant cache in the first curve; false if the second curve shows it, or
 * neither. */
static bool find_hidden(struct gpu_task *task, struct flat *flat)
{
    const struct series *of[2];
    struct levels levels[2];
    for (size_t i = FIRST_CONSTANT; i <= SECOND_CONSTANT; i++) {
        of[i] = series_of(task, &ladders[i]);
        if (!of[i])
            return false;
        levels_of_series(task->task->pool, LEVEL_PAGES_KNOWN, of[i], NULL, 0, &levels[i]);
        if (levels[i].count <= i)
            return false;
    }
    const double first = levels[FIRST_CONSTANT].list[0].latency.value,
                 end = levels[FIRST_CONSTANT].list[0].capacity.value,
                 second = levels[SECOND_CONSTANT].list[1].latency.value;
    return end > 0 && second > 0 && find_flat(of[FIRST_CONSTANT], past_first * end, flat) &&
           flat->latency < nearer * second && flat->off > 0 && flat->latency > first / nearer;
}

/* --- from stage to stage --- */

static void plan_memories(struct gpu_task *task)
{
    if (task->stage == 0) {
        task->task->plan.share = 0.6; /* of the time; the knees' stages have the rest */
        for (size_t i = 0; i < MEMORIES; i++)
            plan_memory(task, &memories[i]);
        for (size_t i = 0; i < LADDERS; i++)
            plan_ladder(task, &ladders[i]);
        return;
    }
    const struct ladder *ladder = ladders;
    for (; ladder < ladders + LADDERS; ladder++) { /* more sizes around the ends of the caches */
        const struct series *series = series_of(task, ladder);
        uint64_t sizes[KNEES_SIZES_MOST];
        const size_t count = series ? knees_choose(task->task->pool, LEVEL_PAGES_KNOWN, series,
                                                   NULL, 0, ladder->line, sizes)
                                    : 0;
        for (size_t i = 0; i < count; i++) {
            const struct gpu_work work = gpu_chase(ladder->path, (size_t)sizes[i], ladder->line);
            gpu_add_point(task, series, (double)sizes[i], &work);
        }
    }
    /* Sizes between the flat's last one and the next. */
    ladder = &ladders[FIRST_CONSTANT];
    struct flat flat;
    if (!find_hidden(task, &flat) || flat.off <= narrow * flat.to)
        return;
    for (int i = 1; i <= KNEES_SIZES_A_LEVEL; i++) {
        const double x = flat.to + (flat.off - flat.to) * i / (KNEES_SIZES_A_LEVEL + 1);
        const size_t bytes = (size_t)x / ladder->line * ladder->line;
        const struct gpu_work work = gpu_chase(GPU_CONSTANT, bytes, ladder->line);
        if ((double)bytes > flat.to && (double)bytes < flat.off)
            gpu_add_point(task, series_of(task, ladder), (double)bytes, &work);
    }
}

/* --- concluding --- */

/* Adds the findings of the ladder's level. */
static void conclude_ladder(struct gpu_task *task, const struct ladder *ladder, bool hidden)
{
    struct probe_task *probe = task->task;
    const struct series *series = series_of(task, ladder);
    /* No cache is declared, and pages are never small. */
    const struct machine_facts declared = {.cache_count = 0};
    struct probe_result found = {0};
    unsigned levels = 0;
    if (!series)
        return;
    findings_levels(&found, probe->pool, series, NULL, &declared, -1, NULL, 0);
    for (size_t i = 0; i < found.finding_count; i++) {
        const struct finding *from = &found.findings[i];
        unsigned shown = 0; /* 2 from "L2.latency" */
        if (sscanf(from->name, "L%u.", &shown) == 1)
            levels = shown;
        /* The last plateau, which has other names because findings_levels() calls it memory, is one
         * more than the level before. */
        shown = shown ? shown : levels + 1;
        const unsigned level = shown + (hidden && ladder->level > 1 && shown > 1);
        /* A curve of the first constant cache reports level 1 alone; the others report their own
         * level and what lies behind it, because a bank that is larger than both caches shows one
         * level more. Findings without a value are remarks on all levels. */
        const bool other = ladder->level == 1 ? level != 1 : level < ladder->level;
        if (other || isnan(from->value))
            continue;
        const char *fact = strchr(from->name, '.');
        const char *own = ladder->alone
                              ? pool_printf(probe->pool, "%s%s", ladder->finding, fact)
                              : pool_printf(probe->pool, "%s%u%s", ladder->finding, level, fact);
        struct finding *finding =
            finding_add(probe->result, probe->pool, gpu_name(task, own), from->unit);
        const char *name = finding->name;
        *finding = *from;
        finding->name = name;
    }
}

static void conclude_memories(struct gpu_task *task)
{
    for (size_t i = 0; i < MEMORIES; i++)
        gpu_add_latency(task, memories[i].finding,
                        gpu_points_of(task, gpu_find_series(task, memories[i].what, NULL, NULL, 0)),
                        memories[i].text);
    struct flat flat;
    const bool hidden = find_hidden(task, &flat);
    for (size_t i = 0; i < LADDERS; i++) {
        if (i == SECOND_CONSTANT && hidden) {
            /* Latency from the flat's points, capacity from the sizes on either side of its end. */
            const struct series *series = series_of(task, &ladders[FIRST_CONSTANT]);
            const struct gpu_points points = gpu_points_between(task, series, flat.from, flat.to);
            gpu_add_latency(
                task, "constant2.latency", points,
                "a flat of the curve with several words a line; with one a line it is too "
                "short to be seen");
            gpu_add_finding(task, "constant2.capacity", "B",
                            (struct interval){(flat.to + flat.off) / 2, flat.to, flat.off},
                            gpu_points_read(task, &points).flags,
                            "between the last size on the flat and the first one beyond it");
        }
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
