/* POWER: the time base. See Power ISA 3.0, book II, 6.1; SYNC orders the loads before it. */
#pragma once

#include "machine/arch/no_cpuid.h"
#include "machine/arch/no_hypervisor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_NAME         "ppc64le"
#define ARCH_COUNTER_NAME "timebase"
/* Linux has no other clock on POWER and never distrusts this one. */
#define ARCH_CLOCK_SOURCE   NULL
#define ARCH_LINE_BYTES     128u
#define ARCH_COUNTER_USABLE true

static inline uint64_t arch_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("sync\n\tmfspr %0, 268\n\tisync" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline void arch_relax(void)
{
    __asm__ volatile("or 27, 27, 27" : : : "memory"); /* yield, book II 3.2 */
}
