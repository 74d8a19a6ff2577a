/*
 * The findings of documents with the meaning and experiment of each. Built once for code that looks
 * up many, because a foreign document may hold a million.
 */
#pragma once

#include "conclude/registry/registry.h"
#include "document/document.h"

struct catalogue_entry {
    const struct finding *finding;
    const struct probe_result *probe;
    struct finding_meaning meaning;
    size_t document; /* index */
    /* 0: the standard experiment. Otherwise a number, equal in all documents for equal shown
     * factors in any order. */
    size_t experiment;
    bool twin; /* another finding says the same in cycles */
};

struct catalogue {
    struct catalogue_entry
        *list; /* document by document and probe by probe, in the documents' order */
    size_t count;
    struct catalogue_entry **by_name; /* the same, sorted by name, then experiment, then place */
    const struct document *const *documents;
    size_t **probes; /* by document and probe: the index of its first finding in `list` */
};

/* Built in the pool. Out of memory leaves the pool's step. The documents must outlive it. */
void catalogue_build(struct catalogue *, struct pool *, const struct document *const *documents,
                     size_t count);

/* The entries of a probe of the document at that index: probe->finding_count of them. */
const struct catalogue_entry *catalogue_of(const struct catalogue *, size_t document,
                                           const struct probe_result *);
/* A table of findings: a row for each subject, a column for each fact. */
enum { PIVOT_ROWS = 64, PIVOT_COLUMNS = 8, PIVOT_NAME = 24 };
struct pivot_row {
    char name[PIVOT_NAME];                       /* not made inert */
    const struct catalogue_entry *first;         /* all values have its experiment */
    const struct finding *values[PIVOT_COLUMNS]; /* the first, if there are several */
};
struct pivot {
    struct pivot_row
        rows[PIVOT_ROWS]; /* standard experiments before others, in the document's order */
    size_t count;
    size_t most;        /* the most rows wanted; 0: PIVOT_ROWS */
    bool by_name_alone; /* experiments of one name share a row */
    size_t left_out;    /* findings that there was no room for */
};
/* Gives an entry its place: writes the row's name ("" by default) and returns the column.
 * PIVOT_COLUMNS and more: there is no room for it; PIVOT_NONE: it has no place. */
typedef int pivot_place(void *with, const struct catalogue_entry *, char name[PIVOT_NAME]);
enum { PIVOT_NONE = -1 };
/* Adds a document's entries about a device, or about the CPUs (-1). */
void pivot_collect(struct pivot *, const struct catalogue *, size_t document, int device,
                   pivot_place *, void *with);

/* Whether the finding is a cluster of a matrix or a disagreement about clusters: both are shown
 * below the matrix. */
bool catalogue_is_of_clusters(const struct catalogue_entry *);

/* Finds findings by name and experiment in logarithmic time: a foreign document may hold a million
 * of them. */

struct finding_entry {
    const struct finding *finding;
    size_t place; /* in the document */
};

struct finding_lookup {
    struct finding_entry *sorted;
    size_t count;
};

/* Builds the lookup in the pool, for one probe, or for all probes of a document if `probe` is NULL.
 * The findings must not move afterwards. */
void finding_lookup_build(struct finding_lookup *, struct pool *, const struct document *,
                          const struct probe_result *probe);
/* The first finding of that name, the standard experiment first, for any CPUs; NULL: none. */
const struct finding *finding_lookup_name(const struct finding_lookup *, const char *name);
/* The first finding with that name, the experiment of `experiment` and those CPUs, which may be
 * NULL; NULL: none. */
const struct finding *finding_lookup_exact(const struct finding_lookup *, const char *name,
                                           const struct finding *experiment, const char *cpus);
/* The same fact in ns: for "L1.latency" it is "L1.latency_ns" of the same experiment and CPUs;
 * NULL: none. */
const struct finding *finding_lookup_twin(const struct finding_lookup *, const struct finding *);
/* Whether the finding is such a twin of another. */
bool finding_lookup_is_twin(const struct finding_lookup *, const struct finding *);
