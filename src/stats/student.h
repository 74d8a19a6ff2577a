/* Student's t distribution ("The probable error of a mean", Biometrika 6, 1908). */
#ifndef FATHOM_STATS_STUDENT_H
#define FATHOM_STATS_STUDENT_H

/* How likely |T| >= |t| is, with `df` > 0 degrees of freedom, which need not be whole. INFINITY is
 * 0 for the one and normal for the other; NAN stays NAN. */
double student_beyond(double t, double df);
/* The t beyond which |T| lies in one case of twenty: what an interval of 95 % reaches, in standard
 * errors. Finite for df >= 1. */
double student_reach(double df);

#endif
