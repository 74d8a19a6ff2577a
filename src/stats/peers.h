/*
 * How far each of many values lies from the others, which were to be alike: a robust distance and
 * how likely it is by chance.
 *
 * Each value is compared with all others but those that are far away from all: with their mean and
 * standard deviation, to which comes what this value's own interval is wider than most. For values
 * that scatter normally that is the externally studentised residual (Cook and Weisberg, "Residuals
 * and Influence in Regression", 1982, 2.2.1), which has Student's distribution. Where the values
 * show that their scatter has heavier tails than that, it is given as few degrees of freedom as
 * these tails ask for.
 *
 * Ten values hardly show how they scatter. Where several quantities were taken of the same
 * machines, how much wider they scatter than their own intervals is much the same for most of them,
 * and helps each (Smyth, "Linear models and empirical Bayes methods", Statistical Applications in
 * Genetics and Molecular Biology 3, 2004): struct peers_prior.
 */
#ifndef FATHOM_STATS_PEERS_H
#define FATHOM_STATS_PEERS_H

#include <stdbool.h>
#include <stddef.h>

enum { PEERS_FEWEST = 5 }; /* with fewer nothing can be said of any */

struct peer {
    double value;
    double below, above; /* from the value to the ends of its own interval of 95 %, both positive; 0
                            where it has none */
    double distance;     /* in standard deviations of the others, with its sign */
    double p;            /* of a distance like this or larger, either way */
};

/* What values of one quantity are like together. */
struct peers {
    double centre;       /* the median */
    double spread;       /* a standard deviation, of those that are not far away */
    double freedom;      /* degrees of it, before the tails */
    double tails;        /* degrees of freedom that the tails allow; INFINITY: any */
    double usual;        /* the standard error of one value, as its interval has it; 0: unknown */
    double mad;          /* the median of the absolute deviations, as a standard deviation */
    double sum, squares; /* of those that are not far away, from the centre */
    bool counted; /* more than half have one value, as counts do: no distance is given, and p is
                     the share of them that are as far away */
};

/* How variances are to standard errors' squares, and how many degrees of freedom that is worth; 0:
 * nothing is known. */
struct peers_prior {
    double ratio, freedom;
};

/* Of peers[n], n >= PEERS_FEWEST. Values in which a factor matters should be given as logarithms.
 * `scratch` has room for n doubles. */
struct peers peers_fit(const struct peer *peers, size_t n, double *scratch);
/* Of several quantities of the same machines. `scratch` has room for `count` doubles. */
struct peers_prior peers_prior_of(const struct peers *all, size_t count, double *scratch);
/* Fills distance and p. `scratch` has room for n doubles. */
void peers_judge(struct peer *peers, size_t n, const struct peers *, const struct peers_prior *,
                 double *scratch);

/* Many comparisons at once: the largest of p[n] that may still be called a finding when at most a
 * `share` of what is called one may be chance (Benjamini and Hochberg, "Controlling the false
 * discovery rate", Journal of the Royal Statistical Society B 57, 1995); -1 where none does. It
 * holds for comparisons that are independent or rise together (Benjamini and Yekutieli, Annals of
 * Statistics 29, 2001), as a node's do. Sorts p, which must hold no NAN. */
double false_discovery_limit(double *p, size_t n, double share);

#endif
