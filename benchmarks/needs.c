/*
 * A program whose need is known, because it is one loop.
 *
 * usage: needs compute|chase|stream KIB MILLIONS
 *
 * compute: multiplications alone. chase: loads, each of the address that the one before it gave,
 * from random lines of KIB. stream: sums of KIB in order. MILLIONS: of multiplications, loads or
 * words.
 */
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_WORDS = 8, MILLION = 1000000 };

static uint64_t compute(uint64_t count)
{
    uint64_t value = 1;
    for (; count; count--) {
        value = value * 6364136223846793005u + 1;
        __asm__ volatile("" : "+r"(value));
    }
    return value;
}

/* A random cycle through all lines (Sattolo, "An algorithm to generate a random cyclic
 * permutation", 1986), in which each line holds the number of the next. */
static uint64_t chase(uint64_t *words, size_t lines, uint64_t count)
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
    uint64_t at = 0;
    for (; count; count--)
        at = words[at * LINE_WORDS];
    return at;
}

static uint64_t stream(uint64_t *words, size_t count_of_words, uint64_t count)
{
    uint64_t sum = 0;
    memset(words, 1, count_of_words * sizeof *words);
    for (; count > 0; count -= count < count_of_words ? count : count_of_words)
        for (size_t i = 0; i < count_of_words; i++)
            sum += words[i];
    return sum;
}

int main(int argc, char **argv)
{
    const size_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) * 1024 : 0;
    const uint64_t count = argc > 3 ? strtoull(argv[3], NULL, 10) * MILLION : 0;
    uint64_t *words = bytes >= 4096 && count ? malloc(bytes) : NULL, result = 0;
    if (!words) {
        fputs("usage: needs compute|chase|stream KIB MILLIONS\n", stderr);
        return 2;
    }
    if (strcmp(argv[1], "chase") == 0)
        result = chase(words, bytes / (LINE_WORDS * sizeof *words), count);
    else if (strcmp(argv[1], "stream") == 0)
        result = stream(words, bytes / sizeof *words, count);
    else
        result = compute(count);
    printf("%llu\n", (unsigned long long)result);
    free(words);
    return 0;
}
