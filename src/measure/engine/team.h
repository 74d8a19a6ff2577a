/*
 * The team: one thread per CPU, started when it is first needed, pinned once and checked to run
 * there. The coordinator sends work to some of them and sleeps; it never measures.
 *
 * Nothing hangs: every piece of work can be recalled. A recall is a signal whose handler jumps back
 * out of the work, so that the timed loops need no exit test of their own. Work must therefore take
 * no lock and own nothing. The team has no lock either, and each of the coordinator's waits has a
 * deadline, so a worker that gets no time to run is given up, wherever it was stopped.
 */
#pragma once

#include "base/error.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct team;
struct burst_core;

/* `stop` is polled while waiting: where it becomes non-zero all work is recalled. May be NULL. */
int team_create(struct team **, const volatile sig_atomic_t *stop, struct error *);
/* The same with another way to pin the calling thread than os_pin_thread(): for tests. */
int team_create_pinned_by(struct team **, int (*pin)(int cpu, struct error *),
                          const volatile sig_atomic_t *stop, struct error *);
/* How many waits of 50 ms a worker may take to start, to answer a recall or to end, before it is
 * given up: for tests. */
void team_set_patience(struct team *, int polls);
/* Ends all threads. A thread that gets no time to end for 5 s is left behind with its memory. */
void team_free(struct team *);

struct team_job {
    const int *cpus; /* rank r runs on cpus[r]; each CPU at most once */
    size_t count;
    void (*work)(void *argument, unsigned rank);
    void *argument;
    /* Called by the coordinator about every 50 ms: true recalls the work. May be NULL. */
    bool (*overdue)(void *argument);
};

enum team_end {
    TEAM_DONE,     /* every rank returned by itself */
    TEAM_RECALLED, /* overdue: all ranks were recalled and did come back */
};

/* Runs the job on its CPUs at the same time and waits for the end. Returns an enum team_end, or
 * ERROR_INTERRUPTED (stop), ERROR_IMPOSSIBLE (a thread can't be started or pinned there),
 * ERROR_SYSTEM (a worker did not start or answer a recall for 5 s: its CPU is not usable any
 * more). */
int team_run(struct team *, const struct team_job *, struct error *);
/* Starts the threads that are missing on those CPUs. Errors as team_run(). Where a thread can't be
 * started or pinned now, the next call tries again. */
int team_ready(struct team *, const int *cpus, size_t count, struct error *);
/* Ends the CPU's thread, if it has one: the next job starts and pins a new one. A CPU with a
 * thread that does not end within 5 s is not usable any more. */
void team_dismiss(struct team *, int cpu);
/* What bursts have shown of the calling worker's core, kept for as long as it lives; NULL: the
 * caller is no worker. */
struct burst_core *team_own_core(void);
/* Sleeps until os_raw_ns() reaches `until_ns`. 0, or ERROR_INTERRUPTED. */
int team_pause(struct team *, uint64_t until_ns, struct error *);
