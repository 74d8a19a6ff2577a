/*
 * What the texts of the kernels share; only for src/measure/gpu/ptx.
 */
#ifndef FATHOM_MEASURE_GPU_PTX_WRITE_H
#define FATHOM_MEASURE_GPU_PTX_WRITE_H

#include "measure/gpu/ptx/ptx.h"

#include <stdbool.h>

/* Code for a chase's position, which is in the registers that the load names. */
struct ptx_place {
    const char *enter; /* sets the position from the parameter `start` */
    const char *guard; /* sets %k to false, by a comparison that needs the last load */
    const char *leave; /* sets %last to the position where the next launch can start */
};

struct ptx_chase {
    enum gpu_path path;
    unsigned width_bits;
    const struct ptx_place *place;
    const char *load; /* from one place to the next */
    const char *warm; /* the untimed loads; NULL: the same as `load` */
};

struct ptx_stream {
    enum gpu_traffic traffic;
    enum gpu_path path;
    bool each; /* every block moves all of the memory */
    const char *load, *store;
};

/* Copies lines, with every `$` replaced by `dollar`. */
void ptx_put(FILE *, const char *lines, const char *dollar);
/* Begin an entry, with the registers that all entries declare, and end it, at the label DONE. */
void ptx_open(FILE *, const struct ptx_kernel *);
void ptx_close(FILE *);
/* Read the clocks before and after the loads; ptx_after() then writes `lines`, which set %last, and
 * stores all results at %out. */
void ptx_before(FILE *);
void ptx_after(FILE *, const char *lines);
/* ptx_alone() lets only the first thread of a block continue, ptx_claim() only one block, on the
 * asked multiprocessor. The others go to DONE. */
void ptx_alone(FILE *);
void ptx_claim(FILE *);
/* Writes all code between ptx_place.enter and the results: untimed and timed loads. */
void ptx_follow(FILE *, const struct ptx_chase *);

/* One for each kind of kernel, with the type of its `how`. */
void ptx_write_chase(FILE *, const struct ptx_kernel *);   /* struct ptx_chase */
void ptx_write_rival(FILE *, const struct ptx_kernel *);   /* struct ptx_chase */
void ptx_write_shared(FILE *, const struct ptx_kernel *);  /* struct ptx_chase */
void ptx_write_warp(FILE *, const struct ptx_kernel *);    /* struct ptx_chase */
void ptx_write_cluster(FILE *, const struct ptx_kernel *); /* struct ptx_chase */
void ptx_write_stream(FILE *, const struct ptx_kernel *);  /* struct ptx_stream */
void ptx_write_link(FILE *, const struct ptx_kernel *);
void ptx_write_sweep(FILE *, const struct ptx_kernel *);
void ptx_write_empty(FILE *, const struct ptx_kernel *);

extern const struct ptx_place ptx_in_global, ptx_in_pairs, ptx_in_bank, ptx_at_index, ptx_at_texel,
    ptx_at_texel_or_index, ptx_in_shared, ptx_of_warp, ptx_in_cluster;

#endif
