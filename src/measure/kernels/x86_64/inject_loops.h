/* The accesses of traffic for x86-64. See measure/kernels/assembled/inject_loops.h. */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_INJECT_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_INJECT_LOOPS_H

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

#define INJECT_READ   "mov (%[memory],%[at]), %[at]\n\t"
#define INJECT_MODIFY "incq (%[memory],%[at])\n\t"
#define INJECT_PAUSE  "mov %[delay], %[left]\n"

#include "measure/kernels/assembled/inject_loops.h"

#endif
