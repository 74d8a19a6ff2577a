/*
 * The loops of hand-offs and of contended lines for x86-64, in assembly. `repeats` is at least one
 * in all of them.
 */
#pragma once

#include <stdint.h>

/* --- hand-offs --- */

/* `repeats` times: waits for `expected` in *flag and replaces it by `desired` by one locked
 * compare-and-swap. Memory order: LOCK makes each attempt sequentially consistent. */
#define CAS_ORDER "lock cmpxchg (sequentially consistent)"
static inline void loops_cas(uint32_t *flag, uint32_t expected, uint32_t desired, uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov %k2, %%eax\n\t"
                     "lock cmpxchg %k3, (%1)\n\t"
                     "jne 1b\n\t"
                     "dec %0\n\t"
                     "jnz 1b"
                     : "+r"(repeats)
                     : "r"(flag), "r"(expected), "r"(desired)
                     : "eax", "cc", "memory");
}

/* `repeats` times: waits until *theirs shows the last number, then writes the next one to *mine.
 * Returns the last number written. Plain moves are acquire and release on x86-64. */
#define READWRITE_ORDER "plain moves (acquire and release)"
static inline uint32_t loops_wait_then_pass_on(uint32_t *mine, const uint32_t *theirs,
                                               uint32_t last, uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov (%3), %%eax\n\t"
                     "cmp %0, %%eax\n\t"
                     "jne 1b\n\t"
                     "inc %0\n\t"
                     "mov %0, (%2)\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(last), "+r"(repeats)
                     : "r"(mine), "r"(theirs)
                     : "eax", "cc", "memory");
    return last;
}

/* The other side: waits until *theirs shows the next number, then writes it to *mine. */
static inline uint32_t loops_wait_then_write(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "inc %0\n"
                     "2:\n\t"
                     "mov (%3), %%eax\n\t"
                     "cmp %0, %%eax\n\t"
                     "jne 2b\n\t"
                     "mov %0, (%2)\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(last), "+r"(repeats)
                     : "r"(mine), "r"(theirs)
                     : "eax", "cc", "memory");
    return last;
}

/* The turns: `repeats` times waits by plain loads until *line shows `turn`, then sets it to turn +
 * 1 by `instruction`, which has that number in register %2. A side's turns are two apart. Returns
 * the next turn to wait for. */
#define TURN_LOOP(name, instruction)                                                               \
    static inline uint32_t name(uint32_t *line, uint32_t turn, uint64_t repeats)                   \
    {                                                                                              \
        uint32_t next;                                                                             \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t"                                                                  \
                         "lea 1(%q0), %k2\n"                                                       \
                         "2:\n\t"                                                                  \
                         "mov (%3), %%eax\n\t"                                                     \
                         "cmp %0, %%eax\n\t"                                                       \
                         "jne 2b\n\t" instruction "\n\t"                                           \
                         "add $2, %0\n\t"                                                          \
                         "dec %1\n\t"                                                              \
                         "jnz 1b"                                                                  \
                         : "+r"(turn), "+r"(repeats), "=&r"(next)                                  \
                         : "r"(line)                                                               \
                         : "eax", "cc", "memory");                                                 \
        return turn;                                                                               \
    }

#define STORE_LOAD_ORDER "plain moves (acquire and release)"
TURN_LOOP(loops_store_load, "mov %2, (%3)")
#define EXCHANGE_ORDER "plain load, then xchg (sequentially consistent)"
TURN_LOOP(loops_exchange, "xchg %2, (%3)")
#define FETCH_ADD_ORDER "plain load, then lock xadd (sequentially consistent)"
TURN_LOOP(loops_fetch_add, "mov $1, %2\n\tlock xadd %2, (%3)")
#undef TURN_LOOP

/* As store-load, but between seeing its turn and passing it on, a side adds one to the first word
 * of each of `count` payload lines, `step` bytes apart. */
#define PAYLOAD_ORDER "plain moves (acquire and release)"
static inline uint32_t loops_payload(uint32_t *line, uint32_t turn, unsigned char *payload,
                                     uint64_t step, uint64_t count, uint64_t repeats)
{
    uint64_t left;
    unsigned char *at;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov %5, %3\n\t"
                     "mov %6, %2\n"
                     "2:\n\t"
                     "mov (%4), %%eax\n\t"
                     "cmp %0, %%eax\n\t"
                     "jne 2b\n"
                     "3:\n\t"
                     "incl (%3)\n\t"
                     "add %7, %3\n\t"
                     "dec %2\n\t"
                     "jnz 3b\n\t"
                     "inc %0\n\t"
                     "mov %0, (%4)\n\t"
                     "inc %0\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(turn), "+r"(repeats), "=&r"(left), "=&r"(at)
                     : "r"(line), "r"(payload), "r"(count), "r"(step)
                     : "eax", "cc", "memory");
    return turn;
}

/* A stamp is the counter, shifted left by one, with the side that wrote it in its lowest bit.
 * `repeats` times: waits until *line has the other side's bit, reads the counter, writes it as the
 * next stamp with the bit `side`, and keeps the least difference from the stamp seen. The fence
 * keeps the counter from being read before the stamp. Returns that difference, in half ticks. */
#define ONE_WAY_ORDER "plain moves (acquire and release), lfence before rdtsc"
static inline int64_t loops_one_way(uint64_t *line, uint64_t side, int64_t least, uint64_t repeats)
{
    uint64_t seen, bit;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov (%4), %2\n\t"
                     "mov %k2, %k3\n\t"
                     "and $1, %k3\n\t"
                     "cmp %k5, %k3\n\t"
                     "je 1b\n\t"
                     "lfence\n\t"
                     "rdtsc\n\t"
                     "shl $32, %%rdx\n\t"
                     "or %%rdx, %%rax\n\t"
                     "add %%rax, %%rax\n\t"
                     "or %5, %%rax\n\t"
                     "mov %%rax, (%4)\n\t"
                     "sub %2, %%rax\n\t"
                     "cmp %0, %%rax\n\t"
                     "cmovl %%rax, %0\n\t"
                     "dec %1\n\t"
                     "jnz 1b"
                     : "+r"(least), "+r"(repeats), "=&r"(seen), "=&r"(bit)
                     : "r"(line), "r"(side)
                     : "rax", "rdx", "cc", "memory");
    return least;
}

/* --- one line, many writers --- */

#define WRITE_LOOP(name, instructions)                                                             \
    static inline void name(uint64_t *word, uint64_t repeats)                                      \
    {                                                                                              \
        uint64_t value;                                                                            \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t" instructions "\n\t"                                              \
                         "dec %0\n\t"                                                              \
                         "jnz 1b"                                                                  \
                         : "+r"(repeats), "=&r"(value)                                             \
                         : "r"(word)                                                               \
                         : "rax", "cc", "memory");                                                 \
    }

#define WRITE_FETCH_ADD_ORDER "lock xadd (sequentially consistent)"
WRITE_LOOP(loops_write_fetch_add, "mov $1, %k1\n\tlock xadd %1, (%2)")
#define WRITE_CAS_ORDER "load and lock cmpxchg until it succeeds (sequentially consistent)"
WRITE_LOOP(loops_write_cas, "mov (%2), %%rax\n"
                            "2:\n\t"
                            "lea 1(%%rax), %1\n\t"
                            "lock cmpxchg %1, (%2)\n\t"
                            "jne 2b")
#define WRITE_EXCHANGE_ORDER "xchg (sequentially consistent)"
WRITE_LOOP(loops_write_exchange, "mov %0, %1\n\txchg %1, (%2)")
#define WRITE_STORE_ORDER "plain mov (release); a store buffer may merge and hide some of it"
WRITE_LOOP(loops_write_store, "mov %0, (%2)")
#undef WRITE_LOOP

/* --- a ring of lines in a known state --- */

/* Follows the ring for `count` lines: does an operation on each line's second word, and loads the
 * next address from its first word. The operations' fence or lock keeps that load behind them. */
#define TOUCH_LOOP(name, instructions)                                                             \
    static inline void *name(void *line, uint64_t count)                                           \
    {                                                                                              \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t" instructions "mov (%0), %0\n\t"                                  \
                         "dec %1\n\t"                                                              \
                         "jnz 1b"                                                                  \
                         : "+r"(line), "+r"(count)                                                 \
                         :                                                                         \
                         : "rax", "rdx", "cc", "memory");                                          \
        return line;                                                                               \
    }

#define TOUCH_LOAD_ORDER "dependent mov"
TOUCH_LOOP(loops_touch_load, "")
#define TOUCH_STORE_ORDER "mov and mfence: until the store is done"
TOUCH_LOOP(loops_touch_store, "movl $0, 8(%0)\n\tmfence\n\t")
#define TOUCH_CAS_ORDER "lock cmpxchg (sequentially consistent)"
TOUCH_LOOP(loops_touch_cas, "xor %%eax, %%eax\n\t"
                            "xor %%edx, %%edx\n\t"
                            "lock cmpxchg %%edx, 8(%0)\n\t")
#define TOUCH_FETCH_ADD_ORDER "lock xadd (sequentially consistent)"
TOUCH_LOOP(loops_touch_fetch_add, "xor %%eax, %%eax\n\tlock xadd %%eax, 8(%0)\n\t")
#undef TOUCH_LOOP

/* Takes the line out of every cache. */
#define LOOPS_CAN_FLUSH 1
static inline void loops_flush(void *line)
{
    __asm__ volatile("clflush (%0)" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("mfence" : : : "memory");
}
