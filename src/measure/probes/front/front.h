/*
 * What the files of the probe front share: the ladders by which it measures, as documents have
 * them. A ladder is a series over the footprint of its code in bytes; `each` is the factor that
 * says how far apart its jumps are, or how long its instructions.
 */
#ifndef FATHOM_MEASURE_PROBES_FRONT_FRONT_H
#define FATHOM_MEASURE_PROBES_FRONT_FRONT_H

#include "conclude/analyse.h"
#include "measure/kernels/front.h"

/* What two ladders of a role agree on; the first two that were measured. */
enum front_role {
    FRONT_SHOWN,    /* nothing: for the eye */
    FRONT_BRANCHES, /* how many branches fit a branch target buffer */
    FRONT_BYTES,    /* how many bytes fit a cache */
};

struct front_ladder {
    const char *name; /* of the series */
    enum front_role role;
    enum front_kind kind;
    bool random;   /* what fetches ahead does not hide a cache */
    unsigned each; /* bytes */
    double from;   /* bytes */
    double most;   /* the same; 0: as far as asked */
};

enum { FRONT_LADDERS = 6 };
extern const struct front_ladder front_ladders[FRONT_LADDERS];

/* Factor of a series. */
extern const char front_each[];

void front_analyse(struct analysis *);

#endif
