/*
 * Levels of a memory, read off a latency curve: the plateaus, and where the curve leaves each.
 *
 * A level is a stretch of at least half an octave of sizes on which latency hardly rises
 * (stats/plateaus.h); Saavedra and Smith, "Measuring cache and TLB performance and their effect on
 * benchmark run times", IEEE Trans. Computers 44(10), 1995, read levels off such plateaus by eye.
 * Between two of them the curve is a mixture: beyond a cache's capacity a share of the loads
 * misses it, and how that share grows with the size depends on replacement and on how evenly sets
 * are filled. So plateaus and capacities are fitted together to the whole curve as a sum of such
 * shares (stats/mixture.h), and a capacity is no single point that happens to deviate.
 *
 * Nothing here knows what the machine declares.
 */
#ifndef FATHOM_STATS_LEVELS_H
#define FATHOM_STATS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>

enum { LEVELS_MAX = 9 };

/* A point of the curve. Those whose size or latency is no positive finite number are left out. */
struct level_sample {
    double bytes, latency;
    double low, high; /* the latency's interval of 95 %; NAN where there is none */
    /* Filled by levels_find(): */
    int level;     /* the plateau it stands on; -1: none */
    double fitted; /* what the whole fit says here; NAN where nothing was fitted */
    double doubt;  /* relative half width: how far the fit may be wrong in what it corrects here */
};

/* A size above which translation adds to every load: entries of a TLB times the page size. */
struct translation_knee {
    double bytes, cycles; /* cycles: in the unit of the curve, when it is handed to levels_find() */
};

struct level {
    double latency, low, high; /* without what translation adds */
    double fitted; /* the fit's plateau: a sample is worth latency = y * fitted / its own
                      fitted, where other levels still have a small part in it */
    /* What it holds, together with those before it where levels exclude one another; NAN where the
     * curve does not leave the plateau. */
    double capacity, capacity_low, capacity_high;
    double from, to; /* smallest and largest size on the plateau */
    double off;      /* smallest size measured that is off it; NAN: none */
};

struct levels {
    struct level list[LEVELS_MAX]; /* ascending */
    size_t count;
    bool rising; /* the curve goes on rising beyond the last plateau */
    bool stays;  /* the largest sizes are on the last plateau: an octave of them, or they go to
                    twice the last capacity */
};

/* Finds the levels of n samples in any order. Sizes may repeat. Fewer than three different sizes,
 * or a curve without a plateau, have none. Takes n log n, and a bounded time beyond that.
 * ERROR_SYSTEM (base/error.h) without memory. */
int levels_find(struct level_sample *, size_t n, const struct translation_knee *, size_t knee_count,
                struct levels *);

struct level_estimate {
    double value, low, high;
};

/* One latency from the n >= 1 points of a plateau: their median, with the order-statistic interval
 * that the points give it (stats/interval.h), and never narrower than those are of themselves:
 * `half_widths`, NAN where there is none. Points share the moods of their rounds, so many of them
 * know hardly more than one. Sorts both. */
struct level_estimate level_pool(double *values, double *half_widths, size_t n);

#endif
