/*
 * What address translation costs and how far each TLB reaches, from chains of the same number of
 * lines spread one a page and packed: what the spread one takes longer is translation.
 *
 * Findings, for pages of 4 KiB: "dtlb1.4K.entries"; "dtlb2.4K.hit", what an access takes longer
 * that the first level misses, and "dtlb2.4K.walk", one that the second level misses too;
 * "dtlb2.4K.entries". Where there is no number to trust, a finding has none and says why.
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
    /* What an entry of the first level reaches when memory is contiguous: pages; 1 where each page
     * takes one of its own. */
    unsigned shared;
};

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

/* Adds the findings. ERROR_SYSTEM without memory. */
int findings_tlb(struct probe_result *, struct pool *, const struct tlb_evidence *, struct error *);

#endif
