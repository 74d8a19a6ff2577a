/*
 * The loops of hand-offs and of contended lines for AArch64, in assembly. See
 * x86_64/handoff_loops.h for what each one is.
 */
#pragma once

#include <stdint.h>

/* --- hand-offs --- */

/* Load-exclusive and store-exclusive without ordering, which every ARMv8 has. */
#define CAS_ORDER "ldxr and stxr (relaxed)"
static inline void loops_cas(uint32_t *flag, uint32_t expected, uint32_t desired, uint64_t repeats)
{
    uint32_t seen, failed;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "ldxr %w1, [%3]\n\t"
                     "cmp %w1, %w4\n\t"
                     "b.ne 1b\n\t"
                     "stxr %w2, %w5, [%3]\n\t"
                     "cbnz %w2, 1b\n\t"
                     "subs %0, %0, #1\n\t"
                     "b.ne 1b"
                     : "+r"(repeats), "=&r"(seen), "=&r"(failed)
                     : "r"(flag), "r"(expected), "r"(desired)
                     : "cc", "memory");
}

/* Instructions of the Large System Extensions (ARMv8.1), which the interconnect may execute where
 * the line is. Run loops with them only if arch_has_lse(). */
#ifdef __ARM_FEATURE_ATOMICS /* the compiler uses them itself, so they must stay allowed */
#define LSE(instructions) instructions
#else
#define LSE(instructions) ".arch_extension lse\n\t" instructions "\n\t.arch_extension nolse"
#endif
#define LOOPS_HAVE_LSE 1
#define CAS_LSE_ORDER  "cas (relaxed)"
static inline void loops_cas_lse(uint32_t *flag, uint32_t expected, uint32_t desired,
                                 uint64_t repeats)
{
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov %w1, %w3\n\t" LSE("cas %w1, %w4, [%2]") "\n\t"
                                                                  "cmp %w1, %w3\n\t"
                                                                  "b.ne 1b\n\t"
                                                                  "subs %0, %0, #1\n\t"
                                                                  "b.ne 1b"
                     : "+r"(repeats), "=&r"(seen)
                     : "r"(flag), "r"(expected), "r"(desired)
                     : "cc", "memory");
}

#define READWRITE_ORDER "ldar and stlr (acquire and release)"
static inline uint32_t loops_wait_then_pass_on(uint32_t *mine, const uint32_t *theirs,
                                               uint32_t last, uint64_t repeats)
{
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "ldar %w2, [%4]\n\t"
                     "cmp %w2, %w0\n\t"
                     "b.ne 1b\n\t"
                     "add %w0, %w0, #1\n\t"
                     "stlr %w0, [%3]\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(last), "+r"(repeats), "=&r"(seen)
                     : "r"(mine), "r"(theirs)
                     : "cc", "memory");
    return last;
}

static inline uint32_t loops_wait_then_write(uint32_t *mine, const uint32_t *theirs, uint32_t last,
                                             uint64_t repeats)
{
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "add %w0, %w0, #1\n"
                     "2:\n\t"
                     "ldar %w2, [%4]\n\t"
                     "cmp %w2, %w0\n\t"
                     "b.ne 2b\n\t"
                     "stlr %w0, [%3]\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(last), "+r"(repeats), "=&r"(seen)
                     : "r"(mine), "r"(theirs)
                     : "cc", "memory");
    return last;
}

#define TURN_LOOP(name, instructions)                                                              \
    static inline uint32_t name(uint32_t *line, uint32_t turn, uint64_t repeats)                   \
    {                                                                                              \
        uint32_t seen, next, failed;                                                               \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t"                                                                  \
                         "add %w3, %w0, #1\n"                                                      \
                         "2:\n\t"                                                                  \
                         "ldr %w2, [%5]\n\t"                                                       \
                         "cmp %w2, %w0\n\t"                                                        \
                         "b.ne 2b\n" instructions "\n\t"                                           \
                         "add %w0, %w0, #2\n\t"                                                    \
                         "subs %1, %1, #1\n\t"                                                     \
                         "b.ne 1b"                                                                 \
                         : "+r"(turn), "+r"(repeats), "=&r"(seen), "=&r"(next), "=&r"(failed)      \
                         : "r"(line)                                                               \
                         : "cc", "memory");                                                        \
        return turn;                                                                               \
    }

#define STORE_LOAD_ORDER "ldr and str (relaxed)"
TURN_LOOP(loops_store_load, "\tstr %w3, [%5]")
#define EXCHANGE_ORDER "ldr, then ldxr and stxr (relaxed)"
TURN_LOOP(loops_exchange, "3:\n\t"
                          "ldxr %w2, [%5]\n\t"
                          "stxr %w4, %w3, [%5]\n\t"
                          "cbnz %w4, 3b")
#define FETCH_ADD_ORDER "ldr, then ldxr, add and stxr (relaxed)"
TURN_LOOP(loops_fetch_add, "3:\n\t"
                           "ldxr %w2, [%5]\n\t"
                           "add %w2, %w2, #1\n\t"
                           "stxr %w4, %w2, [%5]\n\t"
                           "cbnz %w4, 3b")
#define EXCHANGE_LSE_ORDER "ldr, then swp (relaxed)"
TURN_LOOP(loops_exchange_lse, LSE("swp %w3, %w2, [%5]"))
#define FETCH_ADD_LSE_ORDER "ldr, then ldadd (relaxed)"
TURN_LOOP(loops_fetch_add_lse, "mov %w4, #1\n\t" LSE("ldadd %w4, %w2, [%5]"))
#undef TURN_LOOP

#define PAYLOAD_ORDER "ldar and stlr (acquire and release)"
static inline uint32_t loops_payload(uint32_t *line, uint32_t turn, unsigned char *payload,
                                     uint64_t step, uint64_t count, uint64_t repeats)
{
    uint64_t left;
    unsigned char *at;
    uint32_t seen;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "mov %3, %6\n\t"
                     "mov %2, %7\n"
                     "2:\n\t"
                     "ldar %w4, [%5]\n\t"
                     "cmp %w4, %w0\n\t"
                     "b.ne 2b\n"
                     "3:\n\t"
                     "ldr %w4, [%3]\n\t"
                     "add %w4, %w4, #1\n\t"
                     "str %w4, [%3]\n\t"
                     "add %3, %3, %8\n\t"
                     "subs %2, %2, #1\n\t"
                     "b.ne 3b\n\t"
                     "add %w0, %w0, #1\n\t"
                     "stlr %w0, [%5]\n\t"
                     "add %w0, %w0, #1\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(turn), "+r"(repeats), "=&r"(left), "=&r"(at), "=&r"(seen)
                     : "r"(line), "r"(payload), "r"(count), "r"(step)
                     : "cc", "memory");
    return turn;
}

#define ONE_WAY_ORDER "ldar and stlr (acquire and release), isb before cntvct_el0"
static inline int64_t loops_one_way(uint64_t *line, uint64_t side, int64_t least, uint64_t repeats)
{
    uint64_t seen, bit, now;
    __asm__ volatile(".p2align 5\n"
                     "1:\n\t"
                     "ldar %2, [%5]\n\t"
                     "and %3, %2, #1\n\t"
                     "cmp %3, %6\n\t"
                     "b.eq 1b\n\t"
                     "isb\n\t"
                     "mrs %4, cntvct_el0\n\t"
                     "add %4, %6, %4, lsl #1\n\t"
                     "stlr %4, [%5]\n\t"
                     "sub %2, %4, %2\n\t"
                     "cmp %2, %0\n\t"
                     "csel %0, %2, %0, lt\n\t"
                     "subs %1, %1, #1\n\t"
                     "b.ne 1b"
                     : "+r"(least), "+r"(repeats), "=&r"(seen), "=&r"(bit), "=&r"(now)
                     : "r"(line), "r"(side)
                     : "cc", "memory");
    return least;
}

/* --- one line, many writers --- */

#define WRITE_LOOP(name, instructions)                                                             \
    static inline void name(uint64_t *word, uint64_t repeats)                                      \
    {                                                                                              \
        uint64_t value, other;                                                                     \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t" instructions "\n\t"                                              \
                         "subs %0, %0, #1\n\t"                                                     \
                         "b.ne 1b"                                                                 \
                         : "+r"(repeats), "=&r"(value), "=&r"(other)                               \
                         : "r"(word)                                                               \
                         : "cc", "memory");                                                        \
    }

#define WRITE_FETCH_ADD_ORDER "ldxr, add and stxr until it succeeds (relaxed)"
WRITE_LOOP(loops_write_fetch_add, "ldxr %1, [%3]\n\t"
                                  "add %1, %1, #1\n\t"
                                  "stxr %w2, %1, [%3]\n\t"
                                  "cbnz %w2, 1b")
/* As compilers write a CAS loop: after a failed store-exclusive the whole attempt begins again. */
#define WRITE_CAS_ORDER "ldxr, add and stxr until it succeeds (acquire and release)"
WRITE_LOOP(loops_write_cas, "ldaxr %1, [%3]\n\t"
                            "add %1, %1, #1\n\t"
                            "stlxr %w2, %1, [%3]\n\t"
                            "cbnz %w2, 1b")
#define WRITE_EXCHANGE_ORDER "ldxr and stxr until it succeeds (relaxed)"
WRITE_LOOP(loops_write_exchange, "ldxr %1, [%3]\n\t"
                                 "stxr %w2, %0, [%3]\n\t"
                                 "cbnz %w2, 1b")
#define WRITE_STORE_ORDER "str (relaxed); a store buffer may merge and hide some of it"
WRITE_LOOP(loops_write_store, "str %0, [%3]")
#define WRITE_FETCH_ADD_LSE_ORDER "ldadd (relaxed)"
WRITE_LOOP(loops_write_fetch_add_lse, "mov %2, #1\n\t" LSE("ldadd %2, %1, [%3]"))
#define WRITE_CAS_LSE_ORDER "ldr and casal until it succeeds (acquire and release)"
WRITE_LOOP(loops_write_cas_lse, "ldr %1, [%3]\n"
                                "2:\n\t"
                                "add %2, %1, #1\n\t" LSE("casal %1, %2, [%3]") "\n\t"
                                                                               "sub %2, %2, #1\n\t"
                                                                               "cmp %1, %2\n\t"
                                                                               "b.ne 2b")
#define WRITE_EXCHANGE_LSE_ORDER "swp (relaxed)"
WRITE_LOOP(loops_write_exchange_lse, LSE("swp %0, %1, [%3]"))
#undef WRITE_LOOP

/* --- a ring of lines in a known state --- */

/* DMB keeps the load of the next address from going ahead of the operation. */
#define TOUCH_LOOP(name, instructions)                                                             \
    static inline void *name(void *line, uint64_t count)                                           \
    {                                                                                              \
        uint64_t word;                                                                             \
        uint32_t value, failed;                                                                    \
        __asm__ volatile(".p2align 5\n"                                                            \
                         "1:\n\t" instructions "ldr %0, [%0]\n\t"                                  \
                         "subs %1, %1, #1\n\t"                                                     \
                         "b.ne 1b"                                                                 \
                         : "+r"(line), "+r"(count), "=&r"(word), "=&r"(value), "=&r"(failed)       \
                         :                                                                         \
                         : "cc", "memory");                                                        \
        return line;                                                                               \
    }

#define TOUCH_LOAD_ORDER "dependent ldr"
TOUCH_LOOP(loops_touch_load, "")
#define TOUCH_STORE_ORDER "str and dmb ish: until the store is done"
TOUCH_LOOP(loops_touch_store, "str wzr, [%0, #8]\n\tdmb ish\n\t")
#define TOUCH_CAS_ORDER "ldxr, compare, stxr and dmb ish"
TOUCH_LOOP(loops_touch_cas, "add %2, %0, #8\n"
                            "2:\n\t"
                            "ldxr %w3, [%2]\n\t"
                            "cbnz %w3, 3f\n\t"
                            "stxr %w4, wzr, [%2]\n\t"
                            "cbnz %w4, 2b\n"
                            "3:\n\t"
                            "dmb ish\n\t")
#define TOUCH_FETCH_ADD_ORDER "ldxr, add, stxr and dmb ish"
TOUCH_LOOP(loops_touch_fetch_add, "add %2, %0, #8\n"
                                  "2:\n\t"
                                  "ldxr %w3, [%2]\n\t"
                                  "add %w3, %w3, #0\n\t"
                                  "stxr %w4, %w3, [%2]\n\t"
                                  "cbnz %w4, 2b\n\t"
                                  "dmb ish\n\t")
#define TOUCH_CAS_LSE_ORDER "cas and dmb ish"
TOUCH_LOOP(loops_touch_cas_lse, "add %2, %0, #8\n\t"
                                "mov %w3, wzr\n\t" LSE("cas %w3, wzr, [%2]") "\n\t"
                                                                             "dmb ish\n\t")
#define TOUCH_FETCH_ADD_LSE_ORDER "ldadd and dmb ish"
TOUCH_LOOP(loops_touch_fetch_add_lse, "add %2, %0, #8\n\t"
                                      "mov %w4, wzr\n\t" LSE("ldadd %w4, %w3, [%2]") "\n\t"
                                                                                     "dmb ish\n\t")
#undef TOUCH_LOOP

#define LOOPS_CAN_FLUSH 1
static inline void loops_flush(void *line)
{
    __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
}
static inline void loops_fence(void)
{
    __asm__ volatile("dsb ish" : : : "memory");
}
