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
    struct pool pool;
};

/* False without memory. The documents must outlive it; catalogue_free() either way. */
bool catalogue_build(struct catalogue *, const struct document *const *documents, size_t count);
void catalogue_free(struct catalogue *);

/* The findings of a probe, of which the document at that index has as many as it says. */
const struct catalogue_entry *catalogue_of(const struct catalogue *, size_t document,
                                           const struct probe_result *);
/* Whether it is one of the clusters of a matrix, or says that they are not what is declared: both
 * are shown below the matrix. */
bool catalogue_is_of_clusters(const struct catalogue_entry *);

#endif
