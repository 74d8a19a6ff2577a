/*
 * fathom-mpi: a fleet measured where MPI starts programs. One leader a node measures; rank 0
 * gathers the documents. Nothing here is collective after the start, because a node may die, and
 * MPI 3.1 promises nothing collective then: leaders send point to point, whoever waits polls
 * against a clock, every rank has an alarm(), and rank 0 alone may end the job.
 */
#ifndef FATHOM_PROGRAMS_MPI_MPI_RUN_H
#define FATHOM_PROGRAMS_MPI_MPI_RUN_H

#include "compare/fleet/fleet.h"
#include "measure/run/measure.h"

#include <mpi.h>
#include <sys/types.h>

enum { NODE_NAME_BYTES = 256 };

/* This rank's place. */
struct ranks {
    int rank, size;           /* in the world */
    int node_rank, node_size; /* on this node */
    int leader, leaders;      /* among the leaders; -1 and 0 for the other ranks */
    MPI_Comm between;         /* of the leaders; MPI_COMM_NULL for the other ranks */
    pid_t *here;              /* of a leader: the processes of its node's ranks, its own first */
    char (*names)[NODE_NAME_BYTES]; /* of rank 0: the nodes' names, by leader */
};

/* --- start.c: the only collective calls --- */

/* ERROR_USAGE where the launcher started worlds of one. */
int ranks_elect(struct ranks *, struct error *);
void ranks_free(struct ranks *);
/* For ranks that measure nothing: sleeps, without any call of MPI, until the leader is done. */
void ranks_sleep(const struct ranks *, double most_s);
/* Ends that sleep. */
void ranks_wake(const struct ranks *);
/* Waits for the others for `wait_s`, and ends MPI. Rank 0 ends the job where they do not
 * come, and status is the exit status then. */
void ranks_end(const struct ranks *, double wait_s, int status);

/* --- leader.c: one node's document --- */

/* What every node measures, and where it says what a person should know. */
struct node_run {
    const struct settings *settings;
    char **command; /* as typed, for the record */
    int command_count;
    const char *spool; /* the folder of each node that its document is in before it is elsewhere */
    void (*tell)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* What a leader sends: a document, or why there is none. */
struct answer {
    int failed;
    int length;
    char *text; /* the caller frees */
};

/* Measures this node. Never fails: what goes wrong is the answer. */
struct answer leader_measure(const struct node_run *, int pass);
/* Measures whenever rank 0 says so, until it says that all is done, or for `most_s`. */
void leader_serve(const struct ranks *, const struct node_run *, double most_s);

/* --- gather.c: rank 0 --- */

struct gathering {
    const struct ranks *ranks;
    const struct node_run *run;
    const char *keep; /* the folder that gets all documents; NULL: none */
    double wait_s;    /* beyond what this node's own run took */
    bool *lost;       /* set where a leader did not answer */
};

/* Has all nodes measure, at most `at_once` at a time, and adds what they answer to the fleet. */
int gather_pass(const struct gathering *, int pass, int at_once, struct fleet *, struct error *);
/* Tells the leaders that all is done. */
void gather_finish(const struct gathering *);

/* How the median node's values differ between two passes, on standard output: one line for each
 * finding that differs by more than `least`, at most ten. */
void gather_compare(const struct fleet *together, const struct fleet *alone, double least);

/* Seconds of a clock that only goes on, and a wait of 2 ms between two looks at MPI. */
double clock_seconds(void);
void clock_nap(void);

enum { TAG_GO = 1, TAG_HEAD, TAG_BODY };
enum { GO_HOME = -1 }; /* in place of a pass: there is no more to do */

#endif
