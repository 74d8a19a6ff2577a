/*
 * How many repeats fill a batch, found by trying: of a kernel on a CPU, or of a device's work.
 */
#ifndef FATHOM_MEASURE_ENGINE_REPEATS_H
#define FATHOM_MEASURE_ENGINE_REPEATS_H

#include <stdint.h>

struct repeats_search {
    double wanted_ns; /* what a batch is to take */
    /* Does that number of repeats once and says how long they took. 0, or a negative code, which
     * ends the search. */
    int (*try_repeats)(void *self, uint64_t repeats, double *took_ns);
    void *self;
};

/* Tries twice as many each time, from one on, until they take long enough to be known, and twice as
 * many take about twice as long: what does not was waiting for another thread. 0, or
 * try_repeats()'s code, which leaves `repeats` alone. */
int repeats_find(const struct repeats_search *, uint64_t *repeats);

#endif
