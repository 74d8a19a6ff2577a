/* What findings_levels() writes of one curve: step 8 of README.md, in levels.c and capacity.c. */
#pragma once

#include "conclude/levels/level.h"

/* A curve whose levels are found, and the result that gets their findings. */
struct level_reading {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    struct level_sample *samples;
    struct levels levels;
    bool guest; /* its host's pages and neighbours can't be seen */
};

/* Flags of the findings of level `index`: those that more than a quarter of its points have. */
unsigned reading_flags(const struct level_reading *, size_t index);
/* Adds the capacity of level `index`, or where its misses begin, if the curve shows either. */
void reading_add_capacity(const struct level_reading *, size_t index);
/* A size rounded down to two digits, for advice. */
double size_handy(double bytes);
