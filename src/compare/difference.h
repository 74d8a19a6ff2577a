/* What changed from one document to another, as compare/differences.h finds it. */
#ifndef FATHOM_COMPARE_DIFFERENCE_H
#define FATHOM_COMPARE_DIFFERENCE_H

#include "conclude/registry/finding.h"

enum verdict {
    SAME,      /* within the threshold */
    UNCERTAIN, /* beyond it, but the intervals or doubts allow for no change */
    CHANGED,
    CONDITION, /* a condition of the run that differs by more than the threshold */
    VERDICTS
};
extern const char *const verdict_names[VERDICTS]; /* "same", ... */

struct difference {
    enum verdict verdict;
    const struct probe_result *probe; /* of the first document */
    const struct series *series;      /* NULL: a finding */
    const struct point *point_a, *point_b;
    const struct finding *finding_a, *finding_b;
    double a, b, ratio; /* the values, and b over a */
    double low, high;   /* interval of the ratio; NAN: none, or one that reaches zero */
    double p; /* probability of so large a ratio if nothing changed (findings), or if it changed by
                 no more than the threshold (points); NAN: within the threshold, or no interval */
};

/* A sentence about something that can't or should not be compared. */
struct remark_line {
    const char *text;
};

struct differences {
    struct difference *list; /* findings before points, in the first document's order */
    size_t count, changed, uncertain;
    struct remark_line *unfair; /* why the two should be compared with care */
    size_t unfair_count;
    struct remark_line *
        missing; /* what was not compared: only one document has it, or a value is not above zero */
    size_t missing_count;
    struct pool pool;
};

#endif
