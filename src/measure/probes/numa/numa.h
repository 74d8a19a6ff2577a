/* The state of the NUMA probe, shared by its two files: numa.c measures, findings.c reads findings
 * off the series. */
#ifndef FATHOM_MEASURE_PROBES_NUMA_NUMA_H
#define FATHOM_MEASURE_PROBES_NUMA_NUMA_H

#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"

enum numa_series { NUMA_LATENCY, NUMA_BANDWIDTH, NUMA_SERIES };

/* A node that CPUs are on. */
struct numa_from {
    int id;       /* -1: the system does not report these CPUs' node */
    int chaser;   /* the CPU that chases */
    int *readers; /* the CPUs that read together */
    unsigned reader_count;
};

/* A node that memory is on. */
struct numa_to {
    int id;
    uint64_t chase_bytes, read_bytes; /* working sets; read_bytes is the sum of all readers' */
    const char *failed;               /* why it can't be measured; NULL: it can */
    bool verified;                    /* the system reported where the memory lay */
};

struct numa_state {
    struct chases chases;
    struct numa_from *from;
    struct numa_to *to;
    size_t from_count, to_count;
    size_t now; /* current stage: one memory node and one series */
};

/* Adds the cells that failed, and a comparison that needs the machine: declared distances that the
 * latencies contradict. */
void numa_conclude(struct probe_task *, const struct stage_outcome *);
void numa_analyse(struct analysis *);
extern const struct finding_line numa_lines[]; /* the registry's */
extern const struct standard numa_experiment[];

#endif
