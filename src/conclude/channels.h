/*
 * The memory's channels, by the names of the module slots, and their bandwidth at the modules'
 * speed, with which a measured bandwidth is compared.
 */
#pragma once

#include "base/pool.h"
#include "document/document.h"

struct channels {
    size_t slots, filled_slots; /* of main memory */
    /* Channels; 0: the slots' names do not tell their channels, and nothing is guessed. */
    size_t count, filled;
    double bytes_per_second; /* of all channels, with empty ones as fast as the slowest other; NAN:
                                a speed or width is unknown */
    const char *sentence;    /* "7 of 8 channels populated, slot H is empty"; NULL: no known slot */
};

/* The sentence is in the pool. Out of memory leaves the pool's step. */
void channels_read(struct channels *, const struct declared_facts *, struct pool *);
