/*
 * What address translation costs and how far each TLB reaches, from two chases over the same number
 * of lines, one line a page and packed: what the spread one takes longer is translation.
 *
 * Findings, for pages of 4 KiB: "dtlb1.4K.entries"; "dtlb2.4K.hit", what an access takes longer
 * that the first level misses, and "dtlb2.4K.walk", one that the second level misses too;
 * "dtlb2.4K.entries". Where no number can be trusted, the finding has none and says why;
 * "dtlb1.4K.onset" then says where the first level's costs begin, between two rungs of the ladder.
 * "dtlb.2M.as.4K" is the share of memory on pages of 2 MiB that is translated as pages of 4 KiB
 * are.
 */
#ifndef FATHOM_CONCLUDE_TRANSLATION_TLB_H
#define FATHOM_CONCLUDE_TRANSLATION_TLB_H

#include "document/document.h"

struct tlb_evidence {
    const char *page;        /* as in the findings' names: "4K", "2M" */
    bool second_level;       /* it was measured */
    const char *unavailable; /* why pages of this size were not measured; NULL: they were */
    /* Both over the same ascending numbers of pages: a ladder over the whole range. */
    const struct series *spread, *packed;
    /* The spread chase around the second level's end; NULL: no end was found. */
    const struct series *fine_spread;
    /* The most pages that the first level, and the second, translates, by trial: a point for each
     * trial that found a number. NULL: no end was found. */
    const struct series *first, *second;
    size_t first_trials,
        second_trials; /* all trials that ran there, also those that found no number */
    /* A chase with one line in each small-page-sized piece of these pages, one with a line on each
     * small page, and one packed on small pages. NULL: not measured. */
    const struct series *pieces, *piece_spread, *piece_packed;
    const char *piece; /* "4K" */
    /* How many pages one entry of the first level covers where memory is contiguous; 1 where each
     * page takes an entry of its own. */
    unsigned shared;
};

/* All page sizes, as findings name them, ascending. */
enum { TLB_PAGES = 7 };
extern const struct tlb_page {
    const char *name;
    uint64_t bytes;
} tlb_pages[TLB_PAGES];

/* The finding that pages of that size (an index) are translated like smaller ones, whose index is
 * left in *piece, by more than noise explains; its value is the share. NULL: they are not, or this
 * was not measured. */
const struct finding *tlb_split_of(const struct document *, size_t page, size_t *piece);

/* The least that a miss of the first level costs, in cycles: no second level is nearer. */
extern const double tlb_least_cost;

/* The packed chase's latency at the lines of `pages` pages, in cycles, or in ns where there are no
 * cycles; interpolated between two points of its ladder. NAN beyond the ladder. */
double tlb_packed(const struct series *packed, double pages);
/* What the spread chase takes longer at point i. */
double tlb_cost(const struct series *spread, const struct series *packed, size_t i);
/* Index of the first of three points in a row (or of fewer at the end) beyond point `from` at which
 * translation costs more than at points `from` to from + 2, by more than `least` and by a quarter;
 * the series' length: there are none. Further out, where neighbours take parts of a shared cache,
 * either chase may take any time. */
size_t tlb_departure(const struct series *spread, const struct series *packed, size_t from,
                     double least);

/* How many neighbouring pages share an entry: if they do, a chase over one page of each group
 * departs earlier, by a power of two. On a shared TLB or with an odd number of sets the ladders
 * can't show it, and the result is 1. */
unsigned tlb_shared(const struct series *spread, const struct series *sparse,
                    const struct series *packed);

/* Adds the findings. */
void findings_tlb(struct probe_result *, struct pool *, const struct tlb_evidence *);

#endif
