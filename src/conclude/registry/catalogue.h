/*
 * The findings of documents with what each one means and which were read off the same experiment.
 * Made once for whoever looks many of them up, because a foreign document may hold a million.
 */
#ifndef FATHOM_CONCLUDE_REGISTRY_CATALOGUE_H
#define FATHOM_CONCLUDE_REGISTRY_CATALOGUE_H

#include "conclude/registry/registry.h"

struct catalogue_entry {
    const struct finding *finding;
    const struct probe_result *probe;
    struct finding_meaning meaning;
    size_t document; /* index */
    /* 0: its name alone says what was measured. Otherwise the same number, in all documents, where
     * the factors that are shown are the same, in whatever order they stand. */
    size_t experiment;
    bool twin; /* another finding says the same in cycles */
};

struct catalogue {
    struct catalogue_entry *list; /* document by document and probe by probe, as they stand there */
    size_t count;
    struct catalogue_entry **by_name; /* the same by name, then by experiment, then as they stand */
    const struct document *const *documents;
    size_t **probes; /* by document and probe: the place of its first finding */
};

/* In the pool, whose step it leaves where memory runs out. The documents must outlive it. */
void catalogue_build(struct catalogue *, struct pool *, const struct document *const *documents,
                     size_t count);

/* The findings of a probe, of which the document at that index has as many as it says. */
const struct catalogue_entry *catalogue_of(const struct catalogue *, size_t document,
                                           const struct probe_result *);
/* Findings by what they are about and by which fact they say of it: the rows of a table. */
enum { PIVOT_ROWS = 64, PIVOT_COLUMNS = 8, PIVOT_NAME = 24 };
struct pivot_row {
    char name[PIVOT_NAME];                       /* not made inert */
    const struct catalogue_entry *first;         /* whose experiment is that of all of them */
    const struct finding *values[PIVOT_COLUMNS]; /* of several the first */
};
struct pivot {
    struct pivot_row rows[PIVOT_ROWS]; /* standard experiments before others, as they stand */
    size_t count;
    size_t most;        /* rows; 0: all that there is room for */
    bool by_name_alone; /* experiments of one name share a row */
    size_t left_out;    /* findings that there was no room for */
};
/* Where an entry has its place: the row's name ("" by default), and as the value returned the
 * column, from PIVOT_COLUMNS on one that there is no room for; PIVOT_NONE: it has none. */
typedef int pivot_place(void *with, const struct catalogue_entry *, char name[PIVOT_NAME]);
enum { PIVOT_NONE = -1 };
/* Adds the entries of a document and of a device, or of the CPUs (-1). */
void pivot_collect(struct pivot *, const struct catalogue *, size_t document, int device,
                   pivot_place *, void *with);

/* Whether it is one of the clusters of a matrix, or says that they are not what is declared: both
 * are shown below the matrix. */
bool catalogue_is_of_clusters(const struct catalogue_entry *);

#endif
