/*
 * core_latency: two threads pass a turn by CAS of a line or through two, in short samples.
 * usage: core_latency cas|readwrite CPU CPU    prints what plain.h tells; a walk is a line
 */
#include "plain.h"

#include <pthread.h>

enum { LINES = 64, SAMPLES = 200, ITERATIONS = 100, APART = 256 / sizeof(unsigned) };
static unsigned *memory, readwrite, cpus[2];

/* Waits for its value in one word and writes the next, to the same one or to the other line. */
static void pass_by_cas(unsigned *line, unsigned side)
{
    for (unsigned i = 0, seen = side; i < ITERATIONS; i++, seen = side)
        while (!__atomic_compare_exchange_n(line, &seen, !side, 0, 0, 0))
            seen = side;
}

static void pass_by_loads_and_stores(unsigned *line, unsigned side)
{
    unsigned *theirs = line + !side * APART / 2, *mine = line + side * APART / 2;
    for (unsigned i = 0; i < ITERATIONS; __atomic_store_n(mine, ++i & 1, __ATOMIC_RELEASE))
        while (__atomic_load_n(theirs, __ATOMIC_ACQUIRE) != ((i & 1) ^ side))
            ;
}

static void *play(void *cpu)
{
    const unsigned side = cpu == &cpus[1];
    double ns[SAMPLES];
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(*(unsigned *)cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
    for (unsigned l = 0; l < LINES; l++) {
        for (unsigned s = 0; s < SAMPLES; s++) {
            const double began = wall_ns();
            (readwrite ? pass_by_loads_and_stores : pass_by_cas)(memory + l * APART, side);
            ns[s] = (wall_ns() - began) / 2 / ITERATIONS;
        }
        if (!side)
            note(ranked(ns, SAMPLES, SAMPLES / 2));
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc < 4)
        return 1;
    readwrite = strcmp(argv[1], "readwrite") == 0;
    cpus[0] = (unsigned)atoi(argv[2]), cpus[1] = (unsigned)atoi(argv[3]);
    memory = memset(take(LINES * APART * sizeof *memory, 0), 0, LINES * APART * sizeof *memory);
    pthread_create(&thread, NULL, play, &cpus[1]);
    play(&cpus[0]);
    tell();
    return pthread_join(thread, NULL);
}
