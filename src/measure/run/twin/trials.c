/*
 * The trials of a twin, drawn from the points of its document.
 */
#include "base/quantity.h"
#include "base/random.h"
#include "measure/kernels/inject.h"
#include "measure/run/twin/inner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the twin knows of a trial while it is measured. It lies in the room of each worker, behind
 * what a probe may read there of its own kernel's state. */
struct drawn {
    uint64_t seed;
    double ns;    /* of a repeat */
    float longer; /* by how much the median batch takes longer */
    bool disturbed;
};
static const size_t drawn_at = sizeof((struct worker *)0)->room - sizeof(struct drawn);

/* No machine's times lie outside of these. */
static const double ns_least = 1e-6, ns_most = 1e12;
/* Trials of fewer batches have no undisturbed ones that differ visibly from the others. */
enum { BATCHES_TELL = 12 };
/* The share of a trial's batches that take longer; the others are equal except for the clock's
 * reading. */
static const double longer_share = 0.6, alike = 5e-4;

static const struct twin_series *series_here(const struct twin *twin, const struct plan *plan,
                                             const struct plan_point *point)
{
    return twin_series_of(twin, twin->probe, &plan->series[point->series]);
}

/* --- drawing a trial --- */

/* The value that this share of such trials stays below. Of n trials the least stands for the
 * lowest n-th part of all. */
static double quantile_of(const struct summary *y, double share)
{
    const double end = fmin(0.5 / (double)y->n, 0.1), middle = (double)y->median;
    const struct {
        double share;
        float value;
    } known[] = {{end, y->min},  {0.1, y->p10}, {0.25, y->p25},   {0.5, y->median},
                 {0.75, y->p75}, {0.9, y->p90}, {1 - end, y->max}};
    double from = 0, to = 1, low = NAN, high = NAN;
    for (size_t i = 0; i < sizeof known / sizeof *known && isnan(high); i++) {
        double value = (double)known[i].value;
        if (!(value > 0) || !isfinite(value))
            continue;
        /* Former versions kept the quartiles of values that interference was still part of. */
        value = known[i].share < 0.5 ? fmin(value, middle) : fmax(value, middle);
        if (known[i].share <= share) {
            from = known[i].share;
            low = value;
        } else {
            to = known[i].share;
            high = value;
        }
    }
    if (isnan(low) || isnan(high))
        return isnan(low) ? high : low;
    return low + (high - low) * (share - from) / (to - from);
}

/* The value of a trial. An envelope is the value of a few of many trials, and the quartiles of all
 * say nothing about these. */
static double value_at(const struct point *point, bool envelope, double share)
{
    return envelope ? (double)point->y.median * (1 + alike * (share - 0.5))
                    : quantile_of(&point->y, share);
}

static double relative_width(float low, float high, float median)
{
    const double width = (double)((high - low) / median);
    return width > 0 && isfinite(width) ? width : 0;
}

/* The clock of a trial. Where the trials' cycles differ less than their times, the clock made them
 * differ. 0: the point does not say. */
static double clock_at(const struct point *point, const struct series *series, double ns)
{
    const double cycles = (double)point->cycles.median, median = (double)point->y.median;
    if (!(cycles > 0) || !quantity_is(series->y.unit, DIMENSION_TIME))
        return 0;
    const double of_cycles =
        relative_width(point->cycles.low, point->cycles.high, point->cycles.median);
    const double of_times = relative_width(point->y.low, point->y.high, point->y.median);
    const double part = of_times > 0 ? fmin(1, of_cycles / of_times) : 1;
    return cycles * (1 + part * (ns / median - 1)) / ns * 1e9;
}

static double between(double low, double high, double part)
{
    return part > 0 && part < 1 ? low * pow(high / low, part) : low;
}

/* The clock of a probe's sweeps: that of the first series that they measure. */
static void settle_sweep(struct twin *twin, const struct twin_series *known)
{
    const struct series *series = known->series;
    if (twin->swept && strcmp(twin->swept->probe, known->probe) == 0)
        return;
    const struct point *middle = &series->points[series->point_count / 2];
    const double hz = clock_at(middle, series, (double)middle->y.median);
    twin->swept = known;
    twin->core_hz = twin->clock_factor * (hz > 0 ? hz : twin->document.conditions.core_hz);
}

/* Draws the trial's value from the points of the document, and its clock. */
static struct drawn draw(struct twin *twin, const struct trial *trial)
{
    const struct plan *plan = trial->plan;
    const struct twin_series *known = series_here(twin, plan, trial->point);
    const struct point *below, *above;
    struct drawn drawn = {.ns = NAN, .seed = trial->seed};
    struct random random = {random_mix(trial->seed)};
    double x;
    if (!known || !twin_points_at(known, trial->point, &below, &above, &x))
        return drawn;
    const double share = random_unit(&random);
    const double low = value_at(below, plan->lowest, share),
                 high = value_at(above, plan->lowest, share);
    const double part = above->x > below->x ? log(x / below->x) / log(above->x / below->x) : 0;
    const double value = between(low, high, part);
    const double hz =
        between(clock_at(below, known->series, low), clock_at(above, known->series, high), part);
    const struct point *nearest = part > 0.5 ? above : below;
    const double usual = between((double)below->y.median, (double)above->y.median, part);
    const bool rate = plan->yields == OPERATIONS_PER_SECOND;
    drawn.ns = rate ? 1e9 / value : value;
    drawn.ns *= twin_change_of(&known->times, rate ? 1e9 / usual : usual);
    if (plan->sweep)
        settle_sweep(twin, known);
    /* A sweep's trials have the clock of one moment. */
    if (plan->sweep && hz > 0)
        drawn.ns *= hz * twin->clock_factor / twin->core_hz;
    drawn.ns = fmin(fmax(drawn.ns, ns_least), ns_most);
    if (plan->batches >= BATCHES_TELL && nearest->disturbance.longer > 0)
        drawn.longer = nearest->disturbance.longer;
    drawn.disturbed = random_unit(&random) < (double)nearest->disturbance.trials;
    if (!plan->sweep)
        twin->core_hz = twin->clock_factor * (hz > 0 ? hz : twin->document.conditions.core_hz);
    return drawn;
}

/* The time of a repeat of one injector, by the rate of all injectors, which the document has at the
 * same steps as the times; NAN: it has none. */
static double traffic_ns(const struct twin *twin, const struct trial *trial)
{
    const struct series *planned = &trial->plan->series[trial->point->series];
    const struct point *below, *above;
    const double percent = series_number(planned, "mix");
    double lines = NAN, x;
    struct inject_mix mix;
    if (percent >= 0 && percent <= 100) {
        inject_mix_make(&mix, (unsigned)percent, INJECT_SEQUENTIAL,
                        machine_line_bytes(&twin->machine));
        lines = inject_lines_each * mix.moved;
    }
    for (size_t i = 0; i < twin->series_count; i++) {
        const struct twin_series *known = &twin->series[i];
        if (strcmp(known->series->name, planned->name) != 0 ||
            strcmp(known->series->x.name, planned->x.name) != 0 ||
            !quantity_is(known->series->y.unit, DIMENSION_BANDWIDTH) ||
            !twin_points_at(known, trial->point, &below, &above, &x))
            continue;
        const double ns = 1e9 / (double)below->y.median;
        return ns * twin_change_of(&known->times, ns) * lines * machine_line_bytes(&twin->machine) *
               (trial->point->seat_count - 1);
    }
    return NAN;
}

/* --- what the engine asks --- */

static struct drawn *drawn_of(void *state)
{
    return (struct drawn *)(void *)((unsigned char *)state + drawn_at);
}

static void prepare(void *self, struct trial *trial)
{
    struct twin *twin = self;
    const struct drawn drawn = draw(twin, trial);
    for (size_t i = 0; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        memset(worker->room, 0, sizeof worker->room);
        worker->run = NULL;
        worker->state = worker->room;
        *drawn_of(worker->state) = drawn;
        const double ns =
            plan_seat(trial->point, i).role == BACKGROUND ? traffic_ns(twin, trial) : NAN;
        if (ns > 0)
            drawn_of(worker->state)->ns = fmin(fmax(ns, ns_least), ns_most);
    }
}

static uint64_t work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    const struct twin *twin = self;
    const struct drawn *drawn = drawn_of(state);
    struct random of_batch = {random_mix(drawn->seed ^ twin->clock_ps)};
    double ns = drawn->ns * (double)repeats * (1 + alike * random_unit(&of_batch));
    if (random_unit(&of_batch) < longer_share)
        ns *= 1 + (double)drawn->longer * (0.8 + random_unit(&of_batch));
    return (uint64_t)llround(fmin(fmax(ns * 1e3, 1), 1e18));
}

static uint64_t additions(void *self, int cpu, uint64_t count)
{
    const struct twin *twin = self;
    return (uint64_t)llround((double)count * 1e12 / twin->core_hz);
}

static const char *lacks(void *self, const struct plan *plan, const struct plan_point *point)
{
    const struct twin *twin = self;
    const struct twin_series *known = series_here(twin, plan, point);
    const struct point *below, *above;
    double x;
    return known && twin_points_at(known, point, &below, &above, &x)
               ? NULL
               : "the document holds no figure of it";
}

static bool disturbed(void *self, const void *state)
{
    return ((const struct drawn *)(const void *)((const unsigned char *)state + drawn_at))
        ->disturbed;
}

static bool begins_with(const char *text, const char *word)
{
    return text && strncmp(text, word, strlen(word)) == 0;
}

/* The memory that the document's run obtained for such a plan. */
static void placed(void *self, const struct plan *plan, struct stage_outcome *outcome)
{
    const struct twin *twin = self;
    const struct probe_result *result = document_probe(&twin->document, twin->probe);
    const struct factor *first = result ? probe_parameter(result, "pages_obtained") : NULL,
                        *other = result ? probe_parameter(result, "other_pages_obtained") : NULL,
                        *node = result ? probe_parameter(result, "node_obtained") : NULL;
    const char *small = page_policy_names[PAGES_SMALL];
    if (first && other && (plan->pages == PAGES_SMALL) == begins_with(other->text, small))
        first = other;
    struct os_placement *placement = &outcome->placement;
    *placement = (struct os_placement){
        0, NAN, node && fabs(node->number) < 1e9 ? (int)node->number : -1, NAN};
    const char *size = first && first->text ? strchr(first->text, '(') : NULL;
    if (!size)
        return;
    for (int policy = 0; policy < PAGES_COUNT; policy++)
        if (begins_with(first->text, page_policy_names[policy]))
            outcome->pages_used = (enum page_policy)policy;
    double number = 0;
    char unit[4] = "";
    outcome->arena_bytes = 1;
    if (sscanf(size, "(%lf %3[%%KMGiB]", &number, unit) < 2 || !(number >= 0 && number < 1e6))
        return;
    const double scale = unit[0] == 'K' ? 0x1p10 : unit[0] == 'M' ? 0x1p20 : 0x1p30;
    if (unit[0] != '%')
        placement->page_bytes = (uint64_t)(number * scale);
    placement->huge_share = unit[0] == '%' ? number / 100
                            : page_policy_bytes(outcome->pages_used) == placement->page_bytes ||
                                    placement->page_bytes > 64 * 1024
                                ? 1
                                : 0;
}

struct timing_model twin_model(struct twin *twin)
{
    return (struct timing_model){.self = twin,
                                 .work = work,
                                 .additions = additions,
                                 .placed = placed,
                                 .prepare = prepare,
                                 .lacks = lacks,
                                 .disturbed = disturbed,
                                 .clock_ps = &twin->clock_ps};
}
