/* A curve of latency over working sets, for the tongues that print one. */
#ifndef FATHOM_SPEAK_TONGUES_CURVE_H
#define FATHOM_SPEAK_TONGUES_CURVE_H

#include "speak/tongues/tongue.h"

struct curve_wish {
    const uint64_t *bytes; /* ascending, each at least a stride */
    size_t count;
    uint64_t stride;
    const char *order;                /* of `fathom latency` */
    const struct talk_option *others; /* more of its options; NULL: none */
    double budget_s;
};

/* Measures it. Sizes are rounded down to whole strides, as everywhere. */
const struct series *curve_measure(struct talk *, const struct curve_wish *);
/* Its point for a working set that was wished for; NULL, and an aside, where it has no value. */
const struct point *curve_point(struct talk *, const struct series *, uint64_t bytes,
                                uint64_t stride);

#endif
