/*
 * Which working sets a probe sweeps: --from, --to and --per-octave, or --sizes, against what the
 * machine declares and has free.
 */
#ifndef FATHOM_MEASURE_PROBES_CHASE_WORKING_SETS_H
#define FATHOM_MEASURE_PROBES_CHASE_WORKING_SETS_H

#include "measure/probes/kit/probe.h"

struct working_sets {
    uint64_t *bytes; /* ascending, each a multiple of the stride and each once; in the pool */
    size_t count;
};

/* What bounds a sweep. */
struct working_set_limits {
    uint64_t largest;    /* by default */
    uint64_t most;       /* to be asked for */
    const char *most_is; /* "half of the memory that is free" */
    unsigned per_octave; /* by default, where sizes are below 64 MiB; half of it above */
    uint64_t memory;     /* from here on the sizes are DRAM's, at four an octave however few there
                            are below; 0: of no concern */
};

/* Reads the options of those names, from 1 KiB (or one stride) by default, within these limits.
 * It leaves the pool's step with ERROR_USAGE, as the next two. */
struct working_sets working_sets_within(struct probe_task *, size_t stride,
                                        const struct working_set_limits *);

/* Reads the options of those names. By default from 1 KiB (or one stride) to four times the
 * last-level cache declared, at most 1 GiB and the memory that may be used; four sizes an octave
 * below 64 MiB and two above; with --quick two below the last-level cache and four above.
 * ERROR_USAGE for sizes that are smaller than the stride, larger than the memory that may be used,
 * or contradict each other. */
struct working_sets working_sets_choose(struct probe_task *, size_t stride);

/* The largest by default. */
uint64_t working_sets_largest(const struct machine *);

/* ERROR_USAGE, naming the option, where a working set of `bytes` is smaller than the stride
 * or larger than the memory that may be used. */
void working_sets_check(const struct probe_task *, const char *option, uint64_t bytes,
                        size_t stride);

/* Size of the last-level cache as declared, 0 where none is. */
uint64_t last_level_bytes(const struct machine *);
/* What of it sets have to pass to be in DRAM: all that is declared, but of a guest no more than its
 * CPUs can have. Where that is much, and latency was measured before and found less, it is the
 * smallest working set from which on every load took as long as DRAM's; a power of two then, so
 * that two runs mostly come to the same sizes. */
uint64_t last_level_in_effect(const struct probe_task *);
/* The same by a curve of latencies, ascending, with what DRAM takes (NULL, NAN: there is none). */
uint64_t last_level_within(const struct machine *, const struct series *curve, double dram_ns);

#endif
