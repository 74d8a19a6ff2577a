/*
 * How the first two cache levels are built, read off series that probes/geometry/geometry.c
 * measures.
 *
 * Findings: "L1.line" and "L1.way_stride" in bytes, "L1.ways", the same of L2, "L2.inclusive"
 * (1 or 0), each beside what the machine declares; "L1.disagreement" where ways times way stride
 * is not the capacity, in bytes. Where there is no number to trust, a finding has none and says
 * why; "L3.ways" never has one.
 */
#ifndef FATHOM_FINDINGS_GEOMETRY_H
#define FATHOM_FINDINGS_GEOMETRY_H

#include "result/document.h"

enum { GEOMETRY_LEVELS = 2 };

struct geometry_level {
    /* x: stride in bytes, ascending powers of two; y: the most lines so far apart that the level
     * held, as trials say: agreed where a quarter of them came to the most. NULL: not looked at. */
    const struct series *fitting;
    /* x: a group of trials; y: the line size that their medians tell (geometry_line_of()). NULL:
     * not looked at. */
    const struct series *lines;
    double capacity; /* as it was found, else NAN */
};

struct geometry_evidence {
    struct geometry_level levels[GEOMETRY_LEVELS];
    /* Latency with hot lines: x = 1 in the second level's contended set, x = 0 beside it. */
    const struct series *hot;
    double hot_lines, hot_others; /* how many, and how many lines contend with them */
    double nearest;               /* latency of the first level, in the unit of `hot` */
    bool small_pages;             /* huge ones were not to be had: only the first level can tell */
    bool too_few_for_ways, too_few_for_lines; /* rounds: no vote could be held */
    size_t line_votes; /* groups of trials that could vote; those that are no point abstained */
    double lines_most, stride_most; /* of the sweep; so many lines still were no slower than the
                                       third level where `third_held` */
    bool third_held;
    const struct machine_facts *declared;
};

struct geometry_ways {
    double ways, way_stride; /* NAN: not detected */
    const char *why;         /* it was not; NULL where it was */
};

/* The smallest stride at which doubling it changes nothing: there all lines meet in one set, and
 * as many as it has ways fit. Half of that stride must hold twice as many, and the
 * level above, which has `above` ways (0: there is none), fewer: or it would be its own that are
 * counted. */
struct geometry_ways geometry_ways_of(const struct series *fitting, double above);
/* The smallest of `n` distances, ascending, at which the second of two loads misses as the first
 * does. `latencies` are the means of both, `nearest` that of a hit in the first level. NAN where
 * the second never misses, or some distance stands in between. */
double geometry_line_of(const double *latencies, const double *distances, size_t n, double nearest);
/* Adds all findings. ERROR_SYSTEM without memory. */
int findings_geometry(struct probe_result *, struct pool *, const struct geometry_evidence *,
                      struct error *);

#endif
