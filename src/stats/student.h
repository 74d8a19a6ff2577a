/* Student's t distribution ("The probable error of a mean", Biometrika 6, 1908), and a ratio whose
 * interval follows from it. */
#pragma once

#include "stats/order.h"

#include <stddef.h>

/* The probability of |T| >= |t| with `df` > 0 degrees of freedom, which need not be whole. It is 0
 * for an infinite t, and normal for an infinite df; NAN stays NAN. */
double student_beyond(double t, double df);
/* The t that |T| exceeds in one case of twenty: half of a 95 % interval, in standard errors. Finite
 * for df >= 1. */
double student_reach(double df);
/* The same for another share of the cases than 0.05. */
double student_reach_of(double df, double share);
/* By how much an interval that covers the truth with `coverage` is widened to cover 95 %, as that
 * of a normal distribution; 1 where it covers as much. */
double student_widening(double coverage);

/* The sum of the parts divided by the sum of the wholes; NAN where the wholes sum to 0. parts[i]
 * belongs to wholes[i]; neither is negative. The interval is that of Cochran's ratio estimator
 * ("Sampling Techniques", 3rd ed., 6.4) with Student's t, so it assumes independent samples. It is
 * not below 0, and NAN for fewer than two samples. */
struct interval ratio_of_sums(const double *parts, const double *wholes, size_t n);
