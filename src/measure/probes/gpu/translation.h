/*
 * What the two files of the GPUs' translation experiment share: translation.c plans the chains,
 * translation_curves.c reads them.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_TRANSLATION_H
#define FATHOM_MEASURE_PROBES_GPU_TRANSLATION_H

#include "conclude/levels/curve/levels.h"
#include "measure/probes/gpu/gpu.h"

enum { TRANSLATION_STRIDES = 10, TRANSLATION_TLBS_MOST = 3 };
/* From one power of two to the next of a chain's lines. */
enum { TRANSLATION_LINES_LEAST = 4, TRANSLATION_LINES_MOST = 16384, TRANSLATION_PER_OCTAVE = 3 };
extern const uint64_t translation_strides[TRANSLATION_STRIDES]; /* ascending */

struct translation_state {
    int spread[TRANSLATION_STRIDES], packed; /* series; -1: none */
    uint64_t memory;                         /* the most that a chain spans */
};

/* What the curve of one stride says, less what the packed one does. */
struct translation_reading {
    struct found_levels levels; /* their latencies differ as the curve's do */
    bool cycles;                /* not ns */
    unsigned flags;
};

/* Reads all strides' curves; a stride without one has no levels. ERROR_SYSTEM without memory. */
int translation_read(struct gpu_task *, struct translation_reading[TRANSLATION_STRIDES],
                     struct error *);
/* The largest stride within an entry of TLB `tlb` (counted from 0): the last at which its reach is
 * still that of the smallest. TRANSLATION_STRIDES: no curve shows that TLB's end. */
size_t translation_widest(const struct translation_reading[TRANSLATION_STRIDES], size_t tlb);
int translation_conclude(struct gpu_task *, struct error *);

#endif
