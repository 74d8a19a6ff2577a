/*
 * Whether a machine is as good as a baseline says: compares every finding of the baseline that has
 * a worse side with the present one of the same name and experiment. What can't be compared is
 * counted by probe, with the reason, so that nobody takes a value that was not measured for a good
 * one. Conditions (clocks, temperatures) are never judged.
 */
#ifndef FATHOM_COMPARE_HEALTH_H
#define FATHOM_COMPARE_HEALTH_H

#include "conclude/registry/finding.h"
#include "conclude/verdict.h"

#include <stdbool.h>

enum health {
    HEALTHY,
    DOUBTFUL, /* out of bounds, but not beyond doubt, or not found now */
    WORSE,
    HEALTHS
};
extern const char *const health_names[HEALTHS]; /* "ok", "uncertain", "fail" */

/* A finding of the baseline and what was found now. */
struct health_value {
    enum health health;
    const struct finding *now, *should; /* `now` is NULL where the value was not found */
    enum finding_value which;           /* that was judged */
    bool more_is_worse;
    double bound; /* the worst value that is still good enough; NAN where nothing was found, and for
                     conditions */
    const struct probe_result *failed; /* this probe failed now with all its findings; else NULL */
};

struct health_values {
    struct health_value *list;
    size_t count;
};

/* Findings of the baseline's probe that can't be compared. */
struct health_gap {
    const char *probe;
    const char *reason; /* "not measured (quick)", "skipped: needs two CPUs" */
    size_t count;
    bool listed; /* its findings are listed one by one, as not found */
};

struct health_check {
    enum health health; /* the machine's: WORSE if any value is, DOUBTFUL if any value is uncertain
                           or nothing was compared */
    struct health_values values[HEALTHS]; /* by health, each as the baseline has them */
    struct health_values conditions;      /* those that differ */
    struct health_values neighbours;      /* worse as found, and not without neighbours */
    size_t compared, not_compared;
    struct health_gap *gaps;
    size_t gap_count;
    const struct document *now;      /* the document that was judged */
    struct document_verdict verdict; /* how far it can be relied on */
    struct pool pool;
};

/* A value is worse when all of its interval lies beyond the baseline's interval widened by
 * `tolerance` (0.05: 5 % of the value) on the worse side; where there is doubt either interval is
 * taken to be wider, as for differences. Quiet values are judged where both have them; what is
 * worse only as it was found is the neighbours' doing and no fault of the machine. Latencies are
 * held in cycles and in ns, and are worse only when both are. ERROR_USAGE where the baseline has no
 * value to compare with, none of its probes was measured now, or the documents are of different
 * processors. The documents must outlive the result; health_check_free(). */
int health_check(struct health_check *, const struct document *base, const struct document *now,
                 double tolerance, struct error *);
void health_check_free(struct health_check *);

#endif
