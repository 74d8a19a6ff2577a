/*
 * A leg of a visit: some batches of one trial in a row, with the same team throughout. Here stands
 * what every seat does in one, on the hardware or on its stand-in.
 */
#ifndef FATHOM_ENGINE_LEG_H
#define FATHOM_ENGINE_LEG_H

#include "engine/barrier.h"
#include "engine/visit.h"

struct stamp {
    uint64_t start, end; /* ticks; of a kernel that times itself: 0 and picoseconds */
    uint64_t repeats;    /* a background worker's, whose first stamp is the whole leg's */
};

struct leg {
    unsigned trial, batches;
    uint64_t repeats;
    bool first; /* of its trial: what has to be warm is warmed */
};

/* What the seats of a visit share. */
struct visit_shared {
    struct barrier meeting;       /* all seats */
    struct barrier start_line;    /* the measured ones */
    _Alignas(128) struct leg leg; /* written by the leader between two meetings */
    bool over;
    atomic_bool leg_over; /* tells the background workers */
    atomic_uint events;   /* interruptions of any seat during the group */
    atomic_int stray;     /* a seat's number + 1 that found itself on another CPU than its own */
    atomic_int stray_cpu; /* where that was */
    _Alignas(128) atomic_uint_least64_t phase_began_ns; /* for the coordinator */
    atomic_uint_least64_t phase_limit_ns;
    bool overdue; /* the coordinator's: the visit took too long in a phase */
    size_t seats, measured, background;
    unsigned first_rank;         /* of the team's job */
    struct stamp *stamps;        /* [seats][plan->batches] */
    struct background *of_group; /* as the visit's, of the group that is being measured */
    size_t seats_max;            /* that there is room for */
};

extern const double leg_patience_ns; /* that one seat has for another */

/* Tells the coordinator that what begins now takes so long at most. */
void leg_begin_phase(struct visit_shared *, double limit_ns);
/* All seats but the first: does leg after leg until the leader says that it is over. */
void leg_follow(struct visit *, unsigned rank);
/* The first seat: the leg from the beginning to the end. False when the visit can't go on: a seat
 * did not come in time, or is not on its CPU. */
bool leg_lead(struct visit *, struct leg);
/* The i-th batch of the leg that was just done: from the first start to the last end. */
double leg_batch_ns(const struct visit *, unsigned i);
/* What the background worker of that seat did in the leg that was just done. */
struct background leg_background(const struct visit *, size_t seat);

#endif
