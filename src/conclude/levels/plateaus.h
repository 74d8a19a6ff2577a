/*
 * Plateaus of a curve: a segmentation into stretches that are nearly flat and, between them, rises.
 *
 * The segmentation of least cost is found by dynamic programming (Bellman, "On the approximation of
 * curves by line segments", CACM 4(6), 1961): an octave of x on a rise costs 1; an octave on a
 * plateau costs the points' distance from the plateau's line, in units of three deviations, at most
 * 1; each plateau costs half an octave more, so it must explain more than that. A spike costs no
 * more than its own width and splits no plateau.
 */
#ifndef FATHOM_CONCLUDE_LEVELS_PLATEAUS_H
#define FATHOM_CONCLUDE_LEVELS_PLATEAUS_H

#include <stdbool.h>
#include <stddef.h>

struct pool;

struct curve_bin {
    double x, y;      /* log2 of the size, ln of the latency */
    double deviation; /* of y */
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
 * (conclude/levels/plateaus.h) is an interpretation of the curve; a flat is visible in its points.
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

#endif
