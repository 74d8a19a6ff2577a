/*
 * Generated code, by which the instruction side is measured: chains of jumps at a fixed distance
 * and straight-line code of instructions of one length. The last branch of a repeat counts the
 * repeats and goes back to the first instruction, so that a chain of n jumps has n taken branches a
 * repeat.
 *
 * The code is written while its memory can be written and not executed, and run while it can be
 * executed and not written. Which instructions there are is the architecture's.
 */
#pragma once

#include "measure/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>

enum front_kind { FRONT_JUMPS, FRONT_PLAIN };

struct front_code {
    enum front_kind kind;
    bool random;      /* jumps go to one another in random order, not in that of addresses */
    bool sparse;      /* every second page of FRONT_PAGE bytes stays empty */
    size_t count;     /* taken branches, or instructions that do nothing, in a repeat; from 2 on */
    size_t each;      /* bytes from one to the next: FRONT_LEAST or more between jumps */
    uint64_t seed;    /* of the random order */
    uint32_t *places; /* of a random order: room for `count` numbers, used while it is written */
    bool kept;        /* not on fresh pages: large ones take longer to clear than a trial */
};

/* The smallest pages, and bytes of the branch that ends a repeat, and of all code behind the last
 * instruction. */
enum { FRONT_PAGE = 4096, FRONT_LEAST = 16 };

/* State of the kernel, and the memory of its code: whole pages that pages_map() gave. */
struct front {
    kernel_function *entry; /* set by front_make(); NULL: there is no code */
    unsigned char *memory;
    size_t bytes;
    struct front_code code;
};

/* Whether this architecture has instructions that do nothing of so many bytes; 0: whether code can
 * be generated for it at all. */
bool front_has(size_t bytes);
/* Bytes of memory that the code takes. */
size_t front_bytes(const struct front_code *);
/* Writes the code into the memory, on fresh pages unless they are kept. False, and no entry: the
 * system refuses memory that was written to be executed. May be left by a jump and called again. */
bool front_make(struct front *);

/* A repeat is the whole code once. State: struct front. */
kernel_function front_run;
