/* The accesses of traffic for AArch64. See measure/kernels/assembled/inject_loops.h. */
#pragma once

#define INJECT_FORWARD                                                                             \
    "add %[position], %[position], %[step]\n\t"                                                    \
    "and %[at], %[mask], %[position]\n\t"
#define INJECT_ANYWHERE                                                                            \
    "mul %[position], %[position], %[factor]\n\t"                                                  \
    "add %[position], %[position], %[increment]\n\t"                                               \
    "and %[at], %[mask], %[position], lsr #24\n\t"

enum { INJECT_WRITE_BYTES = 64 };

#define INJECT_READ "ldr %[at], [%[memory], %[at]]\n\t"
#define INJECT_MODIFY                                                                              \
    "ldr %[left], [%[memory], %[at]]\n\t"                                                          \
    "add %[left], %[left], #1\n\t"                                                                 \
    "str %[left], [%[memory], %[at]]\n\t"
/* A whole line, with the hint that it is not used again. */
#define INJECT_WRITE                                                                               \
    "add %[at], %[memory], %[at]\n\t"                                                              \
    "stnp %[delay], %[delay], [%[at]]\n\t"                                                         \
    "stnp %[delay], %[delay], [%[at], #16]\n\t"                                                    \
    "stnp %[delay], %[delay], [%[at], #32]\n\t"                                                    \
    "stnp %[delay], %[delay], [%[at], #48]\n\t"
#define INJECT_PAUSE "mov %[left], %[delay]\n"

#include "measure/kernels/assembled/inject_loops.h"
