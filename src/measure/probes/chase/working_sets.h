/*
 * The working sets of a probe, by --from, --to and --per-octave, or --sizes, and by the machine's
 * declared caches and free memory.
 */
#pragma once

#include "measure/probes/kit/probe.h"

/* The options that choose them, a part of a probe's options. */
struct working_set_options {
    struct setting from, to, per_octave, sizes;
};

struct working_sets {
    uint64_t *bytes; /* ascending multiples of the stride, each once; in the pool */
    size_t count;
};

/* The limits of the working sets, in bytes. */
struct working_set_limits {
    uint64_t largest;    /* the default of --to */
    uint64_t most;       /* the most that an option may ask for */
    const char *most_is; /* `most` in words: "half of the memory that is free" */
    unsigned per_octave; /* default below 64 MiB; half of it above, if it is four or more */
    uint64_t memory;     /* where DRAM begins: from here on four an octave by default; 0: none */
};

/* Reads the options within these limits; --from is by default 1 KiB, or one stride if that is
 * more. Leaves the pool's step with ERROR_USAGE, like the next function. */
struct working_sets working_sets_within(struct probe_task *, const struct working_set_options *,
                                        size_t stride, const struct working_set_limits *);

/* Reads the options. By default from 1 KiB (or one stride) to four times the declared
 * last-level cache, at most 1 GiB and the memory that may be used; four sizes an octave below 64
 * MiB and two above; with --quick two below the last-level cache and four above. ERROR_USAGE for
 * sizes that are smaller than the stride, larger than the memory that may be used, or contradict
 * each other. */
struct working_sets working_sets_choose(struct probe_task *, const struct working_set_options *,
                                        size_t stride);

/* Sorts sizes, ascending and each once; returns how many are left. */
size_t sizes_sort(uint64_t *sizes, size_t count);

/* The default of --to. */
uint64_t working_sets_largest(const struct machine *);

/* ERROR_USAGE, naming the option, if a working set of `bytes` is smaller than the stride
 * or larger than the memory that may be used. */
void working_sets_check(const struct probe_task *, const char *option, uint64_t bytes,
                        size_t stride);

/* Declared bytes of the last-level cache; 0: none is declared. */
uint64_t last_level_bytes(const struct machine *);
/* What working sets for memory are chosen by. */
struct memory_bounds {
    uint64_t last_level; /* bytes that the caches before memory hold */
    uint64_t least;      /* a smaller working set is not said to be in memory */
    uint64_t shown;      /* a latency curve shows that memory begins by this size; 0: it does not */
};
/* `last_level` is what is declared (64 MiB if nothing is). If a latency curve was measured before,
 * it is instead the smallest working set from which on every load took as long as memory's: at
 * least 64 MiB, rounded up to a power of two, so that two runs mostly get the same sizes, and at
 * most the declared one. `least` is four times the size from which on the curve shows memory; at
 * least twice the last level, and where nothing is declared four times, so 256 MiB. */
struct memory_bounds memory_bounds(const struct probe_task *);
/* The same by a given curve of latencies, ascending in size, and memory's latency (NULL, NAN: not
 * measured). */
struct memory_bounds memory_bounds_within(const struct machine *, const struct series *curve,
                                          double memory_ns);
/* The latency of DRAM, or of the last level that was reached; NAN, as for NULL: none. */
double memory_ns_of(const struct probe_result *latency);
/* Bytes of the last-level caches of that many CPUs, each shared by `sharers` of them (0: unknown,
 * so that each may have one). */
uint64_t last_levels_of(const struct probe_task *, size_t cpus, size_t sharers);
