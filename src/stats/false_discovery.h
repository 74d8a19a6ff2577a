/*
 * Many comparisons at once: which of them may be called findings, when at most a share of what is
 * called one may be chance (Benjamini and Hochberg, "Controlling the false discovery rate", Journal
 * of the Royal Statistical Society B 57, 1995). It holds for comparisons that are independent or
 * rise together (Benjamini and Yekutieli, Annals of Statistics 29, 2001), as a node's do.
 */
#ifndef FATHOM_STATS_FALSE_DISCOVERY_H
#define FATHOM_STATS_FALSE_DISCOVERY_H

#include <stddef.h>

/* The largest of p[n] that still counts when a `share` of those that count may be false; -1 where
 * none does. Sorts p, which must hold no NAN. */
double false_discovery_limit(double *p, size_t n, double share);

#endif
