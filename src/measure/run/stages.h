/*
 * The stages of a probe's measurement: what it planned is carried out by the engine within a
 * budget, then what it plans next from what that gave; at the end what all of them came to stands
 * in its result. Between probe_prepare() and probe_release().
 */
#ifndef FATHOM_MEASURE_RUN_STAGES_H
#define FATHOM_MEASURE_RUN_STAGES_H

#include "measure/engine/engine.h"
#include "measure/probes/kit/probe.h"

/* Whether a first look of what was planned is still to be taken. */
bool stages_want_look(const struct probe_task *);
/* Takes the first look, or goes on with it, of what was planned (plan.h), within `budget_s`:
 * stages_measure() goes on from there. ERROR_INTERRUPTED, ERROR_SYSTEM, or what keeps the memory
 * from being had. */
int stages_look(struct probe_task *, struct engine *, double budget_s, struct error *);
/* Looks once more at what looks often (plan.h) and was looked at; nothing else. Errors as above. */
int stages_look_again(struct probe_task *, double budget_s, struct error *);

/* What others do between two stages; errors as stages_look(). */
struct stages_between {
    int (*look)(void *argument, struct error *);
    void *argument;
};

/* Measures what was planned within `budget_s` and fills the result; `between` may be NULL. Returns
 * 0 when the result tells everything (also a failure's reason), ERROR_INTERRUPTED, or ERROR_SYSTEM
 * when measuring can't go on at all. */
int stages_measure(struct probe_task *, struct engine *, double budget_s,
                   const struct stages_between *between, struct stage_outcome *, struct error *);

/* Whether it was measured, and more time would give more trials. */
bool stages_lack(const struct probe_task *);
/* Goes on with what lacks trials, within `budget_s`, and reports it all anew. Errors as
 * stages_measure(). */
int stages_go_on(struct probe_task *, double budget_s, struct stage_outcome *, struct error *);

/* Adds the findings: the probe's conclude() and analyse(). A part of stages_measure(). */
int stages_conclude(struct probe_task *, const struct stage_outcome *, struct error *);

/* Ends all stages; nothing goes on after that. Before probe_release(), also after an error. */
void stages_close(struct probe_task *);

#endif
