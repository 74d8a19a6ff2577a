/* RISC-V: the `time` CSR, which the Zicntr extension lets user mode read (unprivileged spec, ch.
 * 8). */
#pragma once

#include "machine/arch/no_cpuid.h"
#include "machine/arch/no_hypervisor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARCH_NAME         "riscv64"
#define ARCH_COUNTER_NAME "time"
/* The architecture guarantees one counter for all CPUs, so the kernel's list of clock sources is
 * not needed to know that they agree. */
#define ARCH_CLOCK_SOURCE   NULL
#define ARCH_LINE_BYTES     64u
#define ARCH_COUNTER_USABLE true

static inline uint64_t arch_counter(void)
{
    uint64_t ticks;
    __asm__ volatile("fence\n\trdtime %0\n\tfence" : "=r"(ticks) : : "memory");
    return ticks;
}

static inline void arch_relax(void)
{
    __asm__ volatile(".4byte 0x0100000f"
                     :
                     :
                     : "memory"); /* PAUSE, Zihintpause: FENCE with pred=w, succ=0 */
}
