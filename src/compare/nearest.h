/*
 * Which known machines are nearest to a document's, by what was measured, and how it differs from
 * the others of its model.
 *
 * How far two are apart is the mean of what compare() says of their figures: the logarithm of each
 * ratio, whichever is more, and that of 2 for a level that only one of them has. Two machines at a
 * distance of log(1.25) differ by 25 % in a usual figure.
 */
#pragma once

#include "compare/differences.h"

struct neighbour {
    const struct document *document;
    double away; /* the mean of logarithms */
    size_t compared;
};

struct nearest {
    struct neighbour *list; /* the nearest first; of those with a figure in common, one of each */
    size_t count;
    /* The others of its model, as one document (compare/spread.h), and how this one differs. */
    size_t alike;                /* how many; 0: none is known, or they have no figure in common */
    struct document *alike_list; /* these, of the known ones' memory */
    struct document others;
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
