#include "speak/import/curves.h"

#include "conclude/registry/registry.h"

#include <math.h>

/* Why a curve has no level. */
static const char *no_levels(const struct series *series)
{
    if (series->point_count < 3)
        return "no levels: that takes three sizes at least, and a dozen to be of use";
    if ((double)series->points[0].y.median >
        1.2 * (double)series->points[series->point_count - 1].y.median)
        return "no levels: latency falls as the working set grows, which no memory does; is the "
               "size in the first column?";
    return "no levels: no two neighbouring sizes have the same latency, so no size shows where a "
           "cache ends; measure more sizes";
}

void curve_explain(struct probe_result *result)
{
    bool levels = false;
    for (size_t i = 0; i < result->finding_count; i++)
        levels = levels || (isfinite(result->findings[i].value) && /* remarks have no value */
                            finding_meaning(&result->findings[i]).role == ROLE_LEVEL);
    for (size_t i = 0; i < result->series_count && !levels; i++)
        if (result->series[i].headline) {
            result->status = PROBE_PARTIAL;
            result->reason = no_levels(&result->series[i]);
        }
}
