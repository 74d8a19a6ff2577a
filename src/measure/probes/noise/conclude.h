/* What the parts of conclude.c share. */
#ifndef FATHOM_MEASURE_PROBES_NOISE_CONCLUDE_H
#define FATHOM_MEASURE_PROBES_NOISE_CONCLUDE_H

#include "measure/probes/noise/noise.h"

static const double noise_ns_per_us = 1e3;

struct noise_quantile {
    double p;
    const char *name;
};
enum { NOISE_QUANTILES = 5 };
extern const struct noise_quantile noise_quantiles[NOISE_QUANTILES];

struct concluding {
    struct probe_task *task;
    const struct noise_state *state;
    size_t cpus;
    struct noise_causes *causes; /* one for each CPU */
    struct interruptions after;
    double window_s; /* between the two readings of the system's counts; NAN: they show nothing */
    bool counts_stolen, counts_interrupts; /* whether the system counts that at all */
    double *parts, *wholes;                /* [trials_max], scratch */
    struct histogram *lengths;             /* scratch */
};

/* How much a source's count grew on one CPU between the two readings. */
double noise_source_growth(const struct interruption_source *after,
                           const struct interruption_sources *before, size_t index, size_t cpu);
/* The share in percent that the cause took, or all of them with CAUSES, of one CPU, or of all
 * together where `cpu` is their number. */
struct ratio noise_share(const struct concluding *, size_t cpu, enum noise_cause);
/* Adds the lengths of all kinds. */
void noise_merge_lengths(const struct noise_tally *, struct histogram *into);
/* A quantile of them, in ticks. Where there are too few it is the longest, which is known exactly;
 * it never lies beyond that. */
struct quantile_found noise_quantile(const struct histogram *, double longest_ticks, double p);
/* Whether what was put down to the cause is known: NULL, or what the system doesn't report. */
const char *noise_unknown(const struct concluding *, enum noise_cause);
double noise_longest_ticks(const struct noise_tally *);

/* findings.c. ERROR_SYSTEM without memory. */
int noise_add_findings(struct concluding *);

#endif
