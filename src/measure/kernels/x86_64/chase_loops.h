/*
 * The chases for x86-64, in assembly. A repeat is CHASE_STEPS steps; a step is what each loop's
 * `.rept` holds and nothing else.
 */
#ifndef FATHOM_MEASURE_KERNELS_X86_64_CHASE_LOOPS_H
#define FATHOM_MEASURE_KERNELS_X86_64_CHASE_LOOPS_H

#include <stdint.h>

#define CHASE_STEPS 64
/* Loads may lie across the end of a line or a page. */
#define CHASE_STRADDLES 1

/* One load a step. */
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

/* The pointer lives on the stack: it is reloaded before each step and stored after it. */
static inline void *loops_chase_spilled(void *position, uint64_t repeats)
{
    void *scratch;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 64\n\t"
                     "mov %0, %2\n\t"
                     "mov (%2), %2\n\t"
                     "mov %2, %0\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+m"(position), "+r"(repeats), "=&r"(scratch)
                     :
                     : "cc", "memory");
    return position;
}

/* Each element's second word is written once its first is there: the line becomes dirty, and the
 * chain still goes through the loads alone. Two steps take turns with two registers. */
static inline void *loops_chase_modify(void *position, uint64_t repeats)
{
    void *next;
    __asm__ volatile(".p2align 6\n"
                     "1:\n\t"
                     ".rept 32\n\t"
                     "mov (%0), %2\n\t"
                     "mov %2, 8(%0)\n\t"
                     "mov (%2), %0\n\t"
                     "mov %0, 8(%2)\n\t"
                     ".endr\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(position), "+r"(repeats), "=&r"(next)
                     :
                     : "cc", "memory");
    return position;
}

/* By index. An element of 8 bytes fits the address mode; a larger one costs a shift. */
#define INDEX_STEP_8      "mov (%2,%0,8), %0\n\t"
#define INDEX_STEP(shift) "shl $" #shift ", %0\n\tmov (%2,%0), %0\n\t"
#define INDEX_STEP_64     INDEX_STEP(6)
#define INDEX_STEP_128    INDEX_STEP(7)
#define INDEX_STEP_256    INDEX_STEP(8)

/* With a check before each access, as a safe language has it: an index that is out of bounds ends
 * the loop. */
#define CHECK_STEP "cmp %3, %0\n\tjae 2f\n\t"

#define INDEX_LOOP(name, step)                                                                     \
    static inline uint64_t name(const void *base, uint64_t count, uint64_t index,                  \
                                uint64_t repeats)                                                  \
    {                                                                                              \
        __asm__ volatile(".p2align 6\n"                                                            \
                         "1:\n\t"                                                                  \
                         ".rept 64\n\t" step ".endr\n\t"                                           \
                         "dec %1\n\t"                                                              \
                         "jnz 1b\n"                                                                \
                         "2:"                                                                      \
                         : "+r"(index), "+r"(repeats)                                              \
                         : "r"(base), "r"(count)                                                   \
                         : "cc", "memory");                                                        \
        return index;                                                                              \
    }

#endif
