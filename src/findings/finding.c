#include "findings/finding.h"

#include <math.h>

struct finding *finding_add(struct probe_result *result, struct pool *pool, const char *name,
                            const char *unit)
{
    struct finding *finding =
        pool_append(pool, (void **)&result->findings, &result->finding_count, sizeof *finding);
    if (finding)
        *finding = (struct finding){.name = pool_strdup(pool, name),
                                    .unit = pool_strdup(pool, unit),
                                    .value = NAN,
                                    .low = NAN,
                                    .high = NAN,
                                    .declared = NAN};
    return finding && finding->name && finding->unit ? finding : NULL;
}

struct finding *finding_add_value(struct probe_result *result, struct pool *pool, const char *name,
                                  const char *unit, double value, double low, double high,
                                  unsigned flags)
{
    struct finding *finding = finding_add(result, pool, name, unit);
    if (finding) {
        finding->value = value;
        finding->low = low;
        finding->high = high;
        finding->flags = flags;
    }
    return finding;
}

struct finding *finding_add_summary(struct probe_result *result, struct pool *pool,
                                    const char *name, const char *unit,
                                    const struct summary *summary, unsigned flags)
{
    bool interval = summary->coverage > 0;
    return finding_add_value(result, pool, name, unit, summary->median,
                             interval ? summary->low : NAN, interval ? summary->high : NAN, flags);
}
