/*
 * The machine's condition: everything that would spoil a measurement, each with its remedy. `fathom
 * doctor` prints the list; every run records it.
 */
#ifndef FATHOM_MACHINE_CONDITIONS_H
#define FATHOM_MACHINE_CONDITIONS_H

#include "machine/machine.h"

enum remark_weight { REMARK_FINE, REMARK_KNOW, REMARK_SPOILS };

/* The result of one check. */
struct remark {
    enum remark_weight weight;
    const char *subject; /* "core clock", "huge pages", "affinity", "load", ... */
    const char *state;   /* what was found: "governor powersave on 16 of 16 CPUs" */
    const char *remedy;  /* NULL when there is nothing to do */
};

struct remarks {
    struct remark *list;
    size_t count;
};

/* Reads governor, turbo, SMT, THP, affinity, load and the like below the machine's root into
 * `conditions`, and writes remarks about them into `remarks`; all text lives in `pool`.
 * `conditions->warnings` gets "state: remedy" of every remark that is not fine. Fields that only a
 * run can fill (core_hz, counter_hz, counter, stolen_s) are left alone. ERROR_SYSTEM when there is
 * no memory. */
int conditions_read(const struct machine *, const struct machine_source *, struct pool *,
                    struct conditions *, struct remarks *, struct error *);

#endif
