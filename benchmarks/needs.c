/*
 * A program whose need is known, because it is one loop.
 *
 * usage: needs compute|chase|stream KIB MILLIONS [FILE]
 *
 * compute: multiplications alone. chase: loads, each of the address that the one before it gave,
 * from random lines of KIB. stream: sums of KIB in order. MILLIONS: of multiplications, loads or
 * words. After each of them it writes a line with their number so far to FILE, a file or a pipe.
 */
#include "base/random.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 8, MILLION = 1000000 };

static uint64_t compute(uint64_t value, uint64_t count)
{
    for (; count; count--) {
        value = value * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

/* A random cycle through all lines (Sattolo, "An algorithm to generate a random cyclic
 * permutation", 1986), in which each line holds the number of the next. */
static void make_cycle(uint64_t *words, size_t lines)
{
    struct random random = {1};
    for (size_t i = 0; i < lines; i++)
        words[i * LINE_WORDS] = i;
    for (size_t i = lines - 1; i > 0; i--) {
        const size_t k = (size_t)random_below(&random, i);
        const uint64_t moved = words[i * LINE_WORDS];
        words[i * LINE_WORDS] = words[k * LINE_WORDS];
        words[k * LINE_WORDS] = moved;
    }
}

static uint64_t chase(const uint64_t *words, uint64_t at, uint64_t count)
{
    for (; count; count--)
        at = words[at * LINE_WORDS];
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
    uint64_t *words = bytes >= 4096 && count ? malloc(bytes) : NULL, result = !chases && !streams;
    FILE *told = argc > 4 ? fopen(argv[4], "w") : NULL;
    size_t at = 0;
    if (!words || (argc > 4 && !told)) {
        fputs("usage: needs compute|chase|stream KIB MILLIONS [FILE]\n", stderr);
        return 2;
    }
    if (chases)
        make_cycle(words, bytes / (LINE_WORDS * sizeof *words));
    else
        memset(words, 1, bytes);
    for (uint64_t done = 0; done < count; done++) {
        result = chases    ? chase(words, result, MILLION)
                 : streams ? stream(words, bytes / sizeof *words, &at, result, MILLION)
                           : compute(result, MILLION);
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
