/*
 * A pointer chase as one would write it by hand in an afternoon: a shuffled ring, a loop in C, one
 * timing. fathom's cycles are compared with it.
 *
 * usage: plain_chase BYTES prints core cycles a load: the median of 51 batches, each beside its own
 * burst of additions
 */
#include "arch.h"
#include "base/random.h"
#include "machine/os.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LINE = 64, BATCHES = 51, LOADS = 160000, ADDITIONS = 100000, HUGE = 2 << 20 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static uint64_t time_additions(void)
{
    uint64_t value = 0, one = 1;
    __asm__ volatile("" : "+r"(one));
    uint64_t start = arch_counter();
    for (int i = 0; i < ADDITIONS; i += 10) {
#define ADD                                                                                        \
    value += one;                                                                                  \
    __asm__ volatile("" : "+r"(value));
        ADD ADD ADD ADD ADD ADD ADD ADD ADD ADD
#undef ADD
    }
    return arch_counter() - start;
}

int main(int argc, char **argv)
{
    size_t bytes = argc > 1 ? (size_t)strtoull(argv[1], NULL, 10) : 16384, lines = bytes / LINE;
    size_t mapped = (bytes + 2 * HUGE - 1) / HUGE * HUGE;
    char *memory =
        mmap(NULL, mapped + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    size_t *order = calloc(lines, sizeof *order);
    if (memory == MAP_FAILED || !order || lines < 2)
        return 1;
    memory += HUGE - (uintptr_t)memory % HUGE;
    madvise(memory, mapped, MADV_HUGEPAGE);
    os_pin_thread(argc > 2 ? atoi(argv[2]) : 0, NULL);

    struct random random = {os_raw_ns()};
    for (size_t i = 0; i < lines; i++)
        order[i] = i;
    for (size_t i = lines - 1; i > 0; i--) {
        size_t j = (size_t)random_below(&random, i), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    for (size_t i = 0; i < lines; i++)
        *(void **)(memory + order[i] * LINE) = memory + order[(i + 1) % lines] * LINE;

    void **position = (void **)(memory + order[0] * LINE);
    double cycles[BATCHES];
    for (int batch = -1; batch < BATCHES; batch++) { /* the first one warms the caches */
        uint64_t clock = time_additions();
        uint64_t start = arch_counter();
        for (int i = 0; i < LOADS; i++)
            position = *position;
        __asm__ volatile("" : : "r"(position) : "memory");
        uint64_t took = arch_counter() - start;
        clock += time_additions();
        if (batch >= 0)
            cycles[batch] =
                (double)took * (2.0 * (double)ADDITIONS / (double)LOADS) / (double)clock;
    }
    qsort(cycles, BATCHES, sizeof *cycles, compare);
    printf("%.5f\n", cycles[BATCHES / 2]);
    return 0;
}
