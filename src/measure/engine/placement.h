/*
 * Where the host of a guest keeps its CPUs. A hypervisor moves them between the threads of one
 * core, between clusters and sockets, for seconds or minutes, so what CPUs do together is a fact of
 * the moment. It is looked at again and again. Trials belong to the interval between two looks, and
 * so to the state that both of them found. An interval whose looks differ has no state: nobody
 * knows when in it the move was.
 */
#pragma once

#include "document/document.h"

#include <stdint.h>

enum { PLACEMENT_STATES = 8, PLACEMENT_MOVING = PLACEMENT_STATES };

struct placement {
    /* Finds the state now, adds it to `facts` where it is new, and returns its number;
     * PLACEMENT_MOVING where it can't tell, because the CPUs move or have no time. Negative:
     * ERROR_INTERRUPTED or ERROR_SYSTEM. */
    int (*look)(struct placement *, struct error *);
    struct run_facts *facts; /* its placements, room for PLACEMENT_STATES, and moves are filled */
    uint8_t *found;          /* the state that each look found */
    uint32_t look_count, room;
    uint64_t looked_ns;   /* when the last look ended, by os_raw_ns() */
    uint64_t shortest_ns; /* time of the shortest look that found a known state; 0:
 none yet */
};

/* For an engine without a placement (NULL), as where no hypervisor moves CPUs, these do nothing,
 * and all intervals have state 0. */

/* Looks now. 0, or the errors of look(). */
int placement_look(struct placement *, struct error *);
/* The same if the last look is some time ago. */
int placement_look_if_due(struct placement *, struct error *);
/* The interval that began with the last look. */
uint32_t placement_interval(const struct placement *);
/* The state of an interval: that which the last look before it and the next one after it told,
 * PLACEMENT_MOVING where they differ or there is none. An interval without an end yet has the state
 * of its beginning. */
unsigned placement_of(const struct placement *, uint32_t interval);
void placement_free(struct placement *);
