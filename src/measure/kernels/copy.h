/*
 * Copying and filling memory, one call per repeat: by the C library, by the processor's string
 * instructions, by a plain loop of the widest vectors, and by one that stores past the caches. The
 * loops are those of measure/kernels/stream.h.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>

enum copy_method {
    COPY_MEMCPY,
    COPY_MEMMOVE,
    COPY_STRING,     /* rep movsb */
    COPY_LOOP,       /* vectors */
    COPY_PAST,       /* vectors, stored past the caches; a fence after each call */
    COPY_SET,        /* memset */
    COPY_SET_STRING, /* rep stosb */
    COPY_SET_LOOP,
    COPY_SET_PAST,
    COPY_METHODS
};
extern const char *const copy_method_names[COPY_METHODS + 1]; /* "memcpy", ..., NULL */

enum { COPY_STEP_BYTES = 256 }; /* what one step of a loop copies, aligned to a line */

/* The state. Calls go through `places` places in turn, `place_bytes` apart, and each run goes on
 * where the last one stopped. With one place all calls use the same memory. */
struct copy {
    unsigned char *to;
    const unsigned char *from;
    size_t bytes; /* of a call */
    size_t places, place_bytes;
    size_t place; /* index of the next call's place */
};

/* The method's kernel; NULL where there is none: then `*missing` says why. */
kernel_function *copy_find(enum copy_method, const char **missing);
/* Whether it only fills memory. */
bool copy_only_fills(enum copy_method);
/* Whether it takes any size and alignment; loops take only whole aligned steps. */
bool copy_takes_any(enum copy_method);
/* Bytes that a call loads and stores, as measure/kernels/stream.h counts them. */
uint64_t copy_counted(enum copy_method, uint64_t bytes);
