/*
 * How far each of many values lies from the others, which were to be alike: a robust distance and
 * how likely it is by chance.
 *
 * Each value is compared with all others but those that are far away from all: with their mean and
 * standard deviation, to which comes what this value's own interval is wider than most. For values
 * that scatter normally that is the externally studentised residual (Cook and Weisberg, "Residuals
 * and Influence in Regression", 1982, 2.2.1), which has Student's distribution. Where the values
 * show that their scatter has heavier tails than that, it is given as few degrees of freedom as
 * these tails ask for (stats/tails.h).
 */
#ifndef FATHOM_STATS_PEERS_H
#define FATHOM_STATS_PEERS_H

#include <stdbool.h>
#include <stddef.h>

enum { PEERS_FEWEST = 5 }; /* with fewer nothing can be told of any */

struct peer {
    double value;
    double error;    /* half of the value's own interval of 95 %; 0 where it has none */
    double distance; /* in standard deviations of the others, with its sign */
    double p;        /* of a distance like this or larger, either way */
};

struct peers {
    double centre;  /* the median */
    double spread;  /* a standard deviation, of those that are not far away */
    double freedom; /* degrees of it */
    bool counted;   /* more than half have one value, as counts do: no distance is told, and p is
                       the share of them that are as far away */
};

/* Fills distance and p of peers[n], n >= PEERS_FEWEST, and what they are together. Values in which
 * a factor matters should be given as logarithms. `scratch` has room for n doubles. */
struct peers peers_judge(struct peer *peers, size_t n, double *scratch);

#endif
