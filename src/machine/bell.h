/*
 * Bells: one thread sleeps until another rings. Each kind is a way in which programs wake threads.
 * A bell that is rung before anybody sleeps on it ends the next sleep at once; it is rung once for
 * each sleep. os/linux/ has them all, os/null/ has those that need no system.
 */
#ifndef FATHOM_MACHINE_BELL_H
#define FATHOM_MACHINE_BELL_H

#include "base/error.h"

#include <pthread.h>
#include <stdint.h>

enum bell_kind {
    BELL_FUTEX,
    BELL_EVENTFD,
    BELL_PIPE,
    BELL_CONDITION, /* a POSIX condition variable and its mutex */
    BELL_SPIN, /* no thread sleeps: they read a word in memory until it changes; for comparison */
    BELL_KINDS
};
extern const char *const bell_names[BELL_KINDS + 1]; /* "futex", ..., NULL */

struct bell {
    _Alignas(128) uint32_t word; /* 1: rung */
    enum bell_kind kind;
    int reads, writes; /* descriptors, where it has some; -1 */
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

struct bell_way {
    void (*ring)(void *bell);
    void (*await)(void *bell);
};
extern const struct bell_way bell_ways[BELL_KINDS];

/* ERROR_IMPOSSIBLE where the system has no such bell, or no descriptor left for it. */
int bell_open(struct bell *, enum bell_kind, struct error *);
/* Makes it silent, whatever state a recalled thread left it in. No thread may sleep on it.
 * Allocates nothing. */
void bell_silence(struct bell *);
/* Of one that could not be opened: does nothing. */
void bell_close(struct bell *);

#endif
