/*
 * The stages of a probe's measurement: the engine carries out the probe's plan within a budget,
 * then each further plan that the probe makes from the results; the probe's result then sums up all
 * stages. For use between probe_prepare() and probe_release().
 */
#pragma once

#include "measure/engine/engine.h"
#include "measure/probes/kit/probe.h"

/* Whether the first look at what was planned (plan.h) is still to be taken. */
bool stages_want_look(const struct probe_task *);
/* Takes the first look at what was planned (plan.h), or continues it, within `budget_s`;
 * stages_measure() goes on from there. ERROR_INTERRUPTED, ERROR_SYSTEM, or why memory can't be
 * obtained. */
int stages_look(struct probe_task *, struct engine *, double budget_s, struct error *);
/* Looks again at a plan that looks often (plan.h) and took its first look. Errors as above. */
int stages_look_again(struct probe_task *, double budget_s, struct error *);

/* Measures what was planned within `budget_s`, besides the looks of other stages (engine.h), and
 * fills the result. Returns 0 when the result tells everything (also why it failed),
 * ERROR_INTERRUPTED, or ERROR_SYSTEM when measuring can't go on at all. */
int stages_measure(struct probe_task *, struct engine *, double budget_s, struct stage_outcome *,
                   struct error *);

/* Whether it was measured, and more time would give more trials. */
bool stages_lack(const struct probe_task *);
/* Continues the stages that lack trials, within `budget_s`, and writes the whole result again.
 * Errors as for stages_measure(). */
int stages_go_on(struct probe_task *, double budget_s, struct stage_outcome *, struct error *);

/* Adds the findings: the probe's conclude() and analyse(). A part of stages_measure(). */
int stages_conclude(struct probe_task *, const struct stage_outcome *, struct error *);

/* Ends all stages for good. To be called before probe_release(), also after an error. */
void stages_close(struct probe_task *);
