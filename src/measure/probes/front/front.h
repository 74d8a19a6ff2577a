/*
 * What the files of the probe front share: the ladders by which it measures, as documents have
 * them. A ladder is a series over the footprint of its code in bytes; `each` is the factor that
 * says how far apart its jumps are, or how long its instructions.
 */
#pragma once

#include "conclude/analyse.h"
#include "measure/kernels/front.h"

/* What two ladders can agree on. */
enum front_role {
    FRONT_BRANCHES, /* how many branches fit a branch target buffer */
    FRONT_BYTES,    /* how many bytes fit a cache */
    FRONT_DECODED,  /* how many instructions fit a cache of decoded ones */
};

/* Where the code of a ladder lies. */
enum front_where {
    FRONT_NEAR,   /* on huge pages if there are any, so that its translation hides no cache */
    FRONT_SMALL,  /* on pages of FRONT_PAGE bytes, every second of an area */
    FRONT_PIECES, /* at the same places, but on huge pages */
    FRONT_LARGE,  /* on huge pages, one after the other */
};
enum { FRONT_LARGE_PAGE = 2 << 20 };

struct front_ladder {
    const char *name; /* of the series */
    enum front_kind kind;
    enum front_where where;
    bool random;   /* jumps in random order, so that no prefetcher hides a cache */
    unsigned each; /* bytes */
    double from;   /* bytes */
    double most;   /* the same; 0: as far as asked */
};

enum front_number { JUMP64, JUMP32, JUMP16, NOP4, NOP8, NOP12, FAR64, PAGE, HALF, PIECE };
/* Measured where PIECE tells of huge pages. */
enum front_far_number { LARGE = PIECE + 1, LARGE_HALF, FRONT_LADDERS };
extern const struct front_ladder front_ladders[FRONT_LADDERS];

/* Factor of a series; and a parameter: why there are no ladders on huge pages. */
extern const char front_each[], front_no_large[];

/* Whether huge pages are translated as such, by the ladders that were measured. */
bool front_large_are_whole(struct analysis *);
void front_analyse(struct analysis *);
