/*
 * Address translation: chains of lines that are a stride apart, from 64 KiB to 32 MiB, read past
 * the first level, compared with a chain of as many adjacent lines. Both hit the second-level
 * cache, so the additional time of the spread chain is translation: a TLB's reach is the working
 * set beyond which the chain takes longer.
 *
 * The bytes that an entry translates result from comparing strides: up to that size, the reach is
 * the same number of bytes; for larger strides it is the same number of lines.
 *
 * The distance of lines is the nominal stride plus nine lines (CREEP). Otherwise all lines would
 * fall on few sets of a cache without hashing, and in one half of a second level that selects its
 * half by the parity of address bits: for any k and most sets of bits i * (2^k + 9) has either
 * parity as often as by chance, but i * (2^k + 1) does not. There are at most 16384 lines, so that
 * they fit the second level and one pass over a ring takes 10 ms, for any cost of a miss.
 *
 * References: Saavedra and Smith (see tlb.c); Jia et al., "Dissecting the NVIDIA Volta GPU
 * architecture via microbenchmarking", 2018, section 3.9: two levels that span 32 MiB and 8 GiB.
 *
 * Time: 340 points of six trials, each 0.1 to 10 ms to warm its ring at 0.3 to 0.6 us a load, and
 * three batches of 300 us: some 7 s, and one more for three stages that narrow the knees.
 */
#include "base/random.h"
#include "base/units.h"
#include "conclude/levels/level.h"
#include "measure/probes/chase/knees.h"
#include "measure/probes/gpu/gpu.h"
#include "stats/order.h"
#include "stats/spread.h"

#include <math.h>

enum { LINE_BYTES = 128, CREEP = 9 * LINE_BYTES, STRIDES = 10, TLBS_MOST = 3 };
static const uint64_t strides[STRIDES] = {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20,
                                          2 << 20,  4 << 20,   8 << 20,   16 << 20,  32 << 20};
/* A chain's number of lines; PER_OCTAVE for each doubling. */
enum { LINES_LEAST = 4, LINES_MOST = 16384, PER_OCTAVE = 3 };
/* Divisors: a chain spans at most this part of the free memory, and its lines fill at most this
 * part of the second level. */
enum { MEMORY_PART = 4, L2_PART = 2 };
/* A chain begins at one of the lines of the smallest stride. */
enum { BEGINNINGS = (64 << 10) / LINE_BYTES };
static const double batch_ns = 300e3;
static const char spread_what[] = "translation", packed_what[] = "translation, packed";

/* --- reading the curves --- */

/* Levels are found in a curve's difference from the packed curve plus this part of the packed
 * latency: levels are recognised by their ratio, and the difference alone begins at 0. */
static const double base_share = 0.5;
/* A curve is smoothed over points within an octave to either side, those of the ladder and of its
 * refinement. */
static const double window = 2;
enum { NEIGHBOURS_MOST = 64 };
/* Half of a normal interval of 95 %, in deviations. */
static const double normal_95 = 1.96;
/* Reaches with a smaller ratio count as equal: their strides lie within an entry. */
static const double same_reach = 1.5;

/* The levels in the curve of one stride, less the packed curve. */
struct reading {
    struct levels levels; /* only differences of their latencies mean something */
    bool cycles;          /* latencies are in cycles, not ns */
    unsigned flags;
};

static const struct series *series_of(const struct gpu_task *task, size_t stride)
{
    return gpu_find_series(task, spread_what, "stride", NULL, (double)strides[stride]);
}

static struct estimate value_of(const struct point *point, bool cycles)
{
    return cycles ? point->cycles : (struct estimate){point->y.median, point->y.low, point->y.high};
}

/* The median latency of a stride's points with about `lines` lines (within an octave); NAN: none.
 */
static double around(const struct series *series, double stride, double lines, bool cycles)
{
    double values[NEIGHBOURS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        const double value = (double)value_of(point, cycles).median, here = point->x / stride;
        if (here >= lines / window && here <= lines * window && isfinite(value) &&
            count < NEIGHBOURS_MOST)
            values[count++] = value;
    }
    return median_of(values, count);
}

/* The latency of `lines` adjacent lines; the packed curve's x is lines. */
static double packed_at(const struct series *packed, double lines, bool cycles)
{
    return around(packed, 1, lines, cycles);
}

/* The standard deviation of single lines' latencies: some lines are near, some far (distance.c),
 * and a chain of few lines may have more of one kind. The mean of n lines deviates by this divided
 * by the root of n. */
static double line_scatter(const struct gpu_task *task, const struct series *series, double stride,
                           bool cycles)
{
    const size_t n = series->point_count;
    double *apart = pool_alloc(task->task->pool, n + 1, sizeof *apart);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        const double lines = point->x / stride;
        const double off =
            (double)value_of(point, cycles).median - around(series, stride, lines, cycles);
        if (isfinite(off))
            apart[count++] = fabs(off) * sqrt(lines);
    }
    return count ? mad_to_deviation * median_of(apart, count) : NAN;
}

static struct reading read_curve(struct gpu_task *task, const struct series *series,
                                 const struct series *packed, double stride)
{
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(task->task->pool, n + 1, sizeof *samples);
    const struct gpu_latency_read whole = gpu_read_between(task, series, 0, INFINITY);
    struct reading reading = {.cycles = isfinite(whole.cycles.value), .flags = whole.flags};
    const double scatter = line_scatter(task, series, stride, reading.cycles);
    const double base = base_share * packed_at(packed, LINES_LEAST, reading.cycles);
    for (size_t i = 0; i < n; i++) {
        const double lines = series->points[i].x / stride;
        const double less = packed_at(packed, lines, reading.cycles) - base;
        const double half = normal_95 * scatter / sqrt(lines);
        const struct estimate y = value_of(&series->points[i], reading.cycles);
        samples[i] = (struct level_sample){.bytes = series->points[i].x,
                                           .latency = (double)y.median - less,
                                           .low = (double)y.low - less - half,
                                           .high = (double)y.high - less + half};
    }
    levels_find(task->task->pool, LEVEL_PAGES_KNOWN, samples, n, NULL, 0, &reading.levels);
    /* Joins two plateaus with overlapping intervals: their difference comes from more near lines by
     * chance on the first. */
    for (size_t k = 0; k + 1 < reading.levels.count;) {
        struct level *low = &reading.levels.list[k], *high = low + 1;
        if (high->latency.low > low->latency.high) {
            k++;
            continue;
        }
        high->latency = (struct interval){(low->latency.value + high->latency.value) / 2,
                                          fmin(low->latency.low, high->latency.low),
                                          fmax(low->latency.high, high->latency.high)};
        high->from = low->from;
        for (size_t i = k; i + 1 < reading.levels.count; i++)
            reading.levels.list[i] = reading.levels.list[i + 1];
        reading.levels.count--;
    }
    return reading;
}

/* Reads all strides' curves; a stride without a curve has no levels. False: there is no packed
 * curve. */
static bool read_curves(struct gpu_task *task, struct reading readings[STRIDES])
{
    const struct series *packed = gpu_find_series(task, packed_what, NULL, NULL, 0);
    for (size_t s = 0; s < STRIDES; s++) {
        const struct series *series = series_of(task, s);
        readings[s] = series && packed ? read_curve(task, series, packed, (double)strides[s])
                                       : (struct reading){.levels = {.count = 0}};
    }
    return packed != NULL;
}

/* The end of TLB `tlb` at that stride; NAN: not seen. */
static double reach_of(const struct reading *reading, size_t tlb)
{
    return tlb < reading->levels.count ? reading->levels.list[tlb].capacity.value : NAN;
}

/* The index of the largest stride within an entry of TLB `tlb` (counted from 0): the last one with
 * the same reach as the smallest. STRIDES: no curve shows that TLB's end. */
static size_t widest_stride(const struct reading readings[STRIDES], size_t tlb)
{
    size_t widest = STRIDES;
    double reach = NAN;
    for (size_t s = 0; s < STRIDES; s++) {
        const double here = reach_of(&readings[s], tlb);
        if (isnan(here))
            continue;
        if (widest < STRIDES && here > same_reach * reach)
            break;
        reach = widest < STRIDES ? reach : here;
        widest = s;
    }
    return widest;
}

/* --- planning --- */

/* Chains begin at different lines, because lines are near or far (distance.c), and most of a few
 * fixed lines could by chance be of one kind. */
static struct gpu_work chain_of(uint64_t memory, uint64_t lines, uint64_t stride)
{
    struct random random = {lines * UINT64_C(0x10001) + stride};
    struct gpu_work work = gpu_chase(GPU_L2, (size_t)(lines * stride), (size_t)stride);
    /* One allocation for all works, so that gigabytes are not mapped again for every trial. */
    work.span = (size_t)memory;
    work.offset = (size_t)random_below(&random, BEGINNINGS) * LINE_BYTES;
    return work;
}

/* The most bytes that a chain may span. */
static uint64_t memory_of(const struct gpu_task *task)
{
    return gpu_memory(task) / MEMORY_PART / LINE_BYTES * LINE_BYTES;
}

static void add_chain(struct gpu_task *task, const struct series *series, uint64_t lines,
                      uint64_t stride)
{
    const bool packed = stride == LINE_BYTES;
    const struct gpu_work work = chain_of(memory_of(task), lines, packed ? stride : stride + CREEP);
    gpu_add_point(task, series, (double)(packed ? lines : lines * stride), &work);
}

/* A ladder over numbers of lines, up to the limits of lines and memory. */
static void add_ladder(struct gpu_task *task, const char *what, struct axis axis, uint64_t stride)
{
    uint64_t fit = task->facts->l2_bytes / L2_PART / LINE_BYTES;
    const uint64_t most = fit && fit < LINES_MOST ? fit : LINES_MOST;
    struct series *series = gpu_add_series(task, what, axis, gpu_in_ns);
    gpu_add_factor(task, series, "stride", NULL, (double)stride);
    for (int i = 0;; i++) {
        const uint64_t lines =
            (uint64_t)((double)LINES_LEAST * exp2((double)i / (double)PER_OCTAVE));
        if (lines > most ||
            lines * (stride + CREEP) + (uint64_t)BEGINNINGS * LINE_BYTES > memory_of(task))
            break;
        add_chain(task, series, lines, stride);
    }
}

static void plan_ladders(struct gpu_task *task)
{
    const struct gpu_work first = chain_of(memory_of(task), LINES_LEAST, strides[0]);
    task->task->plan.share = 0.6; /* of the time; the knees' stages have the rest */
    if (!gpu_can(task, spread_what, &first))
        return;
    add_ladder(task, packed_what, (struct axis){"lines", ""}, LINE_BYTES);
    for (size_t s = 0; s < STRIDES; s++)
        if (LINES_LEAST * strides[s] * 4 <= memory_of(task))
            add_ladder(task, spread_what, gpu_by_size, strides[s]);
}

static void plan_translation(struct gpu_task *task)
{
    task->task->plan.batch_ns = batch_ns;
    if (task->stage == 0)
        plan_ladders(task);
    else {
        struct reading readings[STRIDES];
        read_curves(task, readings);
        for (size_t tlb = 0; tlb < TLBS_MOST; tlb++) {
            const size_t s = widest_stride(readings, tlb);
            uint64_t sizes[KNEES_SIZES_A_LEVEL];
            if (s == STRIDES)
                continue;
            const struct series *series = series_of(task, s);
            const size_t count =
                knees_around(series, &readings[s].levels.list[tlb], strides[s], sizes);
            for (size_t i = 0; i < count; i++)
                add_chain(task, series, sizes[i] / strides[s], strides[s]);
        }
    }
}

static const char *refuses_translation(const struct gpu_task *task)
{
    return gpu_memory(task) / MEMORY_PART >= LINES_LEAST * 4 * strides[0]
               ? NULL
               : "has too little memory that is free, or does not say how much it has";
}

/* --- concluding --- */

static void add(struct gpu_task *task, size_t tlb, const char *what, const char *unit,
                struct interval value, unsigned flags, const char *text)
{
    gpu_add_finding(task, pool_printf(task->task->pool, "tlb%zu.%s", tlb + 1, what), unit, value,
                    flags, text);
}

/* Adds the bytes that an entry translates: at the next larger stride the reach is larger by the
 * ratio of that stride to these bytes. */
static void add_page(struct gpu_task *task, const struct reading readings[STRIDES], size_t tlb,
                     size_t s)
{
    size_t next = s + 1;
    while (next < STRIDES && isnan(reach_of(&readings[next], tlb)))
        next++;
    if (next == STRIDES)
        return;
    const struct level *here = &readings[s].levels.list[tlb],
                       *there = &readings[next].levels.list[tlb];
    const double stride = (double)strides[next];
    /* Pages are powers of two; a value that is not near to one stays as it is. */
    const double bytes = stride * here->capacity.value / there->capacity.value,
                 power = exp2(round(log2(bytes))),
                 page = fabs(log2(bytes / power)) < 0.25 ? power : bytes;
    const struct interval value = {page,
                                   fmin(stride * here->capacity.low / there->capacity.high, page),
                                   fmax(stride * here->capacity.high / there->capacity.low, page)};
    add(task, tlb, "page", "B", value, readings[s].flags | readings[next].flags,
        s == 0 ? pool_printf(task->task->pool, "%s or less: no smaller stride was measured",
                             size_text(task->task->pool, (double)strides[0]))
               : "what an entry translates, from how the reach grows with the stride");
}

/* The additional latency of a miss in this TLB, at that stride or, if its curve has no next
 * plateau, at another stride: first larger ones, where every load misses, then smaller ones, where
 * some loads hit an entry loaded for another line of their page. The interval is the widest that
 * both intervals allow. */
static void add_miss(struct gpu_task *task, const struct reading readings[STRIDES], size_t tlb,
                     size_t s)
{
    const size_t within = s;
    while (s < STRIDES && readings[s].levels.count <= tlb + 1)
        s++;
    for (size_t i = within; s == STRIDES && i-- > 0;)
        s = readings[i].levels.count > tlb + 1 ? i : s;
    if (s == STRIDES)
        return;
    const struct level *hit = &readings[s].levels.list[tlb], *miss = hit + 1;
    add(task, tlb, "miss", readings[s].cycles ? "cycles" : "ns",
        (struct interval){miss->latency.value - hit->latency.value,
                          miss->latency.low - hit->latency.high,
                          miss->latency.high - hit->latency.low},
        readings[s].flags, "what a load takes longer that misses it");
}

/* No curve shows the end of a TLB. */
static void add_unknown(struct gpu_task *task)
{
    double most = 0;
    for (size_t s = 0; s < STRIDES; s++) {
        const struct point *last = gpu_last_point(series_of(task, s));
        most = last ? fmax(most, last->x) : most;
    }
    if (most > 0)
        add(task, 0, "reach", "B", (struct interval){NAN, NAN, NAN}, 0,
            pool_printf(task->task->pool, "not found: translation costs no more up to %s",
                        size_text(task->task->pool, most)));
}

static void conclude_translation(struct gpu_task *task)
{
    struct reading readings[STRIDES];
    if (!read_curves(task, readings))
        return;
    for (size_t tlb = 0; tlb < TLBS_MOST; tlb++) {
        const size_t s = widest_stride(readings, tlb);
        if (s == STRIDES) {
            if (tlb == 0)
                add_unknown(task);
            return;
        }
        const struct level *level = &readings[s].levels.list[tlb];
        add(task, tlb, "reach", "B", level->capacity, readings[s].flags,
            pool_printf(task->task->pool, "from lines %s apart",
                        size_text(task->task->pool, (double)strides[s])));
        add_page(task, readings, tlb, s);
        add_miss(task, readings, tlb, s);
    }
}

const struct gpu_experiment gpu_translation = {
    .name = "translation",
    .summary = "address translation: reach and cost of the TLBs, by page strides over gigabytes",
    .weight = 10,
    .cuda_alone = true,
    .stages = 1 + KNEES_STAGES,
    .refuses = refuses_translation,
    .plan = plan_translation,
    .conclude = conclude_translation,
};
