/*
 * The memory of all modelled devices, and what of the host's is pinned: who owns which addresses.
 * Device addresses are numbers of their own; what lies there is kept in ordinary memory, which
 * costs nothing until it is touched, so a model may have more than the machine that runs it.
 */
#ifndef FATHOM_TESTS_GPU_MEMORY_H
#define FATHOM_TESTS_GPU_MEMORY_H

#include "machine.h"

#include <stdbool.h>

enum home { HOME_DEVICE, HOME_HOST, HOME_MANAGED };
/* Where managed memory is: the whole of an allocation at once. */
enum { PLACE_NOWHERE = -2, PLACE_HOST = -1 /* else a device */ };

struct allocation {
    uint64_t address, bytes;
    unsigned char *data;
    enum home home;
    unsigned device;          /* HOME_DEVICE: whose */
    unsigned node;            /* HOME_HOST: of the host's nodes */
    bool pinned;              /* HOME_HOST: so devices reach it */
    int place_now, preferred; /* HOME_MANAGED: PLACE_NOWHERE, PLACE_HOST or a device */
    unsigned reached_by;      /* HOME_MANAGED: by these devices, as bits, without moving it */
    /* Where it lies for caches, which know no addresses: in its own device, and for all others
     * (host memory: for all). Both below 2^38. */
    uint64_t place, foreign_place;
};

struct memory {
    struct allocation *list; /* by address */
    size_t count, room;
    uint64_t size[MACHINE_DEVICES_MOST], used[MACHINE_DEVICES_MOST];
    uint64_t next_foreign;
};

void memory_create(struct memory *, const struct machine *);
void memory_free(struct memory *);

/* All give 0 without memory, of the device or of the system. */
uint64_t memory_take(struct memory *, unsigned device, uint64_t bytes);
uint64_t memory_take_host(struct memory *, uint64_t bytes, unsigned node, bool pinned);
uint64_t memory_take_managed(struct memory *, uint64_t bytes);
/* False where no allocation begins at that address. */
bool memory_drop(struct memory *, uint64_t address, enum home);
void memory_drop_device(struct memory *, unsigned device);
/* The allocation that holds all of these bytes, or NULL. */
struct allocation *memory_find(const struct memory *, uint64_t address, uint64_t bytes);

#endif
