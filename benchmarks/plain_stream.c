/*
 * STREAM as one would write it by hand: three arrays, four loops, OpenMP where it is available, and
 * the best of some passes. Built with -O3 -march=native and no other optimisation.
 *
 * usage: plain_stream BYTES THREADS BYTES of all three arrays; prints a line a loop: its name and
 * the best pass in bytes a second, counted as STREAM does
 */
#include "machine/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

enum { PASSES = 20, HUGE = 2 << 20, LOOPS = 4 };

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const long n = (argc > 1 ? atol(argv[1]) : 512l << 20) / 3 / (long)sizeof(double);
    const int threads = argc > 2 ? atoi(argv[2]) : 1;
    const size_t bytes = ((size_t)n * sizeof(double) + HUGE - 1) / HUGE * HUGE;
    double *restrict arrays[3], best_s[LOOPS] = {1e9, 1e9, 1e9, 1e9};
    for (int i = 0; i < 3; i++) {
        char *memory =
            mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || threads < 1 || n < 1)
            return 1;
        memory += HUGE - (uintptr_t)memory % HUGE;
        madvise(memory, bytes, MADV_HUGEPAGE);
        arrays[i] = (double *)(void *)memory;
    }
    double *restrict a = arrays[0], *restrict b = arrays[1], *restrict c = arrays[2];
    const double scalar = 3;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (long i = 0; i < n; i++)
        a[i] = b[i] = c[i] = 1;
    for (int pass = 0; pass < PASSES; pass++) {
        double took_s[LOOPS], began_s = now_s();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < n; i++)
            c[i] = a[i];
        took_s[0] = now_s() - began_s;
        began_s = now_s();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < n; i++)
            b[i] = scalar * c[i];
        took_s[1] = now_s() - began_s;
        began_s = now_s();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < n; i++)
            c[i] = a[i] + b[i];
        took_s[2] = now_s() - began_s;
        began_s = now_s();
#pragma omp parallel for num_threads(threads) schedule(static)
        for (long i = 0; i < n; i++)
            a[i] = b[i] + scalar * c[i];
        took_s[3] = now_s() - began_s;
        for (int i = 0; i < LOOPS && pass > 0; i++)
            best_s[i] = took_s[i] < best_s[i] ? took_s[i] : best_s[i];
    }
    static const char *const names[LOOPS] = {"copy", "scale", "add", "triad"};
    static const int touched[LOOPS] = {2, 2, 3, 3};
    for (int i = 0; i < LOOPS; i++)
        printf("%s %.0f\n", names[i], touched[i] * (double)n * sizeof(double) / best_s[i]);
    return a[n / 2] > 0 ? 0 : 2;
}
