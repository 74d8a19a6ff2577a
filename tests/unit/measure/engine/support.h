/*
 * What the engine's tests share: CPUs that may be used, and what a busy machine may do to a run.
 * Threads that others keep from running together cost a point its value, and no test may depend on
 * that: what lacked time is done again. A run that lacks it every time has another reason.
 */
#ifndef FATHOM_TESTS_ENGINE_SUPPORT_H
#define FATHOM_TESTS_ENGINE_SUPPORT_H

#include "document/flag.h"
#include "measure/engine/engine.h"

#include <string.h>

enum { TRIES = 5 };
/* What noise adds to any point. */
static const unsigned noise_flags = FLAG_BIT(FLAG_PREEMPTED) | FLAG_BIT(FLAG_STOLEN);

/* The i-th CPU that this process may run on, -1 where there are fewer. */
static inline int allowed_cpu(size_t i)
{
    struct cpulist list;
    int cpu = -1;
    if (os_affinity(&list, NULL) == 0 && i < list.count)
        cpu = list.ids[i];
    cpulist_free(&list);
    return cpu;
}

/* Whether a point has no value, or fewer trials than the fewest, because its threads did not run.
 * The point with that x is not looked at: it is meant to get no time. */
static inline bool lacked_time(const struct plan *plan, const struct series *series, double but)
{
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        bool starved = point->failed ? strstr(point->failed, "no time to run together") != NULL
                                     : point->y.n < plan->trials_min;
        if (starved && point->x != but)
            return true;
    }
    return false;
}

#endif
