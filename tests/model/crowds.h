/* Random neighbours of random machines: what takes, how it comes and goes, and how much of the
 * time, each in turn, so that a few dozen machines have met all. */
#ifndef FATHOM_TESTS_MODEL_CROWDS_H
#define FATHOM_TESTS_MODEL_CROWDS_H

#include "model.h"

/* What a neighbour is there for. */
enum crowd_kind {
    CROWD_TIME,
    CROWD_PACE,
    CROWD_FIRST_WAYS,
    CROWD_SECOND_WAYS,
    CROWD_ENTRIES,
    CROWD_ROOM,
    CROWD_TRAFFIC,
    CROWD_KINDS
};
extern const char *const crowd_kind_names[CROWD_KINDS];
extern const char *const crowd_course_names[3]; /* of enum neighbour_course */

/* How much of the time something is taken: nothing, up to a quarter, up to a half, ... */
enum { CROWD_SHARES = 5, CROWD_SHARES_HALF = 3 /* of them up to a half */ };
extern const double crowd_shares[CROWD_SHARES]; /* the most */

struct crowd {
    enum crowd_kind kind; /* of the first neighbour; what it and another take besides is chance */
    enum neighbour_course course;
    unsigned share; /* of crowd_shares */
};

/* The machine of that seed with the neighbours of that seed. */
struct crowd machine_crowded(struct model_machine *, uint64_t seed);

#endif
