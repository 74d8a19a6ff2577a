/*
 * Which known machines are nearest to a document's, by what was measured, and how it differs from
 * the others of its model.
 *
 * A figure differs by the logarithm of the larger value over the smaller one, 2 at most. How far
 * two machines are apart is the mean over their figures of the square root of that, squared: so
 * many small differences tell more than a large one, which may be noise or the board's. Latency by
 * working set is compared as a curve, in multiples of its shortest time and by its rises, and not
 * as the levels that were read off it; hand-offs as steps that change, come or go. Machines with
 * few figures in common rank as if one more differed by 2.
 */
#pragma once

#include "compare/differences.h"

struct neighbour {
    const struct document *document;
    double away; /* the sum of the roots */
    size_t compared;
};

struct nearest {
    const struct document *document, *known;
    struct error *error;
    struct neighbour *list; /* the nearest first; of those with a figure in common, one of each */
    size_t count, known_count;
    /* The other machines of its model: how many there are (0: none is known, or they have no figure
     * in common), all of them as one document (compare/spread.h), and how this one differs. */
    struct document *alike_list, others;
    size_t alike;
    struct differences differences;
    struct pool pool;
};

/* A copy of a document counts once; a copy of the first is in the list and none of the others.
 * Documents are of one model if they name the same
 * processor and declare the same first caches: the guests of many processors all name an "AMD
 * EPYC". ERROR_USAGE: no known machine has a figure in common with it; ERROR_SYSTEM: out of memory.
 * All documents must outlive the result, which the caller frees with nearest_free(), also after an
 * error. */
int nearest_find(struct nearest *, const struct document *, const struct document *known,
                 size_t known_count, struct error *);
void nearest_free(struct nearest *);
/* Whether it is of a figure of the machine: no condition of the run, and no pair of a matrix. */
bool nearest_counts(const struct difference *);
