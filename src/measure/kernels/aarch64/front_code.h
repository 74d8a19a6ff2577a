/*
 * Instructions as words (Arm Architecture Reference Manual for A-profile, C6.2). The code is called
 * as a kernel: the repeats are in x1.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool code_has(size_t bytes)
{
    return bytes == 0 || bytes == 4;
}

static inline void code_put_word(unsigned char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

/* b to: 26 bits of the distance in words */
static inline void code_put_jump(unsigned char *at, const unsigned char *to)
{
    const int64_t words = (to - at) / (int64_t)sizeof(uint32_t);
    code_put_word(at, 0x14000000 | ((uint32_t)words & 0x03ffffff));
}

/* subs x1, x1, #1; b.eq over the next; b to; ret. A conditional branch reaches 1 MiB, a plain one
 * 128 MiB. */
static inline void code_put_last(unsigned char *at, const unsigned char *to)
{
    code_put_word(at, 0xf1000421);
    code_put_word(at + 4, 0x54000040);
    code_put_jump(at + 8, to);
    code_put_word(at + 12, 0xd65f03c0);
}

/* nop */
static inline void code_put_plain(unsigned char *at, size_t bytes)
{
    code_put_word(at, 0xd503201f);
}
