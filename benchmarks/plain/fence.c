/*
 * What an operation that orders memory costs on x86-64, one after the other on one word, or between
 * a store to it and a load of the next line.
 * usage: fence alone|after exchange|fetch-add|cas|lock-or|mfence|sfence|lfence|clflush|clflushopt|
 *     clwb|store|store-nt    prints what plain.h tells, and the lowest tenth of the walks in cycles
 *
 * A walk takes some 10 us, so that many of them meet nobody else, and of flushes 200 us, because a
 * queue of them outlasts a short one. The wall's clock is read in a tenth of the time of the
 * thread's. Walks between two readings of the core's clock that differ don't count.
 */
#include "plain.h"

enum { STEPS = 16, READINGS = 101 };
static const double walk_ns = 1e4, flushes_ns = 2e5, same_clock = 0.005;
static size_t rounds = 1;
static _Alignas(4096) size_t words[512];

#ifdef __x86_64__
#define TIMES16(x) x x x x x x x x x x x x x x x x
/* The value is in rax, which cmpxchg compares; a word is at (%[at]), the next line at 64. */
#define EACH(text, step)                                                                           \
    if (strcmp(argv[2], text) == 0) {                                                              \
        const double began = wall_ns();                                                            \
        if (argv[1][1] == 'l')                                                                     \
            for (size_t left = rounds; left; left--)                                               \
                __asm__ volatile(TIMES16(step "\n\t")                                              \
                                 : "+a"(value)                                                     \
                                 : [at] "r"(words), [n] "r"(left)                                  \
                                 : "memory");                                                      \
        else                                                                                       \
            for (size_t left = rounds * STEPS; left; left--)                                       \
                __asm__ volatile("mov %[n], (%[at])\n\t" step "\n\tmov 64(%[at]), %[value]"        \
                                 : [value] "+a"(value)                                             \
                                 : [at] "r"(words), [n] "r"(left)                                  \
                                 : "memory");                                                      \
        took = wall_ns() - began - reading;                                                        \
    }
#else
#define EACH(text, step)
#endif

/* What reading the clock takes. */
static double reading_ns(void)
{
    static double took[READINGS];
    for (int i = 0; i < READINGS; i++) {
        const double began = wall_ns();
        took[i] = wall_ns() - began;
    }
    return ranked(took, READINGS, READINGS / 2);
}

int main(int argc, char **argv)
{
    size_t value = 0;
    if (argc < 3)
        return 1;
    const double reading = reading_ns(),
                 least_ns = strncmp(argv[2], "cl", 2) == 0 ? flushes_ns : walk_ns;
    double clock = cycle_ns();
    for (double end = now_ns() + walks_ns; now_ns() < end;) {
        const double before = clock;
        double took = -1;
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
        if (took < 0)
            return 2;
        clock = cycle_ns();
        if (took < least_ns)
            rounds *= 2;
        else if (clock < before * (1 + same_clock) && before < clock * (1 + same_clock)) {
            walks[walk_count % WALKS] = took / (double)(rounds * STEPS);
            in_cycles[walk_count % WALKS] = 2 * walks[walk_count % WALKS] / (before + clock);
            walk_count++;
        }
    }
    const size_t n = walk_count < WALKS ? walk_count : WALKS;
    if (!n)
        return 3;
    tell();
    printf("%.4g\n", ranked(in_cycles, n, n / 10));
}
