/* The ratio of two sums, with an interval from the samples that the sums are of. */
#ifndef FATHOM_STATS_RATIO_H
#define FATHOM_STATS_RATIO_H

#include <stddef.h>

struct ratio {
    double value;
    double low, high; /* 95 %; NAN where it is not known */
};

/* The sum of the parts over that of the wholes; NAN where these are nothing, the interval not below
 * 0 and NAN for fewer than two samples. Each part belongs to the whole of the same index; neither
 * is negative. The interval is that of Cochran's ratio estimator ("Sampling Techniques", 3rd
 * ed., 6.4) with Student's t, so it takes the samples for independent. */
struct ratio ratio_of_sums(const double *parts, const double *wholes, size_t n);

#endif
