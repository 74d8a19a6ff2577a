/*
 * What each seat's thread does in a run of batches, and what the threads of a visit share. For
 * executors/threads.c, which starts them.
 */
#pragma once

#include "measure/engine/barrier.h"
#include "measure/engine/executor.h"
#include "measure/engine/visit.h"

struct stamp {
    uint64_t start, end;     /* ticks; where the plan is kernel_timed: 0 and picoseconds */
    uint64_t faults;         /* page faults of the batch, where its trial has a restore() */
    uint64_t repeats, looks; /* of a window: how often the clock was read */
    bool interrupted;        /* of a window */
};

/* The threads executor's part of a visit. */
struct seats {
    struct barrier meeting;             /* all seats */
    struct barrier start_line;          /* the measured ones */
    _Alignas(128) struct batch_run run; /* written by the leader between two meetings */
    atomic_bool over;                   /* the visit is over: set before the last meeting */
    atomic_bool run_over;               /* tells background workers to stop */
    atomic_uint under_way;              /* workers that are ready for the first window */
    atomic_uint_least64_t begin;        /* of the first window, in ticks; 0: not known yet */
    atomic_uint events;                 /* interruptions of any seat during the run */
    atomic_int stray;     /* 1 + the number of a seat that ran on another CPU than its own; 0:
                             none */
    atomic_int stray_cpu; /* that other CPU */
    _Alignas(128) atomic_uint_least64_t phase_began_ns; /* by os_raw_ns(), for the coordinator; 0:
                                                           none yet */
    atomic_uint_least64_t phase_limit_ns;
    bool overdue; /* written by the coordinator: a phase took too long */
    size_t count, measured;
    unsigned first_rank;  /* of the team's job */
    struct stamp *stamps; /* [count][plan->batches] */
};

/* The same for the preparation of a trial. */
void seats_begin_prepare(struct seats *);
/* Called by all seats but the first: does one run of batches after another until the leader says
 * that the visit is over. */
void seats_follow(struct visit *, unsigned rank);
/* Called by the first seat: executor_kind.measure(). Negative where a seat did not come in time,
 * or is not on its CPU. */
int seats_measure(struct visit *, const struct batch_run *, struct batch *, struct seat_share *);
/* Called by the first seat: ends the visit for all seats. */
void seats_end(struct visit *);
