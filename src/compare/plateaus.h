/*
 * What two latency curves have in common: the sizes that stand on one plateau of either, whatever
 * each calls it. Latency rises a little along a plateau, and no two runs measure the same sizes of
 * it; so levels are compared by the sizes that both have.
 */
#ifndef FATHOM_COMPARE_PLATEAUS_H
#define FATHOM_COMPARE_PLATEAUS_H

#include "document/document.h"
#include "stats/compare.h"

struct shared_plateau {
    const struct finding *before, *after; /* what was read off it, in cycles where there are any;
                                             the names may differ */
    double a, b;                          /* in their unit, at those sizes: geometric means */
    struct comparison time, cycles;
    bool has_cycles;
    double from, to; /* of both levels in common; `to` is INFINITY where neither ends */
    size_t sizes;    /* that were measured there in both */
    bool many;       /* so many that their scatter alone says how far to rely on them */
};

struct shared_plateaus {
    struct shared_plateau *list;
    size_t count;
    const struct series *curve; /* of the first result, on which they are; NULL: there is none */
    bool known; /* both results have such a curve: a level that is not in the list is not the same
                   in both, whatever it is called */
};

/* Those of the headline curves of two results, by what the hardware does without neighbours. None
 * where either has no such curve, does not know that, or its findings say something else.
 * They live in the pool. */
void plateaus_shared(struct shared_plateaus *, struct pool *, const struct probe_result *a,
                     const struct probe_result *b, double threshold);
/* Whether a point of the first result's curve stands at a bend: the two share plateaus, and its
 * size is on none of them, so that what moved is a capacity. */
bool plateaus_bend_at(const struct shared_plateaus *, const struct series *, double x);
/* The curve that this finding of the first document was read off; NULL: none. */
const struct shared_plateau *plateaus_before(const struct shared_plateaus *,
                                             const struct finding *);
/* The same of the second. */
const struct shared_plateau *plateaus_after(const struct shared_plateaus *, const struct finding *);

/* Whether two latencies of levels, of one name, were read off other plateaus: one curve has a level
 * that the other did not see. */
bool plateaus_differ(const struct shared_plateaus *, const struct finding *before,
                     const struct finding *after);
/* Whether the finding is a level's size, read off a bend of the result's headline curve where most
 * sizes have too few trials: what one neighbour did to one of them then decides. */
bool plateaus_are_thin(const struct probe_result *, const struct finding *);

#endif
