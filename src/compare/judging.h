/*
 * The verdict on one value of two documents: whether it moved by more than the threshold, beyond
 * doubt, and whether the machine or its neighbours moved it.
 *
 * Time and cycles both have to say so, and the same: a clock that moved makes what takes a fixed
 * time longer in the one unit and shorter in the other, or moves it in one alone.
 */
#ifndef FATHOM_COMPARE_JUDGING_H
#define FATHOM_COMPARE_JUDGING_H

#include "compare/difference.h"
#include "compare/plateaus.h"

/* A finding of both documents, and the same in ns; NULL where there is none. */
struct twins {
    const struct finding *before, *after, *ns_before, *ns_after;
};

/* These fill all of the difference but what it is of. The first judges its two points; a threshold
 * is a relative change. */
void judge_points(struct difference *, double threshold);
/* With the level's sizes that both curves have, unless `shared` is NULL. */
void judge_findings(struct difference *, const struct twins *, const struct shared_plateau *shared,
                    double threshold);
/* A level by those sizes, which each document may call otherwise. */
void judge_level(struct difference *, const struct finding *before, const struct finding *after,
                 const struct shared_plateau *, double threshold);
/* Whether those sizes do not prove that the level moved up, or else down, however sure they are:
 * either run itself holds it in doubt, or they are few and the runs' own values are not apart. */
bool level_is_doubtful(const struct finding *before, const struct finding *after,
                       const struct shared_plateau *, bool above);

#endif
