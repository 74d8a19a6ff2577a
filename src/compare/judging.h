/*
 * The verdict on one value of two documents: whether it changed by more than the threshold, beyond
 * doubt, and whether the machine or other programs caused that.
 *
 * Time and cycles must both have changed in the same direction, because a change of the clock alone
 * changes a value in one unit only, or in opposite directions.
 */
#ifndef FATHOM_COMPARE_JUDGING_H
#define FATHOM_COMPARE_JUDGING_H

#include "compare/difference.h"
#include "compare/plateaus.h"

/* A finding in both documents, and its twin in ns; NULL: none. */
struct twins {
    const struct finding *before, *after, *ns_before, *ns_after;
};

/* These fill all of the difference except its subject. judge_points() judges its two points.
 * Thresholds are relative changes. */
void judge_points(struct difference *, double threshold);
/* By the sizes of the level that both curves have, unless `shared` is NULL. */
void judge_findings(struct difference *, const struct twins *, const struct shared_plateau *shared,
                    double threshold);
/* Judges a level by those sizes; the documents may have different names for it. */
void judge_level(struct difference *, const struct shared_plateau *, double threshold);
/* Whether those sizes can't prove that the level became slower (`above`) or faster: either run has
 * a doubt about it, or the sizes are few and the runs' own values do not differ beyond chance. */
bool level_is_doubtful(const struct shared_plateau *, bool above);

/* The second half of differences.c, internal to it. */

/* Makes uncertain those changes that may be chance, given the number of comparisons, and changes of
 * single points of curves; then counts the changes and uncertain values. */
void differences_weigh(struct differences *);

#endif
