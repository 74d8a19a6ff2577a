/*
 * Copying as one would time it by hand: a buffer to another, again and again, between two readings
 * of the clock. fathom's figures are compared with it.
 *
 * usage: plain_copy METHOD BYTES   METHOD is memcpy, memmove, memset or movsb; prints bytes loaded
 * and stored a second: the median of 101 batches
 */
#include "machine/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { BATCHES = 101, HUGE = 2 << 20, APART = 21 * 64 };
static const double batch_ns = 100e3;

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double time_calls(const char *method, char *to, const char *from, size_t bytes, long calls)
{
    const double began_ns = now_ns();
#define TIMES(call)                                                                                \
    for (long i = 0; i < calls; i++) {                                                             \
        call;                                                                                      \
        __asm__ volatile("" : : : "memory");                                                       \
    }
    if (strcmp(method, "memcpy") == 0)
        TIMES(memcpy(to, from, bytes))
    else if (strcmp(method, "memmove") == 0)
        TIMES(memmove(to, from, bytes))
    else if (strcmp(method, "memset") == 0)
        TIMES(memset(to, 0, bytes))
#if defined(__x86_64__)
    else if (strcmp(method, "movsb") == 0)
        for (long i = 0; i < calls; i++) {
            void *a = to;
            const void *b = from;
            size_t n = bytes;
            __asm__ volatile("rep movsb" : "+D"(a), "+S"(b), "+c"(n) : : "memory");
        }
#endif
    return now_ns() - began_ns;
}

int main(int argc, char **argv)
{
    const char *method = argc > 1 ? argv[1] : "memcpy";
    const size_t bytes = argc > 2 ? (size_t)strtoull(argv[2], NULL, 10) : 4096;
    const size_t each = (bytes + 4095) / 4096 * 4096 + APART, all = 2 * each + HUGE;
    char *memory =
        mmap(NULL, all + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double took_ns[BATCHES];
    struct error error;
    if (memory == MAP_FAILED || bytes == 0 || os_pin_thread(os_current_cpu(), &error) < 0)
        return 1;
    memory += HUGE - (uintptr_t)memory % HUGE;
    madvise(memory, all, MADV_HUGEPAGE);
    memset(memory, 1, all);
    long calls = 1;
    while (time_calls(method, memory, memory + each, bytes, calls) < batch_ns && calls < 1 << 30)
        calls *= 2;
    for (int i = 0; i < BATCHES; i++)
        took_ns[i] = time_calls(method, memory, memory + each, bytes, calls);
    qsort(took_ns, BATCHES, sizeof *took_ns, compare);
    const double counted = strcmp(method, "memset") == 0 ? 1 : 2;
    printf("%.0f\n", 1e9 * counted * (double)bytes * (double)calls / took_ns[BATCHES / 2]);
    return 0;
}
