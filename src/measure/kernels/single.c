#include "measure/kernels/single.h"

#include "arch.h"
#include "single_loops.h"

enum { EMPTIES = 63 };

/* The mean of the middle third of the times between two readings: finer than the counter's step. */
static double time_empty(const void *at)
{
    uint64_t sorted[EMPTIES], began, sum = 0;
    for (unsigned i = 0; i < EMPTIES; i++) {
        const uint64_t ticks = loops_no_load(at, &began);
        unsigned place = i;
        for (; place && sorted[place - 1] > ticks; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = ticks;
    }
    for (unsigned i = EMPTIES / 3; i < EMPTIES - EMPTIES / 3; i++)
        sum += sorted[i];
    return (double)sum / (EMPTIES / 3);
}

static __attribute__((noinline)) void note(struct single *single, struct gap_counts *counts,
                                           struct gap gap)
{
    if (gap.ticks >= single->check && single->count) {
        const struct gap_counts before = *counts;
        single->count(counts);
        gap.switches = (uint32_t)(counts->switches - before.switches);
        gap.faults = (uint32_t)(counts->faults - before.faults);
    }
    if ((int64_t)gap.ticks < 0) /* the counter went back */
        return;
    single->timed += gap.ticks;
    if (single->used < single->room)
        single->log[single->used++] = gap;
    else
        single->missed++;
}

uint64_t single_run(void *state, uint64_t repeats)
{
    struct single *single = state;
    struct gap_counts counts = {0};
    uint64_t random = single->random, began, ticks = 0;
    if (!(single->empty > 0))
        single->empty = time_empty(single->memory);
    if (single->count)
        single->count(&counts);
    const uint64_t first = arch_counter();
    for (uint64_t left = repeats; left; left--) {
        /* A congruential generator (Knuth, MMIX): its high bits are random enough for a line and a
         * pause. */
        random = random * 6364136223846793005u + 1442695040888963407u;
        const unsigned char *at =
            single->memory + ((random >> 32) * single->lines >> 32) * single->line_bytes;
        if (single->flush)
            loops_flush(at);
        for (uint32_t pause = (uint32_t)random >> (32 - single->pause_bits); pause; pause--)
            __asm__ volatile("");
        ticks = loops_single(at, &began);
        if (ticks < single->over) {
            single->bins[ticks]++;
            single->timed += ticks;
        } else {
            note(single, &counts, (struct gap){.at = began, .ticks = ticks});
        }
    }
    single->random = random;
    single->last_ticks = arch_counter() - first;
    return ticks;
}
