/* What the steps of levels_find() pass to one another. README.md lists the steps in order. Internal
 * to levels_find(). */
#pragma once

#include "conclude/levels/level.h"

/* --- plateaus.c --- */

/*
 * Plateaus of a curve: a segmentation into stretches that are nearly flat and, between them, rises.
 *
 * The segmentation of least cost is found by dynamic programming (Bellman, "On the approximation of
 * curves by line segments", CACM 4(6), 1961): an octave of x on a rise costs 1; an octave on a
 * plateau costs the points' distance from the plateau's line, in units of three deviations, at most
 * 1; each plateau costs half an octave more, so it must explain more than that. A spike costs no
 * more than its own width and splits no plateau.
 */

struct curve_bin {
    double x, y;      /* log2 of the size, ln of the latency */
    double deviation; /* of y, limited */
    double scatter;   /* the same, of its samples' whole intervals and the bins about it */
    double octaves;   /* octaves of x that the bin covers */
};

struct plateau {
    size_t first, last;  /* bins */
    double begins, ends; /* the line's y at `first` and `last` */
};

/* Neighbouring plateaus differ by at least this factor; nearer ones count as one level. */
extern const double plateau_step;

/* Finds at most `most` plateaus of n bins with ascending x, in ascending order. Returns how
 * many. O(n^3). */
size_t plateaus_find(struct pool *, const struct curve_bin *, size_t n, struct plateau *,
                     size_t most);

/*
 * Flats of a curve: stretches of at least two sizes that agree with one another. A plateau
 * is an interpretation of the curve; a flat is visible in its points.
 * So flats are the evidence: a level needs one.
 */

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

/* --- miss_share.c --- */

/*
 * The share of a random chase's loads that miss a cache that is too small for its working set.
 *
 * A chase visits its lines in the same order again and again, so each set of the cache sees its own
 * lines in a cycle. The share that misses depends on the set's ways, on how replacement treats a
 * cycle that is too long, and on how evenly lines are spread over the sets:
 *
 *     even       contiguous memory and a plain index: every set has as many lines as any other
 *     scattered  pages at random or a hashed index: a set's lines are Poisson-distributed
 *
 * LRU hits nothing in a cycle that is one line too long. Nor does a tree of bits (pseudo-LRU),
 * because without hits its misses replace the ways in turn. Random replacement keeps a line if no
 * miss since the line's last visit chose it (simulated, set by set). Replacement that resists
 * thrashing (Qureshi et al., "Adaptive insertion policies", ISCA 2007) keeps all but one way.
 *
 * Other tools may draw each line at random instead. Then no policy can predict the next line, and
 * any cache hits in proportion to its capacity (King, "Analysis of demand paging algorithms", IFIP
 * 1971).
 */

enum { MISS_SHAPES = 22 }; /* policies x ways x evenness, and lines drawn anew */

/* The share of loads that miss if each line is drawn at random, for a working set of `ratio` times
 * the capacity. */
double miss_share_drawn(double ratio);

struct miss_shares;

/* Tabulates all shapes, in the pool. Takes a few milliseconds. */
struct miss_shares *miss_shares_make(struct pool *);

/* The share of loads that miss, for each shape, if the working set is that many octaves (log2 of
 * the ratio) above the capacity: 0 to 1, never falling with size. */
void miss_shares_at(const struct miss_shares *, double octaves_above, double of_shape[MISS_SHAPES]);

/* --- mixture.c --- */

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

/* What a knee adds to a fit: a size, a height and a shape. */
enum { KNEES_MOST = 8, KNEE_UNKNOWNS = 3 };

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

/* --- curve.c --- */

/*
 * A latency curve prepared for the search: its usable samples by size, less what translation adds,
 * and gathered into bins, because sizes that repeat or are close together tell no more than one
 * size.
 */

enum { CURVE_BINS_MOST = 256 };

struct curve {
    struct level_sample **of;     /* the caller's usable samples, ascending by size */
    struct mixture_sample *clean; /* the same without translation */
    double *room;                 /* the low ends of their intervals: a capacity is read off the
                                    trials from which other programs took least */
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

/* --- evidence.c --- */

/*
 * Checks the levels of a fit against the points themselves, and finds levels that the fit missed.
 * Internal to levels_find().
 *
 *     refused a level on which no two sizes agree, whose interval reaches the latency of a
 *                neighbour, or whose sizes may lie on the rise between these as well; its sizes
 *                become a gap
 *     added      a flat between two levels, which the fit misread as part of a rise: the far half
 *                of a cache of two halves, a cache too near to the next
 *     translated a small step at a TLB's usual number of pages of 4 KiB, where pages are
 *                unknown: two levels become one, and the step is reported
 *     proven     memory: a flat of an octave and more, well past the last capacity
 */

/* Whether most samples have intervals, so they were measured here and not read from a table. */
bool evidence_has_intervals(const struct curve *);
/* By how much the latencies of agreeing sizes may differ, as a logarithm: 5 %, or more if the
 * intervals of those between two sizes are wider. */
double evidence_tolerance(const struct curve *, double from, double to);
/* Whether a step from one flat to the next may be due to a TLB that is not known, by their
 * latencies (as logarithms), the largest size before it and the least after it. */
bool evidence_is_translation(const struct curve *, enum level_pages, double before, double after,
                             double from, double to);
/* Finds the longest flat that proves memory beyond a cache of that capacity, at about that latency
 * (a logarithm). False: none. */
bool evidence_of_memory(const struct curve *, double last_capacity, double latency, struct flat *);
/* Sets level k, new or not, from that flat's samples: its latency, interval and extent. */
void evidence_take_flat(struct curve *, const struct flat *, size_t k, struct level *);
/* Brackets the capacity of a level from bin `last` on: between the last size whose latency is still
 * near `ends` and the first that is nearer to `next` (NAN: no next level). */
void evidence_bracket(const struct curve *, enum level_pages, size_t last, double ends, double next,
                      struct level *);
void evidence_add_gap(struct levels *, double from, double to);

/* Checks all levels of a fit. */
void evidence_weigh(struct curve *, enum level_pages, struct levels *);

/* --- sparse.c --- */

/*
 * Levels of a curve with few sizes, half an octave apart or more, as in articles. Such a curve has
 * too few sizes beyond a capacity for a fit, so the flats are the levels, and a capacity is between
 * the last size on a flat and the first that is clearly off it. Internal to levels_find().
 */

bool sparse_is(const struct curve *);
void sparse_levels(struct curve *, enum level_pages, struct levels *);
