/*
 * A program whose need is known, because it is one loop.
 *
 * usage: needs compute|chase|stream KIB THOUSANDS [WORK [FILE]]
 *
 * compute: multiplications alone. chase: loads, each of the address that the one before it gave,
 * from random lines of KIB, and WORK multiplications after each. stream: sums of KIB in order, and
 * WORK multiplications after each thousand words. THOUSANDS: of multiplications, loads or words.
 * After each thousand of them it writes their number so far to FILE, a file or a pipe.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 8, EACH = 1000 };

static uint64_t compute(uint64_t value, uint64_t count)
{
    for (; count; count--) {
        value = value * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

/* Loads of random lines, each of which waits for the one before it: its value, which is 0, is part
 * of where the next one lies. Without a cycle in memory the program has no long start. */
static uint64_t chase(const uint64_t *words, size_t lines, uint64_t at, uint64_t count,
                      uint64_t work)
{
    for (; count; count--) {
        at = at * 6364136223846793005u + 1442695040888963407u;
        at += words[((at >> 32) * lines >> 32) * LINE_WORDS];
        if (work)
            at = compute(at, work);
    }
    return at;
}

/* From word *at on. */
static uint64_t stream(const uint64_t *words, size_t most, size_t *at, uint64_t sum, uint64_t count)
{
    while (count) {
        const size_t now = count < most - *at ? count : most - *at;
        for (size_t i = 0; i < now; i++)
            sum += words[*at + i];
        *at = (*at + now) % most;
        count -= now;
    }
    return sum;
}

int main(int argc, char **argv)
{
    const size_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) * 1024 : 0;
    const uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const bool chases = argc > 1 && strcmp(argv[1], "chase") == 0,
               streams = argc > 1 && strcmp(argv[1], "stream") == 0;
    const uint64_t work = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
    uint64_t *words = bytes >= 4096 && count ? malloc(bytes) : NULL, result = !chases && !streams;
    FILE *told = argc > 5 ? fopen(argv[5], "w") : NULL;
    size_t at = 0;
    if (!words || (argc > 5 && !told)) {
        fputs("usage: needs compute|chase|stream KIB THOUSANDS [WORK [FILE]]\n", stderr);
        return 2;
    }
    /* Without this a compiler makes one calloc() of both, whose pages are all the one page of
     * zeros. */
    __asm__ volatile("" : "+r"(words));
    memset(words, 0, bytes);
    for (uint64_t done = 0; done < count; done++) {
        if (chases)
            result = chase(words, bytes / (LINE_WORDS * sizeof *words), result, EACH, work);
        else if (streams)
            result = compute(stream(words, bytes / sizeof *words, &at, result, EACH), work);
        else
            result = compute(result, EACH);
        if (told) {
            fprintf(told, "%llu\n", (unsigned long long)(done + 1));
            fflush(told);
        }
    }
    if (told)
        fclose(told);
    printf("%llu\n", (unsigned long long)result);
    free(words);
    return 0;
}
