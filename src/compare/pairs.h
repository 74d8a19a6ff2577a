/*
 * Pairs the findings of two documents by name and experiment. CPU numbers matter only if several
 * findings have one name, as clusters do; the rest of these is paired by the number of CPUs, in the
 * order of the values, because a machine may number its CPUs anew. Levels pair by their sizes
 * (compare/levels.h).
 */
#pragma once

#include "compare/levels.h"

/* For each finding of either probe, by its index, its partner in the other; NULL: none. */
struct finding_pairs {
    const struct finding **of_a, **of_b;
};

/* In the pool, in n log n steps. Units are ignored: the caller handles different ones. `of_a` and
 * `of_b` number each side's levels as one document does; NULL: that document is the side's own. */
void finding_pairs_find(struct finding_pairs *, struct pool *, const struct probe_result *a,
                        const struct level_links *of_a, const struct probe_result *b,
                        const struct level_links *of_b);
