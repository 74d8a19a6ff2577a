/*
 * Sides of a second-level cache, from a matrix of lines and multiprocessors (distance.c).
 *
 * Two multiprocessors are as near to each other as the lines that are near to both, of which there
 * are none where they sit on two sides. So the matrix gives one of multiprocessors alone, and its
 * groups are the sides. A line is on the side from which it is nearest.
 */
#ifndef FATHOM_MEASURE_PROBES_GPU_SIDES_H
#define FATHOM_MEASURE_PROBES_GPU_SIDES_H

#include "measure/probes/gpu/findings.h"

struct gpu_sides {
    struct gpu_task *task;
    size_t multiprocessors, lines;
    const size_t *line;        /* number of each, ascending */
    const struct point **cell; /* [lines][multiprocessors]; NULL: no value */
    int *of_line;              /* its side; -1: none */
    int *of;                   /* a multiprocessor's */
    size_t count;              /* of sides; 0: none */
};

/* Reads the sides off a matrix whose rows are lines and whose columns are multiprocessors. All of
 * it lies in the pool. ERROR_SYSTEM without memory. */
int gpu_sides_find(struct gpu_sides *, struct gpu_task *, const struct series *, struct error *);
/* Adds the matrix's cells whose line and multiprocessor are on the same side (that one, or any:
 * -1), or on two. */
int gpu_sides_gather(const struct gpu_sides *, bool near, int only, struct gpu_points *,
                     struct error *);
/* "multiprocessors 0-65 are near to 7 of the 16 lines looked at"; NULL without memory. */
const char *gpu_sides_text(const struct gpu_sides *, int side);
/* The first multiprocessor of a side; -1: it has none. */
int gpu_sides_first(const struct gpu_sides *, int side);

#endif
