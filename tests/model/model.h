/*
 * A synthetic memory that stands behind the engine's worker interface: the real plan, rounds,
 * statistics and analysis run on it, and what they find can be held against what it is.
 *
 * The rings are real: they are built by the probe in the trial's arena. The model reads a ring as
 * it finds it, and follows it through modelled TLBs, caches and DRAM, step by step. Addresses are
 * those within the arena, so that a run can be repeated. What it does not follow to the end:
 *
 * - A kernel asked for more steps than MODEL_SAMPLE_STEPS in one trial (or than whole rounds of a
 *   short ring come to) is followed so far; the rest takes what those took on the mean. State and
 *   position move on as the kernel's would all the same.
 * - Of a ring longer than twice the caches and a sample only that much is read; the position moves
 *   along that stretch, round and round.
 * - Beside neighbours (neighbours.h) nothing is followed step by step: see beside.h.
 */
#ifndef FATHOM_TESTS_MODEL_MODEL_H
#define FATHOM_TESTS_MODEL_MODEL_H

#include "measure/engine/timing_model.h"
#include "neighbours.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_LEVELS_MAX = 3, MODEL_CPUS_MAX = 4, MODEL_SAMPLE_STEPS = 8192 };

enum model_replacement { MODEL_LRU, MODEL_TREE_PLRU, MODEL_RANDOM };

/* What a level holds of what the levels above it (nearer to the core) hold. */
enum model_filling {
    MODEL_INDEPENDENT, /* filled with them, but they keep what it loses */
    MODEL_INCLUSIVE,   /* what it loses, they lose */
    MODEL_EXCLUSIVE,   /* it holds what the level above gave up, and gives it back */
};

struct model_cache {
    uint32_t bytes, ways; /* bytes / line / ways is a power of two; at most 16 ways, of a tree a
                             power of two */
    enum model_replacement replacement;
    enum model_filling filling; /* not of the first level */
    bool hashed;                /* the set's index is folded from all bits */
    bool physical;              /* indexed by physical address */
    double cycles, ns;          /* load-to-use: the core clock's part and the rest */
};

struct model_tlb {
    unsigned entries; /* 0: there is none */
    unsigned ways;    /* 0: fully associative; else entries / ways is a power of two */
    double cycles;    /* what an access takes longer that is found here and not before */
};

enum model_pages { MODEL_SMALL_PAGES, MODEL_HUGE_PAGES }; /* 4 KiB and 2 MiB */

struct model_noise {
    double trial_sigma, batch_sigma; /* of the logarithm, of every trial and every batch */
    double dwell_s;                  /* how long the clock, and a neighbour, keeps a mood */
    double slow_share,
        slow_ratio; /* share of the time in which the core clock is `slow_ratio` of core_hz */
    double neighbour_share;        /* of the time a neighbour takes half of the last level's
                                      ways */
    double drift, drift_period_s;  /* everything beyond the core grows and shrinks by that */
    double spikes_per_s, spike_ns; /* interruptions that nobody notices */
    double far_share, far_ratio; /* share of the trials whose memory is `far_ratio` times as slow */
};

struct model_machine {
    unsigned line_bytes;
    unsigned level_count;
    struct model_cache caches[MODEL_LEVELS_MAX];
    struct model_tlb tlbs[2][2]; /* [enum model_pages][first, second] */
    double walk_cycles[2];       /* what an access takes longer that no TLB holds */
    bool huge_pages;             /* to be had for the page policies that ask for them */
    double core_hz;
    double row_hit_ns, row_miss_ns; /* DRAM, beside the core's `dram_cycles` */
    double dram_cycles;
    double forward_cycles; /* a value's way through the store buffer */
    unsigned row_bytes, banks;
    unsigned prefetch_depth, prefetch_lines; /* streams: how many steps ahead; longest step in
                                                lines; 0: there is none */
    bool prefetch_backward, prefetch_across_pages;
    struct model_noise noise; /* all 0: none */
    unsigned cpus;            /* MODEL_CPUS_MAX at most; 0 counts as 1 */
    struct model_neighbour neighbours[NEIGHBOURS_MAX];
};

struct model;

/* The largest arena that it can stand behind is `arena_bytes`. NULL without memory; a description
 * that makes no sense ends the program with a line that says why. */
struct model *model_create(const struct model_machine *, size_t arena_bytes, uint64_t seed);
void model_free(struct model *);

/* What the engine works with, as long as the model lives. A kernel that the model does not know
 * ends the program. */
struct timing_model model_timing(struct model *);

/* From now on moods do not last: the clock and the neighbour of every trial are drawn anew, with a
 * seed of their own. That is the population that trials spread over a long run come from. */
void model_scatter_moods(struct model *, uint64_t seed);
/* The model's time, and setting it: what drifts, drifts with it. */
double model_now_s(const struct model *);
void model_set_now_s(struct model *, double now_s);

/* The machine without its noise and its neighbours. */
struct model_machine model_quiet(const struct model_machine *);
/* The machine as it is when it is let: what only ever takes is gone (neighbours, interruptions, a
 * clock that others slow down, memory that lies further off), and what scatters both ways stays. */
struct model_machine model_let(const struct model_machine *);

/* What a random chase over `bytes`, a multiple of 4 KiB, takes per load with nothing disturbing it,
 * in ns: by the modelled memory, without the engine. */
double model_ideal_ns(const struct model_machine *, uint64_t bytes, enum page_policy);

#endif
