#include "conclude/registry/finding.h"

#include "document/flag.h"

#include <math.h>

const double differences_threshold = 0.03;

/* The factor by which a doubtful finding's interval is widened. The eleven runs in
 * benchmarks/recorded come from a shared machine that other programs kept busy: of their 110
 * ordered pairs ten report a changed DRAM latency with a factor of 2, and none with 3. */
static const double doubt_widens = 3;

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
                                .quiet = quiet_unknown(),
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

static struct estimate quietest(const struct point *point, const struct quiet *quiet,
                                struct estimate found)
{
    return quiet_is_known(quiet) ? of_trials(point, quiet->value, quiet->low, quiet->high) : found;
}

struct estimate finding_quiet_time_of(const struct point *point)
{
    return quietest(point, &point->quiet, finding_time_of(point));
}

struct estimate finding_quiet_cycles_of(const struct point *point)
{
    return quietest(point, &point->quiet_cycles, finding_cycles_of(point));
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
                                 const char *unit, struct estimate found, struct quiet quiet,
                                 unsigned flags)
{
    struct finding *finding =
        finding_add_value(result, pool, name, unit, estimate_interval(found), flags);
    finding->quiet = quiet;
    return finding;
}

struct finding *finding_add_time_of(struct probe_result *result, struct pool *pool,
                                    const char *name, const char *unit, const struct point *point,
                                    unsigned flags)
{
    return add_point(result, pool, name, unit, finding_time_of(point), point->quiet, flags);
}

struct finding *finding_add_cycles_of(struct probe_result *result, struct pool *pool,
                                      const char *name, const struct point *point, unsigned flags)
{
    return add_point(result, pool, name, "cycles", finding_cycles_of(point), point->quiet_cycles,
                     flags);
}

enum finding_value finding_comparable_value(const struct finding *a, const struct finding *b)
{
    return quiet_is_known(&a->quiet) && quiet_is_known(&b->quiet) ? VALUE_QUIET : VALUE_FOUND;
}

double finding_value_of(const struct finding *finding, enum finding_value which)
{
    return which == VALUE_QUIET ? (double)finding->quiet.value : finding->value;
}

static bool is_disturbed(double found, const struct quiet *quiet)
{
    return quiet_is_known(quiet) && (found < (double)quiet->low || found > (double)quiet->high) &&
           fabs(log(found / (double)quiet->value)) > log1p(differences_threshold);
}

bool finding_is_disturbed(const struct finding *finding)
{
    return is_disturbed(finding->value, &finding->quiet);
}

bool point_is_disturbed(const struct point *point)
{
    return is_disturbed((double)point->y.median, &point->quiet);
}

/* Widens by ratios, because runs differ by factors; by differences if a value is not above zero. */
void finding_doubted_bounds(const struct finding *finding, enum finding_value which,
                            double bounds[3])
{
    const bool quiet = which == VALUE_QUIET;
    const double value = finding_value_of(finding, which);
    const double ends[] = {quiet ? (double)finding->quiet.low : finding->low,
                           quiet ? (double)finding->quiet.high : finding->high};
    /* The interval of quiet values already allows for few trials and for their scatter. */
    const unsigned counted = FLAG_BIT(FLAG_TOO_FEW) | FLAG_BIT(FLAG_UNCONVERGED);
    const bool doubt = flag_widening(finding->flags) & ~(quiet ? counted : 0);
    const double times = doubt ? doubt_widens : 1;
    bounds[0] = value;
    for (int i = 0; i < 2; i++) {
        bounds[1 + i] = value > 0 && ends[0] > 0 ? value * pow(ends[i] / value, times)
                                                 : value + times * (ends[i] - value);
        if (doubt && ends[0] == ends[1])
            bounds[1 + i] = NAN;
    }
}
