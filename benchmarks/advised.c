/*
 * The kernels that 'fathom advise' is for, each with several settings in turn: benchmarks/advise.py
 * runs it. It needs no fathom.
 *
 * usage: advised KERNEL ROUNDS SETTING...   prints a line a round: the time of each setting, in ns
 * for each element
 *
 *   scan BYTES         passes that change a block, block after block: operators of a pipeline, one
 * after the other probe BYTES        random reads within a block, as many as it has lines times the
 * passes, block after block radix BITS         one pass that partitions tuples of 8 bytes, by
 * histogram; ns a tuple and bit radix-huge BITS    the same into huge pages interleave N       N
 * look-ups at once through lists of 8 nodes in 256 MiB interleave-near N  the same in 1 MiB
 *   prefetch N         a sum over 256 MiB in an order from a list, prefetched N steps ahead
 *   padding BYTES      two threads that count on words so far apart
 *   rows BYTES         sums of 64 rows so far apart, line by line
 *   past SIZE|-SIZE    copies of SIZE: by stores past the caches, or (-) memcpy()
 *   lookups 0|1        random reads of 256 MiB, on huge pages (1) or small ones
 *   touch 0|1          first touch of 64 MiB, the same
 *   threads N          reads of 64 MiB by each of N threads
 *
 * The time of one thread is its CPU time, so that other programs count only by what they do to
 * caches and memory.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { LINE = 64, PASSES = 24, NODES = 8, ROWS = 64, SETTINGS_MOST = 16, THREADS_MOST = 64 };
static const size_t MIB = 1 << 20, HUGE = 2 << 20;

static char *memory, *other; /* 256 MiB each, on huge pages where there are some */
static uint64_t sink;

static double now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static uint64_t drawn(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static size_t below(uint64_t *state, size_t most)
{
    return (size_t)((drawn(state) >> 32) * most >> 32);
}

static char *map(size_t bytes, int advice)
{
    char *area =
        mmap(NULL, bytes + HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) {
        perror("advised: mmap");
        exit(1);
    }
    area += (HUGE - (uintptr_t)area % HUGE) % HUGE;
    madvise(area, bytes, advice);
    return area;
}

static uint64_t sum_of(const char *from, size_t bytes)
{
    const uint64_t *words = (const uint64_t *)(const void *)from;
    uint64_t a = 0, b = 0, c = 0, d = 0;
    for (size_t i = 0; i + 4 <= bytes / 8; i += 4) {
        a += words[i];
        b += words[i + 1];
        c += words[i + 2];
        d += words[i + 3];
    }
    return a + b + c + d;
}

/* At least 16 MiB, and at least four blocks. */
static size_t blocks_of(size_t block)
{
    const size_t least = 16 * MIB / block;
    return least > 4 ? least : 4;
}

static double scan(long setting)
{
    const size_t block = (size_t)setting, blocks = blocks_of(block);
    for (size_t i = 0; i < blocks; i++) {
        uint64_t *words = (uint64_t *)(void *)(memory + i * block);
        for (uint64_t pass = 0; pass < PASSES; pass++) {
            for (size_t k = 0; k < block / 8; k++)
                words[k] += pass;
            __asm__ volatile("" : : : "memory");
        }
    }
    return (double)(blocks * block) / 8 * PASSES;
}

static double probe(long setting)
{
    const size_t block = (size_t)setting, blocks = blocks_of(block), lines = block / LINE;
    uint64_t state = 88172645463325252ULL;
    for (size_t i = 0; i < blocks; i++)
        for (size_t k = 0; k < lines * PASSES; k++)
            sink += (uint64_t)memory[i * block + below(&state, lines) * LINE];
    return (double)(blocks * lines) * PASSES;
}

static double partition(long bits, uint64_t *to)
{
    const size_t tuples = 8 * MIB, parts = (size_t)1 << bits;
    const uint64_t *from = (const uint64_t *)(const void *)memory;
    uint32_t *at = calloc(parts + 1, sizeof *at);
    for (size_t i = 0; i < tuples; i++)
        at[(from[i] >> 20 & (parts - 1)) + 1]++;
    for (size_t i = 0; i < parts; i++)
        at[i + 1] += at[i];
    for (size_t i = 0; i < tuples; i++)
        to[at[from[i] >> 20 & (parts - 1)]++] = from[i];
    free(at);
    return (double)tuples * (double)bits;
}

static double radix(long bits)
{
    static char *small;
    if (!small)
        memset(small = map(64 * MIB, MADV_NOHUGEPAGE), 1, 64 * MIB);
    return partition(bits, (uint64_t *)(void *)small);
}

static double radix_huge(long bits)
{
    return partition(bits, (uint64_t *)(void *)other);
}

/* Nodes of a line each in one random circle. */
static void link_nodes(size_t bytes)
{
    static size_t linked;
    const size_t nodes = bytes / LINE;
    if (linked == bytes)
        return;
    linked = bytes;
    uint32_t *order = malloc(nodes * sizeof *order);
    uint64_t state = 1;
    for (size_t i = 0; i < nodes; i++)
        order[i] = (uint32_t)i;
    for (size_t i = nodes; i-- > 1;) {
        const size_t k = below(&state, i + 1);
        const uint32_t kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (size_t i = 0; i < nodes; i++)
        *(char **)(void *)(memory + (size_t)order[i] * LINE) =
            memory + (size_t)order[(i + 1) % nodes] * LINE;
    free(order);
}

static double look_up(long at_once, size_t bytes, size_t look_ups)
{
    char *cursors[512];
    static uint64_t state = 3;
    link_nodes(bytes);
    for (size_t done = 0; done < look_ups; done += (size_t)at_once) {
        for (long i = 0; i < at_once; i++)
            cursors[i] = memory + below(&state, bytes / LINE) * LINE;
        for (int node = 0; node < NODES; node++)
            for (long i = 0; i < at_once; i++) {
                cursors[i] = *(char **)(void *)cursors[i];
                __builtin_prefetch(cursors[i]);
            }
        sink += (uintptr_t)cursors[0];
    }
    return (double)((look_ups + (size_t)at_once - 1) / (size_t)at_once * (size_t)at_once) * NODES;
}

static double interleave(long at_once)
{
    return look_up(at_once, 256 * MIB, 200000);
}

static double interleave_near(long at_once)
{
    return look_up(at_once, MIB, 400000);
}

static double prefetch(long ahead)
{
    enum { STEPS = 1 << 20 };
    static uint32_t *list;
    if (!list) {
        uint64_t state = 5;
        list = malloc((STEPS + 4096) * sizeof *list);
        for (size_t i = 0; i < STEPS + 4096; i++)
            list[i] = (uint32_t)below(&state, 256 * MIB / LINE);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < STEPS; i++) {
        __builtin_prefetch(memory + (size_t)list[i + (size_t)ahead] * LINE);
        const uint64_t value = *(uint64_t *)(void *)(memory + (size_t)list[i] * LINE);
        sum += (value * 0x9e3779b97f4a7c15ULL >> 29) * 0xbf58476d1ce4e5b9ULL >> 32;
    }
    sink += sum;
    return STEPS;
}

static double rows(long apart)
{
    enum { TIMES = 3000 };
    for (int k = 0; k < TIMES; k++)
        for (size_t row = 0; row < ROWS; row++)
            sink += *(volatile uint64_t *)(void *)(memory + row * (size_t)apart +
                                                   (size_t)(k / 100 % 8) * 8);
    return (double)TIMES * ROWS;
}

static double past(long size)
{
    const size_t bytes = (size_t)labs(size);
    const int calls = bytes < 4 * MIB ? (int)(64 * MIB / bytes) : 4;
    for (int call = 0; call < calls; call++) {
#if defined(__SSE2__)
        if (size > 0) {
            for (size_t i = 0; i < bytes; i += LINE)
                for (size_t k = 0; k < LINE; k += 16)
                    _mm_stream_si128(
                        (__m128i *)(void *)(other + i + k),
                        _mm_load_si128((const __m128i *)(const void *)(memory + i + k)));
            _mm_sfence();
            continue;
        }
#endif
        memcpy(other, memory, bytes);
        __asm__ volatile("" : : : "memory");
    }
    return (double)bytes * calls;
}

static double lookups(long huge)
{
    enum { READS = 1 << 20 };
    static char *small;
    static uint64_t state = 7;
    if (!small)
        memset(small = map(256 * MIB, MADV_NOHUGEPAGE), 1, 256 * MIB);
    const char *from = huge ? memory : small;
    uint64_t next = drawn(&state);
    for (size_t i = 0; i < READS; i++) { /* each waits for the one before */
        next = (next * 0x9e3779b97f4a7c15UL +
                (unsigned char)from[(next >> 32) % (256 * MIB / LINE) * LINE]) |
               1;
        next ^= next >> 31;
    }
    sink += next;
    return READS;
}

static double touch(long huge)
{
    char *area = map(64 * MIB, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (size_t i = 0; i < 64 * MIB; i += 4096)
        area[i] = 1;
    munmap(area, 64 * MIB);
    return (double)(64 * MIB / 4096);
}

/* --- several threads, each on a CPU of its own --- */

/* Beside other programs threads seldom run at once. So they meet before each of many short pieces
 * of work, and a piece counts from there: the first quartile of the pieces is the answer. */
enum { PIECES = 400 };
static atomic_long met;
static long members, apart;
static double pieces_ns[PIECES];

static void meet(long times)
{
    atomic_fetch_add(&met, 1);
    for (int spins = 0; atomic_load(&met) < times * members; spins++)
        if (spins > 2000)
            sched_yield();
}

static void count_up(uintptr_t index, int piece)
{
    atomic_ulong *word = (atomic_ulong *)(void *)(memory + index * (uintptr_t)apart);
    (void)piece;
    for (int i = 0; i < 1000; i++)
        atomic_fetch_add_explicit(word, 1, memory_order_relaxed);
}

static void read_some(uintptr_t index, int piece)
{
    const size_t bytes = MIB / 4, part = 64 * MIB;
    const uint64_t sum = sum_of(memory + index % 4 * part + (size_t)piece * bytes % part, bytes);
    __asm__ volatile("" : : "r"(sum));
}

static void (*work)(uintptr_t index, int piece);

static void *take_part(void *index)
{
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET((uintptr_t)index, &cpu);
    sched_setaffinity(0, sizeof cpu, &cpu);
    for (int piece = 0; piece < PIECES; piece++) {
        meet(2 * piece + 1);
        const double began = now_ns(CLOCK_MONOTONIC);
        work((uintptr_t)index, piece);
        if (!index)
            pieces_ns[piece] = now_ns(CLOCK_MONOTONIC) - began;
        meet(2 * piece + 2);
    }
    return NULL;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quartile_ns;

static double together(long threads, void (*piece)(uintptr_t, int))
{
    pthread_t ids[THREADS_MOST];
    members = threads;
    work = piece;
    atomic_store(&met, 0);
    for (long i = 0; i < threads; i++)
        pthread_create(&ids[i], NULL, take_part, (void *)(uintptr_t)i);
    for (long i = 0; i < threads; i++)
        pthread_join(ids[i], NULL);
    qsort(pieces_ns, PIECES, sizeof *pieces_ns, ascending);
    quartile_ns = pieces_ns[PIECES / 4];
    return 1;
}

static double padding(long bytes)
{
    apart = bytes;
    return together(2, count_up) * 1000;
}

static double threads(long count)
{
    return together(count, read_some) * (double)count * (double)(MIB / 4 / LINE);
}

static const struct kernel {
    const char *name;
    double (*run)(long setting); /* returns the number of elements */
    int several;                 /* threads */
} kernels[] = {
    {"scan", scan, 0},
    {"probe", probe, 0},
    {"radix", radix, 0},
    {"radix-huge", radix_huge, 0},
    {"interleave", interleave, 0},
    {"prefetch", prefetch, 0},
    {"interleave-near", interleave_near, 0},
    {"padding", padding, 1},
    {"rows", rows, 0},
    {"past", past, 0},
    {"lookups", lookups, 0},
    {"touch", touch, 0},
    {"threads", threads, 1},
};

int main(int argc, char **argv)
{
    const struct kernel *kernel = NULL;
    for (size_t i = 0; argc > 3 && i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, argv[1]) == 0)
            kernel = &kernels[i];
    const int count = argc - 3;
    if (!kernel || count > SETTINGS_MOST) {
        fputs("usage: advised KERNEL ROUNDS SETTING...\n", stderr);
        return 2;
    }
    uint64_t state = 9;
    memory = map(256 * MIB, MADV_HUGEPAGE);
    other = map(256 * MIB, MADV_HUGEPAGE);
    for (size_t i = 0; i < 256 * MIB; i += 8)
        *(uint64_t *)(void *)(memory + i) = drawn(&state);
    memset(other, 1, 256 * MIB);
    for (int round = -1; round < atoi(argv[2]); round++) { /* the first is not printed */
        double ns[SETTINGS_MOST];
        for (int k = 0; k < count; k++) {
            const int at = (k + round + 1) % count;
            const clockid_t clock = CLOCK_THREAD_CPUTIME_ID;
            const double began = now_ns(clock);
            const double elements = kernel->run(atol(argv[3 + at]));
            ns[at] = (kernel->several ? quartile_ns : now_ns(clock) - began) / elements;
        }
        for (int k = 0; k < count && round >= 0; k++)
            printf("%.5f%c", ns[k], k + 1 < count ? ' ' : '\n');
        fflush(stdout);
    }
    return sink == 42;
}
