/*
 * How far the lines of a set lie that another core has just gone through, by the set's size.
 *
 * The last lines that it touched are in its nearest cache, those before in the next one, and so on.
 * So one line more does not move the others, and the time of all lines (the mean times the size) is
 * a straight line as far as a cache reaches. Its slope is the cache's distance, and where two
 * slopes meet is the size that can be used of the nearer cache. The mean itself bends slowly and
 * may fall: a modified line of another core's cache can lie farther than one that has left it.
 */
#pragma once

#include "document/document.h"
#include "stats/order.h"

enum { REACHES_MAX = 4 };

struct reach {
    struct interval ns;  /* a line */
    struct interval end; /* bytes of the largest set of which it holds all that nearer ones don't;
                            NAN: the curve does not leave it */
};

/* Fits one to REACHES_MAX slopes to the points of a series over sizes, by least squares of relative
 * errors, as many as Schwarz's criterion asks for ("Estimating the dimension of a model", Annals of
 * Statistics 6, 1978; Yao, "Estimating the number of change-points via Schwarz' criterion",
 * Statistics and Probability Letters 6, 1988). Each slope takes four sizes, the last one three.
 * Returns how many; 0: fewer than three sizes. A step of the pool. */
size_t reaches_find(const struct series *, struct pool *, struct reach *);
