/* What the probe under load keeps, for its files: loaded.c plans and measures, findings.c says what
 * came of it. */
#ifndef FATHOM_MEASURE_PROBES_LOADED_LOADED_H
#define FATHOM_MEASURE_PROBES_LOADED_LOADED_H

#include "measure/kernels/inject.h"
#include "measure/probes/chase/chases.h"

/* Latency and bandwidth by step of the ladder, and the curve of the one over the other, which is
 * made of both and added at the end. */
enum {
    LOADED_LATENCY,
    LOADED_MEASURED,
    LOADED_BANDWIDTH = LOADED_MEASURED,
    LOADED_CURVE,
    LOADED_KNEE, /* what the rounds show together; only where there are any */
    LOADED_ALL
};
extern const char *const loaded_shows[LOADED_ALL]; /* the series' factor "shows" */

/* The ladder: turns of the injectors' pause after each line; none at all on the first step, no
 * pause on the last. */
enum { LOADED_STEPS = 16, LOADED_NONE = 0, LOADED_FULL = LOADED_STEPS - 1 };
extern const unsigned loaded_pauses[LOADED_STEPS];

/* What the trials of one step gave, by their number. */
struct loaded_step {
    double *bandwidth, *latency; /* B/s, ns; NAN: no such trial */
    unsigned trials, starved;    /* kept; kept although an injector got no time */
    int starved_cpu;             /* of the last such */
};

struct loaded_state {
    struct chases chases;
    const struct seat *seats; /* the chase's, then the injectors' */
    unsigned injectors;
    const struct injection *injection;
    enum inject_order order;
    uint64_t chase_bytes;  /* working set of the chase */
    uint64_t chase_room;   /* the arena's part for it, the injectors' follow */
    uint64_t inject_bytes; /* of each, a power of two */
    unsigned trials_max;
    bool shares_core;  /* an injector runs on the chase's own core */
    double left_out_s; /* the budget that the knee needs, where it had too little; or 0 */
    struct loaded_step steps[LOADED_STEPS];
};

/* Adds what is made of the trials: series, and parameters that findings need. */
void loaded_conclude(struct probe_task *, const struct stage_outcome *);
void loaded_analyse(struct analysis *);
extern const struct finding_line loaded_lines[]; /* the registry's */
extern const struct standard loaded_experiment[];

#endif
