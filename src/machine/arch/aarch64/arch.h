/* AArch64: the virtual counter. See Arm ARM D13.11.21 (CNTVCT_EL0) and B2.3 (ISB, DSB). */
#pragma once

#include "machine/arch/no_cpuid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#define ARCH_NAME         "aarch64"
#define ARCH_COUNTER_NAME "cntvct"
/* The architecture guarantees one counter for all CPUs, so the kernel's list of clock sources is
 * not needed to know that they agree. */
#define ARCH_CLOCK_SOURCE   NULL
#define ARCH_LINE_BYTES     64u
#define ARCH_COUNTER_USABLE true

/* DSB waits for outstanding loads; ISB keeps the counter read from being speculated. */
static inline uint64_t arch_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("dsb ish\n\tisb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
    return ticks;
}

/* Large System Extensions, ARMv8.1: HWCAP_ATOMICS, bit 8 of AT_HWCAP ("ARM64 ELF hwcaps" of the
 * Linux kernel's documentation). */
static inline bool arch_has_lse(void)
{
    return getauxval(AT_HWCAP) & 1ul << 8;
}

/* Scalable Vector Extension: HWCAP_SVE, bit 22 of AT_HWCAP. */
static inline bool arch_has_sve(void)
{
    return getauxval(AT_HWCAP) & 1ul << 22;
}

/* No instruction reports a hypervisor here, but under QEMU's TCG the counter has a rate that no
 * known processor has (GTIMER_SCALE in target/arm/internals.h); a guest of KVM reads its host's
 * rate. */
static inline void arch_hypervisor(char name[13])
{
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    memcpy(name, hz == 62500000 ? "62.5 MHz" : "", hz == 62500000 ? sizeof "62.5 MHz" : 1);
}

static inline void arch_relax(void)
{
    __asm__ volatile("yield" : : : "memory");
}
