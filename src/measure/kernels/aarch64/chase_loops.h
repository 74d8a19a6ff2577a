/*
 * The chases for AArch64, in assembly. See x86_64/chase_loops.h for what each one is.
 */
#ifndef FATHOM_MEASURE_KERNELS_AARCH64_CHASE_LOOPS_H
#define FATHOM_MEASURE_KERNELS_AARCH64_CHASE_LOOPS_H

#include <stdint.h>

#define CHASE_STEPS     64
#define CHASE_STRADDLES 1

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

static inline void *loops_chase_spilled(void *position, uint64_t repeats)
{
    void *scratch;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "ldr %2, %0\n\t"
                     "ldr %2, [%2]\n\t"
                     "str %2, %0\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+m"(position), "+r"(repeats), "=&r"(scratch)
                     :
                     : "cc", "memory");
    return position;
}

static inline void *loops_chase_modify(void *position, uint64_t repeats)
{
    void *next;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 32\n\t"
                     "ldr %2, [%0]\n\t"
                     "str %2, [%0, #8]\n\t"
                     "ldr %0, [%2]\n\t"
                     "str %0, [%2, #8]\n\t"
                     ".endr\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(position), "+r"(repeats), "=&r"(next)
                     :
                     : "cc", "memory");
    return position;
}

#define INDEX_STEP_8      "ldr %0, [%3, %0, lsl #3]\n\t"
#define INDEX_STEP(shift) "add %2, %3, %0, lsl #" #shift "\n\tldr %0, [%2]\n\t"
#define INDEX_STEP_64     INDEX_STEP(6)
#define INDEX_STEP_128    INDEX_STEP(7)
#define INDEX_STEP_256    INDEX_STEP(8)

#define CHECK_STEP "cmp %0, %4\n\tb.hs 2f\n\t"

#define INDEX_LOOP(name, step)                                                                     \
    static inline uint64_t name(const void *base, uint64_t count, uint64_t index,                  \
                                uint64_t repeats)                                                  \
    {                                                                                              \
        uint64_t address;                                                                          \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t"                                           \
                         "subs %1, %1, #1\n\t"                                                     \
                         "b.ne 1b\n"                                                               \
                         "2:"                                                                      \
                         : "+r"(index), "+r"(repeats), "=&r"(address)                              \
                         : "r"(base), "r"(count)                                                   \
                         : "cc", "memory");                                                        \
        return index;                                                                              \
    }

#endif
