/*
 * Findings of two documents that are of the same thing: of one name and of one experiment. CPUs are
 * compared by their number only to tell several findings of one name apart, as clusters are; what
 * is left over after that is paired by how many CPUs it is about, in the order of the values,
 * because a machine may number its CPUs anew.
 */
#ifndef FATHOM_FINDINGS_PAIRS_H
#define FATHOM_FINDINGS_PAIRS_H

#include "result/document.h"

/* For each finding of either probe, by its place, the other's that is its partner; NULL: none. */
struct finding_pairs {
    const struct finding **of_a, **of_b;
};

/* In the pool, in n log n steps. Units are not looked at: who compares two says what it makes of
 * them. ERROR_SYSTEM without memory. */
int finding_pairs_find(struct finding_pairs *, struct pool *, const struct probe_result *a,
                       const struct probe_result *b);

#endif
