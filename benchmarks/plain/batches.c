/*
 * Figures 6 to 9 of "CPU performance" as its snippets have them: a batch of pointers through one
 * cycle of padded elements, equally far apart; with its work on each, and with a prefetch.
 * usage: batches KIB 1|2|4|8|12|16|32 ITERATIONS [prefetch]    prints what plain.h tells
 */
#include "plain.h"

enum { LINE = 64, STEPS = 200000 };
static volatile size_t kept;
static inline size_t work_on(const size_t *at, const size_t *v0, size_t loops)
{
    size_t x = (size_t)(at - v0), y = x, z = x;
    for (size_t n = loops; n; n--) { /* as LLVM counts */
        x += x >> 1;
        y = (size_t)((unsigned __int128)y * x >> 64);
        z += y;
    }
    return z;
}

/* The batch's size is a constant, as in the article; without work its pointers live in registers.
 */
#define EACH _Pragma("GCC unroll 32") for (size_t i = 0; i < b; i++)
static inline __attribute__((always_inline)) void walk(size_t **is, size_t b, const size_t *v0,
                                                       size_t loops, int prefetch)
{
    size_t sum = 0, *at[32];
    EACH at[i] = is[i];
    for (size_t step = 0; step < STEPS / b && !loops; step++)
        EACH at[i] = (size_t *)*at[i];
    EACH is[i] = at[i];
    for (size_t step = 0; step < STEPS / b && loops; step++)
        for (size_t i = 0; i < b; i++) {
            is[i] = (size_t *)*is[i];
            if (prefetch)
                __builtin_prefetch(is[i]);
            sum += work_on(is[i], v0, loops);
        }
    kept = sum;
}
#define BATCH(B) b != B ? (void)0 : argc > 4 ? walk(is, B, v, loops, 1) : walk(is, B, v, loops, 0);

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    const size_t n = strtoul(argv[1], NULL, 10) * 1024 / LINE, b = strtoul(argv[2], NULL, 10),
                 loops = strtoul(argv[3], NULL, 10), *order = order_of(n, 1), words = LINE / 8;
    size_t *v = (size_t *)(void *)take(n * LINE, 1), *is[32];
    for (size_t i = 0; i < n; i++)
        v[order[i] * words] = (size_t)&v[order[(i + 1) % n] * words];
    for (size_t i = 0; i < b && b <= 32; i++)
        is[i] = &v[order[i * n / b] * words];
    for (double end = now_ns() + walks_ns; now_ns() < end;) {
        const double began = now_ns();
        BATCH(1)
        BATCH(2) BATCH(4) BATCH(8) BATCH(12) BATCH(16) BATCH(32) note((now_ns() - began) / STEPS);
    }
    tell();
}
