/*
 * fathom-mpi measures a fleet by a program that MPI starts on each node. One leader on each node
 * measures; rank 0 gathers the documents. Nothing between start and end is collective, because a
 * node may die and MPI 3.1 then guarantees no collective call: leaders send point to point, waits
 * poll with a time limit, every rank has an alarm(), and only rank 0 may end the job.
 */
#pragma once

#include "compare/fleet/fleet.h"
#include "measure/run/measure.h"

#include <mpi.h>
#include <sys/types.h>

enum { NODE_NAME_BYTES = 256 };

/* Where this rank is. */
struct ranks {
    int rank, size;           /* in MPI_COMM_WORLD */
    int node_rank, node_size; /* on this node */
    int leader, leaders;      /* among the leaders; -1 and 0 for the other ranks */
    MPI_Comm between;         /* of the leaders; MPI_COMM_NULL for the other ranks */
    pid_t *here;              /* in a leader: the process ids of its node's ranks, its own first */
    char (*names)[NODE_NAME_BYTES]; /* in rank 0: the nodes' names, by leader */
};

/* --- start.c: the only collective calls --- */

/* ERROR_USAGE if the launcher started each rank as an MPI world of its own. */
int ranks_elect(struct ranks *, struct error *);
void ranks_free(struct ranks *);
/* For ranks that do not measure: sleeps, without any call of MPI, until the leader is done or
 * `most_s` is over. */
void ranks_sleep(const struct ranks *, double most_s);
/* Wakes the sleeping ranks of this node. */
void ranks_wake(const struct ranks *);
/* Waits at most `wait_s` for the other ranks and ends MPI. If some do not come, rank 0 aborts the
 * job; `status` is then the exit status. */
void ranks_end(const struct ranks *, double wait_s, int status);

/* --- leader.c: one node's document --- */

/* What every node measures. */
struct node_run {
    const struct settings *settings; /* the probes' */
    char **command;                  /* as typed, for the document */
    int command_count;
    const char *spool; /* a folder on each node that holds its document until it is sent */
    void (*tell)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* What a leader sends: a document, or the reason why there is none. */
struct answer {
    int failed;
    int length;
    char *text; /* the caller frees */
};

/* Measures this node. Never fails: an error is part of the answer. */
struct answer leader_measure(const struct node_run *);
/* Measures when rank 0 asks for it, until rank 0 says that all is done or `most_s` is over. */
void leader_serve(const struct ranks *, const struct node_run *, double most_s);

/* --- gather.c: rank 0 --- */

struct gathering {
    const struct ranks *ranks;
    const struct node_run *run;
    const char *keep; /* folder for all documents; NULL: none */
    double wait_s;    /* limit of waiting after this node's own run */
    bool *lost;       /* set if a leader did not answer */
};

/* Lets all nodes measure, at most `at_once` at a time, and adds their answers to the fleet. */
int gather_all(const struct gathering *, int at_once, struct fleet *, struct error *);
/* Tells the leaders that all is done. */
void gather_finish(const struct gathering *);

/* Seconds of a monotonic clock; a sleep of 2 ms between two polls of MPI. */
double clock_seconds(void);
void clock_nap(void);

enum { TAG_GO = 1, TAG_HEAD, TAG_BODY };
enum { GO_HOME = -1, GO_MEASURE }; /* what TAG_GO says */
