/* Finds findings by name and experiment in logarithmic time: a foreign document may hold a million
 * of them. */
#ifndef FATHOM_CONCLUDE_REGISTRY_LOOKUP_H
#define FATHOM_CONCLUDE_REGISTRY_LOOKUP_H

#include "document/document.h"

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

#endif
