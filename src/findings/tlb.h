/*
 * What address translation costs and how far each TLB reaches, from chains of the same number of
 * lines spread one a page and packed: what the spread one takes longer is translation.
 *
 * Findings, for pages of 4 KiB: "dtlb1.4K.entries"; "dtlb2.4K.hit", what an access takes longer
 * that the first level misses, and "dtlb2.4K.walk", one that the second level misses too;
 * "dtlb2.4K.entries". Where there is no number to trust, a finding has none and says why; of the
 * first level "dtlb1.4K.onset" then is where costs begin, between two rungs of the ladder.
 * "dtlb.2M.as.4K" is the share of memory on pages of 2 MiB that is translated as pages of 4 KiB
 * are.
 */
#ifndef FATHOM_FINDINGS_TLB_H
#define FATHOM_FINDINGS_TLB_H

#include "result/document.h"

struct tlb_evidence {
    const char *page;        /* as in the findings' names: "4K", "2M" */
    bool second_level;       /* it was looked for */
    const char *unavailable; /* why pages of that size were not measured; NULL: they were */
    /* Over the same numbers of pages, ascending: a ladder over the whole range. */
    const struct series *spread, *packed;
    /* The spread one around the second level's end; NULL: no end was in sight. */
    const struct series *fine_spread;
    /* The most pages that each trial found translated by the first level, and by the second: a
     * point a trial that told a number. NULL: no end was in sight. */
    const struct series *first, *second;
    size_t first_trials, second_trials; /* all that ran there, with those that told none */
    /* A line on each of so many small pages' worth of these pages, and on such small pages
     * themselves, and packed there. NULL: not measured. */
    const struct series *pieces, *piece_spread, *piece_packed;
    const char *piece; /* "4K" */
    /* What an entry of the first level reaches when memory is contiguous: pages; 1 where each page
     * takes one of its own. */
    unsigned shared;
};

/* The page sizes there are, as findings name them, ascending. */
enum { TLB_PAGES = 7 };
extern const struct tlb_page {
    const char *name;
    uint64_t bytes;
} tlb_pages[TLB_PAGES];

/* The finding that pages of that size (an index) are translated as smaller ones are, whose index is
 * left in *piece, more than noise would make it seem; its value is the share. NULL: they are not,
 * or it was not looked at. */
const struct finding *tlb_split_of(const struct document *, size_t page, size_t *piece);

/* Cycles that a miss costs at least; no first level is backed by one that is nearer. */
extern const double tlb_least_cost;

/* What the packed chain takes for so many pages, in cycles, or in ns where there are none; between
 * two points of its ladder where it has none of its own. NAN beyond them. */
double tlb_packed(const struct series *packed, double pages);
/* What the spread chain of point i takes longer. */
double tlb_cost(const struct series *spread, const struct series *packed, size_t i);
/* Index of the first of three points in a row (or of fewer at the end) beyond point `from` at which
 * translation costs more than at points `from` to from + 2, by more than `least` and by a quarter;
 * the series' length: there are none. Further out, where neighbours shrink a shared cache, both
 * chains may take anything. */
size_t tlb_departure(const struct series *spread, const struct series *packed, size_t from,
                     double least);

/* How many neighbouring pages share an entry: then one page a group departs earlier, and how much
 * is a power of two. On a shared TLB or with odd sets the ladders can't tell, and it is 1. */
unsigned tlb_shared(const struct series *spread, const struct series *sparse,
                    const struct series *packed);

/* Adds the findings. ERROR_SYSTEM without memory. */
int findings_tlb(struct probe_result *, struct pool *, const struct tlb_evidence *, struct error *);

#endif
