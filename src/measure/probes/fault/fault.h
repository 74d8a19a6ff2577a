/*
 * What the parts of the fault probe share: what each series of its plan is, and what each point
 * came to.
 */
#ifndef FATHOM_MEASURE_PROBES_FAULT_FAULT_H
#define FATHOM_MEASURE_PROBES_FAULT_FAULT_H

#include "measure/kernels/pages.h"
#include "measure/probes/kit/probe.h"

enum fault_what {
    FAULT_TOUCH,      /* first touch; x is the page */
    FAULT_RESERVED,   /* the same on pages of a reserved pool */
    FAULT_ZERO,       /* pages that are there are filled with zeros; x is the page */
    FAULT_MINOR,      /* the page is there and only its translation is missing */
    FAULT_LOOK,       /* first load: all such pages are one page of zeros */
    FAULT_POPULATE,   /* MAP_POPULATE */
    FAULT_COPY,       /* first store after a fork: copy-on-write */
    FAULT_UNMAP,      /* munmap(); x is the bytes of a call */
    FAULT_DISCARD,    /* madvise(MADV_DONTNEED); x is the bytes of a call */
    FAULT_UNMAP_HUGE, /* munmap() of transparent huge pages */
    FAULT_SHOOTDOWN,  /* munmap() of one page a call; x is the threads that use the memory */
    FAULT_WHATS
};
/* Their series, by which findings are read off. */
extern const char *const fault_series_names[FAULT_WHATS];

struct fault_point {
    enum fault_what what;
    enum pages_kind kind;
    double x;
    size_t page, bytes, call_bytes;
    uint64_t meant, counted; /* page faults, of all batches that were kept */
    uint64_t refused;        /* system calls */
};

struct fault_state {
    struct pages pages; /* of the trial that is measured */
    const struct seat *seat;
    const int *cpus; /* the measuring one, then the others, each core's first thread first */
    size_t cpu_count;
    struct fault_point *points; /* one each of the plan, in its order */
    size_t point_count, first;  /* the plan's first point is this one */
    const char *not_measured;   /* what, and why; NULL: everything was */
    int series[FAULT_WHATS];    /* -1: not planned */
    unsigned stage;             /* the last that was planned; 0: the first */
};

/* Whether a fault is meant for each page of it. */
bool fault_is_meant(enum fault_what);

/* --- findings.c --- */

extern const struct finding_line fault_lines[];
extern const struct standard fault_experiment[];
/* Notes what the kernel counted, flags points where that is not what was meant, and takes the value
 * from those whose system calls were refused. */
void fault_conclude(struct probe_task *, const struct stage_outcome *);
void fault_analyse(struct analysis *);

#endif
