/* A small machine for the model's own tests: round numbers, no noise. */
#ifndef FATHOM_TESTS_MODEL_SUPPORT_H
#define FATHOM_TESTS_MODEL_SUPPORT_H

#include "model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { KIB = 1024, MIB = 1024 * 1024 };

/* 1 GHz, so that a cycle is a nanosecond: 4 KiB in 2 ns, 64 KiB in 10 ns, DRAM in 100 ns, or 60
 * where the row is open. */
static inline struct model_machine plain_machine(void)
{
    return (struct model_machine){
        .line_bytes = 64,
        .level_count = 2,
        .caches = {{.bytes = 4 * KIB, .ways = 4, .cycles = 2},
                   {.bytes = 64 * KIB, .ways = 8, .cycles = 10, .physical = true}},
        .tlbs = {{{16, 0, 0}, {64, 4, 7}}, {{8, 4, 0}, {32, 8, 7}}},
        .walk_cycles = {30, 20},
        .huge_pages = true,
        .core_hz = 1e9,
        .row_hit_ns = 60,
        .row_miss_ns = 100,
        .row_bytes = 1024,
        .banks = 16,
        .forward_cycles = 4,
    };
}

#endif
