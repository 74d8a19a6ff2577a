/*
 * The memory's channels, as the slots for modules are named, and what they can carry at the
 * modules' speed: what a measured bandwidth is held against.
 */
#ifndef FATHOM_CONCLUDE_CHANNELS_H
#define FATHOM_CONCLUDE_CHANNELS_H

#include "base/pool.h"
#include "document/document.h"

struct channels {
    size_t slots, filled_slots; /* of main memory */
    /* 0 where the slots' names do not say which channel they are on: nothing is guessed. */
    size_t count, filled;
    double bytes_per_second; /* of all channels, as if an empty one had such modules as the others;
                                NAN where a speed or width is unknown */
    const char *sentence;    /* "7 of 8 channels populated, slot H is empty"; NULL: no slot is known
                              */
};

/* The sentence lies in the pool, whose step it leaves where memory runs out. */
void channels_read(struct channels *, const struct declared_facts *, struct pool *);

#endif
