/*
 * How far each of many values lies from the others, which should be alike: a robust distance and
 * its probability by chance.
 *
 * Each value is compared with the mean and standard deviation of the others, except those far away
 * from all. Where its own interval is wider than most, the excess is added to the variance. For
 * values that scatter normally the distance is the externally studentised residual (Cook and
 * Weisberg, "Residuals and Influence in Regression", 1982, 2.2.1), which has Student's
 * distribution. Where the values show heavier tails, the distribution gets as few degrees of
 * freedom as these tails need.
 *
 * Ten values hardly show how they scatter. For several quantities of the same machines, the ratio
 * of their scatter to their own intervals is much the same for most of them, and helps to estimate
 * each (Smyth, "Linear models and empirical Bayes methods", Statistical Applications in Genetics
 * and Molecular Biology 3, 2004): struct peers_prior.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { PEERS_FEWEST = 5 }; /* fewer values can't be judged */

struct peer {
    double value;
    double below, above; /* from the value to the ends of its own interval of 95 %, not negative; 0
                            where it has none */
    double distance;     /* in standard deviations of the others, signed */
    double p;            /* probability of a distance this large, either way */
};

/* A variance and its degrees of freedom. */
struct variance {
    double value, freedom;
};

/* What the values of one quantity have in common. */
struct peers {
    double centre;       /* the median */
    double spread;       /* the standard deviation of values not far away */
    double freedom;      /* its degrees of freedom, not limited by tails */
    double tails;        /* degrees of freedom that the tails allow; INFINITY: no limit */
    double usual;        /* the usual standard error of a value, by its interval; 0: unknown */
    double mad;          /* median absolute deviation, scaled to a standard deviation */
    double sum, squares; /* of the distances from the centre of values not far away */
    bool counted; /* more than half have one value, as counts do: they show no scatter, and `equal`,
                     which the caller sets, stands for it */
    struct variance equal;
};

/* The ratio of variances to squared standard errors, and how many degrees of freedom it is worth;
 * 0: nothing is known. */
struct peers_prior {
    double ratio, freedom;
};

/* Fits peers[n], n >= PEERS_FEWEST. Values that differ by factors should be given as logarithms.
 * `scratch` has room for n doubles. */
struct peers peers_fit(const struct peer *peers, size_t n, double *scratch);
/* The prior from `count` quantities of the same machines. `scratch` has room for `count`
 * doubles. */
struct peers_prior peers_prior_of(const struct peers *all, size_t count, double *scratch);
/* Fills distance and p. */
void peers_judge(struct peer *peers, size_t n, const struct peers *, const struct peers_prior *);

/* The variance by the squares of deviations with their degrees of freedom, shrunk towards the one
 * expected, which is worth `prior` degrees of freedom. What scatters wider than the prior and
 * chance explain is judged without the prior. One of the two has degrees of freedom. */
struct variance variance_shrunk(double squares, double freedom, double expected, double prior);

/* For many comparisons at once: the largest of p[n] that may still be called a finding if at most a
 * `share` of the findings may be chance (Benjamini and Hochberg, "Controlling the false discovery
 * rate", Journal of the Royal Statistical Society B 57, 1995); -1 where none may. Valid for
 * comparisons that are independent or rise together, as a node's do (Benjamini and Yekutieli,
 * Annals of Statistics 29, 2001). Sorts p, which must hold no NAN. */
double false_discovery_limit(double *p, size_t n, double share);
