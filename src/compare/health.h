/*
 * Whether a machine is as good as its baseline: the differences from the baseline's document
 * (compare/differences.h), as one status.
 *
 * Worse: a figure changed for the worse, or a fact of the machine did. Else doubtful: a headline
 * figure of the baseline (where it has none: any figure) was not found, a probe of its figures
 * failed, the interval of a headline figure is wider than twice its tolerance or reaches that far
 * on the worse side, or the value of any figure lies that far. Else healthy: that means the figures
 * that are the same. The others are given with their resolution, and what was not compared is
 * counted by probe with the reason.
 */
#pragma once

#include "compare/differences.h"
#include "conclude/verdict.h"

enum health { HEALTHY, DOUBTFUL, WORSE, HEALTHS };
extern const char *const health_names[HEALTHS]; /* "ok", "uncertain", "fail" */

/* What the status follows from: a difference, or a finding that was not found now. */
struct health_value {
    const struct difference *difference; /* NULL: it was not found */
    const struct finding *should;        /* of the baseline; NULL: a point of a matrix */
    const struct probe_result *failed; /* this probe failed now with all its findings; else NULL */
    const char *probe;
};

struct health_values {
    struct health_value *list;
    size_t count;
};

/* Findings of the baseline's probe that were not compared. */
struct health_gap {
    const char *probe;
    const char *reason; /* "not measured (quick)", "skipped: needs two CPUs" */
    size_t count;
};

struct health_check {
    enum health health;
    struct health_values values[HEALTHS]; /* each in the baseline's order; HEALTHY: the same */
    struct health_values untold;          /* that can't be told, but do not make it doubtful */
    struct health_values otherwise;       /* that changed, but not for the worse */
    struct health_values conditions;      /* that differ; they are not judged */
    size_t not_compared;
    struct health_gap *gaps;
    size_t gap_count;
    struct differences differences;
    const struct document *now;      /* the document that was judged */
    struct document_verdict verdict; /* how far it can be relied on */
    unsigned looks;
    struct pool pool;
};

/* `tolerance` as for differences_find(). `looks`: how often a machine is measured and checked at
 * most. Measuring ends with the first look that tells, so the interval of a figure that is the same
 * is one of 95 % for all looks together (Bonferroni's inequality). ERROR_USAGE: the baseline has no
 * value to compare with, none of its probes was measured now, or the documents have different
 * processors. The documents must outlive the result, which the caller frees with
 * health_check_free(). */
int health_check(struct health_check *, const struct document *base, const struct document *now,
                 double tolerance, unsigned looks, struct error *);
void health_check_free(struct health_check *);
/* Whether more runs, up to the looks, may tell more: a figure of `probe` is worse, was not found,
 * or can't be told although so many runs could tell it. False where a fact of the machine is worse,
 * because no run changes that. */
bool health_is_open(const struct health_check *, const char *probe);
