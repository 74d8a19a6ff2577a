/* Where addresses lead, and the lines that a warp touches. */
#include "simt.h"

/* Notes that a warp touches `bytes` at a place; within one line, for vectors are aligned. */
static void touch(const struct run *run, struct touches *touches, enum where where, uint64_t place,
                  unsigned bytes)
{
    const struct hierarchy *hierarchy = run->device->hierarchy;
    const uint64_t line = place >> hierarchy->line_shift;
    const uint64_t start = line << hierarchy->line_shift;
    unsigned first = (unsigned)((place - start) >> hierarchy->sector_shift);
    unsigned last = (unsigned)((place + bytes - 1 - start) >> hierarchy->sector_shift);
    uint8_t sectors = (uint8_t)(((2u << last) - 1) & ~((1u << first) - 1));
    unsigned i = touches->count;
    while (i-- > 0)
        if (touches->list[i].line == line && touches->list[i].access.where == where) {
            touches->list[i].access.sectors |= sectors;
            return;
        }
    struct touched *new = &touches->list[touches->count++];
    new->line = line;
    new->access.where = where;
    new->access.place = start;
    new->access.sectors = sectors;
}

/* Managed memory moves to the device that touches it, unless it is to stay on the host and may be
 * reached there. */
static enum where place_managed(const struct run_device *device, struct allocation *found)
{
    const bool stays = found->place_now == PLACE_HOST && found->preferred == PLACE_HOST &&
                       found->reached_by >> device->index & 1;
    if (stays)
        return WHERE_HOST;
    found->place_now = (int)device->index;
    return WHERE_DEVICE;
}

static enum where place_of_node(const struct machine *machine, unsigned node)
{
    if (machine->own_node && node == machine->own_node)
        return WHERE_OWN_NODE;
    return node == machine->node ? WHERE_HOST : WHERE_FAR_NODE;
}

/* False where the device may not go there. */
static bool leads_to(const struct run_device *device, struct allocation *found, enum where *where)
{
    switch (found->home) {
    case HOME_MANAGED:
        *where = place_managed(device, found);
        return true;
    case HOME_HOST:
        *where = place_of_node(device->machine, found->node);
        return found->pinned || device->machine->pageable;
    default:
        *where = found->device == device->index ? WHERE_DEVICE : WHERE_PEER;
        return *where == WHERE_DEVICE || device->reaches[found->device];
    }
}

static bool find(struct run *run, uint64_t address, unsigned bytes)
{
    const struct run_device *device = run->device;
    struct allocation *found = memory_find(device->memory, address, bytes);
    if (!found || !leads_to(device, found, &run->last_where))
        return false;
    run->last = found;
    run->last_place = run->last_where == WHERE_DEVICE ? found->place : found->foreign_place;
    return true;
}

unsigned char *space_global(struct run *run, uint64_t address, unsigned bytes,
                            struct touches *touches)
{
    const struct allocation *last = run->last;
    if (!last || address - last->address >= last->bytes ||
        bytes > last->bytes - (address - last->address)) {
        if (!find(run, address, bytes))
            return NULL;
        last = run->last;
    }
    uint64_t offset = address - last->address;
    touch(run, touches, run->last_where, run->last_place + offset, bytes);
    return last->data + offset;
}

unsigned char *space_shared(const struct run *run, const struct warp *warp, uint64_t address,
                            unsigned bytes, const struct block **owner)
{
    const struct unit *unit = warp->block->unit;
    const uint64_t rank = address >> PTX_RANK_SHIFT;
    const uint64_t at = address & ((1u << PTX_RANK_SHIFT) - 1);
    if (rank > run->grid->cluster || at < PTX_SHARED_BASE ||
        at + bytes > PTX_SHARED_BASE + (uint64_t)run->shared_bytes)
        return NULL;
    *owner = rank ? &unit->blocks[rank - 1] : warp->block;
    return (*owner)->shared + (at - PTX_SHARED_BASE);
}

unsigned char *space_constant(const struct run *run, uint64_t address, unsigned bytes,
                              uint64_t *place)
{
    const struct allocation *bank = run->constants;
    if (!bank || address >= run->grid->module->constant_bytes ||
        bytes > run->grid->module->constant_bytes - address)
        return NULL;
    *place = bank->place + address;
    return bank->data + address;
}

uint64_t touches_take(struct run *run, const struct warp *warp, struct touches *touches,
                      enum road road, uint64_t now)
{
    uint64_t ready = now;
    for (unsigned i = 0; i < touches->count; i++) {
        struct access *access = &touches->list[i].access;
        access->sm = warp->block->sm;
        access->road = road;
        access->warp = warp->index;
        /* One line a cycle. */
        uint64_t there = hierarchy_access(run->device->hierarchy, access, now + i);
        ready = there > ready ? there : ready;
    }
    return ready;
}
