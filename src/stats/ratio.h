/* The ratio of two sums, with an interval from the samples that the sums are of. */
#ifndef FATHOM_STATS_RATIO_H
#define FATHOM_STATS_RATIO_H

#include <stddef.h>

struct ratio {
    double value;     /* sum of parts over sum of wholes; NAN where the wholes are nothing */
    double low, high; /* 95 %, not below 0; NAN for fewer than two samples */
};

/* Each part belongs to the whole of the same index; neither is negative. The interval is that of
 * Cochran's ratio estimator ("Sampling Techniques", 3rd ed., 6.4) with Student's t, so it takes the
 * samples for independent. */
struct ratio ratio_of_sums(const double *parts, const double *wholes, size_t n);

#endif
