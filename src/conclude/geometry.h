/*
 * Line size, ways and way stride of the first two cache levels, from series that
 * measure/probes/geometry/geometry.c measures.
 *
 * Findings: "L1.line" and "L1.way_stride" in bytes, "L1.ways", the same of L2, "L2.inclusive" (1 or
 * 0), each with what the machine declares; "L1.disagreement" if ways times way stride is not the
 * capacity, in bytes. A finding whose number can't be trusted has no value and says why; "L3.ways"
 * never has a value.
 */
#pragma once

#include "document/document.h"

enum { GEOMETRY_LEVELS = 2 };

struct geometry_level {
    /* x: stride in bytes, ascending powers of two; y: the most lines at that stride that the level
     * held, by trial. Trials agree if a quarter of them found the maximum. NULL: not measured. */
    const struct series *fitting;
    /* x: a group of trials; y: the line size by their medians (geometry_line_of()). NULL: not
     * measured. */
    const struct series *lines;
    double capacity; /* measured, in bytes; NAN: unknown */
};

struct geometry_evidence {
    struct geometry_level levels[GEOMETRY_LEVELS];
    /* Latency with hot lines: x = 1 in the second level's contended set, x = 0 next to it. */
    const struct series *hot;
    double hot_lines, hot_others; /* how many, and how many lines contend with them */
    double nearest;               /* latency of the first level, in the unit of `hot` */
    bool small_pages; /* there were no huge pages: only the first level can be measured */
    bool too_few_for_ways, too_few_for_lines; /* too few rounds for a vote */
    size_t line_votes; /* groups of trials; a group without a point in `lines` gave no vote */
    double lines_most, stride_most; /* the sweep's largest number of lines and stride; third_held:
                                       so many lines were still no slower than the third level */
    bool third_held;
    const struct machine_facts *declared;
    int cpu; /* that measured; -1: unknown */
};

struct geometry_ways {
    double ways, way_stride; /* way_stride in bytes; NAN: not found */
    const char *why;         /* why they were not found; NULL: they were */
};

/* Finds the smallest stride at which the level holds as many lines as at twice that stride: there
 * all lines fall into one set, which holds as many as it has ways. At half the stride it must hold
 * twice as many. The count must exceed the ways of the level nearer to the core (`above`; 0: none),
 * or it may be that level's. */
struct geometry_ways geometry_ways_of(const struct series *fitting, double above);
/* The smallest of `n` ascending distances at which the second of two loads misses as the first
 * does. `latencies` are the means of both loads, `nearest` is the latency of the first level. NAN:
 * the second load never misses, or a distance is neither clearly within nor beyond a line. */
double geometry_line_of(const double *latencies, const double *distances, size_t n, double nearest);
/* Adds all findings. */
void findings_geometry(struct probe_result *, struct pool *, const struct geometry_evidence *);
