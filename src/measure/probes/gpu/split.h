/*
 * How a multiprocessor's first-level memory is split into L1 and scratchpad. A kernel may ask for a
 * scratchpad size (the carve-out), and gets the next larger one that its architecture offers.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_SPLIT_H
#define FATHOM_MEASURE_PROBES_GPU_SPLIT_H

#include "base/pool.h"
#include "document/document.h"

enum { GPU_SPLITS_MOST = 16 };

struct gpu_split {
    uint64_t l1_bytes; /* size of L1; 0: unknown */
    int carve_out;     /* for struct gpu_work; -1: the driver's choice */
};

/* The driver's choice for a kernel that needs no scratchpad: the largest L1. */
struct gpu_split gpu_split_default(const struct gpu_facts *);

/* Leaves with ERROR_USAGE if the text of --l1 is invalid on every device. */
void gpu_split_check(const char *text, struct pool *);

/* The splits that the text of --l1 asks for: a size of L1 ("64K"), per cent of all first-level
 * memory ("50", "50%"), or "sweep" for every split. Returns their number, at most GPU_SPLITS_MOST;
 * leaves with ERROR_USAGE naming --l1, the device and its possible sizes. */
size_t gpu_splits_parse(const char *text, const struct gpu_facts *, struct gpu_split *,
                        struct pool *);

#endif
