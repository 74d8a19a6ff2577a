/* Figures of a suite: shares that were counted, held against what was promised, as lines of TAP. */
#ifndef FATHOM_TESTS_MODEL_FIGURES_H
#define FATHOM_TESTS_MODEL_FIGURES_H

#include <stdbool.h>

struct figure {
    const char *name;
    unsigned count, of;
    double least, most; /* shares promised */
};

/* With fewer machines than the promise is about (`full` is false), a figure holds unless chance
 * would make it so bad less than once in a thousand times. */
bool figure_holds(const struct figure *, bool full);
void figure_show(const struct figure *);
/* Shows it, and whether it holds. */
void figure_assert(const struct figure *, bool full);

/* One line of TAP. */
void tell(bool passed, const char *what);
void tell_skipped(const char *what, const char *why);
/* The plan: returns the suite's exit status. */
int tell_end(void);

#endif
