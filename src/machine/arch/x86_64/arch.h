/* x86-64: the time-stamp counter. See Intel SDM vol. 3B, 18.17 and vol. 2B, RDTSC/LFENCE. */
#ifndef FATHOM_ARCH_H
#define FATHOM_ARCH_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

#define ARCH_NAME         "x86_64"
#define ARCH_COUNTER_NAME "tsc"
#define ARCH_LINE_BYTES   64u

/* LFENCE on both sides: RDTSC waits for all earlier loads to have their value (the last step of a
 * chase) and no later instruction begins before it. */
static inline uint64_t arch_counter(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Invariant TSC: CPUID 8000_0007H EDX bit 8. */
static inline bool arch_counter_usable(void)
{
    unsigned a, b, c, d;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) && (d & 1u << 8);
}

static inline void arch_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

#endif
