/*
 * What the system counts of that which takes a CPU from programs: interrupts and softirqs, by CPU,
 * and by their names. Two readings give what came in between.
 */
#ifndef FATHOM_MACHINE_INTERRUPTIONS_H
#define FATHOM_MACHINE_INTERRUPTIONS_H

#include "base/cpulist.h"
#include "base/error.h"
#include "base/pool.h"

#include <stdint.h>

/* One line of /proc/interrupts or /proc/softirqs. */
struct interruption_source {
    const char *name; /* "LOC", "virtio0-input", "TIMER"; in the pool */
    const char *says; /* what the system says of it: "Local timer interrupts"; NULL: nothing */
    uint64_t *counts; /* one for each CPU of the list */
};

struct interruption_sources {
    struct interruption_source *list; /* in the system's order; NULL: it does not report them */
    size_t count;
};

struct interruptions {
    struct interruption_sources interrupts, softirqs;
};

/* Reads all of that for the CPUs of the list. A file that is missing, or holds garbage, tells
 * nothing. ERROR_SYSTEM without memory. */
int interruptions_read(struct interruptions *, const char *root, const struct cpulist *,
                       struct pool *, struct error *);

#endif
