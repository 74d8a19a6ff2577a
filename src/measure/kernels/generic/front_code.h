/* No instructions of this architecture are known. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

static inline bool code_has(size_t bytes)
{
    return false;
}

static inline void code_put_jump(unsigned char *at, const unsigned char *to) {}

static inline void code_put_last(unsigned char *at, const unsigned char *to) {}

static inline void code_put_plain(unsigned char *at, size_t bytes) {}
