/* Hand-offs between all pairs of CPUs, for the tongues that print a matrix of them. */
#ifndef FATHOM_SPEAK_TONGUES_CORE_PAIRS_H
#define FATHOM_SPEAK_TONGUES_CORE_PAIRS_H

#include "speak/tongues/tongue.h"

struct core_pairs {
    const struct series *series;
    int *cpus; /* in the matrix's order */
    size_t count;
    const struct point **points; /* of each pair, row by row; NULL: none */
};

struct core_wish {
    const char *op;               /* of `fathom cores` */
    const char *cpus;             /* a list; NULL: all */
    uint64_t samples, iterations; /* batches a pair, and round trips in each */
};

/* Measures every pair, spread over several cache lines, in about the time that a tool takes for as
 * many round trips. Leaves with ERROR_IMPOSSIBLE where no pair has a value. */
void core_pairs_measure(struct core_pairs *, struct talk *, const struct core_wish *);
/* From the i-th to the j-th CPU, or NULL where there is no value. */
const struct point *core_pairs_cell(const struct core_pairs *, size_t i, size_t j);
/* How far the interval reaches to either side, in ns. */
double core_pairs_margin(const struct point *);

#endif
