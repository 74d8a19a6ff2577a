/*
 * The experiment of a finding: how it was measured. "L2.latency" without factors means one pointer
 * for each line, random order, loads, the largest pages available, memory of the CPU's own node;
 * the finding's factors describe any other experiment. A probe's table says which factors matter
 * and what is standard (struct standard). One function gives the findings of every document their
 * experiment: measured, imported, or written before findings had factors.
 */
#pragma once

#include "conclude/registry/obtained.h"
#include "document/document.h"

/* Gives each finding of the probe its kind (finding_kind()), and without factors those of its
 * series and of what was obtained, deviations first. CPUs and nodes are described by kind and
 * distance, never by number. */
void experiment_complete(struct probe_result *, const struct machine_facts *, struct pool *);
/* Fills in the deviations in what a probe obtained (pages, node, kind of core): two curves of one
 * name and factors are the same measurement only if these are equal too. */
void experiment_obtained(struct obtained *, const struct probe_result *,
                         const struct machine_facts *, struct pool *);
bool experiment_obtained_alike(const struct obtained *, const struct obtained *);
/* Orders findings by their experiments, standard ones first; 0: both have the same experiment. */
int experiment_order(const struct finding *, const struct finding *);
/* Whether the name alone says what was measured. */
bool experiment_is_standard(const struct finding *);
/* The factor of that name; NULL: it has none. */
const struct factor *finding_factor(const struct finding *, const char *name);
/* Whether both were measured in one state of a guest's CPUs, or the state of one is unknown.
 * Without it a change may be the host's. False where the host moved the CPUs meanwhile. */
bool experiment_same_placement(const struct finding *, const struct finding *);
/* The deviations as text, "order forward, pages small"; "" for a standard experiment. The text may
 * contain control characters, so an output must clean it. */
const char *experiment_text(const struct finding *, struct pool *);
