/* The state of the loaded probe, shared by its files: loaded.c plans and measures, findings.c adds
 * series and findings. */
#pragma once

#include "measure/kernels/inject.h"
#include "measure/probes/chase/chases.h"

/* Series: latency and bandwidth by step of the ladder; the curve of latency over bandwidth is
 * derived from both at the end. */
enum {
    LOADED_LATENCY,
    LOADED_MEASURED,
    LOADED_BANDWIDTH = LOADED_MEASURED,
    LOADED_CURVE,
    LOADED_KNEE, /* the median of the rounds' knees; only if there are rounds */
    LOADED_ALL
};
extern const char *const loaded_shows[LOADED_ALL]; /* the series' factor "shows" */

/* The ladder: iterations of the injectors' pause after each line. On the first step nothing is
 * injected, on the last there is no pause. */
enum { LOADED_STEPS = 16, LOADED_NONE = 0, LOADED_FULL = LOADED_STEPS - 1 };
extern const unsigned loaded_pauses[LOADED_STEPS];

/* The values of one step's trials, by trial number. */
struct loaded_step {
    double *bandwidth, *latency; /* B/s, ns; NAN: not measured, or dropped */
    unsigned trials, starved;    /* trials: all; starved: those in which an injector got no CPU */
    int starved_cpu;             /* the injector's CPU in the last starved trial */
};

struct loaded_state {
    struct chases chases;
    const struct seat *seats; /* the chase's seat, then the injectors' */
    unsigned injectors;
    unsigned read_percent;
    enum inject_order order;
    struct inject_mix mix;
    uint64_t chase_bytes;  /* working set of the chase */
    uint64_t chase_room;   /* bytes of the arena for it; the injectors' parts follow */
    uint64_t inject_bytes; /* of each injector, a power of two; twice that where lines that are
                              written past the caches lie apart */
    unsigned trials_max;
    bool shares_core;  /* an injector runs on the chase's own core */
    double left_out_s; /* the budget in s that the knee needs, if there was too little; else 0 */
    struct loaded_step steps[LOADED_STEPS];
};

/* Adds the series derived from the trials, and parameters that findings need. */
void loaded_conclude(struct probe_task *);
void loaded_analyse(struct analysis *);
extern const struct finding_line loaded_lines[]; /* the registry's */
extern const struct standard loaded_experiment[];
