/* What changed from one document to another, as compare/differences.h finds it. */
#ifndef FATHOM_COMPARE_DIFFERENCE_H
#define FATHOM_COMPARE_DIFFERENCE_H

#include "conclude/registry/finding.h"

enum verdict {
    SAME,      /* within the threshold */
    UNCERTAIN, /* beyond it, but the intervals, or doubts about one of the two, leave room for no
                  change */
    CHANGED,
    CONDITION,  /* of the run, beyond the threshold */
    NEIGHBOURS, /* what was found changed, and what the hardware does without neighbours did not */
    VERDICTS
};
extern const char *const verdict_names[VERDICTS]; /* "same", ... */

struct difference {
    enum verdict verdict;
    const struct probe_result *probe; /* of the first document */
    const struct series *series;      /* NULL: a finding */
    const struct point *point_a, *point_b;
    const struct finding *finding_a, *finding_b;
    enum finding_value which; /* that was compared */
    double a, b, ratio;       /* of that value */
    double low, high;         /* of the ratio; NAN: no interval, or one that reaches zero */
    double p; /* how likely so large a ratio is: of findings, if nothing changed; of points, if no
                 more than the threshold did. NAN where it is within the threshold, or there is no
                 interval */
};

/* A sentence about something that can't be, or should not be, compared. */
struct remark_line {
    const char *text;
};

struct differences {
    struct difference *list; /* findings before points, as the first document has them */
    size_t count, changed, uncertain;
    struct remark_line *unfair; /* why the two should not be compared without care */
    size_t unfair_count;
    struct remark_line
        *missing; /* what is not compared: only one document has it, or a value is not above zero */
    size_t missing_count;
    struct pool pool;
};

#endif
