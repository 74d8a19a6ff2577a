/*
 * A neighbour that takes what fathom measures: it works on one CPU until its standard input ends,
 * so that nothing of it is left when the benchmark goes.
 *
 * usage: tormentor CPU KIND [SHORTEST LONGEST DUTY]
 *
 *     alu     additions, nothing of memory
 *     l1, l2  random stores all over 32 KiB, or 1 MiB
 *     l3      random stores all over 16 MiB
 *     dram    copies 256 MiB, over and over
 *
 * With the last three, bursts of some milliseconds, drawn evenly on a logarithmic scale, with
 * pauses that make them that share of the time.
 */
#include "base/random.h"
#include "machine/os.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIB = 1 << 20, LINE = 64, CHUNK = 20000 };

static const struct kind {
    const char *name;
    size_t bytes;
    bool streams;
} kinds[] = {
    {"alu", 0, false},       {"l1", 32 << 10, false},   {"l2", MIB, false},
    {"l3", 16 * MIB, false}, {"dram", 256 * MIB, true},
};

struct torment {
    const struct kind *kind;
    unsigned char *memory;
    size_t at;
    struct random random;
    uint64_t sink;
};

/* Some tens of microseconds. */
static void work(struct torment *torment)
{
    const size_t bytes = torment->kind->bytes, half = bytes / 2, step = 256 << 10;
    if (torment->kind->streams) {
        memcpy(torment->memory + half + torment->at, torment->memory + torment->at, step);
        torment->at = (torment->at + step) % half;
        return;
    }
    uint64_t x = torment->random.state;
    for (int i = 0; i < CHUNK; i++) {
        x = x * UINT64_C(6364136223846793005) + 1442695040888963407u;
        if (bytes)
            torment->memory[(x >> 33) % (bytes / LINE) * LINE]++;
        else
            torment->sink += x ^ torment->sink >> 3;
    }
    torment->random.state = x;
    __asm__ volatile("" : : "r"(torment->sink) : "memory");
}

/* Whether standard input has ended, after waiting up to so long for it. */
static bool ended(int wait_ms)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    char byte;
    return poll(&input, 1, wait_ms) > 0 && read(0, &byte, 1) <= 0;
}

static double now_ms(void)
{
    return (double)os_raw_ns() * 1e-6;
}

int main(int count, char **arguments)
{
    struct torment torment = {.random = {os_raw_ns()}};
    for (size_t i = 0; count > 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(arguments[2], kinds[i].name) == 0)
            torment.kind = &kinds[i];
    const bool bursts = count == 6;
    const double least = bursts ? atof(arguments[3]) : 50, most = bursts ? atof(arguments[4]) : 50,
                 duty = bursts ? atof(arguments[5]) : 1;
    if (!torment.kind || (count != 3 && !bursts) || !(least > 0) || !(most >= least) ||
        !(duty > 0 && duty <= 1)) {
        fprintf(stderr, "usage: tormentor CPU alu|l1|l2|l3|dram [SHORTEST LONGEST DUTY]\n");
        return 2;
    }
    torment.memory = calloc(torment.kind->bytes + 1, 1);
    if (!torment.memory || os_pin_thread(atoi(arguments[1]), NULL) < 0) {
        fprintf(stderr, "tormentor: no memory, or CPU %s may not be used\n", arguments[1]);
        return 1;
    }
    memset(torment.memory, 1, torment.kind->bytes);
    for (;;) {
        const double burst_ms = least * pow(most / least, random_unit(&torment.random));
        for (const double end = now_ms() + burst_ms; now_ms() < end;)
            work(&torment);
        if (ended((int)(burst_ms * (1 - duty) / duty)))
            return 0;
    }
}
