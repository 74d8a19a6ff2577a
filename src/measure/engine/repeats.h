/*
 * How many repeats fill a batch, found by trying: of a kernel on a CPU, or of a device's work.
 */
#pragma once

#include <stdint.h>

struct repeats_search {
    double wanted_ns; /* time that a batch should take */
    /* Does that number of repeats once and says how long they took. 0, or a negative code, which
     * ends the search. */
    int (*try_repeats)(void *self, uint64_t repeats, double *took_ns);
    void *self;
};

/* Doubles the number, from 1 on, until a try takes long enough to be timed and twice as many
 * repeats take about twice as long: a try without that was waiting for another thread. 0, or the
 * code of try_repeats(), which leaves `repeats` unchanged. */
int repeats_find(const struct repeats_search *, uint64_t *repeats);
