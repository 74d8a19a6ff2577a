/*
 * Figures 1 to 5 of "CPU performance": one chain, by checked or unchecked indexes of 8 bytes, by
 * indexes or pointers a line apart, on small or huge pages.
 *
 * usage: chase KIB checked|index|padded|pointer small|huge    prints what plain.h tells
 */
#include "plain.h"

enum { WORDS = 8, LEAST = 100000, MOST = 1 << 18 };
static volatile size_t kept;

/* One load an iteration; the compiler must not know the values. */
#define WALK(step)                                                                                 \
    for (size_t left = steps; left; left--) {                                                      \
        step;                                                                                      \
        __asm__ volatile("" : "+r"(i));                                                            \
    }

int main(int argc, char **argv)
{
    if (argc < 4)
        return 1;
    const int packed = *argv[2] == 'c' || *argv[2] == 'i',
              pointer = strcmp(argv[2], "pointer") == 0;
    const size_t word = packed ? 1 : WORDS, n = strtoul(argv[1], NULL, 10) * 1024 / 8 / word;
    const size_t round = 2 * n < MOST ? 2 * n : MOST, steps = round > LEAST ? round : LEAST,
                 *order = order_of(n, 1);
    size_t *v = (size_t *)(void *)take(n * word * sizeof *v, *argv[3] == 'h');
    for (size_t i = 0; i < n; i++) {
        const size_t next = order[(i + 1) % n];
        v[order[i] * word] = pointer ? (size_t)&v[next * word] : next;
    }
    size_t i = pointer ? (size_t)v : 0;
    for (double end = now_ns() + walks_ns; now_ns() < end;) {
        const double began = now_ns();
        if (pointer)
            WALK(i = *(size_t *)i)
        else if (!packed)
            WALK(i = v[i * WORDS])
        else if (*argv[2] == 'i')
            WALK(i = v[i])
        else
            WALK(if (i >= n) abort(); i = v[i])
        kept = i;
        note((now_ns() - began) / (double)steps);
    }
    tell();
}
