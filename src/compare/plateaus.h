/*
 * What two latency curves have in common: sizes that are on one plateau in both, whatever name each
 * gives it. Latency rises a little along a plateau, and no two runs measure the same sizes on it;
 * so levels are compared by the sizes that both measured.
 */
#ifndef FATHOM_COMPARE_PLATEAUS_H
#define FATHOM_COMPARE_PLATEAUS_H

#include "document/document.h"
#include "stats/compare.h"

struct shared_plateau {
    const struct finding *before, *after; /* the findings read off it, in cycles if there are
                                             cycles; their names may differ */
    double a, b; /* geometric means at those sizes, in the findings' unit */
    struct comparison time, cycles;
    bool has_cycles;
    double from,
        to;       /* the range common to both levels, in bytes; `to` is INFINITY if neither ends */
    size_t sizes; /* sizes in that range that both measured */
    bool many;    /* there are enough sizes to rely on their scatter alone */
};

struct shared_plateaus {
    struct shared_plateau *list;
    size_t count;
    const struct series *curve; /* the first result's curve; NULL: none */
    bool known; /* both results have such a curve, so a level that is not in the list is not the
                   same in both, even under the same name */
};

/* Finds the plateaus that the headline curves of two results share. None if either has no such
 * curve, or if its findings contradict the curve. In the pool. */
void plateaus_shared(struct shared_plateaus *, struct pool *, const struct probe_result *a,
                     const struct probe_result *b, double threshold);
/* Whether a point of the first result's curve is at a bend: the curves share plateaus, and its size
 * is on none of them, so a change there is a change of a capacity. */
bool plateaus_bend_at(const struct shared_plateaus *, const struct series *, double x);
/* The shared plateau that this finding of the first document was read off; NULL: none. */
const struct shared_plateau *plateaus_before(const struct shared_plateaus *,
                                             const struct finding *);
/* The same for the second document. */
const struct shared_plateau *plateaus_after(const struct shared_plateaus *, const struct finding *);

/* Whether two latencies of one level's name were read off different plateaus, because one curve has
 * a level that the other lacks. */
bool plateaus_differ(const struct shared_plateaus *, const struct finding *before,
                     const struct finding *after);
/* Whether the finding is a level's capacity read off a bend of the result's headline curve where
 * most sizes have too few trials, so that interference with one size decides it. */
bool plateaus_are_thin(const struct probe_result *, const struct finding *);

#endif
