/*
 * Several chases at once for x86-64, in assembly. A round is a step of every chain.
 *
 * Three of the sixteen registers hold the stack pointer, the address of the chains in memory and
 * the counter. Thirteen chains fit the others. Where there are more, one register serves all chains
 * in memory; it is renamed for each, so they do not wait for one another.
 */
#pragma once

#include "steps.loops.h"

#include <stdint.h>

#define CHAINS_REGISTERS 13

#define CHAINS_LOOP(n, rounds, positions, repeats)                                                 \
    __asm__ volatile(CHAINS_EACH(#n, "mov at(%%rdi), %%\\r\n\t") /* all are loaded */              \
                     ".p2align 6\n"                                                                \
                     "1:\n\t"                                                                      \
                     ".rept " #rounds "\n\t" CHAINS_EACH(#n, "mov (%%\\r), %%\\r\n\t")             \
                         CHAINS_OTHERS(#n) ".endr\n\t"                                             \
                                           "dec %%rsi\n\t"                                         \
                                           "jnz 1b\n" CHAINS_EACH(#n, "mov %%\\r, at(%%rdi)\n\t")  \
                     : "+S"(repeats)                                                               \
                     : "D"(positions)                                                              \
                     : "rax", "rbx", "rcx", "rdx", "rbp", "r8", "r9", "r10", "r11", "r12", "r13",  \
                       "r14", "r15", "cc", "memory")

static inline uint64_t loops_iterations(uint64_t x, uint64_t iterations)
{
    uint64_t y = x, z = x, half, high;
    __asm__ volatile(ITERATIONS_LOOP
                     : [x] "+r"(x), [y] "+a"(y), [z] "+r"(z), [half] "=&r"(half),
                       [high] "=&d"(high), [left] "+r"(iterations)
                     :
                     : "cc");
    return z;
}

/* The same by an instruction that compilers take where they may (CPUID 7.0 EBX bit 8). */
#define LOOPS_HAVE_BMI2
static inline uint64_t loops_iterations_bmi2(uint64_t x, uint64_t iterations)
{
    uint64_t y = x, z = x, half;
    __asm__ volatile(
        ITERATIONS_BMI2_LOOP
        : [x] "+r"(x), [y] "+d"(y), [z] "+r"(z), [half] "=&r"(half), [left] "+r"(iterations)
        :
        : "cc");
    return z;
}

#define CHAINS_WORK_BYTES 3 /* of an addition */

#include "measure/kernels/assembled/chains_loops.h"
