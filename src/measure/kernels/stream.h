/*
 * Streams: a loop passes through up to three arrays of doubles at the same time, as in STREAM
 * (McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", 1995). A
 * step handles the same bytes of each array. Each run goes on where the last one stopped.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>

/* What a loop does with its arrays `to`, `from` and `with`. */
enum stream_op {
    STREAM_READ,     /* from is loaded */
    STREAM_WRITE,    /* to = factor */
    STREAM_WRITE_NT, /* the same past the caches */
    STREAM_COPY,     /* to = from */
    STREAM_COPY_NT,  /* the same, stored past the caches */
    STREAM_SCALE,    /* to = factor * from */
    STREAM_ADD,      /* to = from + with */
    STREAM_TRIAD,    /* to = from + factor * with */
    STREAM_TRIAD_NT, /* the same, stored past the caches */
    STREAM_OPS
};
extern const char *const stream_op_names[STREAM_OPS + 1]; /* "read", "write_nt", ..., NULL */

/* Bits of one load or store, the narrowest first. */
enum stream_width {
    STREAM_SCALAR,
    STREAM_128,
    STREAM_256,
    STREAM_512,
    STREAM_SVE, /* as wide as this processor's vectors are */
    STREAM_WIDTHS
};
extern const char *const stream_width_names[STREAM_WIDTHS + 1]; /* "scalar", "128", ..., NULL */

enum { STREAM_STEP_BYTES = 256, STREAM_LINE_BYTES = 64 };
extern const double stream_factor;

/* One kernel has two loops: `run` takes consecutive steps of STREAM_STEP_BYTES, `run_lines` takes
 * steps of one line of STREAM_LINE_BYTES, struct stream's `stride` apart. A repeat is one step.
 * `loads` and `stores` count arrays, so a step moves (loads + stores) times its bytes: all rates
 * count bytes in this way. */
struct stream_kernel {
    enum stream_op op;
    enum stream_width width;
    unsigned loads, stores;
    bool past_caches; /* stores bypass the caches and do not fetch the line first */
    kernel_function *run, *run_lines;
};
/* NULL where there is none: then `*missing`, if `missing` is not NULL, says what the processor
 * lacks. */
const struct stream_kernel *stream_find(enum stream_op, enum stream_width, const char **missing);
/* The widest that this processor does in one piece: it moves the most bytes. */
enum stream_width stream_usual_width(void);

/* The order of accesses to the arrays: runs of steps, in turn or in random order. */
enum stream_pattern {
    STREAM_SEQUENTIAL,
    STREAM_STRIDED,      /* one line every `bytes` bytes, then the lines after these, and so on */
    STREAM_RANDOM_BLOCK, /* blocks of `bytes` in random order, each from its front to its end */
};
struct stream_access {
    enum stream_pattern pattern;
    uint64_t bytes; /* a multiple of STREAM_LINE_BYTES that divides the arrays' size */
};

/* The state of a kernel. */
struct stream {
    unsigned char *to;
    const unsigned char *from, *with;
    uint64_t stride, steps;   /* of a run */
    uint64_t runs, run_bytes; /* number of runs, and the distance between their beginnings */
    uint64_t factor,
        increment;          /* the next run is run * factor + increment, which visits all runs */
    uint64_t run, at, left; /* the current run, the byte offset in the arrays, and the steps left
                               in the run */
};

/* Bytes that `arrays` arrays of `array_bytes` each take, with the gaps between them. */
uint64_t stream_extent(unsigned arrays, uint64_t array_bytes);
/* Lays the kernel's arrays out in memory aligned to a page and begins at the front (in random
 * order: at any block). Returns the kernel's loop for this access, and in `*steps` the number of
 * repeats that pass once over all arrays. */
kernel_function *stream_lay_out(struct stream *, const struct stream_kernel *,
                                unsigned char *memory, uint64_t array_bytes,
                                const struct stream_access *, uint64_t seed, uint64_t *steps);
/* Bytes that a repeat of that access moves. */
uint64_t stream_step_bytes(const struct stream_kernel *, const struct stream_access *);
