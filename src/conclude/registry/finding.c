#include "conclude/registry/finding.h"

#include "base/quantity.h"
#include "document/flag.h"

#include <math.h>

const double differences_threshold = 0.03;

struct finding *finding_add(struct probe_result *result, struct pool *pool, const char *name,
                            const char *unit)
{
    struct finding *finding =
        pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *finding);
    *finding = (struct finding){.name = pool_strdup(pool, name),
                                .unit = pool_strdup(pool, unit),
                                .value = NAN,
                                .low = NAN,
                                .high = NAN,
                                .clock_hz = NAN,
                                .disturbance = {NAN, NAN},
                                .declared = NAN};
    return finding;
}

struct finding *finding_add_value(struct probe_result *result, struct pool *pool, const char *name,
                                  const char *unit, struct interval value, unsigned flags)
{
    struct finding *finding = finding_add(result, pool, name, unit);
    finding->value = value.value;
    finding->low = value.low;
    finding->high = value.high;
    finding->flags = flags;
    return finding;
}

struct finding *finding_add_summary(struct probe_result *result, struct pool *pool,
                                    const char *name, const char *unit,
                                    const struct summary *summary, unsigned flags)
{
    bool interval = summary->coverage > 0;
    const struct estimate value = {summary->median, interval ? summary->low : NAN,
                                   interval ? summary->high : NAN};
    return finding_add_value(result, pool, name, unit, estimate_interval(value), flags);
}

static struct estimate of_trials(const struct point *point, float value, float low, float high)
{
    bool interval = point->y.coverage > 0;
    return (struct estimate){value, interval ? low : NAN, interval ? high : NAN};
}

struct estimate finding_time_of(const struct point *point)
{
    return of_trials(point, point->y.median, point->y.low, point->y.high);
}

struct estimate finding_cycles_of(const struct point *point)
{
    return of_trials(point, point->cycles.median, point->cycles.low, point->cycles.high);
}

struct estimate finding_latency_of(const struct point *point)
{
    return isfinite(point->cycles.median) ? finding_cycles_of(point) : finding_time_of(point);
}

struct interval estimate_interval(struct estimate value)
{
    return (struct interval){(double)value.median, (double)value.low, (double)value.high};
}

struct interval estimate_ratio(struct estimate over, struct estimate under)
{
    return (struct interval){(double)over.median / (double)under.median,
                             (double)over.low / (double)under.high,
                             (double)over.high / (double)under.low};
}

static struct finding *add_point(struct probe_result *result, struct pool *pool, const char *name,
                                 const char *unit, struct estimate value, const struct point *point,
                                 unsigned flags)
{
    struct finding *finding =
        finding_add_value(result, pool, name, unit, estimate_interval(value), flags);
    finding->disturbance = point->disturbance;
    return finding;
}

struct finding *finding_add_time_of(struct probe_result *result, struct pool *pool,
                                    const char *name, const char *unit, const struct point *point,
                                    unsigned flags)
{
    return add_point(result, pool, name, unit, finding_time_of(point), point, flags);
}

struct finding *finding_add_cycles_of(struct probe_result *result, struct pool *pool,
                                      const char *name, const struct point *point, unsigned flags)
{
    return add_point(result, pool, name, "cycles", finding_cycles_of(point), point, flags);
}

const char finding_good[] = "good", finding_beside_others[] = "beside others",
           finding_too_few[] = "too few";

const char *finding_kind(const struct finding *finding)
{
    const unsigned others =
        FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN) | FLAG_BIT(FLAG_OCCUPIED);
    /* Counts that trials vote on have no interval and need none. */
    const bool needs = quantity_comparable(finding->unit, "ns") ||
                       quantity_comparable(finding->unit, "B/s") ||
                       quantity_is(finding->unit, DIMENSION_CYCLES);
    if (!isfinite(finding->value))
        return NULL;
    if (finding->flags & FLAG_BIT(FLAG_TOO_FEW) || (needs && !isfinite(finding->low)))
        return finding_too_few;
    return finding->flags & others || (double)finding->disturbance.trials > disturbance_beside
               ? finding_beside_others
               : finding_good;
}

bool finding_is_disturbed(const struct finding *finding)
{
    return (double)finding->disturbance.longer > differences_threshold;
}

bool finding_is_beside(const struct finding *finding)
{
    return finding_kind(finding) == finding_beside_others || finding_is_disturbed(finding);
}

bool point_is_disturbed(const struct point *point)
{
    return (double)point->disturbance.longer > differences_threshold;
}
