#include "compare/plateaus.h"

#include "base/quantity.h"
#include "compare/alike.h"
#include "conclude/levels/level.h"
#include "conclude/registry/device.h"
#include "conclude/registry/experiment.h"
#include "conclude/registry/registry.h"
#include "document/flag.h"
#include "stats/compare.h"
#include "stats/student.h"

#include <math.h>

/* A finding was read off a plateau if the two differ by no more than this: translation, which the
 * finding excludes, and the fit change it by less. */
static const double same_level = 0.1;

/* At least three sizes are needed to see how chance scatters them. Three hardly survive the
 * correction for many comparisons, six do (Student's interval with n - 1 degrees of freedom). */
enum { SIZES_LEAST = 3, SIZES_ENOUGH = 6 };
/* The most sizes of a foreign document's curve that are read for each finding. fathom's curves have
 * about 200. */
enum { SIZES_MOST = 4096 };

/* A curve, its points in the order of their sizes, and its levels. */
struct curve {
    const struct probe_result *probe;
    const struct series *series;
    const struct point **points;
    struct levels found;
};

/* The curve over sizes from which a processor's levels are read; NULL: none. */
static const struct series *headline_of(const struct probe_result *probe)
{
    for (size_t i = 0; i < probe->series_count; i++) {
        const struct series *series = &probe->series[i];
        if (series->headline && !series->matrix && !device_has_series(series) &&
            quantity_is(series->x.unit, DIMENSION_SIZE))
            return series;
    }
    return NULL;
}

static struct curve curve_of(struct pool *pool, const struct probe_result *probe,
                             const struct series *series)
{
    struct curve curve = {
        .probe = probe, .series = series, .points = series_by_place(pool, series)};
    levels_of_series(pool, LEVEL_PAGES_KNOWN, series, NULL, 0, &curve.found);
    return curve;
}

static bool is_near(double value, double level)
{
    return fabs(log(value / level)) <= log1p(same_level);
}

/* Whether the finding is about the processor; a device's levels are read off other curves. */
static bool is_of_processor(const struct finding *finding)
{
    const struct finding_meaning meaning = finding_meaning(finding);
    return meaning.role == ROLE_LEVEL && meaning.device < 0;
}

/* The finding of a level's latency, in cycles if the curve has cycles. */
static const struct finding *finding_of(const struct curve *curve, size_t level)
{
    const double latency = curve->found.list[level].latency.value;
    const char *unit = isfinite(curve->found.clock) ? "cycles" : curve->series->y.unit;
    for (size_t i = 0; i < curve->probe->finding_count; i++) {
        const struct finding *finding = &curve->probe->findings[i];
        if (quantity_same(finding->unit, unit) && is_of_processor(finding) &&
            is_near(finding->value, latency))
            return finding;
    }
    return NULL;
}

/* Standard deviation of a value's logarithm, from its interval; NAN: too few trials to tell. */
static double deviation_of(const struct point *point)
{
    enum { TRIALS_LEAST = 3 };
    return point->y.n < TRIALS_LEAST
               ? NAN
               : log((double)(point->y.high / point->y.low)) / 2 / student_reach(point->y.n - 1);
}

static double mean_of(const struct paired_value *values, size_t n, bool second)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += log(second ? values[i].b : values[i].a);
    return exp(sum / (double)n);
}

/* A range of sizes; `to` is INFINITY if a curve's last level goes on. */
struct range {
    double from, to;
};

static struct range range_of(const struct curve *curve, size_t level)
{
    const struct level *found = &curve->found.list[level];
    const bool last = level + 1 == curve->found.count && !isfinite(found->capacity.value);
    return (struct range){found->from, last ? INFINITY : found->to};
}

static struct range common(struct range a, struct range b)
{
    return (struct range){fmax(a.from, b.from), fmin(a.to, b.to)};
}

/* Fills in the values of the sizes in the range that both have; returns how many. NULL: only
 * counts. */
static size_t pair_points(const struct curve *a, const struct curve *b, struct range range,
                          struct paired_value *time, struct paired_value *cycles)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < a->series->point_count && j < b->series->point_count;) {
        const struct point *left = a->points[i], *right = b->points[j];
        const bool here = left->x >= range.from && left->x <= range.to;
        const int order = (left->x > right->x) - (left->x < right->x);
        if (order == 0 && here && left->y.median > 0 && right->y.median > 0) {
            const double in_a = fmax(left->y.n, 1), in_b = fmax(right->y.n, 1);
            if (time) {
                const double deviation = hypot(deviation_of(left), deviation_of(right));
                time[n] = (struct paired_value){(double)left->y.median, (double)right->y.median,
                                                in_a, in_b, deviation};
                cycles[n] =
                    (struct paired_value){(double)left->cycles.median, (double)right->cycles.median,
                                          in_a, in_b, deviation};
            }
            n++;
        }
        i += order <= 0;
        j += order >= 0;
    }
    return n;
}

/* The sizes between the previous level of that curve and the next. */
static struct range between(const struct curve *curve, size_t level)
{
    const struct level *list = curve->found.list;
    return (struct range){level ? list[level - 1].to : 0,
                          level + 1 < curve->found.count ? list[level + 1].from : INFINITY};
}

static void add_shared(struct shared_plateaus *shared, struct pool *pool, const struct curve *a,
                       const struct curve *b, size_t level_a, size_t level_b, double threshold)
{
    const size_t room = a->series->point_count;
    struct range range = common(range_of(a, level_a), range_of(b, level_b));
    const struct finding *before = finding_of(a, level_a), *after = finding_of(b, level_b);
    if (!before || !after || !quantity_same(before->unit, after->unit) ||
        experiment_order(before, after) != 0)
        return;
    struct paired_value *time = pool_alloc(pool, room, sizeof *time),
                        *cycles = pool_alloc(pool, room, sizeof *cycles);
    double *scratch = pool_alloc(pool, room, sizeof *scratch);
    if (pair_points(a, b, range, NULL, NULL) < SIZES_ENOUGH) {
        /* If a plateau rises a little, two runs see it begin and end at different sizes. Sizes on
         * either of the two plateaus belong to the level, unless one of the runs has another level
         * there. */
        const struct range left = range_of(a, level_a), right = range_of(b, level_b),
                           most = common(between(a, level_a), between(b, level_b));
        const double from = fmin(left.from, right.from), to = fmax(left.to, right.to);
        range = (struct range){from > most.from ? from : range.from, to < most.to ? to : range.to};
    }
    const size_t n = pair_points(a, b, range, time, cycles);
    bool has_cycles = true;
    for (size_t i = 0; i < n; i++)
        has_cycles = has_cycles && cycles[i].a > 0 && cycles[i].b > 0;
    const bool in_cycles = quantity_is(before->unit, DIMENSION_CYCLES);
    if (in_cycles && !has_cycles)
        return;
    struct shared_plateau *plateau =
        pool_append(pool, (void **)&shared->list, &shared->count, sizeof *plateau);
    *plateau = (struct shared_plateau){.before = before,
                                       .after = after,
                                       .has_cycles = has_cycles,
                                       .from = range.from,
                                       .to = range.to,
                                       .sizes = n,
                                       .many = n >= SIZES_ENOUGH};
    compare_paired(time, n, threshold, scratch, &plateau->time);
    if (plateau->has_cycles)
        compare_paired(cycles, n, threshold, scratch, &plateau->cycles);
    if (n < SIZES_LEAST) {
        plateau->time = (struct comparison){plateau->time.ratio, NAN, NAN, 1};
        plateau->cycles = (struct comparison){plateau->cycles.ratio, NAN, NAN, 1};
    }
    const struct paired_value *shown = in_cycles ? cycles : time;
    plateau->a = mean_of(shown, n, false);
    plateau->b = mean_of(shown, n, true);
    /* Otherwise the sizes beyond one run's level are not that level, and the plateau is dropped. */
    if (!is_near(plateau->a, before->value) || !is_near(plateau->b, after->value))
        shared->count--;
}

/* The level of `b` with the most sizes in common with that level of `a`; b's number of levels: none
 * has any. */
static size_t counterpart(const struct curve *a, const struct curve *b, size_t level)
{
    size_t best = b->found.count, most = 0;
    for (size_t k = 0; k < b->found.count; k++) {
        const size_t n = pair_points(a, b, common(range_of(a, level), range_of(b, k)), NULL, NULL);
        best = n > most ? k : best;
        most = n > most ? n : most;
    }
    return best;
}

void plateaus_shared(struct shared_plateaus *shared, struct pool *pool,
                     const struct probe_result *a, const struct probe_result *b, double threshold)
{
    const struct series *of_a = headline_of(a), *of_b = headline_of(b);
    *shared = (struct shared_plateaus){0};
    if (!of_a || !of_b || !series_alike(of_a, of_b))
        return;
    const struct curve left = curve_of(pool, a, of_a), right = curve_of(pool, b, of_b);
    shared->known = left.found.count && right.found.count;
    shared->curve = of_a;
    for (size_t k = 0; k < left.found.count; k++) {
        const size_t other = counterpart(&left, &right, k);
        if (other < right.found.count && counterpart(&right, &left, other) == k)
            add_shared(shared, pool, &left, &right, k, other, threshold);
    }
}

const struct shared_plateau *plateaus_before(const struct shared_plateaus *shared,
                                             const struct finding *finding)
{
    for (size_t i = 0; i < shared->count; i++)
        if (shared->list[i].before == finding)
            return &shared->list[i];
    return NULL;
}

const struct shared_plateau *plateaus_after(const struct shared_plateaus *shared,
                                            const struct finding *finding)
{
    for (size_t i = 0; i < shared->count; i++)
        if (shared->list[i].after == finding)
            return &shared->list[i];
    return NULL;
}

bool plateaus_bend_at(const struct shared_plateaus *shared, const struct series *series, double x)
{
    if (!shared->count || series != shared->curve)
        return false;
    for (size_t i = 0; i < shared->count; i++)
        if (x >= shared->list[i].from && x <= shared->list[i].to)
            return false;
    return true;
}

bool plateaus_differ(const struct shared_plateaus *shared, const struct finding *before,
                     const struct finding *after)
{
    const struct shared_plateau *plateau = plateaus_before(shared, before);
    const bool latency =
        quantity_is(before->unit, DIMENSION_CYCLES) || quantity_is(before->unit, DIMENSION_TIME);
    return shared->known && is_of_processor(before) && latency &&
           !(plateau && plateau->after == after);
}

bool plateaus_are_thin(const struct probe_result *probe, const struct finding *finding)
{
    const struct series *curve = headline_of(probe);
    size_t few = 0, all = 0;
    if (!curve || !quantity_is(finding->unit, DIMENSION_SIZE) || !is_of_processor(finding) ||
        finding->deviations)
        return false;
    for (size_t i = 0; i < curve->point_count && i < SIZES_MOST; i++) {
        const struct point *point = &curve->points[i];
        const bool here = point->x >= finding->low && point->x <= finding->high && point->y.n;
        all += here;
        few += here && point->flags & FLAG_BIT(FLAG_TOO_FEW);
    }
    return 2 * few > all;
}
