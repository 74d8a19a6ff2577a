/* What the trials of the window's curve answer: each one votes with the step that it saw, or with
 * none.
 */
#ifndef FATHOM_MEASURE_PROBES_PARALLELISM_WINDOW_STEPS_H
#define FATHOM_MEASURE_PROBES_PARALLELISM_WINDOW_STEPS_H

#include "measure/probes/chase/trial_values.h"

enum {
    WINDOW_TRIALS = 11,
    WINDOW_LEAST_VOTERS = 3, /* fewer can't outvote one that was disturbed */
};

struct window_steps {
    struct summary at; /* fillers up to which both misses overlap, of the trials that saw a step */
    unsigned voted, saw;
};

/* Reads a series (-1: none) of that plan. Its points stand at ascending x, and its first ones show
 * what a pair takes at best. A trial votes if it has these and most of the others. */
struct window_steps window_steps_of(const struct trial_values *, const struct plan *, int series);
/* Whether enough trials voted and more than half of them saw a step. */
bool window_steps_agree(const struct window_steps *);

#endif
