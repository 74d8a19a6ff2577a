/*
 * What the parts of the TLB probe share: the page sizes it looks at, and how far it has come.
 */
#ifndef FATHOM_MEASURE_PROBES_TLB_STATE_H
#define FATHOM_MEASURE_PROBES_TLB_STATE_H

#include "measure/probes/chase/trial_values.h"
#include "measure/probes/kit/probe.h"
#include "measure/probes/tlb/chain.h"

enum { TLB_PAGES_LEAST = 4 };

/* Beside the layouts' ladders: one of a line on each small page's worth of huge pages.
 * These cost nothing unless a hypervisor splits them. */
enum { TLB_PIECES = TLB_LAYOUTS, TLB_LADDERS };

/* The stages of each page size. */
enum tlb_look { TLB_LADDER, TLB_FIRST, TLB_SECOND };

/* How the document names series: by ladder, and by their factor "look"; votes by level. */
extern const char *const tlb_ladder_names[], *const tlb_looks[], *const tlb_vote_names[2],
                                                                     *const tlb_vote_look;

/* What one page size came to. */
struct tlb_size {
    uint64_t page_bytes;
    enum page_policy policy;
    char name[16];
    double most; /* pages */
    const char *unavailable;
    int ladder[TLB_LADDERS]; /* series; -1: none */
    int fine[2];             /* series by level: the spread chain around the level's end */
    enum tlb_layout spread;  /* what is refined: spread, or sparse */
    unsigned shared;
};
enum { TLB_SIZES_MAX = 2 };

/* NULL: the page size has no such ladder. */
static inline const struct series *tlb_ladder(const struct series *series,
                                              const struct tlb_size *size, unsigned ladder)
{
    return size->ladder[ladder] < 0 ? NULL : &series[size->ladder[ladder]];
}

struct tlb_state {
    const struct seat *seat;
    size_t line_bytes;
    struct tlb_size sizes[TLB_SIZES_MAX];
    size_t size_count, at;
    enum tlb_look look;
    double step; /* pages from one point to the next while refining */
    struct trial_values values;
};

/* A chain over `pages` pages of the size that is looked at, of the ladder's layout; memory and seed
 * are the trial's. */
struct tlb_chain tlb_chain_of(const struct tlb_state *, unsigned ladder, double pages);

/* The stages, in stages.c: a ladder of sizes, then what refines it. */
void tlb_plan_ladder(struct probe_task *);
/* False: this page size is done. */
bool tlb_plan_next(struct probe_task *);

#endif
