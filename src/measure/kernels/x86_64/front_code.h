/*
 * Instructions as bytes (Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2).
 * The code is called as a kernel: the repeats are in rsi.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool code_has(size_t bytes)
{
    return bytes == 0 || bytes == 4 || bytes == 8 || bytes == 12;
}

/* Ends an instruction whose last four bytes are the distance to `to`. */
static inline void code_put_distance(unsigned char *at, const unsigned char *to)
{
    const int32_t distance = (int32_t)(to - (at + sizeof distance));
    memcpy(at, &distance, sizeof distance);
}

/* jmp to */
static inline void code_put_jump(unsigned char *at, const unsigned char *to)
{
    *at = 0xe9;
    code_put_distance(at + 1, to);
}

/* dec %rsi; jne to; ret */
static inline void code_put_last(unsigned char *at, const unsigned char *to)
{
    static const unsigned char count[] = {0x48, 0xff, 0xce, 0x0f, 0x85};
    memcpy(at, count, sizeof count);
    code_put_distance(at + sizeof count, to);
    at[sizeof count + sizeof(int32_t)] = 0xc3;
}

/* nopl 0x0(%rax); nopl 0x0(%rax,%rax,1) with a distance of four bytes; the same behind four
 * prefixes that change nothing in it */
static inline void code_put_plain(unsigned char *at, size_t bytes)
{
    static const unsigned char nops[][12] = {
        {0x0f, 0x1f, 0x40, 0x00}, {0x0f, 0x1f, 0x84}, {0x66, 0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84}};
    memcpy(at, nops[bytes / 4 - 1], bytes);
}
