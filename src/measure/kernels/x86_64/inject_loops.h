/* The accesses of traffic for x86-64. See measure/kernels/assembled/inject_loops.h. */
#pragma once

/* Computes the next line's offset in %[at]. Forward: prefetchers can predict it. Anywhere: Knuth's
 * MMIX generator without its lowest 24 bits, because these repeat too soon. */
#define INJECT_FORWARD                                                                             \
    "add %[step], %[position]\n\t"                                                                 \
    "mov %[position], %[at]\n\t"                                                                   \
    "and %[mask], %[at]\n\t"
#define INJECT_ANYWHERE                                                                            \
    "imul %[factor], %[position]\n\t"                                                              \
    "add %[increment], %[position]\n\t"                                                            \
    "mov %[position], %[at]\n\t"                                                                   \
    "shr $24, %[at]\n\t"                                                                           \
    "and %[mask], %[at]\n\t"

enum { INJECT_WRITE_BYTES = 64 };

#define INJECT_READ   "mov (%[memory],%[at]), %[at]\n\t"
#define INJECT_MODIFY "incq (%[memory],%[at])\n\t"
/* A whole line past the caches: what it holds does not matter. */
#define INJECT_WRITE                                                                               \
    "add %[memory], %[at]\n\t"                                                                     \
    ".irp word,0,8,16,24,32,40,48,56\n\t"                                                          \
    "movnti %[delay], \\word(%[at])\n\t"                                                           \
    ".endr\n\t"
#define INJECT_PAUSE "mov %[delay], %[left]\n"

#include "measure/kernels/assembled/inject_loops.h"
