/*
 * Flats of a curve: stretches of at least two sizes that agree with one another. A plateau
 * (conclude/levels/plateaus.h) is an interpretation of the curve; a flat is visible in its points.
 * So flats are the evidence: a level needs one.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_FLATS_H
#define FATHOM_CONCLUDE_LEVELS_FLATS_H

#include "conclude/levels/plateaus.h"

#include <stdbool.h>

enum { FLATS_MOST = 32 };

struct flat {
    size_t first, last; /* bins; up to a fifth of the bins between may be off the flat */
    size_t sizes;       /* bins that agree */
    double middle;      /* their median, as a logarithm */
    double low, high;   /* the range of the bins that agree, as logarithms */
    double octaves;
};

/* The flats of n bins with ascending x, at most FLATS_MOST, ascending, without overlap. The longest
 * is chosen first, then the longest in the rest. Bins agree within `tolerance` (of the logarithm);
 * a flat is at least `octaves` long. */
size_t flats_find(const struct curve_bin *, size_t n, double tolerance, double octaves,
                  struct flat list[FLATS_MOST]);

#endif
