/* x86-64: the time-stamp counter. See Intel SDM vol. 3B, 18.17 and vol. 2B, RDTSC/LFENCE. */
#pragma once

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

#define ARCH_NAME         "x86_64"
#define ARCH_COUNTER_NAME "tsc"
/* The counter's name in the kernel's list of clock sources, which has it while the kernel trusts
 * it. */
#define ARCH_CLOCK_SOURCE "tsc"
#define ARCH_LINE_BYTES   64u

/* LFENCE on both sides: RDTSC waits until all earlier loads have their values (the last step of a
 * chase), and no later instruction begins before it. */
static inline uint64_t arch_counter(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

/* Registers EAX, EBX, ECX and EDX of a leaf; false if the processor has no such leaf. */
static inline bool arch_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    return __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2],
                             &registers[3]);
}

/* A bit of one of these registers, 0 to 3 as above; false also without the leaf. */
static inline bool arch_has(uint32_t leaf, int place, unsigned bit)
{
    uint32_t registers[4];
    return arch_cpuid(leaf, 0, registers) && (registers[place] >> bit & 1);
}

/* Invariant TSC: CPUID 8000_0007H EDX bit 8. That bit promises a constant rate. The kernel checks
 * whether firmware set the counters of all CPUs to the same value (clock_counter_distrusted()). */
#define ARCH_COUNTER_USABLE arch_has(0x80000007u, 3, 8)

/* Which register files the system saves: XCR0, if CPUID says that XGETBV may be used (Intel SDM
 * vol. 1, 13.2). Vector registers that the system does not save can't be used. */
static inline uint32_t arch_saved_state(void)
{
    if (!arch_has(1, 2, 27))
        return 0;
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* CPUID 1 ECX bit 28; SSE and AVX state, bits 1 and 2 of XCR0 (Intel SDM vol. 1, 14.3). */
static inline bool arch_has_avx(void)
{
    return arch_has(1, 2, 28) && (arch_saved_state() & 0x6) == 0x6;
}

/* AVX512F: CPUID 7.0 EBX bit 16; opmask and upper ZMM state, and AVX's (Intel SDM vol. 1, 15.2). */
static inline bool arch_has_avx512(void)
{
    return arch_has(7, 1, 16) && (arch_saved_state() & 0xe6) == 0xe6;
}

/* Whether the core does 512 bits in two halves: AMD's family 25, Zen 4 (Software Optimization Guide
 * for the Zen 4, 57647). The family is CPUID 1 EAX bits 8 to 11 and, added, bits 20 to 27. */
static inline bool arch_halves_avx512(void)
{
    uint32_t registers[4];
    return arch_cpuid(1, 0, registers) && (registers[0] & 0x0ff00f00) == 0x00a00f00;
}

/* BMI2: CPUID 7.0 EBX bit 8. */
static inline bool arch_has_bmi2(void)
{
    return arch_has(7, 1, 8);
}

/* The twelve characters by which a hypervisor names itself, at CPUID 4000_0000H if CPUID 1 ECX bit
 * 31 says that there is one (Linux's Documentation/virt/kvm/x86/cpuid.rst); "": none. */
static inline void arch_hypervisor(char name[13])
{
    unsigned most, text[3] = {0};
    if (arch_has(1, 2, 31))
        __cpuid(0x40000000u, most, text[0], text[1], text[2]);
    for (int i = 0; i < 12; i++)
        name[i] = (char)(text[i / 4] >> 8 * (i % 4));
    name[12] = '\0';
}

static inline void arch_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}
