/* What the parts of the tongue `mlc` share. */
#ifndef FATHOM_SPEAK_TONGUES_MLC_H
#define FATHOM_SPEAK_TONGUES_MLC_H

#include "measure/probes/loaded/loaded.h"
#include "speak/tongues/tongue.h"

#define MLC_ALL_THREADS "Using all the threads from each core if Hyper-threading is enabled\n"

struct mlc {
    struct talk *talk;
    bool begun;       /* the tool's first lines are printed */
    const char *cpu;  /* -c; NULL: not given */
    const char *cpus; /* -k; NULL: not given */
    size_t cpu_count; /* that make traffic where all do alike */
    uint64_t delay;   /* -d; 0: not given */
    uint64_t bytes;   /* -b; 0: not given */
    double seconds;   /* -t; 0: not given */
};

/* The mixes of reads and writes, a line each. */
void mlc_peak_bandwidths(struct mlc *);

/* Latency by traffic, or with -T the traffic alone. */
void mlc_loaded_latency(struct mlc *);

/* Measures for `usual_s`, or as long as -t says. */
const struct probe_result *mlc_measure(struct mlc *, const char *probe, const struct talk_option *,
                                       double usual_s);
/* Prints the tool's first lines before its first table: where nothing could be measured, nothing
 * stands on standard output. */
void mlc_begin(struct mlc *);
/* Says aside which of these arguments were given, and do nothing in this mode. */
void mlc_tell_idle(const struct mlc *, const char *mode, const char *letters);

#endif
