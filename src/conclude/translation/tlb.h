/*
 * What address translation costs and how far each TLB reaches, from two chases over the same number
 * of lines: one with a line on each page ("spread"), one with its lines packed. The extra time of
 * the spread chase is translation.
 *
 * Findings, for pages of 4 KiB: "dtlb1.4K.entries"; "dtlb2.4K.hit", the extra time of an access
 * that misses the first level, and "dtlb2.4K.walk", of one that misses the second level too;
 * "dtlb2.4K.entries". A finding whose number can't be trusted has no value and says why;
 * "dtlb1.4K.onset" then brackets where misses of the first level begin to cost time, between two
 * rungs of the ladder. "dtlb.2M.as.4K" is the share of memory on pages of 2 MiB that is translated
 * in pages of 4 KiB.
 */
#pragma once

#include "document/document.h"

struct tlb_evidence {
    const char *page;  /* as in the findings' names: "4K", "2M" */
    bool second_level; /* the second level was measured */
    const char
        *unavailable; /* why pages of this size were not measured; NULL: they were measured */
    /* Both have the same ascending numbers of pages: a ladder over the whole range. */
    const struct series *spread, *packed;
    /* The spread chase around the second level's end; NULL: no end was found. */
    const struct series *fine_spread;
    /* How many pages the first level holds, and the second: a point for each trial that found a
     * number. NULL: no end was found. */
    const struct series *first, *second;
    size_t first_trials, second_trials; /* all trials, with those that found no number */
    /* Chases with a line in each piece of these pages that has the size of a small page, with a
     * line on each small page, and packed on small pages. NULL: not measured. */
    const struct series *pieces, *piece_spread, *piece_packed;
    const char *piece; /* "4K" */
    /* How many contiguous pages share one entry of the first level; 1: they do not share. */
    unsigned shared;
};

/* All page sizes with their names in findings, ascending. */
enum { TLB_PAGES = 12 };
extern const struct tlb_page {
    const char *name;
    uint64_t bytes;
} tlb_pages[TLB_PAGES];

/* From this size on the second level reaches over gigabytes and is not measured. */
extern const uint64_t tlb_huge_least;

/* The finding that part of the memory on pages of this size (an index) is translated in smaller
 * pages, beyond noise; *piece is the index of those, the finding's value the share. NULL: it is
 * not, or this was not measured. */
const struct finding *tlb_split_of(const struct document *, size_t page, size_t *piece);

/* The least cost of a miss of the first level, in cycles: no second level answers faster. */
extern const double tlb_least_cost;

/* The packed chase's latency for `pages` lines, in cycles, or in ns without cycles; interpolated
 * between two points of its ladder. NAN: beyond the ladder. */
double tlb_packed(const struct series *packed, double pages);
/* The extra time of the spread chase at point i. */
double tlb_cost(const struct series *spread, const struct series *packed, size_t i);
/* Index of the first of three points in a row (fewer at the end) beyond `from` at which translation
 * costs more than at points `from` to from + 2, by more than `least` and by a quarter; the series'
 * length: none. No more points are asked for, because further out other programs hold parts of a
 * shared cache, and either chase may take any time. */
size_t tlb_departure(const struct series *spread, const struct series *packed, size_t from,
                     double least);

/* How many neighbouring pages share an entry: if they share, a chase over one page of each group
 * departs earlier, by a power of two. The ladders can't show this on a shared TLB or with an odd
 * number of sets; the result is then 1. */
unsigned tlb_shared(const struct series *spread, const struct series *sparse,
                    const struct series *packed);

/* Adds the findings. */
void findings_tlb(struct probe_result *, struct pool *, const struct tlb_evidence *);
