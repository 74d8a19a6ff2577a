/* Architectures without an instruction that tells what the processor is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

static inline bool arch_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t registers[4])
{
    return false;
}
