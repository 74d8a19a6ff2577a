/*
 * What the system does with pages: an access to each page of a region, or a system call on parts of
 * it. A repeat is the whole region, once; what is timed is one of the actions below, and what
 * brings the region back to where it was is one of the restores (trial->restore).
 *
 * A region and a twin are the state's own, and outlive a recall: pages_release() gives them back.
 */
#ifndef FATHOM_MEASURE_KERNELS_PAGES_H
#define FATHOM_MEASURE_KERNELS_PAGES_H

#include "machine/pages.h"
#include "measure/kernels/kernel.h"

struct pages {
    unsigned char *memory; /* `bytes` of that kind; NULL: none is mapped */
    size_t bytes, step;    /* of the region; from one page that is accessed to the next */
    size_t call_bytes;     /* of each system call: a part of the region, whole pages */
    enum pages_kind kind;
    int twin;         /* 0: there is none */
    unsigned refused; /* calls that the system refused: what was measured then is something else */
};

enum pages_action {
    PAGES_TOUCH,    /* a store to each page */
    PAGES_LOOK,     /* a load from each */
    PAGES_CLEAR,    /* each is filled with zeros */
    PAGES_POPULATE, /* one call maps and fills all of the region */
    PAGES_UNMAP,    /* munmap() of call_bytes after call_bytes */
    PAGES_DISCARD,  /* madvise(MADV_DONTNEED), in the same way */
    PAGES_ACTIONS
};
extern kernel_function *const pages_kernels[PAGES_ACTIONS];

enum pages_restore {
    PAGES_FRESH,   /* mapped anew and not touched */
    PAGES_FILLED,  /* mapped anew and touched */
    PAGES_KEPT,    /* touched before */
    PAGES_DROPPED, /* touched before, but no longer translated: shared memory */
    PAGES_TWINNED, /* as PAGES_FILLED, and then shared with a copy of this process */
    PAGES_RESTORES
};
extern kernel_function *const pages_restores[PAGES_RESTORES];

/* Works on memory that stays: its state is a struct pages_beside. A repeat loads from each page. */
struct pages_beside {
    unsigned char *memory;
    uint64_t step, count;
};
kernel_function pages_beside_run;

/* Gives back what the state owns. */
void pages_release(struct pages *);

#endif
