/*
 * The system's counts of interrupts and softirqs, which take a CPU from programs, by name and CPU.
 * The difference of two readings is what came in between.
 */
#pragma once

#include "base/cpulist.h"
#include "base/error.h"
#include "base/pool.h"

#include <stdint.h>

/* One line of /proc/interrupts or /proc/softirqs. */
struct interruption_source {
    const char *name; /* "LOC", "virtio0-input", "TIMER"; in the pool */
    const char *says; /* the system's description: "Local timer interrupts"; NULL: none */
    uint64_t *counts; /* one for each CPU of the list, since boot */
};

struct interruption_sources {
    struct interruption_source *list; /* in the file's order; NULL: the system has no such file */
    size_t count;
};

struct interruptions {
    struct interruption_sources interrupts, softirqs;
};

/* Reads both for the CPUs of the list. A file that is missing, or holds garbage, gives an empty
 * list. ERROR_SYSTEM if memory is short. */
int interruptions_read(struct interruptions *, const char *root, const struct cpulist *,
                       struct pool *, struct error *);
