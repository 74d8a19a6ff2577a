/* What the probe of one line's writers keeps, for its two files: contention.c plans and measures,
 * contention_findings.c says what came of it. */
#ifndef FATHOM_MEASURE_PROBES_SHARING_CONTENTION_H
#define FATHOM_MEASURE_PROBES_SHARING_CONTENTION_H

#include "measure/kernels/contention.h"
#include "measure/probes/kit/probe.h"

/* The series: of each operation its time by writers; of two of them the time by distance; and,
 * added at the end, throughput and fairness of each operation. */
enum {
    CONTENTION_TIMES = 0,
    CONTENTION_FALSE_SHARING = CONTENTION_TIMES + CONTENTION_OPS,
    CONTENTION_FALSE_OPS = 2,
    CONTENTION_MEASURED = CONTENTION_FALSE_SHARING + CONTENTION_FALSE_OPS,
    CONTENTION_THROUGHPUT = CONTENTION_MEASURED,
    CONTENTION_FAIRNESS = CONTENTION_THROUGHPUT + CONTENTION_OPS,
    CONTENTION_ALL = CONTENTION_FAIRNESS + CONTENTION_OPS
};

/* What a series shows: its factor. */
#define CONTENTION_SHOWS_TIME       "time of a writer"
#define CONTENTION_SHOWS_THROUGHPUT "all writers' throughput"
#define CONTENTION_SHOWS_FAIRNESS   "fairness"
#define CONTENTION_SHOWS_DISTANCES  "time of two writers by distance"

/* What the trials of one point gave beside the time. */
struct contention_tally {
    double *throughput, *fairness;
    unsigned trials;
};

struct contention_state {
    int *cpus; /* cores first, then their other threads */
    size_t cpu_count;
    struct contention_tally *tallies; /* one a point */
};

/* Adds the series of throughput and fairness. */
void contention_conclude(struct probe_task *, const struct stage_outcome *);
void contention_analyse(struct analysis *);

#endif
