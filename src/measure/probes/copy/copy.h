/*
 * What the parts of the copy probe share: what is measured in each series of its plan.
 */
#ifndef FATHOM_MEASURE_PROBES_COPY_COPY_H
#define FATHOM_MEASURE_PROBES_COPY_COPY_H

#include "measure/kernels/copy.h"
#include "measure/probes/kit/probe.h"

/* Names of series. The factor "method" says by what. */
extern const char copy_warm_name[], copy_cold_name[], copy_unaligned_name[];
/* The factor "off": what is one byte off a line's beginning. */
enum copy_offset { COPY_ALIGNED, COPY_TO_OFF, COPY_FROM_OFF, COPY_BOTH_OFF, COPY_OFFSETS };
extern const char *const copy_offset_names[COPY_OFFSETS]; /* NULL, "destination", ... */

struct copy_series {
    enum copy_method method;
    enum copy_offset offset;
    bool cold;
};

struct copy_state {
    struct copy copy; /* of the trial that is measured */
    const struct seat *seat;
    uint64_t *sizes; /* of a call, ascending */
    size_t size_count;
    struct copy_series *series; /* one each of the plan's */
    size_t series_count;
    uint64_t cold_bytes; /* of the arena's beginning, for calls that find nothing in a cache */
    uint64_t cold_at;    /* where the next of them goes on */
    bool cold_runs;      /* the trial before was one of them */
    const char *not_measured;
};

/* --- findings.c --- */

extern const struct finding_line copy_lines[];
extern const struct standard copy_experiment[];
/* Bytes of the call that the findings of cold memory and of the shortest calls are of. */
enum { COPY_COLD_BYTES = 64 << 10, COPY_CALL_BYTES = 64 };
void copy_conclude(struct probe_task *, const struct stage_outcome *);
void copy_analyse(struct analysis *);

#endif
