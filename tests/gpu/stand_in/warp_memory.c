/* Loads, stores, atomic operations and textures of a warp. */
#include "simt.h"

#include <string.h>

/* A warp goes on while this many cycles' worth of stores are under way. */
enum { STORES_UNDER_WAY = 2048 };

/* Of sizes that the compiler knows: a call for every few bytes would cost more than all the rest.
 */
static uint64_t read_value(const unsigned char *from, unsigned bytes, enum ptx_type type)
{
    uint64_t eight;
    uint32_t four;
    uint16_t two;
    switch (bytes) {
    case sizeof eight:
        memcpy(&eight, from, sizeof eight);
        return eight;
    case sizeof four:
        memcpy(&four, from, sizeof four);
        return four;
    case sizeof two:
        memcpy(&two, from, sizeof two);
        return type == TYPE_S16 ? (uint64_t)(int16_t)two & UINT32_MAX : two;
    default:
        return type == TYPE_S8 ? (uint64_t)(int8_t)*from & UINT32_MAX : *from;
    }
}

static void write_value(unsigned char *to, uint64_t value, unsigned bytes)
{
    const uint32_t four = (uint32_t)value;
    const uint16_t two = (uint16_t)value;
    switch (bytes) {
    case sizeof value:
        memcpy(to, &value, sizeof value);
        break;
    case sizeof four:
        memcpy(to, &four, sizeof four);
        break;
    case sizeof two:
        memcpy(to, &two, sizeof two);
        break;
    default:
        *to = (unsigned char)value;
    }
}

/* A generic address that lies in a window is one of the space behind it. */
static enum ptx_space space_of(const struct ptx_instruction *at, uint64_t *address)
{
    if (at->space != SPACE_GENERIC)
        return at->space;
    if (*address >= PTX_CONSTANT_WINDOW && *address < PTX_CONSTANT_WINDOW + UINT32_MAX) {
        *address -= PTX_CONSTANT_WINDOW;
        return SPACE_CONSTANT;
    }
    if (*address >= PTX_SHARED_WINDOW && *address < PTX_SHARED_WINDOW + UINT32_MAX) {
        *address -= PTX_SHARED_WINDOW;
        return SPACE_CLUSTER;
    }
    return SPACE_GLOBAL;
}

/* What one instruction of a warp came upon, over all of its lanes. */
struct journey {
    struct touches touches;
    uint64_t words[WARP_LANES]; /* of the scratchpad, each once: those of 4 bytes alone */
    unsigned word_count;
    uint64_t constant_place, shared_bytes;
    bool constant, remote;
    const struct block *owner;
};

/* Not by an initialiser: the list of touches is long. */
static void set_out(struct journey *journey, const struct warp *warp)
{
    journey->touches.count = 0;
    journey->word_count = 0;
    journey->shared_bytes = 0;
    journey->constant = journey->remote = false;
    journey->owner = warp->block;
}

/* Threads that want the same word share it. */
static void note_word(struct journey *journey, uint64_t address, unsigned bytes)
{
    const uint64_t word = address / sizeof(uint32_t);
    if (bytes != sizeof(uint32_t))
        return; /* wider ones go in several parts, of which each has its banks to itself here */
    for (unsigned i = 0; i < journey->word_count; i++)
        if (journey->words[i] == word)
            return;
    journey->words[journey->word_count++] = word;
}

/* What the words of the fullest bank wait for each other. */
static uint64_t bank_wait(const struct machine *machine, const struct journey *journey)
{
    unsigned most = 1;
    for (unsigned i = 0; i + 1 < journey->word_count; i++) {
        unsigned here = 1;
        for (unsigned j = i + 1; j < journey->word_count; j++)
            here += journey->words[i] % machine->shared_banks ==
                    journey->words[j] % machine->shared_banks;
        most = here > most ? here : most;
    }
    return (most - 1) * machine->bank_turn;
}

/* The memory that a lane's address leads to; NULL with *result. */
static unsigned char *arrive(struct run *run, const struct warp *warp,
                             const struct ptx_instruction *at, uint64_t address,
                             struct journey *journey, int *result)
{
    const unsigned bytes = (unsigned)at->bytes * at->count;
    unsigned char *found;
    if (address % bytes) {
        *result = RUN_MISALIGNED;
        return NULL;
    }
    switch (space_of(at, &address)) {
    case SPACE_SHARED:
    case SPACE_CLUSTER:
        found = space_shared(run, warp, address, bytes, &journey->owner);
        note_word(journey, address, bytes);
        journey->shared_bytes += bytes;
        journey->remote |= journey->owner != warp->block;
        break;
    case SPACE_CONSTANT:
        found = space_constant(run, address, bytes, &journey->constant_place);
        journey->constant = true;
        break;
    default:
        found = space_global(run, address, bytes, &journey->touches);
        break;
    }
    if (!found)
        *result = RUN_ILLEGAL_ADDRESS;
    return found;
}

/* When everything of a journey is there. */
static uint64_t travel(struct run *run, const struct warp *warp, struct journey *journey,
                       enum road road, uint64_t shared_latency, uint64_t now)
{
    struct hierarchy *hierarchy = run->device->hierarchy;
    const struct machine *machine = run->device->machine;
    uint64_t ready = touches_take(run, warp, &journey->touches, road, now);
    uint64_t other = ready;
    if (journey->shared_bytes)
        other = hierarchy_shared(hierarchy, journey->owner->sm,
                                 bank_wait(machine, journey) +
                                     (journey->remote ? machine->cluster_latency : shared_latency),
                                 journey->shared_bytes, now);
    if (journey->constant)
        other = hierarchy_constant(hierarchy, warp->block->sm, journey->constant_place, now);
    return other > ready ? other : ready;
}

static uint64_t address_of(const struct warp *warp, const struct ptx_instruction *at, uint32_t lane)
{
    uint64_t base = column(warp, at->source[0])[lane];
    return base + (uint64_t)at->offset;
}

int warp_load(struct run *run, struct warp *warp, const struct ptx_instruction *at, uint32_t lanes,
              uint64_t now)
{
    static const enum road roads[] = {[CACHE_DEFAULT] = ROAD_L1,
                                      [CACHE_ALL] = ROAD_L1,
                                      [CACHE_READ_ONLY] = ROAD_READ_ONLY,
                                      [CACHE_GLOBAL] = ROAD_L2,
                                      [CACHE_VOLATILE] = ROAD_UNCACHED};
    struct journey journey;
    int result = 0;
    set_out(&journey, warp);
    FOR_EACH_LANE(lane, lanes)
    {
        const unsigned char *from =
            arrive(run, warp, at, address_of(warp, at, lane), &journey, &result);
        if (!from)
            return result;
        for (unsigned i = 0; i < at->count; i++)
            column(warp, at->value[i])[lane] =
                read_value(from + (size_t)i * at->bytes, at->bytes, at->type);
    }
    uint64_t ready =
        travel(run, warp, &journey, roads[at->cache], run->device->machine->shared_latency, now);
    for (unsigned i = 0; i < at->count; i++)
        warp->ready[at->value[i]] = ready;
    return 0;
}

int warp_store(struct run *run, struct warp *warp, const struct ptx_instruction *at, uint32_t lanes,
               uint64_t now)
{
    struct journey journey;
    int result = 0;
    set_out(&journey, warp);
    FOR_EACH_LANE(lane, lanes)
    {
        unsigned char *to = arrive(run, warp, at, address_of(warp, at, lane), &journey, &result);
        if (!to)
            return result;
        if (journey.constant)
            return RUN_ILLEGAL_ADDRESS;
        for (unsigned i = 0; i < at->count; i++)
            write_value(to + (size_t)i * at->bytes, column(warp, at->value[i])[lane], at->bytes);
    }
    uint64_t there =
        travel(run, warp, &journey, ROAD_STORE, run->device->machine->shared_latency, now);
    if (there > warp->stored)
        warp->stored = there;
    if (there > now + STORES_UNDER_WAY)
        warp->now = there - STORES_UNDER_WAY;
    return 0;
}

static uint64_t combined(unsigned kind, enum ptx_type type, uint64_t old, uint64_t b, uint64_t c)
{
    const bool is_signed = type == TYPE_S32 || type == TYPE_S64;
    const bool narrow = type == TYPE_S32 || type == TYPE_U32;
    int64_t signed_old = narrow ? (int32_t)old : (int64_t)old;
    int64_t signed_b = narrow ? (int32_t)b : (int64_t)b;
    bool less;
    b = narrow ? (uint32_t)b : b;
    c = narrow ? (uint32_t)c : c;
    less = is_signed ? signed_b < signed_old : b < old;
    switch (kind) {
    case ATOMIC_ADD:
        return old + b;
    case ATOMIC_EXCHANGE:
        return b;
    case ATOMIC_COMPARE:
        return old == b ? c : old;
    case ATOMIC_MIN:
        return less ? b : old;
    case ATOMIC_MAX:
        return less ? old : b;
    case ATOMIC_AND:
        return old & b;
    case ATOMIC_OR:
        return old | b;
    case ATOMIC_XOR:
        return old ^ b;
    case ATOMIC_INC:
        return old >= b ? 0 : old + 1;
    default:
        return old == 0 || old > b ? b : old - 1;
    }
}

int warp_atomic(struct run *run, struct warp *warp, const struct ptx_instruction *at,
                uint32_t lanes, uint64_t now)
{
    struct journey journey;
    int result = 0;
    set_out(&journey, warp);
    FOR_EACH_LANE(lane, lanes)
    {
        unsigned char *at_memory =
            arrive(run, warp, at, address_of(warp, at, lane), &journey, &result);
        if (!at_memory)
            return result;
        if (journey.constant)
            return RUN_ILLEGAL_ADDRESS;
        uint64_t old = read_value(at_memory, at->bytes, at->type);
        write_value(at_memory,
                    combined(at->sub, at->type, old, column(warp, at->source[1])[lane],
                             column(warp, at->source[2])[lane]),
                    at->bytes);
        column(warp, at->value[0])[lane] = old;
    }
    warp->ready[at->value[0]] =
        travel(run, warp, &journey, ROAD_ATOMIC, run->device->machine->shared_atomic_latency, now);
    return 0;
}

int warp_texture(struct run *run, struct warp *warp, const struct ptx_instruction *at,
                 uint32_t lanes, uint64_t now)
{
    const struct run_device *device = run->device;
    struct touches touches = {.count = 0};
    FOR_EACH_LANE(lane, lanes)
    {
        uint64_t object = column(warp, at->source[0])[lane];
        int64_t index = (int32_t)column(warp, at->source[1])[lane];
        if (object == 0 || object > device->texture_count ||
            device->textures[object - 1].channels == 0)
            return RUN_ILLEGAL_ADDRESS;
        const struct texture *texture = &device->textures[object - 1];
        const unsigned bytes = texture->channels * at->bytes;
        const unsigned char *from = NULL;
        /* Outside of it everything is zero. */
        if (index >= 0 && (uint64_t)index < texture->texels) {
            from = space_global(run, texture->address + (uint64_t)index * bytes, bytes, &touches);
            if (!from)
                return RUN_ILLEGAL_ADDRESS;
        }
        for (unsigned i = 0; i < at->count; i++)
            column(warp, at->value[i])[lane] =
                from && i < texture->channels
                    ? read_value(from + (size_t)i * at->bytes, at->bytes, at->type)
                    : 0;
    }
    uint64_t ready = touches_take(run, warp, &touches, ROAD_TEXTURE, now);
    for (unsigned i = 0; i < at->count; i++)
        warp->ready[at->value[i]] = ready;
    return 0;
}
