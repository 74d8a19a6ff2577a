/* Seeded samples of known distributions, and how many seeds to try. */
#ifndef FATHOM_TESTS_SAMPLE_H
#define FATHOM_TESTS_SAMPLE_H

#include "base/random.h"

#include <math.h>
#include <stdlib.h>

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

/* Results that are the same on every processor are tried in full on the building machine; an
 * emulator takes ten times as long, so it tries a tenth. */
static inline unsigned sample_seeds(unsigned seeds)
{
    return getenv("FATHOM_EMULATED") ? (seeds + 9) / 10 : seeds;
}

#endif
