/*
 * Bells: one thread sleeps until another rings. Each kind is a way in which programs wake threads.
 * If a bell is rung before a thread sleeps on it, the next sleep ends at once; ring it once for
 * each sleep. os/linux/ has all kinds, os/null/ has none.
 */
#pragma once

#include "base/error.h"

#include <pthread.h>
#include <stdint.h>

enum bell_kind {
    BELL_FUTEX,
    BELL_EVENTFD,
    BELL_PIPE,
    BELL_CONDITION, /* a POSIX condition variable and its mutex */
    BELL_SPIN, /* the thread does not sleep but reads a word until it changes; for comparison */
    BELL_KINDS
};
extern const char *const bell_names[BELL_KINDS + 1]; /* "futex", ..., NULL */

struct bell {
    _Alignas(128) uint32_t word; /* 1: rung */
    enum bell_kind kind;
    int reads, writes; /* descriptors of an eventfd or a pipe; -1: none */
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};

struct bell_way {
    void (*ring)(void *bell);
    void (*await)(void *bell);
};
extern const struct bell_way bell_ways[BELL_KINDS];

/* ERROR_IMPOSSIBLE if the system has no such bell, or no descriptor left for it. */
int bell_open(struct bell *, enum bell_kind, struct error *);
/* Resets it to not rung, whatever state a recalled thread left it in. No thread may sleep on it
 * meanwhile. Allocates nothing. */
void bell_silence(struct bell *);
/* Does nothing for a bell that could not be opened. */
void bell_close(struct bell *);
