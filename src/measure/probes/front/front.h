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
    FRONT_BRANCHES,     /* how many branches fit a branch target buffer */
    FRONT_BYTES,        /* how many bytes fit a cache */
    FRONT_DECODED,      /* how many instructions fit a cache of decoded ones */
    FRONT_PAGES,        /* how many pages of FRONT_PAGE bytes fit the instruction TLB */
    FRONT_FAR_BRANCHES, /* how many branches a page apart fit a buffer */
};

struct front_ladder {
    const char *name; /* of the series */
    enum front_kind kind;
    /* on small pages, of which every second stays empty; false: on the largest there are */
    bool pages;
    bool random;   /* jumps in random order, so that no prefetcher hides a cache */
    unsigned each; /* bytes */
    double from;   /* bytes */
    double most;   /* the same; 0: as far as asked */
};

enum front_number { JUMP64, JUMP32, JUMP16, NOP4, NOP8, NOP12, FAR64, PAGE, HALF, FRONT_LADDERS };
extern const struct front_ladder front_ladders[FRONT_LADDERS];

/* Factor of a series. */
extern const char front_each[];

void front_analyse(struct analysis *);
