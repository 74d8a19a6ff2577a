/*
 * What each seat's thread does in a run of batches, and what the threads of a visit share. For
 * executors/threads.c, which sends them there.
 */
#ifndef FATHOM_MEASURE_ENGINE_SEATS_H
#define FATHOM_MEASURE_ENGINE_SEATS_H

#include "measure/engine/barrier.h"
#include "measure/engine/executor.h"
#include "measure/engine/visit.h"

struct stamp {
    uint64_t start, end; /* ticks; of a kernel that times itself: 0 and picoseconds */
    uint64_t repeats;    /* a background worker's, whose first stamp is of all batches */
    uint64_t faults;     /* page faults of the batch, where its trial has a restore() */
};

/* The threads executor's part of a visit. */
struct seats {
    struct barrier meeting;             /* all seats */
    struct barrier start_line;          /* the measured ones */
    _Alignas(128) struct batch_run run; /* written by the leader between two meetings */
    atomic_bool over; /* the visit: a seat reads it, too, that waits when the meeting is broken */
    atomic_bool run_over; /* tells the background workers */
    atomic_uint events;   /* interruptions of any seat during the run */
    atomic_int stray;     /* a seat's number + 1 that found itself on another CPU than its own */
    atomic_int stray_cpu; /* where that was */
    _Alignas(128) atomic_uint_least64_t phase_began_ns; /* for the coordinator */
    atomic_uint_least64_t phase_limit_ns;
    bool overdue; /* the coordinator's: the visit took too long in a phase */
    size_t count, measured;
    unsigned first_rank;  /* of the team's job */
    struct stamp *stamps; /* [count][plan->batches] */
};

/* Tells the coordinator that what begins now takes that long at most. */
void seats_begin_phase(struct seats *, double limit_ns);
/* The leader prepares a trial next. */
void seats_begin_prepare(struct seats *);
/* All seats but the first: does one run of batches after another until the leader says that the
 * visit is over. */
void seats_follow(struct visit *, unsigned rank);
/* The first seat: executor_kind.measure(). Negative where a seat did not come in time, or is not on
 * its CPU. */
int seats_measure(struct visit *, const struct batch_run *, struct batch *, struct background *did);
/* The first seat: the visit is over, for all. */
void seats_end(struct visit *);

#endif
