/* Seeded samples of known distributions. */
#ifndef FATHOM_TESTS_SAMPLE_H
#define FATHOM_TESTS_SAMPLE_H

#include "base/random.h"

#include <math.h>

/* Box and Muller (1958); 1 - u is never 0. */
static inline double sample_normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(2 * M_PI * random_unit(random));
}

static inline double sample_exponential(struct random *random)
{
    return -log(1 - random_unit(random));
}

#endif
