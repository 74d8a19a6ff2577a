#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Device addresses: far from where Linux maps programs and their memory on 64 bits. */
static const uint64_t device_base = UINT64_C(1) << 45;
enum { DEVICE_SHIFT = 38 };
/* Places of memory that is not a device's own. */
static const uint64_t foreign_base = UINT64_C(1) << 37, foreign_size = UINT64_C(1) << 36;
/* Every allocation is aligned by its size, from what a texture needs to a page of its own. */
static const uint64_t small_alignment = 512, large_alignment = UINT64_C(2) << 20;
static const uint64_t whole_bytes = UINT64_C(256) << 20;
/* What the system keeps for itself of a device's memory. */
enum { KEPT_SHARE = 64 };

void memory_create(struct memory *memory, const struct machine *machine)
{
    *memory = (struct memory){.next_foreign = foreign_base};
    for (uint64_t i = 0; i < machine->devices; i++) {
        memory->size[i] = machine->memory;
        memory->used[i] = machine->memory / KEPT_SHARE;
    }
}

static void release(struct memory *memory, size_t index)
{
    struct allocation *gone = &memory->list[index];
    munmap(gone->data, (size_t)gone->bytes);
    if (gone->home == HOME_DEVICE)
        memory->used[gone->device] -= gone->bytes;
    memmove(gone, gone + 1, (--memory->count - index) * sizeof *gone);
}

void memory_free(struct memory *memory)
{
    while (memory->count)
        release(memory, memory->count - 1);
    free(memory->list);
    memory->list = NULL;
    memory->room = 0;
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step * step;
}

/* The first of the list at or after an address. */
static size_t lower_bound(const struct memory *memory, uint64_t address)
{
    size_t low = 0, high = memory->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memory->list[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool insert(struct memory *memory, struct allocation new)
{
    size_t index = lower_bound(memory, new.address);
    if (memory->count == memory->room) {
        size_t room = memory->room ? 2 * memory->room : 16;
        struct allocation *list = realloc(memory->list, room * sizeof *list);
        if (!list)
            return false;
        memory->list = list;
        memory->room = room;
    }
    new.foreign_place = memory->next_foreign;
    memory->next_foreign += round_up(new.bytes, large_alignment);
    if (memory->next_foreign >= foreign_base + foreign_size)
        memory->next_foreign = foreign_base;
    if (new.home != HOME_DEVICE)
        new.place = new.foreign_place;
    memmove(&memory->list[index + 1], &memory->list[index], (memory->count++ - index) * sizeof new);
    memory->list[index] = new;
    return true;
}

static unsigned char *map(uint64_t bytes)
{
    const size_t length = (size_t)bytes;
    if (length != bytes)
        return NULL;
    void *data = mmap(NULL, length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED)
        return NULL;
    /* Rings are followed at random; but of what is larger only a little may be touched. */
    if (bytes <= whole_bytes)
        madvise(data, length, MADV_HUGEPAGE);
    return data;
}

/* The lowest gap of a device that is large enough; 0 where there is none. */
static uint64_t first_gap(const struct memory *memory, unsigned device, uint64_t bytes)
{
    const uint64_t base = device_base + ((uint64_t)device << DEVICE_SHIFT) + large_alignment;
    uint64_t at = base, align = small_alignment;
    while (align < bytes && align < large_alignment)
        align *= 2;
    for (size_t i = lower_bound(memory, base); i < memory->count; i++) {
        const struct allocation *next = &memory->list[i];
        if (next->home != HOME_DEVICE || next->device != device || next->address >= at + bytes)
            break;
        at = round_up(next->address + next->bytes, align);
    }
    return at + bytes <= base + memory->size[device] ? at : 0;
}

uint64_t memory_take(struct memory *memory, unsigned device, uint64_t bytes)
{
    struct allocation new = {.home = HOME_DEVICE, .device = device};
    if (!bytes || bytes > memory->size[device])
        return 0;
    new.bytes = round_up(bytes, small_alignment);
    if (new.bytes > memory->size[device] - memory->used[device])
        return 0;
    new.address = first_gap(memory, device, new.bytes);
    new.data = new.address ? map(new.bytes) : NULL;
    if (!new.data)
        return 0;
    new.place = new.address - device_base - ((uint64_t)device << DEVICE_SHIFT);
    if (!insert(memory, new)) {
        munmap(new.data, (size_t) new.bytes);
        return 0;
    }
    memory->used[device] += new.bytes;
    return new.address;
}

/* At an address that the host has as well. */
static uint64_t take_shared(struct memory *memory, struct allocation new, uint64_t bytes)
{
    new.bytes = round_up(bytes, small_alignment);
    if (!bytes || new.bytes < bytes)
        return 0;
    new.data = map(new.bytes);
    new.address = (uint64_t)(uintptr_t) new.data;
    if (new.data && !insert(memory, new)) {
        munmap(new.data, (size_t) new.bytes);
        return 0;
    }
    return new.address;
}

uint64_t memory_take_host(struct memory *memory, uint64_t bytes, unsigned node, bool pinned)
{
    const struct allocation new = {.home = HOME_HOST, .node = node, .pinned = pinned};
    return take_shared(memory, new, bytes);
}

uint64_t memory_take_managed(struct memory *memory, uint64_t bytes)
{
    const struct allocation new = {
        .home = HOME_MANAGED, .place_now = PLACE_NOWHERE, .preferred = PLACE_NOWHERE};
    return take_shared(memory, new, bytes);
}

bool memory_drop(struct memory *memory, uint64_t address, enum home home)
{
    size_t index = lower_bound(memory, address);
    if (index == memory->count || memory->list[index].address != address ||
        memory->list[index].home != home)
        return false;
    release(memory, index);
    return true;
}

void memory_drop_device(struct memory *memory, unsigned device)
{
    for (size_t i = memory->count; i-- > 0;)
        if (memory->list[i].home == HOME_DEVICE && memory->list[i].device == device)
            release(memory, i);
}

struct allocation *memory_find(const struct memory *memory, uint64_t address, uint64_t bytes)
{
    size_t index = lower_bound(memory, address + 1);
    struct allocation *found = index ? &memory->list[index - 1] : NULL;
    if (!found || address - found->address >= found->bytes ||
        bytes > found->bytes - (address - found->address))
        return NULL;
    return found;
}
