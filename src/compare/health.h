/*
 * Whether a machine is as good as its baseline: compares every finding of the baseline that has a
 * worse side with the present one of the same name and experiment. Findings that can't be compared
 * are counted by probe, with the reason, so that a missing value is not taken for a good one.
 * Conditions (clocks, temperatures) are never judged.
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
    const struct finding *now, *should; /* `now` is NULL: the value was not found */
    bool more_is_worse;
    double bound; /* the worst value that is still good enough; NAN: nothing was found, or a
                     condition */
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
    enum health health; /* the machine's: WORSE if any value is worse, else DOUBTFUL if any value is
                           doubtful or nothing was compared */
    struct health_values values[HEALTHS]; /* by health, each in the baseline's order */
    struct health_values conditions;      /* conditions that differ */
    size_t compared, not_compared;
    struct health_gap *gaps;
    size_t gap_count;
    const struct document *now;      /* the document that was judged */
    struct document_verdict verdict; /* how far it can be relied on */
    struct pool pool;
};

/* A value is worse if its whole interval is beyond the baseline's interval widened by `tolerance`
 * (0.05: 5 % of the value) on the worse side; doubt widens either interval, as for differences.
 * A latency is worse only if it is worse both in cycles and in ns.
 * ERROR_USAGE: the baseline has no value to compare with, none of its probes was measured now, or
 * the documents have different processors. The documents must outlive the result, which the caller
 * frees with health_check_free(). */
int health_check(struct health_check *, const struct document *base, const struct document *now,
                 double tolerance, struct error *);
void health_check_free(struct health_check *);

#endif
