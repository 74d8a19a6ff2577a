/* Any other architecture: C and POSIX only. The resolution of the system's clock then decides how
 * long a batch is. */
#pragma once

#include "machine/arch/no_cpuid.h"
#include "machine/arch/no_hypervisor.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define ARCH_NAME         "generic"
#define ARCH_COUNTER_NAME "clock_gettime"
/* There is no counter that the kernel could distrust. */
#define ARCH_CLOCK_SOURCE   NULL
#define ARCH_LINE_BYTES     64u
#define ARCH_COUNTER_USABLE false

static inline uint64_t arch_counter(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void arch_relax(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}
