/*
 * What an operation that orders memory costs on x86-64, one after the other on one word, or between
 * a store to it and a load of the next line.
 * usage: fence alone|after exchange|fetch-add|cas|lock-or|mfence|sfence|lfence|clflush|clflushopt|
 *     clwb|store|store-nt    prints what plain.h tells
 */
#include "plain.h"

enum { ROUNDS = 2000, STEPS = 16 };
static _Alignas(4096) size_t words[512];

#ifdef __x86_64__
#define TIMES16(x) x x x x x x x x x x x x x x x x
/* The value is in rax, which cmpxchg compares; a word is at (%[at]), the next line at 64. */
#define EACH(text, step)                                                                           \
    if (strcmp(argv[2], text) == 0) {                                                              \
        if (argv[1][1] == 'l')                                                                     \
            for (size_t left = ROUNDS; left; left--)                                               \
                __asm__ volatile(TIMES16(step "\n\t")                                              \
                                 : "+a"(value)                                                     \
                                 : [at] "r"(words), [n] "r"(left)                                  \
                                 : "memory");                                                      \
        else                                                                                       \
            for (size_t left = ROUNDS * STEPS; left; left--)                                       \
                __asm__ volatile("mov %[n], (%[at])\n\t" step "\n\tmov 64(%[at]), %[value]"        \
                                 : [value] "+a"(value)                                             \
                                 : [at] "r"(words), [n] "r"(left)                                  \
                                 : "memory");                                                      \
        known = 1;                                                                                 \
    }
#else
#define EACH(text, step)
#endif

int main(int argc, char **argv)
{
    size_t value = 0;
    int known = 0;
    if (argc < 3)
        return 1;
    for (double end = now_ns() + walks_ns; now_ns() < end;) {
        const double began = now_ns();
        EACH("exchange", "xchg %%rax, (%[at])")
        EACH("fetch-add", "lock xadd %%rax, (%[at])")
        EACH("cas", "lock cmpxchg %%rax, (%[at])")
        EACH("lock-or", "lock orq $0, (%%rsp)")
        EACH("mfence", "mfence")
        EACH("sfence", "sfence")
        EACH("lfence", "lfence")
        EACH("clflush", "clflush (%[at])")
        EACH("clflushopt", "clflushopt (%[at])")
        EACH("clwb", "clwb (%[at])")
        EACH("store", "mov %[n], (%[at])")
        EACH("store-nt", "movnti %[n], (%[at])")
        if (!known)
            return 2;
        note((now_ns() - began) / (ROUNDS * STEPS));
    }
    tell();
}
