/*
 * What the texts of the kernels have in common; for src/measure/gpu/ptx*.c alone.
 */
#ifndef FATHOM_MEASURE_GPU_PTX_WRITE_H
#define FATHOM_MEASURE_GPU_PTX_WRITE_H

#include "measure/gpu/ptx/ptx.h"

#include <stdbool.h>

/* Where a chase is, in registers that the load names. */
struct ptx_place {
    const char *enter; /* from the parameter `start` */
    const char *guard; /* sets %k, which needs the last load, to false */
    const char *leave; /* to %last, from which the next launch can start */
};

struct ptx_chase {
    enum gpu_path path;
    unsigned width_bits;
    const struct ptx_place *place;
    const char *load; /* from one place to the next */
    const char *warm; /* the loads that are not timed, where they are others; else NULL */
};

struct ptx_stream {
    enum gpu_traffic traffic;
    enum gpu_path path;
    bool each; /* every block goes over all of it */
    const char *load, *store;
};

/* Copies lines, with `dollar` in the place of every `$`. */
void ptx_put(FILE *, const char *lines, const char *dollar);
/* An entry up to its registers, which are the same in all; and its end, at the label DONE. */
void ptx_open(FILE *, const struct ptx_kernel *);
void ptx_close(FILE *);
/* The clocks, and after the second reading the lines that set %last, and all results at %out. */
void ptx_before(FILE *);
void ptx_after(FILE *, const char *lines);
/* The first thread of a block goes on; then one block, on the multiprocessor asked for. The others
 * go to DONE. */
void ptx_alone(FILE *);
void ptx_claim(FILE *);
/* From the place that was entered to the results. */
void ptx_follow(FILE *, const struct ptx_chase *);

/* Each kind of kernel; what `how` is. */
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
