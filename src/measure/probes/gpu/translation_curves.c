#include "base/units.h"
#include "conclude/registry/finding.h"
#include "measure/probes/gpu/findings.h"
#include "measure/probes/gpu/translation.h"
#include "stats/quantile.h"

#include <math.h>

/* A curve is read from what it is above the packed one, and this part of that one: levels are known
 * by their ratio, and a difference alone begins at nothing. */
static const double base_share = 0.5;
/* Points within an octave to either side show a smooth curve together; refinement adds to the
 * ladder's. */
static const double window = 2;
enum { NEIGHBOURS_MOST = 64 };
/* From a median absolute deviation to a normal distribution's standard deviation, and from that to
 * half an interval of 95 %. */
static const double to_deviation = 1.4826, normal_95 = 1.96;
/* Reaches nearer than this are one: the strides between them lie within an entry. */
static const double same_reach = 1.5;

/* --- reading the curves --- */

static struct estimate value_of(const struct point *point, bool cycles)
{
    return cycles ? point->cycles : (struct estimate){point->y.median, point->y.low, point->y.high};
}

/* What points of that stride take whose lines are within an octave of `lines`. */
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
    sort_ascending(values, count);
    return count ? median(values, count) : NAN;
}

/* What `lines` lines take side by side: its x is lines. */
static double packed_at(const struct series *packed, double lines, bool cycles)
{
    return around(packed, 1, lines, cycles);
}

/* How far the lines' own latencies scatter: some are near, some far (distance.c), and a chain
 * of few has more of these or of those. The mean of n lines scatters by that over the root of n. */
static double line_scatter(const struct gpu_task *task, const struct series *series, double stride,
                           bool cycles)
{
    const size_t n = series->point_count;
    double *apart = pool_alloc(task->task->pool, n + 1, sizeof *apart);
    size_t count = 0;
    for (size_t i = 0; apart && i < n; i++) {
        const struct point *point = &series->points[i];
        const double lines = point->x / stride;
        const double off =
            (double)value_of(point, cycles).median - around(series, stride, lines, cycles);
        if (isfinite(off))
            apart[count++] = fabs(off) * sqrt(lines);
    }
    if (count == 0)
        return NAN;
    sort_ascending(apart, count);
    return to_deviation * median(apart, count);
}

static struct level_sample sample_of(const struct point *point, const struct series *packed,
                                     double stride, double base, double scatter, bool cycles)
{
    const double lines = point->x / stride;
    const double less = packed_at(packed, lines, cycles) - base;
    const double half = normal_95 * scatter / sqrt(lines);
    const struct estimate y = value_of(point, cycles);
    return (struct level_sample){.bytes = point->x,
                                 .latency = (double)y.median - less,
                                 .low = (double)y.low - less - half,
                                 .high = (double)y.high - less + half};
}

/* Two plateaus whose intervals meet are one: chance put more near lines on the first. */
static void join_levels(struct found_levels *levels)
{
    for (size_t k = 0; k + 1 < levels->count;) {
        struct found_level *low = &levels->list[k], *high = low + 1;
        if (high->low > low->high) {
            k++;
            continue;
        }
        high->latency = (low->latency + high->latency) / 2;
        high->low = fmin(low->low, high->low);
        high->high = fmax(low->high, high->high);
        high->from = low->from;
        for (size_t i = k; i + 1 < levels->count; i++)
            levels->list[i] = levels->list[i + 1];
        levels->count--;
    }
}

static int read_curve(struct gpu_task *task, size_t s, struct translation_reading *reading,
                      struct error *error)
{
    const struct translation_state *state = task->state;
    const struct series *series = &task->task->plan.series[state->spread[s]];
    const struct series *packed = &task->task->plan.series[state->packed];
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(task->task->pool, n + 1, sizeof *samples);
    struct gpu_points points = {0};
    struct gpu_latency_read whole;
    int code = gpu_points_between(&points, task, series, 0, INFINITY, error);
    if (code == 0)
        code = gpu_points_read(&points, task, &whole, error);
    if (code < 0)
        return code;
    reading->cycles = isfinite(whole.cycles.value);
    reading->flags = whole.flags;
    const double scatter =
        line_scatter(task, series, (double)translation_strides[s], reading->cycles);
    const double base = base_share * packed_at(packed, TRANSLATION_LINES_LEAST, reading->cycles);
    for (size_t i = 0; i < n; i++)
        samples[i] = sample_of(&series->points[i], packed, (double)translation_strides[s], base,
                               scatter, reading->cycles);
    if (levels_find(samples, n, NULL, 0, &reading->levels) < 0)
        return error_out_of_memory(error);
    join_levels(&reading->levels);
    return 0;
}

int translation_read(struct gpu_task *task,
                     struct translation_reading readings[TRANSLATION_STRIDES], struct error *error)
{
    const struct translation_state *state = task->state;
    int code = 0;
    for (size_t s = 0; s < TRANSLATION_STRIDES && code == 0; s++) {
        readings[s] = (struct translation_reading){.levels = {.count = 0}};
        if (state->spread[s] >= 0)
            code = read_curve(task, s, &readings[s], error);
    }
    return code;
}

/* The end of TLB `tlb` at that stride; NAN: not seen. */
static double reach_of(const struct translation_reading *reading, size_t tlb)
{
    return tlb < reading->levels.count ? reading->levels.list[tlb].capacity : NAN;
}

size_t translation_widest(const struct translation_reading readings[TRANSLATION_STRIDES],
                          size_t tlb)
{
    size_t widest = TRANSLATION_STRIDES;
    double reach = NAN;
    for (size_t s = 0; s < TRANSLATION_STRIDES; s++) {
        const double here = reach_of(&readings[s], tlb);
        if (isnan(here))
            continue;
        if (widest < TRANSLATION_STRIDES && here > same_reach * reach)
            break;
        reach = widest < TRANSLATION_STRIDES ? reach : here;
        widest = s;
    }
    return widest;
}

/* --- concluding --- */

static struct finding *add(struct gpu_task *task, size_t tlb, const char *what, const char *unit)
{
    const char *own = pool_printf(task->task->pool, "tlb%zu.%s", tlb + 1, what);
    const char *name = own ? gpu_name(task, own) : NULL;
    return name ? probe_add_finding(task->task, name, unit) : NULL;
}

static int add_reach(struct gpu_task *task, const struct translation_reading *reading, size_t tlb,
                     size_t s, struct error *error)
{
    const struct found_level *level = &reading->levels.list[tlb];
    char stride[UNIT_TEXT];
    struct finding *finding = add(task, tlb, "reach", "B");
    finding->value = level->capacity;
    finding->low = level->capacity_low;
    finding->high = level->capacity_high;
    finding->flags = reading->flags;
    finding->text = pool_printf(task->task->pool, "from lines %s apart",
                                size_format((double)translation_strides[s], stride));
    return finding->text ? 0 : error_out_of_memory(error);
}

/* Pages are powers of two; what is far from any is reported as it was measured. */
static double nearest_page(double bytes)
{
    const double page = exp2(round(log2(bytes)));
    return fabs(log2(bytes / page)) < 0.25 ? page : bytes;
}

/* What an entry translates: at the next larger stride the reach has grown by the stride over that.
 */
static int add_page(struct gpu_task *task,
                    const struct translation_reading readings[TRANSLATION_STRIDES], size_t tlb,
                    size_t s, struct error *error)
{
    size_t next = s + 1;
    while (next < TRANSLATION_STRIDES && isnan(reach_of(&readings[next], tlb)))
        next++;
    if (next == TRANSLATION_STRIDES)
        return 0;
    const struct found_level *here = &readings[s].levels.list[tlb],
                             *there = &readings[next].levels.list[tlb];
    const double stride = (double)translation_strides[next];
    struct finding *finding = add(task, tlb, "page", "B");
    finding->low = stride * here->capacity_low / there->capacity_high;
    finding->high = stride * here->capacity_high / there->capacity_low;
    finding->value = nearest_page(stride * here->capacity / there->capacity);
    finding->low = fmin(finding->low, finding->value);
    finding->high = fmax(finding->high, finding->value);
    finding->flags = readings[s].flags | readings[next].flags;
    char text[UNIT_TEXT];
    if (s == 0)
        finding->text = pool_printf(task->task->pool, "%s or less: no smaller stride was measured",
                                    size_format((double)translation_strides[0], text));
    else
        finding->text = "what an entry translates, from how the reach grows with the stride";
    return finding->text ? 0 : error_out_of_memory(error);
}

/* What a load takes longer that misses this TLB, at that stride or, where no plateau follows there,
 * at another: at larger ones every load misses, at smaller ones some find an entry that their
 * page's other lines brought. Half widths add as they would at worst. */
static int add_miss(struct gpu_task *task,
                    const struct translation_reading readings[TRANSLATION_STRIDES], size_t tlb,
                    size_t s, struct error *error)
{
    const size_t within = s;
    while (s < TRANSLATION_STRIDES && readings[s].levels.count <= tlb + 1)
        s++;
    for (size_t i = within; s == TRANSLATION_STRIDES && i-- > 0;)
        s = readings[i].levels.count > tlb + 1 ? i : s;
    if (s == TRANSLATION_STRIDES)
        return 0;
    const struct found_level *hit = &readings[s].levels.list[tlb], *miss = hit + 1;
    struct finding *finding = add(task, tlb, "miss", readings[s].cycles ? "cycles" : "ns");
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
    for (size_t s = 0; s < TRANSLATION_STRIDES; s++) {
        const struct point *last = state->spread[s] < 0
                                       ? NULL
                                       : gpu_last_point(&task->task->plan.series[state->spread[s]]);
        most = last ? fmax(most, last->x) : most;
    }
    if (most <= 0)
        return 0;
    struct finding *finding = add(task, 0, "reach", "B");
    char size[UNIT_TEXT];
    finding->text = pool_printf(task->task->pool, "not found: translation costs no more up to %s",
                                size_format(most, size));
    return finding->text ? 0 : error_out_of_memory(error);
}

int translation_conclude(struct gpu_task *task, struct error *error)
{
    const struct translation_state *state = task->state;
    struct translation_reading readings[TRANSLATION_STRIDES];
    if (!state || state->packed < 0)
        return 0;
    int code = translation_read(task, readings, error);
    size_t tlb = 0;
    for (; tlb < TRANSLATION_TLBS_MOST && code == 0; tlb++) {
        const size_t s = translation_widest(readings, tlb);
        if (s == TRANSLATION_STRIDES)
            break;
        code = add_reach(task, &readings[s], tlb, s, error);
        if (code == 0)
            code = add_page(task, readings, tlb, s, error);
        if (code == 0)
            code = add_miss(task, readings, tlb, s, error);
    }
    return code == 0 && tlb == 0 ? add_unknown(task, error) : code;
}
