/* Seeded samples of known distributions, and how many seeds to try. */
#ifndef FATHOM_TESTS_STATS_SAMPLE_H
#define FATHOM_TESTS_STATS_SAMPLE_H

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

/* Results that are the same on every processor are tried in full on the building machine. Where
 * programs are slow, or were tested before, FATHOM_EACH=N tries one of N; an emulator takes ten
 * times as long, so there N is 10. */
static inline unsigned sample_each(void)
{
    const char *each = getenv("FATHOM_EACH");
    const unsigned long of = each ? strtoul(each, NULL, 10) : 1;
    return of > 1 ? (unsigned)of : 1;
}

static inline unsigned sample_seeds(unsigned seeds)
{
    return (seeds + sample_each() - 1) / sample_each();
}

#endif
