/*
 * The timed loops for x86-64, in assembly, so that a compiler's taste in registers and alignment
 * never shows in a figure.
 */
#ifndef FATHOM_KERNELS_LOOPS_H
#define FATHOM_KERNELS_LOOPS_H

#include <stdint.h>

/* `repeats` x CHASE_STEPS dependent loads; a step is one load and nothing else. */
#define CHASE_STEPS 64
static inline void *loops_chase(void *position, uint64_t repeats)
{
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "mov (%0), %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(position), "+r"(repeats)
                     :
                     : "cc", "memory");
    return position;
}

/* `repeats` x ADDITION_STEPS dependent additions, one cycle each. Register to register: recent
 * cores execute an addition of a small constant while renaming, in no time at all. */
#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    const uint64_t one = 1;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %2, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(one)
                     : "cc");
    return value;
}

/* `repeats` times: waits for `expected` in *flag and puts `desired` in its place by one locked
 * compare-and-swap. Memory order: LOCK makes each attempt sequentially consistent. */
#define CAS_ORDER "lock cmpxchg (sequentially consistent)"
static inline void loops_cas(uint32_t *flag, uint32_t expected, uint32_t desired, uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov %k2, %%eax\n\t"
                     "lock cmpxchg %k3, (%1)\n\t"
                     "jne 1b\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+r"(repeats)
                     : "r"(flag), "r"(expected), "r"(desired)
                     : "eax", "cc", "memory");
}

/* `repeats` times: writes the next number to *mine, then waits until *theirs shows it. Returns the
 * last number written. Plain moves are acquire and release on x86-64. */
#define READWRITE_ORDER "plain moves (acquire and release)"
static inline uint32_t loops_write_then_wait(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "inc %0\n\t"
                     "mov %0, (%2)\n"
                     "2:\n\t"
                     "mov (%3), %%eax\n\t"
                     "cmp %0, %%eax\n\t"
                     "jne 2b\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(last), "+r"(repeats)
                     : "r"(mine), "r"(theirs)
                     : "eax", "cc", "memory");
    return last;
}

/* The other side: waits until *theirs shows the next number, then writes it to *mine. */
static inline uint32_t loops_wait_then_write(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "inc %0\n"
                     "2:\n\t"
                     "mov (%3), %%eax\n\t"
                     "cmp %0, %%eax\n\t"
                     "jne 2b\n\t"
                     "mov %0, (%2)\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(last), "+r"(repeats)
                     : "r"(mine), "r"(theirs)
                     : "eax", "cc", "memory");
    return last;
}

#endif
