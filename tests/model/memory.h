/*
 * The modelled memory of one core: address translation, caches, prefetcher and DRAM, one access
 * after the other. It has no noise and no clock of its own.
 */
#ifndef FATHOM_TESTS_MODEL_MEMORY_H
#define FATHOM_TESTS_MODEL_MEMORY_H

#include "cache.h"

enum { MEMORY_BANKS_MAX = 32 };

/* Pages in the order of their last use, the most recent first. */
struct recency {
    uint32_t *before, *after; /* [pages + 1]; the last is the list's end */
    bool *present;
    uint32_t count, pages;
};

struct tlb {
    const struct model_tlb *machine;
    struct cache cache; /* where it has sets */
    uint8_t *way_of;
    struct recency recency; /* where it is fully associative */
    uint32_t entries;       /* that are left of it, where it is */
};

/* What is left of the caches and of the TLBs for the pages in use. */
struct memory_room {
    unsigned ways[MODEL_LEVELS_MAX];
    unsigned entries[2]; /* of a TLB with sets: its ways */
};

/* What accesses found, and where. */
struct tally {
    uint64_t hits[MODEL_LEVELS_MAX], row_hits, row_misses;
    uint64_t second, walks; /* translations that the second TLB held, and those that none held */
};

struct memory {
    const struct model_machine *machine;
    size_t lines;
    unsigned line_shift;
    uint8_t (*ways)[CACHE_PLACES]; /* [lines][levels] */
    struct cache caches[MODEL_LEVELS_MAX];
    struct tlb tlbs[2][2];

    /* of the trial */
    enum model_pages pages;
    unsigned page_shift; /* in lines */
    uint64_t frames;     /* scatters pages over physical memory */
    uint32_t frame_mask;
    size_t first, end; /* lines touched since it was settled */
    uint32_t last_page;
    uint64_t open_row[MEMORY_BANKS_MAX];
    int64_t last_line, last_step;
    uint64_t hit_ps[MODEL_LEVELS_MAX], row_hit_ps, row_miss_ps, tlb_ps, walk_ps;
    struct tally tally;
    uint64_t missed; /* accesses that the first level, or its TLB, did not hold */
};

bool memory_create(struct memory *, const struct model_machine *, size_t bytes);
void memory_free(struct memory *);

/* Fresh memory: empty caches, pages on frames of their own by `seed`. */
void memory_renew(struct memory *, enum model_pages, uint64_t seed);
/* What the accesses take from now on: the core's clock, and by how much all beyond the core, and
 * DRAM, take longer. */
void memory_set_pace(struct memory *, double core_hz, double uncore_ratio, double dram_ratio);
/* A neighbour takes half of the last level's ways, or gives them back. Before any access. */
void memory_share_last_level(struct memory *, bool shared);

/* All that there is. */
struct memory_room memory_all_room(const struct model_machine *, enum model_pages);
/* Only that share is left of it. Before any access. */
void memory_limit(struct memory *, const struct memory_room *);

/* That line will be asked for soon. Changes nothing but the speed of this program. */
void memory_expect(const struct memory *, uint32_t line);

/* One load: how long it takes, in picoseconds. */
uint64_t memory_access(struct memory *, uint32_t line);

#endif
