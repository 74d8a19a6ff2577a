/* What the parts of the wake probe share. */
#ifndef FATHOM_MEASURE_PROBES_WAKE_WAKE_H
#define FATHOM_MEASURE_PROBES_WAKE_WAKE_H

#include "machine/bell.h"
#include "measure/probes/kit/probe.h"

/* Pairs that are visited side by side, at most: each has descriptors of its own. */
enum { WAKE_SIDE_BY_SIDE = 32 };

/* How long a CPU sleeps before it is woken, in microseconds. */
enum { WAKE_SLEEPS = 4 };
extern const double wake_sleeps_us[WAKE_SLEEPS];

/* What stages there are; the probe goes through those that it planned. */
enum wake_stage { WAKE_BLOCKING, WAKE_SPINNING, WAKE_SLEEPING };

/* Context switches of a way's trials, and their wake-ups. */
enum { WAKE_TALLY = 512 };
struct wake_tally {
    double switches[WAKE_TALLY], wake_ups[WAKE_TALLY];
    size_t count;
};

struct wake_state {
    bool chosen[BELL_KINDS];
    int series[BELL_KINDS]; /* of the way's matrix; -1: it has none */
    int sleeping;           /* the series of sleeps; -1 */
    bool whole;             /* every pair is measured, by every way, and sleeps too */
    enum bell_kind sleeper; /* the way that sleepers are woken by */
    enum wake_stage stage;
    unsigned sleep;     /* of WAKE_SLEEPING: which one */
    struct bell *bells; /* [regions][BELL_KINDS][2] */
    size_t regions;
    double ticks_per_ns;        /* of the counter; 0: not measured yet */
    struct wake_tally *tallies; /* [BELL_KINDS] */
};

/* plan_point.what is the way. */

/* The points of the ways that the stage measures: in rounds of pairs that share no core. */
int wake_add_pairs(struct probe_task *, struct error *);

void wake_conclude(struct probe_task *, const struct stage_outcome *);
void wake_analyse(struct analysis *);

extern const struct finding_line wake_lines[];
extern const struct standard wake_experiment[];

#endif
