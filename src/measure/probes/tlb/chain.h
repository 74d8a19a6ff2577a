/*
 * Chains of lines in random order: the same number of lines, either one on each page or packed on
 * few pages.
 */
#ifndef FATHOM_MEASURE_PROBES_TLB_CHAIN_H
#define FATHOM_MEASURE_PROBES_TLB_CHAIN_H

#include <stddef.h>
#include <stdint.h>

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

#endif
