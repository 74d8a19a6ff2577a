/*
 * The timed loops for AArch64, in assembly. See x86_64/loops.h for what each one is.
 */
#ifndef FATHOM_KERNELS_LOOPS_H
#define FATHOM_KERNELS_LOOPS_H

#include <stdint.h>

#define CHASE_STEPS 64
static inline void *loops_chase(void *position, uint64_t repeats)
{
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "ldr %0, [%0]\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(position), "+r"(repeats)
                     :
                     : "cc", "memory");
    return position;
}

#define ADDITION_STEPS 64
static inline uint64_t loops_additions(uint64_t value, uint64_t repeats)
{
    const uint64_t one = 1;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "add %0, %0, %2\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(value), "+r"(repeats)
                     : "r"(one)
                     : "cc");
    return value;
}

/* Load-exclusive and store-exclusive without ordering, which every ARMv8 has. */
#define CAS_ORDER "ldxr and stxr (relaxed)"
static inline void loops_cas(uint32_t *flag, uint32_t expected, uint32_t desired, uint64_t repeats)
{
    uint32_t seen, failed;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "ldxr %w1, [%3]\n\t"
                     "cmp %w1, %w4\n\t"
                     "b.ne 1b\n\t"
                     "stxr %w2, %w5, [%3]\n\t"
                     "cbnz %w2, 1b\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(repeats), "=&r"(seen), "=&r"(failed)
                     : "r"(flag), "r"(expected), "r"(desired)
                     : "cc", "memory");
}

#define READWRITE_ORDER "ldar and stlr (acquire and release)"
static inline uint32_t loops_write_then_wait(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "add %w0, %w0, #1\n\t"
                     "stlr %w0, [%3]\n"
                     "2:\n\t"
                     "ldar %w2, [%4]\n\t"
                     "cmp %w2, %w0\n\t"
                     "b.ne 2b\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(last), "+r"(repeats), "=&r"(seen)
                     : "r"(mine), "r"(theirs)
                     : "cc", "memory");
    return last;
}

static inline uint32_t loops_wait_then_write(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "add %w0, %w0, #1\n"
                     "2:\n\t"
                     "ldar %w2, [%4]\n\t"
                     "cmp %w2, %w0\n\t"
                     "b.ne 2b\n\t"
                     "stlr %w0, [%3]\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(last), "+r"(repeats), "=&r"(seen)
                     : "r"(mine), "r"(theirs)
                     : "cc", "memory");
    return last;
}

#endif
