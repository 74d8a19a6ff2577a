/*
 * Whether a machine is as good as a baseline says: every finding of the baseline that has a better
 * and a worse side, held against what was found now.
 */
#ifndef FATHOM_FINDINGS_HEALTH_H
#define FATHOM_FINDINGS_HEALTH_H

#include "result/document.h"

enum health {
    HEALTHY,
    DOUBTFUL, /* out of bounds, but not beyond doubt, or not found now */
    WORSE,
};

struct ailment {
    enum health health;                 /* DOUBTFUL or WORSE */
    const struct finding *now, *should; /* `now` is NULL where it was not found */
    double bound;                       /* the worst value that would do */
};

struct health_check {
    struct ailment *ailments; /* worse ones first */
    size_t count, worse, checked;
    struct pool pool;
};

/* A value is worse when all of its interval lies beyond the baseline's interval widened by
 * `tolerance` (0.05: 5 % of the value) on the worse side; where there is doubt either interval is
 * taken to be wider, as for differences. Latencies are held in cycles and in ns,
 * and are worse only when both are; the clock is a finding of its own. ERROR_USAGE where nothing
 * can be checked, or the documents are of different processors. */
int health_check(struct health_check *, const struct document *base, const struct document *now,
                 double tolerance, struct error *);
void health_check_free(struct health_check *);

#endif
