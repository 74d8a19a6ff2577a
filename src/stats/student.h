/* Student's t distribution ("The probable error of a mean", Biometrika 6, 1908). */
#ifndef FATHOM_STATS_STUDENT_H
#define FATHOM_STATS_STUDENT_H

/* The probability of |T| >= |t| with `df` > 0 degrees of freedom, which need not be whole. It is 0
 * for an infinite t, and normal for an infinite df; NAN stays NAN. */
double student_beyond(double t, double df);
/* The t that |T| exceeds in one case of twenty: half of a 95 % interval, in standard errors. Finite
 * for df >= 1. */
double student_reach(double df);

#endif
