/*
 * Core-to-core latency as single-line tools measure it: one cache line, 300 samples of 1000 round
 * trips by compare-and-swap, median. `fathom cores` is compared with it.
 *
 * usage: single_line CPU CPU prints ns a hand-off, and the seconds it took
 */
#include "machine/clock.h"
#include "measure/kernels/handoff.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 300, ROUND_TRIPS = 1000 };

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct pong {
    struct handoff_cas side;
    int cpu;
};

static void *answer(void *argument)
{
    struct pong *pong = argument;
    os_pin_thread(pong->cpu, NULL);
    handoff_cas_run(&pong->side, (uint64_t)SAMPLES * ROUND_TRIPS);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 1;
    uint32_t *line = aligned_alloc(4096, 4096);
    struct clock clock;
    pthread_t thread;
    double ns[SAMPLES];
    if (!line)
        return 1;
    *line = 0;
    clock_calibrate_below(&clock, NULL);
    struct pong pong = {{line, 1, 0}, atoi(argv[2])};
    struct handoff_cas ping = {line, 0, 1};
    os_pin_thread(atoi(argv[1]), NULL);
    if (pthread_create(&thread, NULL, answer, &pong) != 0)
        return 1;
    uint64_t began_ns = os_raw_ns();
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t start = clock_ticks(&clock);
        handoff_cas_run(&ping, ROUND_TRIPS);
        ns[i] = clock_ns(&clock, clock_ticks(&clock) - start) / (2 * ROUND_TRIPS);
    }
    double took_s = (double)(os_raw_ns() - began_ns) * 1e-9;
    pthread_join(thread, NULL);
    qsort(ns, SAMPLES, sizeof *ns, compare);
    printf("%.4f %.4f\n", ns[SAMPLES / 2], took_s);
    return 0;
}
