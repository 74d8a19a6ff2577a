/*
 * The machine's condition: whatever would spoil a measurement, each with its remedy. `fathom
 * doctor` prints the list; every run records it.
 */
#pragma once

#include "machine/machine.h"

enum remark_weight { REMARK_FINE, REMARK_KNOW, REMARK_SPOILS };

/* What one check found. */
struct checked {
    enum remark_weight weight;
    const char *subject; /* "core clock", "huge pages", "affinity", "load", ... */
    bool past; /* a mean of past minutes or more; watching for a second tells the present value */
    struct remark remark;
};

struct checks {
    struct checked *list;
    size_t count;
};

/* Reads governor, turbo, SMT, THP, affinity, load and the like below the machine's root into
 * `conditions`, and writes what the checks found into `checks`; all text lives in `pool`.
 * `conditions->remarks` gets every remark that is not fine and not of the past. Fields that only a
 * run can fill (core_hz, counter_hz, counter, stolen_s) stay unchanged. ERROR_SYSTEM if memory is
 * short. */
int conditions_read(const struct machine *, const struct machine_source *, struct pool *,
                    struct conditions *, struct checks *, struct error *);
