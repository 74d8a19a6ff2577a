/* How figures of one unchanged machine scatter from run to run: the prior of every comparison, a
 * table that benchmarks/prior.c computes from documents. */
#pragma once

#include "compare/figure.h"

struct prior {
    double
        scatter;  /* standard deviation of the logarithm of a run's value, besides its own error */
    double own;   /* the usual standard error of such a value by its own interval */
    double times; /* how many times as large it is in truth: a run's trials are alike, so that the
                     more they scatter the more runs do */
    double freedom; /* degrees of freedom of Student's distribution that both together follow */
};

enum prior_host { HOST_BARE, HOST_GUEST, PRIOR_HOSTS };
enum prior_state { STATE_QUIET, STATE_BESIDE, PRIOR_STATES };

extern const struct prior priors[SORTS][PRIOR_HOSTS][PRIOR_STATES];
