/*
 * The memory system of one modelled device: a first level, constant caches and a scratchpad's port
 * for each multiprocessor, one second level, one table of translations, memory, and the roads to
 * the host and to other devices.
 *
 * An access takes the latency of the level that has its data, and waits where a road is busy: each
 * road passes a number of bytes a cycle. Both together give a rate that is limited by what is in
 * flight or by the narrowest road, whichever is less.
 *
 * Not modelled: banks (of the scratchpad, of the second level, of memory), row buffers, refresh,
 * replays of translations on their way. A first level is empty when a kernel begins, as on the
 * hardware; the second level and the translations stay.
 */
#ifndef FATHOM_TESTS_GPU_HIERARCHY_H
#define FATHOM_TESTS_GPU_HIERARCHY_H

#include "cache.h"
#include "machine.h"

struct channel {
    double free_at, cycles_per_byte;
};

struct multiprocessor {
    struct cache l1[MACHINE_L1_MOST], texture, constant1, constant2;
    struct channel port, road; /* within it; and to the second level */
    uint64_t launch;           /* that its caches were last emptied for */
};

struct hierarchy {
    const struct machine *machine;
    struct multiprocessor *sms;
    struct cache l2[2], tlb; /* the second level's partitions; one alone where none keeps copies */
    struct channel l2_road, dram, host, peer;
    uint64_t launch, l1_bytes;
    unsigned line_shift, sector_shift, page_shift; /* powers of two all */
};

enum road {
    ROAD_L1,        /* ld.ca, ld */
    ROAD_READ_ONLY, /* ld.nc */
    ROAD_L2,        /* ld.cg */
    ROAD_UNCACHED,  /* ld.cv */
    ROAD_ATOMIC,
    ROAD_TEXTURE,
    ROAD_STORE,
};

/* WHERE_HOST: on the node to which the device is near; WHERE_OWN_NODE: the device's own memory, as
 * a node of the host. */
enum where { WHERE_DEVICE, WHERE_HOST, WHERE_PEER, WHERE_FAR_NODE, WHERE_OWN_NODE };

/* What a warp wants of one line. */
struct access {
    unsigned sm;
    enum road road;
    enum where where;
    uint64_t place;  /* of the line, allocation.place or foreign_place */
    uint8_t sectors; /* of the line, a bit each */
    unsigned warp;   /* of its block */
};

/* How many there are in a mask: not every host has an instruction for it. */
static inline unsigned sector_count(uint8_t sectors)
{
    return (0x4332322132212110u >> 4 * (sectors & 15)) & 15;
}

bool hierarchy_create(struct hierarchy *, const struct machine *);
void hierarchy_free(struct hierarchy *);
/* A kernel begins, with `first_bytes` of first level on each multiprocessor: every road is free at
 * cycle 0.
 */
void hierarchy_begin(struct hierarchy *, uint64_t l1_bytes, double clock_mhz);

/* All three: the cycle at which what was begun at `now` is there, or a store was taken. */
uint64_t hierarchy_access(struct hierarchy *, const struct access *, uint64_t now);
uint64_t hierarchy_constant(struct hierarchy *, unsigned sm, uint64_t place, uint64_t now);
uint64_t hierarchy_shared(struct hierarchy *, unsigned sm, uint64_t latency, uint64_t bytes,
                          uint64_t now);
/* When the last byte that is under way has gone. */
uint64_t hierarchy_drained(const struct hierarchy *);

#endif
