/*
 * Several chases at once for x86-64, in assembly. A round is a step of every chain.
 *
 * Three of the sixteen registers hold the stack pointer, the address of the chains in memory and
 * the counter. Thirteen chains fit the others. Where there are more, one register serves all chains
 * in memory; it is renamed for each, so they do not wait for one another.
 */
#pragma once

#include <stdint.h>

#define CHAINS_REGISTERS 13

/* The step for each chain that lives in a register: `at` is its offset in memory, `r` its
 * register. */
#define CHAINS_EACH(n, step)                                                                       \
    ".set at, 0\n"                                                                                 \
    ".irp r, rax,rbx,rcx,rdx,rbp,r8,r9,r10,r11,r12,r13,r14,r15\n\t"                                \
    ".if (at < 8 * " #n ") && ((" #n " <= 13) || (at < 8 * 12))\n\t" step ".endif\n\t"             \
    ".set at, at + 8\n"                                                                            \
    ".endr\n"

/* The step for each chain in memory, from the thirteenth on. */
#define CHAINS_OTHERS(n)                                                                           \
    ".if " #n " > 13\n\t"                                                                          \
    ".set at, 8 * 12\n\t"                                                                          \
    ".rept " #n " - 12\n\t"                                                                        \
    "mov at(%%rdi), %%r15\n\t"                                                                     \
    "mov (%%r15), %%r15\n\t"                                                                       \
    "mov %%r15, at(%%rdi)\n\t"                                                                     \
    ".set at, at + 8\n\t"                                                                          \
    ".endr\n\t"                                                                                    \
    ".endif\n"

#define CHAINS_LOOP(n, rounds, positions, repeats)                                                 \
    __asm__ volatile(CHAINS_EACH(n, "mov at(%%rdi), %%\\r\n\t") /* all are loaded */               \
                     ".p2align 6\n"                                                                \
                     "1:\n\t"                                                                      \
                     ".rept " #rounds "\n\t" CHAINS_EACH(n, "mov (%%\\r), %%\\r\n\t")              \
                         CHAINS_OTHERS(n) ".endr\n\t"                                              \
                                          "dec %%rsi\n\t"                                          \
                                          "jnz 1b\n" CHAINS_EACH(n, "mov %%\\r, at(%%rdi)\n\t")    \
                     : "+S"(repeats)                                                               \
                     : "D"(positions)                                                              \
                     : "rax", "rbx", "rcx", "rdx", "rbp", "r8", "r9", "r10", "r11", "r12", "r13",  \
                       "r14", "r15", "cc", "memory")

static inline uint64_t loops_iterations(uint64_t x, uint64_t iterations)
{
    uint64_t y = x, z = x, half, high;
    __asm__ volatile("1:\n\t"
                     "mov %[x], %[half]\n\t"
                     "shr %[half]\n\t"
                     "add %[half], %[x]\n\t"
                     "mul %[x]\n\t"
                     "mov %[high], %[y]\n\t"
                     "add %[high], %[z]\n\t"
                     "dec %[left]\n\t"
                     "jnz 1b"
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
        "1:\n\t"
        "mov %[x], %[half]\n\t"
        "shr %[half]\n\t"
        "add %[half], %[x]\n\t"
        "mulx %[x], %[half], %[y]\n\t"
        "add %[y], %[z]\n\t"
        "dec %[left]\n\t"
        "jnz 1b"
        : [x] "+r"(x), [y] "+d"(y), [z] "+r"(z), [half] "=&r"(half), [left] "+r"(iterations)
        :
        : "cc");
    return z;
}

#define CHAINS_WORK_BYTES 3 /* of an addition */
#define CHAINS_WORK_ENTER                                                                          \
    "lea 3f(%%rip), %[entry]\n\t"                                                                  \
    "sub %[skip], %[entry]\n\t"
#define CHAINS_WORK_TURN                                                                           \
    "mov (%[at]), %[pointer]\n\t"                                                                  \
    "mov (%[pointer]), %[pointer]\n\t"                                                             \
    "mov %[pointer], (%[at])\n\t"                                                                  \
    "add $8, %[at]\n\t"                                                                            \
    "cmp %[end], %[at]\n\t"                                                                        \
    "cmove %[begin], %[at]\n\t"
#define CHAINS_WORK_AHEAD                                                                          \
    "mov (%[ahead]), %[sum]\n\t"                                                                   \
    "prefetcht0 (%[sum])\n\t"                                                                      \
    "add $8, %[ahead]\n\t"                                                                         \
    "cmp %[end], %[ahead]\n\t"                                                                     \
    "cmove %[begin], %[ahead]\n\t"
#define CHAINS_WORK_JUMP "mov %[pointer], %[sum]\n\tjmp *%[entry]\n"
#define CHAINS_WORK_STEP "add %[begin], %[sum]\n\t"

#include "measure/kernels/assembled/chains_loops.h"
