/*
 * A program that runs as a child, in a process group of its own, so that it can be ended with all
 * that it started. It dies with the thread that started it. os/linux/ has it, os/null/ has not.
 */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct child_plan {
    char *const *arguments; /* ends with NULL; the first is looked up as a shell does */
    bool small_pages;       /* without transparent huge pages, it and its children */
    bool interleaved;       /* its memory lies on `nodes` in turn; else on any of them */
    uint64_t nodes;         /* a bit for each of nodes 0 to 63; 0: as the system has it */
    bool says;              /* its standard output is a pipe instead */
    int streams[3];         /* descriptors that become its 0, 1 and 2 */
};

struct child {
    int id;   /* 0: there is none */
    int said; /* the other end of that pipe, of which neither side waits; the caller closes it */
};

struct child_end {
    double cpu_s; /* of its threads, and of children that it waited for */
    int status;   /* its exit status; -1: a signal ended it */
    int signal;   /* that ended it; 0: none */
};

/* ERROR_USAGE where the system can't execute the file, ERROR_SYSTEM. */
int child_start(struct child *, const struct child_plan *, struct error *);
/* Whether it has ended or was stopped. *stopped: the signal that stopped it, as one stops that asks
 * a terminal; 0: none did. */
bool child_ended(const struct child *, int *stopped);
/* CPU time that its threads have used so far, without its children; 0: unknown. */
double child_cpu_s(const struct child *);
/* Sends the signal to it and to all in its group. */
void child_signal(const struct child *, int signal);
/* Ends all of its group at once and takes its result. */
void child_reap(struct child *, struct child_end *);
