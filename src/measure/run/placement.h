/*
 * Looks where the host of a guest keeps its CPUs (measure/engine/placement.h), by what pairs of
 * them show: how long a hand-off takes, and whether they share their first caches. Where two CPUs
 * chase through three quarters of a cache each, both fit only if each has a cache of its own.
 */
#pragma once

#include "measure/engine/engine.h"
#include "measure/engine/placement.h"

/* Has the engine look at a few pairs of these CPUs, and fill the run's facts, whose lists are put
 * into the pool. A look takes a hundredth of `budget_s` at most. engine->placement stays NULL where
 * nothing moves CPUs, there are fewer than two, or the budget is too short to look; free it by
 * placement_close(). ERROR_SYSTEM without memory. */
int placement_open(struct engine *, const struct cpulist *, double budget_s, struct run_facts *,
                   struct pool *, struct error *);
void placement_close(struct placement *);

/* One hand-off between two CPUs, in some milliseconds. Errors of team_create(), ERROR_INTERRUPTED
 * where *stop is not 0; *ns is NAN where the CPUs got no time. */
int placement_handoff(const struct machine *, int a, int b, const volatile sig_atomic_t *stop,
                      double *ns, struct error *);
