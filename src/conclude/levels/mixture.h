/*
 * A latency curve as a mixture: each level adds its step in latency to the loads that miss all
 * levels before it,
 *
 *     latency(size) = base + sum over knees of height * miss_share(shape, size / capacity)
 *
 * For given capacities and shapes, base and heights are a linear problem, so only capacities and
 * shapes are searched for, knee by knee (variable projection: Golub and Pereyra, SIAM J. Numer.
 * Anal. 10(2), 1973). Residuals are relative; those beyond two deviations count as their distance,
 * not its square (Huber 1964).
 */
#ifndef FATHOM_CONCLUDE_LEVELS_MIXTURE_H
#define FATHOM_CONCLUDE_LEVELS_MIXTURE_H

#include "conclude/levels/miss_share.h"

#include <stddef.h>

enum { KNEES_MOST = 8 };

struct mixture_sample {
    double bytes, latency;
    double deviation; /* relative */
};

struct mixture_knee {
    double least,
        most; /* set by the caller: the range in which the capacity is searched, in bytes */
    double height;
    int shape;
    /* The capacity's mean and its interval of 95 % over all shapes and sizes, each weighted by how
     * well it explains the curve (a flat prior on the size's logarithm). */
    double capacity, low, high;
    double best; /* the capacity that fits best with `shape` */
};

struct mixture {
    double base;
    double cost; /* Huber's loss over all samples; INFINITY: nothing could be fitted */
    size_t count;
    struct mixture_knee knees[KNEES_MOST];
};

/* Starts from the given knees (`least` and `most` set), removes knees that the curve does not need,
 * splits a knee that can't explain its part of the curve alone (mixture.c says when), then fits the
 * rest thoroughly to the n samples, whose sizes ascend. The cost is INFINITY if no such mixture
 * explains the samples. Working memory is taken from the pool. */
void mixture_choose(struct mixture *, struct pool *, const struct miss_shares *,
                    const struct mixture_sample *, size_t n);

double mixture_at(const struct mixture *, const struct miss_shares *, double bytes);
/* The latency of level 0, 1, ... count alone, and the share of loads that it serves. */
double mixture_level(const struct mixture *, size_t level);
double mixture_share(const struct mixture *, const struct miss_shares *, size_t level,
                     double bytes);

#endif
