/* The ratio of two sums, with an interval from the samples that were added. */
#ifndef FATHOM_STATS_RATIO_H
#define FATHOM_STATS_RATIO_H

#include <stddef.h>

struct ratio {
    double value;
    double low, high; /* 95 %; NAN where it is not known */
};

/* The sum of the parts divided by the sum of the wholes; NAN where the wholes sum to 0. parts[i]
 * belongs to wholes[i]; neither is negative. The interval is that of Cochran's ratio estimator
 * ("Sampling Techniques", 3rd ed., 6.4) with Student's t, so it assumes independent samples. It is
 * not below 0, and NAN for fewer than two samples. */
struct ratio ratio_of_sums(const double *parts, const double *wholes, size_t n);

#endif
