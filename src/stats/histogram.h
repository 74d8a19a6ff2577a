/*
 * Counts whole numbers over many orders of magnitude in little memory: 128 bins an octave, so a
 * number is known to half a percent, and exactly below 256.
 */
#pragma once

#include "stats/order.h"

#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_STEP_BITS = 7,
    HISTOGRAM_BITS = 48, /* larger numbers count in the largest bin */
    HISTOGRAM_BINS = (HISTOGRAM_BITS - HISTOGRAM_STEP_BITS + 1) << HISTOGRAM_STEP_BITS,
};

struct histogram {
    uint32_t bins[HISTOGRAM_BINS];
};

void histogram_add(struct histogram *, uint64_t number);
void histogram_merge(struct histogram *into, const struct histogram *);
/* The middle of a bin. */
double histogram_middle(size_t bin);
/* How many numbers are in the bins from `first` on. */
uint64_t histogram_count(const struct histogram *, size_t first);
/* The rank-th smallest number in the bins from `first` on, as the middle of its bin; NAN where
 * there are fewer. Ranks begin with 1. */
double histogram_ranked(const struct histogram *, size_t first, uint64_t rank);

/* Quantile p in (0, 1) of the numbers in the bins from `first` on, with the interval that holds the
 * true quantile with a probability of 95 % (normal approximation of the binomial ranks). The value
 * is NAN where there are no numbers, an end where it would lie beyond the least or the largest one.
 */
struct interval histogram_quantile(const struct histogram *, size_t first, double p);
