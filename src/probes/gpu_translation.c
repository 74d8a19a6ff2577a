/*
 * Address translation: chains of lines that are a stride apart, from 64 KiB to 32 MiB, read past
 * the first level, against a chain of the same number of lines side by side. Both hit the
 * second-level cache alike, so what the spread chain takes longer is translation: a TLB's reach is
 * the working set from which on it costs more.
 *
 * What an entry translates shows in how the strides differ: as long as the stride is no larger than
 * that, the reach is the same number of bytes; beyond, it is the same number of lines.
 *
 * Lines lie one further in every page (the stride is 128 bytes longer than it is called), or all of
 * them would fall on few sets of a cache that does not hash. There are at most 16384 of them, so
 * they fit the second level and a ring is gone through in 10 ms, however much a miss costs.
 *
 * References: Saavedra and Smith (see tlb.c); Jia et al., "Dissecting the NVIDIA Volta GPU
 * architecture via microbenchmarking", 2018, section 3.9: two levels that span 32 MiB and 8 GiB.
 *
 * Time: 340 points of six trials, each 0.1 to 10 ms to warm its ring at 0.3 to 0.6 us a load, and
 * three batches of 300 us: some 7 s, and one more for three stages that narrow the knees.
 */
#include "base/units.h"
#include "findings/finding.h"
#include "findings/tlb.h"
#include "probes/gpu_findings.h"
#include "probes/knees.h"

#include <math.h>

enum { LINE_BYTES = 128, LINES_LEAST = 4, LINES_MOST = 16384, PER_OCTAVE = 3 };
static const uint64_t strides[] = {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20,
                                   2 << 20,  4 << 20,   8 << 20,   16 << 20,  32 << 20};
enum { STRIDES = sizeof strides / sizeof *strides };
/* Of the device's memory, and of the second level for the lines. */
enum { MEMORY_PART = 4, L2_PART = 2 };
enum { TLBS_MOST = 3 };
static const double batch_ns = 300e3;
/* A curve is read from what it is above the packed one, and this part of that one: levels are told
 * by their ratio, and a difference alone begins at nothing. */
static const double base_share = 0.25;
/* Reaches nearer than this are one: the strides between them lie within an entry. */
static const double same_reach = 1.5;
struct translation_state {
    int spread[STRIDES], packed; /* series; -1: none */
    uint64_t memory;             /* the most that a chain spans */
};

/* What the curve of one stride says. */
struct reading {
    struct levels levels;
    double base; /* that was added to its samples */
    bool cycles;
    unsigned flags;
};

/* --- planning --- */

static struct gpu_work chain_of(uint64_t memory, uint64_t lines, uint64_t stride)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_CHASE;
    work.path = GPU_L2;
    work.order = GPU_RANDOM;
    work.stride = (size_t)stride;
    work.bytes = (size_t)(lines * stride);
    /* One allocation serves all: gigabytes are not mapped anew for every trial. */
    work.span = (size_t)memory;
    return work;
}

static uint64_t lines_most(const struct gpu_task *task)
{
    uint64_t fit = task->facts->l2_bytes / L2_PART / LINE_BYTES;
    return fit && fit < LINES_MOST ? fit : LINES_MOST;
}

static int add_chain(struct gpu_task *task, int index, uint64_t lines, uint64_t stride,
                     struct error *error)
{
    const struct translation_state *state = task->state;
    const bool packed = index == state->packed;
    const struct gpu_work work =
        chain_of(state->memory, lines, packed ? LINE_BYTES : stride + LINE_BYTES);
    return gpu_add_point(task, (size_t)index, (double)(packed ? lines : lines * stride), &work,
                         error);
}

/* A ladder over numbers of lines, as far as lines and memory go; its index, or an error. */
static int add_ladder(struct gpu_task *task, const char *what, uint64_t stride, int *index,
                      struct error *error)
{
    const struct translation_state *state = task->state;
    const bool packed = stride == LINE_BYTES;
    struct series *series = gpu_add_series(
        task, what, packed ? (struct axis){"lines", ""} : (struct axis){"working set", "B"},
        (struct axis){"latency", "ns"});
    if (!series)
        return error_out_of_memory(error);
    *index = (int)(series - task->task->plan.series);
    int code = gpu_add_factor(task, series, "stride", NULL, (double)stride, error);
    const uint64_t most = lines_most(task);
    for (int i = 0; code == 0; i++) {
        const uint64_t lines = (uint64_t)(LINES_LEAST * exp2((double)i / PER_OCTAVE));
        if (lines > most || lines * (stride + LINE_BYTES) > state->memory)
            break;
        code = add_chain(task, *index, lines, stride, error);
    }
    return code;
}

static int plan_ladders(struct gpu_task *task, struct error *error)
{
    struct translation_state *state = pool_alloc(task->task->pool, 1, sizeof *state);
    if (!state)
        return error_out_of_memory(error);
    task->state = state;
    state->memory = task->facts->memory_bytes / MEMORY_PART / LINE_BYTES * LINE_BYTES;
    state->packed = -1;
    for (size_t s = 0; s < STRIDES; s++)
        state->spread[s] = -1;
    const struct gpu_work first = chain_of(state->memory, LINES_LEAST, strides[0]);
    if (!gpu_can(task, "translation", &first))
        return 0;
    int code = add_ladder(task, "translation, packed", LINE_BYTES, &state->packed, error);
    for (size_t s = 0; s < STRIDES && code == 0; s++)
        if (LINES_LEAST * strides[s] * 4 <= state->memory)
            code = add_ladder(task, "translation", strides[s], &state->spread[s], error);
    return code < 0 ? code : 1;
}

/* --- reading the curves --- */

static int read_curve(struct gpu_task *task, size_t s, struct reading *reading, struct error *error)
{
    const struct translation_state *state = task->state;
    const struct series *series = &task->task->plan.series[state->spread[s]];
    const struct series *packed = &task->task->plan.series[state->packed];
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(task->task->pool, n + 1, sizeof *samples);
    if (!samples)
        return error_out_of_memory(error);
    *reading = (struct reading){.base = base_share * tlb_packed(packed, LINES_LEAST),
                                .cycles = packed->point_count &&
                                          isfinite(packed->points[0].cycles.median)};
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        const struct estimate ns = {point->y.median, point->y.low, point->y.high},
                              y = reading->cycles ? point->cycles : ns;
        const double less = tlb_packed(packed, point->x / (double)strides[s]) - reading->base;
        samples[i] = (struct level_sample){.bytes = point->x,
                                           .latency = (double)y.median - less,
                                           .low = (double)y.low - less,
                                           .high = (double)y.high - less};
        reading->flags |= point->flags;
    }
    if (levels_find(samples, n, NULL, 0, &reading->levels) < 0)
        return error_out_of_memory(error);
    return 0;
}

static int read_curves(struct gpu_task *task, struct reading readings[STRIDES], struct error *error)
{
    const struct translation_state *state = task->state;
    int code = 0;
    for (size_t s = 0; s < STRIDES && code == 0; s++) {
        readings[s] = (struct reading){.levels = {.count = 0}};
        if (state->spread[s] >= 0)
            code = read_curve(task, s, &readings[s], error);
    }
    return code;
}

/* The end of TLB `tlb` at that stride; NAN: not seen. */
static double reach_of(const struct reading *reading, size_t tlb)
{
    return tlb < reading->levels.count ? reading->levels.list[tlb].capacity : NAN;
}

/* The largest stride within an entry: the last at which the reach is still that of the smallest.
 * STRIDES: no curve shows that TLB's end. */
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

/* --- narrowing the knees --- */

static int narrow_knee(struct gpu_task *task, size_t s, const struct level *level,
                       struct error *error)
{
    const struct translation_state *state = task->state;
    uint64_t sizes[KNEES_SIZES_A_LEVEL];
    const size_t count =
        knees_around(&task->task->plan.series[state->spread[s]], level, strides[s], sizes);
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        code = add_chain(task, state->spread[s], sizes[i] / strides[s], strides[s], error);
    return code;
}

static int plan_translation(struct gpu_task *task, unsigned stage, struct error *error)
{
    struct plan *plan = &task->task->plan;
    struct reading readings[STRIDES];
    plan->batch_ns = batch_ns;
    if (stage == 0) {
        plan->share = 0.6; /* of the time; the knees' stages have the rest */
        return plan_ladders(task, error);
    }
    if (stage > KNEES_STAGES)
        return 0;
    int code = read_curves(task, readings, error);
    for (size_t tlb = 0; tlb < TLBS_MOST && code == 0; tlb++) {
        const size_t s = widest_stride(readings, tlb);
        if (s < STRIDES)
            code = narrow_knee(task, s, &readings[s].levels.list[tlb], error);
    }
    return code < 0 ? code : plan->point_count > 0;
}

/* --- concluding --- */

static struct finding *add(struct gpu_task *task, size_t tlb, const char *what, const char *unit)
{
    const char *own = pool_printf(task->task->pool, "tlb%zu.%s", tlb + 1, what);
    const char *name = own ? gpu_name(task, own) : NULL;
    return name ? probe_add_finding(task->task, name, unit) : NULL;
}

static int add_reach(struct gpu_task *task, const struct reading *reading, size_t tlb, size_t s,
                     struct error *error)
{
    const struct level *level = &reading->levels.list[tlb];
    char stride[UNIT_TEXT];
    struct finding *finding = add(task, tlb, "reach", "B");
    if (!finding)
        return error_out_of_memory(error);
    finding->value = level->capacity;
    finding->low = level->capacity_low;
    finding->high = level->capacity_high;
    finding->flags = reading->flags;
    finding->text = pool_printf(task->task->pool, "from lines %s apart",
                                size_format((double)strides[s], stride));
    return finding->text ? 0 : error_out_of_memory(error);
}

/* Entries are powers of two; what is measured is told where none is meant. */
static double round_power(double value, double low, double high)
{
    const double power = exp2(round(log2(value)));
    return power >= low && power <= high ? power : value;
}

/* What an entry translates: at the next larger stride the reach has grown by the stride over that.
 */
static int add_page(struct gpu_task *task, const struct reading readings[STRIDES], size_t tlb,
                    size_t s, struct error *error)
{
    size_t next = s + 1;
    while (next < STRIDES && isnan(reach_of(&readings[next], tlb)))
        next++;
    if (next == STRIDES)
        return 0;
    const struct level *here = &readings[s].levels.list[tlb],
                       *there = &readings[next].levels.list[tlb];
    const double stride = (double)strides[next];
    struct finding *finding = add(task, tlb, "page", "B");
    if (!finding)
        return error_out_of_memory(error);
    finding->low = stride * here->capacity_low / there->capacity_high;
    finding->high = stride * here->capacity_high / there->capacity_low;
    finding->value =
        round_power(stride * here->capacity / there->capacity, finding->low, finding->high);
    finding->flags = readings[s].flags | readings[next].flags;
    char text[UNIT_TEXT];
    if (s == 0)
        finding->text = pool_printf(task->task->pool, "%s or less: no smaller stride was measured",
                                    size_format((double)strides[0], text));
    else
        finding->text = "what an entry translates, from how the reach grows with the stride";
    return finding->text ? 0 : error_out_of_memory(error);
}

/* What a load takes longer that misses this TLB, at that stride or, where no plateau follows there,
 * at another: at larger ones every load misses, at smaller ones some find an entry that their
 * page's other lines brought. Half widths add as they would at worst. */
static int add_miss(struct gpu_task *task, const struct reading readings[STRIDES], size_t tlb,
                    size_t s, struct error *error)
{
    const size_t within = s;
    while (s < STRIDES && readings[s].levels.count <= tlb + 1)
        s++;
    for (size_t i = within; s == STRIDES && i-- > 0;)
        s = readings[i].levels.count > tlb + 1 ? i : s;
    if (s == STRIDES)
        return 0;
    const struct level *hit = &readings[s].levels.list[tlb], *miss = hit + 1;
    struct finding *finding = add(task, tlb, "miss", readings[s].cycles ? "cycles" : "ns");
    if (!finding)
        return error_out_of_memory(error);
    finding->value = miss->latency - hit->latency;
    finding->low = miss->low - hit->high;
    finding->high = miss->high - hit->low;
    finding->flags = readings[s].flags;
    finding->text = "what a load takes longer that misses it";
    return 0;
}

/* No stride showed an end. */
static int add_unknown(struct gpu_task *task, struct error *error)
{
    const struct translation_state *state = task->state;
    double most = 0;
    for (size_t s = 0; s < STRIDES; s++) {
        const struct point *last = state->spread[s] < 0
                                       ? NULL
                                       : gpu_last_point(&task->task->plan.series[state->spread[s]]);
        most = last ? fmax(most, last->x) : most;
    }
    if (most <= 0)
        return 0;
    struct finding *finding = add(task, 0, "reach", "B");
    char size[UNIT_TEXT];
    if (!finding)
        return error_out_of_memory(error);
    finding->text =
        pool_printf(task->task->pool, "not detected: translation costs no more up to %s",
                    size_format(most, size));
    return finding->text ? 0 : error_out_of_memory(error);
}

static int conclude_translation(struct gpu_task *task, struct error *error)
{
    const struct translation_state *state = task->state;
    struct reading readings[STRIDES];
    if (!state || state->packed < 0)
        return 0;
    int code = read_curves(task, readings, error);
    size_t tlb = 0;
    for (; tlb < TLBS_MOST && code == 0; tlb++) {
        const size_t s = widest_stride(readings, tlb);
        if (s == STRIDES)
            break;
        code = add_reach(task, &readings[s], tlb, s, error);
        if (code == 0)
            code = add_page(task, readings, tlb, s, error);
        if (code == 0)
            code = add_miss(task, readings, tlb, s, error);
    }
    return code == 0 && tlb == 0 ? add_unknown(task, error) : code;
}

static const char *refuses_translation(const struct gpu_task *task)
{
    return task->facts->memory_bytes / MEMORY_PART >= LINES_LEAST * 4 * strides[0]
               ? NULL
               : "has too little memory, or does not say how much it has";
}

const struct gpu_experiment gpu_translation = {
    .name = "translation",
    .summary = "address translation: reach and cost of the TLBs, by page strides over gigabytes",
    .weight = 10,
    .by_default = false,
    .refuses = refuses_translation,
    .plan = plan_translation,
    .conclude = conclude_translation,
};
