/* Several documents as one: each value is the median over the documents, its interval is their
 * spread, and its runs are kept. The common part of baselines and of repeated runs. */
#ifndef FATHOM_COMPARE_SPREAD_H
#define FATHOM_COMPARE_SPREAD_H

#include "document/document.h"

struct spread {
    struct document *to; /* empty, but for the run's facts */
    const struct document *documents;
    size_t count;
    bool one_machine; /* they are its runs: what others did to it, and why a value is missing, is
                         kept, and half of those that measured a probe decide on it */
    bool any;         /* one that has a value is enough */
    double (*of_both)(double, double); /* of a condition: what holds for two documents */
    size_t left_out;                   /* findings that fewer than half of the documents have */
    const char *names;                 /* of the first few of them; NULL: none */
    /* Of the current probe: the documents and runs that could have its values, a value for each
     * document, and where its last series was found. */
    size_t voters, runs;
    double *values, *scratch;
    size_t *series_from;
    struct level_links *levels; /* of each document, numbered as in one of them */
};

int spread_build(struct spread *, struct error *);
/* How many runs the documents are made of. */
size_t spread_runs(const struct document *documents, size_t count);

#endif
