/*
 * fathom's loops of operations that order memory in turn with plain ones, on the same word, on
 * x86-64: one after the other, or between a store to the word and a load of the next line.
 * usage: fence [OPERATION]    prints for each operation and loop: cycles by fathom's loop; by the
 * plain one the median, the lowest and the highest tenth; the median of the pairs' ratios, and the
 * pairs
 *
 * Both of a pair go within a fraction of a millisecond and on one word. In two programs they differ
 * for reasons that are not theirs: a core whose other hardware thread works takes up to a third
 * longer (a locked or behind a store 23 or 30 cycles), and a flush goes to the slice of the last
 * cache that the line's physical address belongs to, which alone is 30 %.
 */
#include "measure/kernels/fence.h"
#include "plain/plain.h"

enum { STEPS = 16, PAIRS = 4096 };
/* A walk takes 10 us, so that most meet nobody else, and of flushes 200 us, because a queue of them
 * outlasts a short one. */
static const double walk_ns = 1e4, flushes_ns = 2e5, loop_ns = 3e8, flushed_ns = 3e9;
/* The core's clock before and after a pair. */
static const double same_clock = 0.01;
static _Alignas(4096) size_t words[512];

enum { OURS, PLAIN, RATIO, FIGURES };
static double figures[FIGURES][PAIRS];

#ifdef __x86_64__
#define TIMES16(x) x x x x x x x x x x x x x x x x
/* The value is in rax, which cmpxchg compares; a word is at (%[at]), the next line at 64. */
#define EACH(text, step)                                                                           \
    if (strcmp(op, text) == 0) {                                                                   \
        for (size_t left = n; left && !after; left--)                                              \
            __asm__ volatile(TIMES16(step "\n\t")                                                  \
                             : "+a"(value)                                                         \
                             : [at] "r"(words), [n] "r"(left)                                      \
                             : "memory");                                                          \
        for (size_t left = n; left && after; left--)                                               \
            __asm__ volatile("mov %[n], (%[at])\n\t" step "\n\tmov 64(%[at]), %[value]"            \
                             : [value] "+a"(value)                                                 \
                             : [at] "r"(words), [n] "r"(left)                                      \
                             : "memory");                                                          \
        return true;                                                                               \
    }
#else
#define EACH(text, step)
#endif

/* False: it does not know the operation. */
static bool plain_walk(const char *op, bool after, size_t n)
{
    size_t value = 0;
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
    (void)value, (void)after, (void)n;
    return false;
}

/* ns of one walk, with the reading of a clock in it. */
static double walk(const struct fence_op *op, struct fence *fence, bool after, bool plain, size_t n)
{
    const double began = wall_ns();
    if (plain)
        plain_walk(op->name, after, n);
    else
        op->run[after ? FENCE_AFTER : FENCE_ALONE](fence, n);
    return wall_ns() - began;
}

/* What reading the clock takes. */
static double reading_ns(void)
{
    double least = 1e9;
    for (int i = 0; i < 100; i++) {
        const double began = wall_ns(), took = wall_ns() - began;
        least = took < least ? took : least;
    }
    return least;
}

static size_t pairs_of(const struct fence_op *op, bool after)
{
    struct fence fence = {.memory = (unsigned char *)words,
                          .word = (unsigned char *)words,
                          .lines = sizeof words / 64,
                          .open = 1};
    const bool flush = op->kind == FENCE_FLUSH;
    const double reading = reading_ns();
    size_t n = 1, count = 0;
    while (walk(op, &fence, after, true, n) < (flush ? flushes_ns : walk_ns))
        n *= 2;
    const double steps = (double)(after ? n : n * STEPS);
    double clock = cycle_ns();
    for (double end = now_ns() + (flush ? flushed_ns : loop_ns); now_ns() < end && count < PAIRS;) {
        const double before = clock;
        double took[2];
        for (size_t i = 0; i < 2; i++) {
            const bool plain = (i + count) % 2;
            took[plain] = walk(op, &fence, after, plain, n) - reading;
        }
        clock = cycle_ns();
        if (clock > before * (1 + same_clock) || before > clock * (1 + same_clock))
            continue;
        figures[OURS][count] = 2 * took[false] / steps / (before + clock);
        figures[PLAIN][count] = 2 * took[true] / steps / (before + clock);
        figures[RATIO][count++] = took[false] / took[true];
    }
    return count;
}

int main(int argc, char **argv)
{
    memset(words, 0, sizeof words);
    for (size_t i = 0; i < fence_op_count; i++)
        for (int after = 0; after < 2; after++) {
            const struct fence_op *op = &fence_ops[i];
            if ((op->there && !op->there()) || !plain_walk(op->name, after, 1) ||
                (after && op->kind == FENCE_STORE) || (argc > 1 && strcmp(argv[1], op->name) != 0))
                continue;
            const size_t n = pairs_of(op, after);
            if (!n)
                continue;
            const double ours = ranked(figures[OURS], n, n / 2),
                         plain = ranked(figures[PLAIN], n, n / 2),
                         ratio = ranked(figures[RATIO], n, n / 2);
            printf("%s %s %.2f %.2f %.2f %.2f %.3f %zu\n", op->name, after ? "after" : "alone",
                   ours, plain, figures[PLAIN][n / 10], figures[PLAIN][n - 1 - n / 10], ratio, n);
        }
}
