/*
 * What the files of the TLB probe share: chains with a line on each page or packed on few pages,
 * the page sizes it measures, and its progress.
 */
#pragma once

#include "measure/probes/chase/trial_values.h"
#include "measure/probes/kit/probe.h"

/* --- chains of lines in random order --- */

enum tlb_layout {
    TLB_PACKED, /* lines side by side, on as few pages as hold them */
    TLB_SPREAD, /* one line on each of successive pages */
    /* A line on one page of each aligned group of TLB_GROUP. Some cores let neighbouring pages
     * share a TLB entry if they are also neighbours in physical memory (AMD since Zen: four of 4
     * KiB); with this layout each line needs its own entry. The page within the group rotates with
     * the digits of the group's number, so that the pages spread evenly over the sets of a TLB that
     * is indexed by the low bits of the page number, as consecutive pages do. */
    TLB_SPARSE,
};
enum { TLB_LAYOUTS = TLB_SPARSE + 1, TLB_GROUP = 8 };

struct tlb_chain {
    unsigned char *memory; /* aligned to a group of pages */
    size_t count;          /* lines, at least 1 */
    size_t page_bytes, line_bytes;
    enum tlb_layout layout;
    uint64_t seed;
};

/* Bytes of `memory` that the chain uses. */
size_t tlb_chain_bytes(const struct tlb_chain *);
/* The i-th line's offset into `memory`. */
size_t tlb_chain_offset(const struct tlb_chain *, size_t i);
/* Links all lines into one random cycle and returns the first. */
void *tlb_chain_build(const struct tlb_chain *);

/* --- the state --- */

enum { TLB_PAGES_LEAST = 4 };

/* One more ladder than layouts: huge pages with a line in every 4 KiB. A line costs no more than
 * its huge page's translation unless a hypervisor splits huge pages. */
enum { TLB_PIECES = TLB_LAYOUTS, TLB_LADDERS };

/* The stages of each page size. */
enum tlb_look { TLB_LADDER, TLB_FIRST, TLB_SECOND };

/* Names in the document: series by ladder, values of the factor "look", series of votes by
 * level. */
extern const char *const tlb_ladder_names[], *const tlb_looks[], *const tlb_vote_names[2],
                                                                     *const tlb_vote_look;

/* State and series of one page size. */
struct tlb_size {
    uint64_t page_bytes;
    enum page_policy policy;
    char name[16];
    double most; /* pages */
    const char *unavailable;
    int ladder[TLB_LADDERS]; /* series; -1: none */
    int fine[2];             /* series by level: latencies around the level's capacity */
    enum tlb_layout spread;  /* the layout that is refined: spread or sparse */
    unsigned shared;
};
enum { TLB_SIZES_MAX = 2 };

/* NULL: this page size was not measured with that ladder. */
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
    double step; /* distance of refining points, in pages */
    struct trial_values values;
};

/* A chain over `pages` pages of the current size in the ladder's layout; the caller sets memory and
 * seed. */
struct tlb_chain tlb_chain_of(const struct tlb_state *, unsigned ladder, double pages);

/* The stages, in stages.c: a ladder of sizes, then what refines it. */
void tlb_plan_ladder(struct probe_task *);
/* Returns false when this page size is done. */
bool tlb_plan_next(struct probe_task *);
