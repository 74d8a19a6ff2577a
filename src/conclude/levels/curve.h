/*
 * A latency curve prepared for the search: its usable samples by size, less what translation adds,
 * and gathered into bins, because sizes that repeat or are close together tell no more than one
 * size.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_CURVE_H
#define FATHOM_CONCLUDE_LEVELS_CURVE_H

#include "conclude/levels/level.h"
#include "conclude/levels/mixture.h"
#include "conclude/levels/plateaus.h"

enum { CURVE_BINS_MOST = 256 };

struct curve {
    struct level_sample **of;     /* the caller's usable samples, ascending by size */
    struct mixture_sample *clean; /* the same without translation */
    double *scratch, *halves;     /* n numbers each */
    size_t n;
    struct curve_bin bins[CURVE_BINS_MOST];
    size_t bin_first[CURVE_BINS_MOST + 1]; /* samples */
    size_t bin_count;
};

/* Makes the curve, in the pool. Resets the members of the samples that levels_find() fills, and
 * keeps pointers to the samples. */
struct curve *curve_read(struct pool *, struct level_sample *, size_t n,
                         const struct translation_knee *, size_t knee_count);

/* Sets the k-th level's latency and interval from the samples on its plateau, each corrected by the
 * fit to what this level alone would take. A level without samples is unchanged. */
void level_pool_own(const struct curve *, size_t k, struct level *);

/* The median of n values; sorts them. */
double curve_middle(double *values, size_t n);

#endif
