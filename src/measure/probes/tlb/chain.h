/*
 * Chains of lines on pages: the same number of lines, one a page or packed together, in a random
 * order.
 */
#ifndef FATHOM_MEASURE_PROBES_TLB_CHAIN_H
#define FATHOM_MEASURE_PROBES_TLB_CHAIN_H

#include <stddef.h>
#include <stdint.h>

enum tlb_layout {
    TLB_PACKED, /* lines side by side, on as few pages as hold them */
    TLB_SPREAD, /* a line on each of some pages that lie side by side */
    /* A line on one page of each aligned group of TLB_GROUP. Some cores let neighbouring pages
     * that are also neighbours in physical memory share an entry (AMD since Zen: four of 4 KiB),
     * and then this is what an entry holds. Which page of the group it is rotates with the digits
     * of the group's number, so that the pages fall evenly on the sets of a TLB that is indexed by
     * the low bits of the page number, as consecutive ones do. */
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

/* Bytes that a chain takes of `memory`. */
size_t tlb_chain_bytes(const struct tlb_chain *);
/* Where the i-th line lies: an offset into `memory`. */
size_t tlb_chain_offset(const struct tlb_chain *, size_t i);
/* Links all lines into one random cycle and returns the first. */
void *tlb_chain_build(const struct tlb_chain *);

#endif
