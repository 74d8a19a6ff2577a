/*
 * What the system does with pages: an access to each page of a region, or a system call on parts of
 * it. A repeat handles the whole region once. One of the actions below is timed; one of the
 * restores (trial->restore) then brings the region back to its earlier state.
 *
 * The state owns a region and a twin, which outlive a recall: pages_release() frees them.
 */
#pragma once

#include "machine/pages.h"
#include "measure/kernels/kernel.h"

struct pages {
    unsigned char *memory; /* `bytes` bytes of `kind`; NULL: none is mapped */
    size_t bytes, step;    /* size of the region; distance of pages that are accessed */
    size_t call_bytes;     /* per system call: whole pages */
    enum pages_kind kind;
    int twin;         /* process that shares the region; 0: there is none */
    unsigned refused; /* calls that the system refused: such a measurement is not valid */
};

enum pages_action {
    PAGES_TOUCH,    /* a store to each page */
    PAGES_LOOK,     /* a load from each */
    PAGES_CLEAR,    /* each is filled with zeros */
    PAGES_POPULATE, /* one call maps and fills all of the region */
    PAGES_UNMAP,    /* munmap(), call_bytes at a time */
    PAGES_DISCARD,  /* madvise(MADV_DONTNEED), in the same way */
    PAGES_ACTIONS
};
extern kernel_function *const pages_kernels[PAGES_ACTIONS];

enum pages_restore {
    PAGES_FRESH,   /* mapped anew and not touched */
    PAGES_FILLED,  /* mapped anew and touched */
    PAGES_KEPT,    /* touched before */
    PAGES_DROPPED, /* touched before, with its translations dropped: shared memory */
    PAGES_TWINNED, /* as PAGES_FILLED, and then shared with a copy of this process */
    PAGES_RESTORES
};
extern kernel_function *const pages_restores[PAGES_RESTORES];

/* A repeat loads from each page of memory that stays mapped. State: struct pages_beside. */
struct pages_beside {
    unsigned char *memory;
    uint64_t step, count;
};
kernel_function pages_beside_run;

/* Frees what the state owns. */
void pages_release(struct pages *);
