/*
 * Flats of a curve: stretches of at least two sizes that agree with one another. A plateau
 * (conclude/levels/plateaus.h) is one explanation of a curve; a flat is visible in its
 * points. So flats are the evidence: there is no level without one.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_FLATS_H
#define FATHOM_CONCLUDE_LEVELS_FLATS_H

#include "conclude/levels/plateaus.h"

#include <stdbool.h>

enum { FLATS_MOST = 32 };

struct flat {
    size_t first, last; /* bins; up to a fifth of those between may lie off the flat */
    size_t sizes;       /* bins that agree */
    double middle;      /* their median, as a logarithm */
    double low, high;   /* the range of those that agree, as logarithms */
    double octaves;
};

/* The flats of n bins with ascending x, at most FLATS_MOST, ascending and apart: the longest first,
 * then the longest of what is left. What agrees lies within `tolerance` (of the logarithm); a flat
 * is `octaves` long at least. */
size_t flats_find(const struct curve_bin *, size_t n, double tolerance, double octaves,
                  struct flat list[FLATS_MOST]);

#endif
