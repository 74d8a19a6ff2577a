/*
 * What the files of the probe front share: the ladders by which it measures, as documents have
 * them. A ladder is a series over the footprint of its code in bytes, or over pages; `each` is the
 * factor that says how far apart its jumps are, or how long its instructions.
 */
#ifndef FATHOM_MEASURE_PROBES_FRONT_FRONT_H
#define FATHOM_MEASURE_PROBES_FRONT_FRONT_H

#include "conclude/analyse.h"
#include "measure/kernels/front.h"

enum front_role {
    FRONT_BRANCHES,  /* jumps in the order of addresses: by their number a branch target buffer */
    FRONT_SCATTERED, /* jumps in random order: what fetches ahead does not hide a cache */
    FRONT_STRAIGHT,  /* instructions in a row */
    FRONT_SPREAD,    /* jumps in random order, one on each page, or two */
};

struct front_ladder {
    const char *name; /* of the series */
    enum front_role role;
    unsigned each; /* bytes; FRONT_SPREAD: jumps on a page */
    double from;   /* bytes or pages */
    double most;   /* the same; 0: as far as asked */
    bool headline;
};

enum { FRONT_LADDERS = 11 };
extern const struct front_ladder front_ladders[FRONT_LADDERS];

/* Factor of a series. */
extern const char front_each[];

void front_analyse(struct analysis *);

#endif
