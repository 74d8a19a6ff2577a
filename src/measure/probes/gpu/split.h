/*
 * How a multiprocessor's first-level memory is split into L1 and scratchpad. A kernel may ask for a
 * share of the scratchpad (the carve-out), and gets the next larger of the splits that its
 * architecture has.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_SPLIT_H
#define FATHOM_MEASURE_PROBES_GPU_SPLIT_H

#include "base/pool.h"
#include "document/document.h"

enum { GPU_SPLITS_MOST = 16 };

struct gpu_split {
    uint64_t l1_bytes; /* that it leaves; 0: unknown */
    int carve_out;     /* of struct gpu_work; -1: as the driver splits it */
};

/* What the driver does by itself for a kernel that needs no scratchpad: all that can be L1 is. */
struct gpu_split gpu_split_default(const struct gpu_facts *);

/* Leaves with ERROR_USAGE where the text is none of --l1 on any device. */
void gpu_split_check(const char *text, struct pool *);

/* The splits that a text asks for (of --l1): a size of L1 ("64K"), per cent of all first-level
 * memory ("50", "50%"), or "sweep": every split there is. Returns how many, at most
 * GPU_SPLITS_MOST; leaves with ERROR_USAGE naming --l1, the device and what it can do. */
size_t gpu_splits_parse(const char *text, const struct gpu_facts *, struct gpu_split *,
                        struct pool *);

#endif
