/*
 * What a finding was read off. "L2.latency" alone is one pointer a line, in random order, read, on
 * the largest pages available, from the CPU's own node; any other experiment is described by the
 * finding's factors. A probe's table says which factors decide and what is standard (struct
 * standard); one function gives the findings of every document their experiment: of measured
 * documents, of imports, and of documents that were written before findings had factors.
 */
#ifndef FATHOM_CONCLUDE_REGISTRY_EXPERIMENT_H
#define FATHOM_CONCLUDE_REGISTRY_EXPERIMENT_H

#include "conclude/registry/obtained.h"
#include "document/document.h"

/* Gives each finding of the probe that has no factors yet those of its series and what was
 * obtained, and sorts its deviations first. CPUs and nodes are described by kind and distance,
 * never by number. */
void experiment_complete(struct probe_result *, const struct machine_facts *, struct pool *);
/* Fills in those deviations that lie in what a probe obtained (pages, node, kind of core): two
 * curves of one name and factors are the same measurement only if these are equal too. */
void experiment_obtained(struct obtained *, const struct probe_result *,
                         const struct machine_facts *, struct pool *);
bool experiment_obtained_alike(const struct obtained *, const struct obtained *);
/* Orders findings by their experiments, standard ones first; 0: both are of the same experiment. */
int experiment_order(const struct finding *, const struct finding *);
/* Whether the name alone says what was measured. */
bool experiment_is_standard(const struct finding *);
/* The deviations as text, "order forward, pages small"; "" for a standard experiment.
 * The text may hold control characters: an output has to clean it. */
const char *experiment_text(const struct finding *, struct pool *);

#endif
