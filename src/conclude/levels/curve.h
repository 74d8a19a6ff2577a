/*
 * A latency curve made ready to be read: its usable samples in order, without what translation adds
 * to them, and gathered into bins, because sizes that repeat or lie close together say no more than
 * one.
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
    double *scratch, *halves;     /* room for one number per sample each */
    size_t n;
    struct curve_bin bins[CURVE_BINS_MOST];
    size_t bin_first[CURVE_BINS_MOST + 1]; /* samples */
    size_t bin_count;
};

/* Resets those members of the samples that levels_find() fills, and keeps pointers to the samples.
 * In the pool. */
struct curve *curve_read(struct pool *, struct level_sample *, size_t n,
                         const struct translation_knee *, size_t knee_count);

/* The k-th level's latency and interval from the samples that are its own, each as the fit says
 * that the level alone would take. A level without samples stays as it is. */
void level_pool_own(const struct curve *, size_t k, struct found_level *);

/* The median of n values; sorts them. */
double curve_middle(double *values, size_t n);

#endif
