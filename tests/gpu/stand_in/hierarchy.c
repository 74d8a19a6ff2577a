#include "hierarchy.h"

#include <stdlib.h>

/* Constant caches' lines (Jia et al., arXiv 1804.06826, table 3.1). */
enum { CONSTANT1_LINE = 64, CONSTANT2_LINE = 256, CONSTANT_WAYS = 4 };
/* Of the translations' table. */
enum { TLB_WAYS = 16 };
/* What a multiprocessor's road to the second level passes in a cycle. */
static const double road_bytes_a_cycle = 64;

static bool create_multiprocessor(struct multiprocessor *sm, const struct machine *machine)
{
    bool made = true;
    for (uint64_t i = 0; made && i < machine->l1_count; i++)
        made = cache_create(&sm->l1[i], machine->l1, machine->line, machine->l1_ways);
    return made && cache_create(&sm->texture, machine->l1, machine->line, machine->l1_ways) &&
           cache_create(&sm->constant1, machine->constant1, CONSTANT1_LINE, CONSTANT_WAYS) &&
           cache_create(&sm->constant2, machine->constant2, CONSTANT2_LINE, CONSTANT_WAYS);
}

/* Where no partition keeps the other's lines, lines spread over both as over one cache. */
static bool create_second_level(struct hierarchy *hierarchy)
{
    const struct machine *machine = hierarchy->machine;
    const unsigned partitions = machine->l2_copies ? 2 : 1;
    bool made = true;
    for (unsigned i = 0; i < partitions && made; i++)
        made = cache_create(&hierarchy->l2[i], machine->l2 / partitions, machine->line,
                            machine->l2_ways);
    return made;
}

bool hierarchy_create(struct hierarchy *hierarchy, const struct machine *machine)
{
    *hierarchy = (struct hierarchy){.machine = machine};
    hierarchy->line_shift = (unsigned)__builtin_ctzll(machine->line);
    hierarchy->sector_shift = (unsigned)__builtin_ctzll(machine->sector);
    hierarchy->page_shift = (unsigned)__builtin_ctzll(machine->tlb_page);
    hierarchy->sms = calloc((size_t)machine->sms, sizeof *hierarchy->sms);
    bool made = hierarchy->sms && create_second_level(hierarchy) &&
                cache_create(&hierarchy->tlb, machine->tlb_reach, machine->tlb_page, TLB_WAYS);
    for (uint64_t i = 0; made && i < machine->sms; i++)
        made = create_multiprocessor(&hierarchy->sms[i], machine);
    if (!made)
        hierarchy_free(hierarchy);
    return made;
}

void hierarchy_free(struct hierarchy *hierarchy)
{
    for (uint64_t i = 0; hierarchy->sms && i < hierarchy->machine->sms; i++) {
        for (unsigned k = 0; k < MACHINE_L1_MOST; k++)
            cache_free(&hierarchy->sms[i].l1[k]);
        cache_free(&hierarchy->sms[i].texture);
        cache_free(&hierarchy->sms[i].constant1);
        cache_free(&hierarchy->sms[i].constant2);
    }
    free(hierarchy->sms);
    hierarchy->sms = NULL;
    cache_free(&hierarchy->l2[0]);
    cache_free(&hierarchy->l2[1]);
    cache_free(&hierarchy->tlb);
}

/* gb_s: 10^9 bytes a second. */
static struct channel channel(double gb_s, double clock_mhz)
{
    return (struct channel){0, clock_mhz / (gb_s * 1e3)};
}

void hierarchy_begin(struct hierarchy *hierarchy, uint64_t l1_bytes, double clock_mhz)
{
    const struct machine *machine = hierarchy->machine;
    hierarchy->launch++;
    hierarchy->l1_bytes = l1_bytes;
    hierarchy->l2_road = channel(machine->l2_bandwidth, clock_mhz);
    hierarchy->dram = channel(machine->dram_bandwidth, clock_mhz);
    hierarchy->host = channel(machine->pcie_bandwidth, clock_mhz);
    hierarchy->peer = channel(machine->peer_bandwidth, clock_mhz);
}

static struct multiprocessor *awake(struct hierarchy *hierarchy, unsigned index)
{
    struct multiprocessor *sm = &hierarchy->sms[index];
    const struct machine *machine = hierarchy->machine;
    if (sm->launch != hierarchy->launch) {
        sm->launch = hierarchy->launch;
        sm->port = (struct channel){0, 1 / machine->shared_bandwidth};
        sm->road = (struct channel){0, 1 / road_bytes_a_cycle};
        for (uint64_t i = 0; i < machine->l1_count; i++)
            cache_shape(&sm->l1[i], hierarchy->l1_bytes, machine->line, machine->l1_ways);
        cache_shape(&sm->texture, hierarchy->l1_bytes, machine->line, machine->l1_ways);
        cache_clear(&sm->constant1);
        cache_clear(&sm->constant2);
    }
    return sm;
}

/* Sends bytes along a road at `now`; the later of `so_far` and when they set out. */
static double send(struct channel *channel, double now, double bytes, double so_far)
{
    double start = now > channel->free_at ? now : channel->free_at;
    channel->free_at = start + bytes * channel->cycles_per_byte;
    return start > so_far ? start : so_far;
}

/* Which half of the second level a line lies in, by the parity of its number: half of every two
 * neighbours, in no order that a stride falls in with. The first half of the multiprocessors is
 * near to partition 0. */
static bool is_far(const struct hierarchy *hierarchy, unsigned sm, uint64_t line)
{
    bool partition = __builtin_parityll(line);
    return hierarchy->machine->l2_far_latency && partition != (sm >= hierarchy->machine->sms / 2);
}

enum found { IN_MEMORY, IN_L2, IN_COPY };

static uint64_t device_latency(const struct hierarchy *hierarchy, const struct access *access,
                               uint64_t line, enum found found)
{
    const struct machine *machine = hierarchy->machine;
    uint64_t near = machine->l2_latency;
    uint64_t far = machine->l2_far_latency ? machine->l2_far_latency : near;
    uint64_t way = is_far(hierarchy, access->sm, line) ? far : near;
    uint64_t latency = way;
    if (found == IN_COPY)
        latency = near;
    if (found == IN_MEMORY) /* the mean of both partitions is dram_latency */
        latency = machine->dram_latency + way - (near + far) / 2;
    if (access->road == ROAD_ATOMIC)
        latency += machine->atomic_latency - near;
    return latency;
}

/* A partition's own lines are those of one parity, one of every two neighbours, and fall evenly on
 * its sets by half of their number; copies of the other's lines lie among them, by numbers that
 * none of its own has. */
enum { COPIES_FROM = 1 << 30 };

/* Looks a line up where it may lie. With copies a read begins at the multiprocessor's own partition
 * and goes on to the line's. A write or an atomic operation is done at the line's own; the copies
 * stay, because nobody here reads what another one writes. */
static struct cache_look look_up(struct hierarchy *hierarchy, const struct access *access,
                                 uint64_t line, bool write, enum found *found)
{
    const bool copies = hierarchy->machine->l2_copies, home = copies && __builtin_parityll(line);
    const uint32_t number = (uint32_t)(copies ? line / 2 : line);
    if (copies && !write && is_far(hierarchy, access->sm, line)) {
        struct cache_look copy =
            cache_access(&hierarchy->l2[!home], COPIES_FROM + number, access->sectors, false);
        if (!copy.absent) {
            *found = IN_COPY;
            return copy;
        }
    }
    struct cache_look look = cache_access(&hierarchy->l2[home], number, access->sectors, write);
    *found = look.absent ? IN_MEMORY : IN_L2;
    return look;
}

static double at_device(struct hierarchy *hierarchy, const struct access *access, double now,
                        uint64_t *latency)
{
    const struct machine *machine = hierarchy->machine;
    const uint64_t line = access->place >> hierarchy->line_shift;
    const double sector = (double)machine->sector;
    enum found found = IN_MEMORY;
    double start = send(&hierarchy->l2_road, now, sector * sector_count(access->sectors), now);
    if (access->road == ROAD_UNCACHED)
        start = send(&hierarchy->dram, now, sector * sector_count(access->sectors), start);
    else {
        bool write = access->road == ROAD_STORE || access->road == ROAD_ATOMIC;
        struct cache_look look = look_up(hierarchy, access, line, write, &found);
        /* Whole sectors that are stored need not be fetched. */
        unsigned moved = sector_count(look.written) +
                         (access->road == ROAD_STORE ? 0 : sector_count(look.absent));
        if (moved)
            start = send(&hierarchy->dram, now, sector * moved, start);
    }
    *latency = device_latency(hierarchy, access, line, found);
    return start;
}

/* Past the first level. */
static double beyond(struct hierarchy *hierarchy, const struct access *access, double now,
                     uint64_t *latency)
{
    const struct machine *machine = hierarchy->machine;
    const double bytes = (double)machine->sector * sector_count(access->sectors);
    struct cache_look page =
        cache_access(&hierarchy->tlb, (uint32_t)(access->place >> hierarchy->page_shift), 1, false);
    double start;
    if (access->where == WHERE_DEVICE)
        start = at_device(hierarchy, access, now, latency);
    else {
        bool host = access->where == WHERE_HOST || access->where == WHERE_FAR_NODE;
        struct channel *road = access->where == WHERE_PEER ? &hierarchy->peer
                               : host                      ? &hierarchy->host
                                                           : &hierarchy->dram;
        start = send(road, now, bytes, now);
        *latency = access->where == WHERE_PEER       ? machine->peer_latency
                   : access->where == WHERE_OWN_NODE ? machine->dram_latency
                                                     : machine->host_latency;
        if (access->where == WHERE_FAR_NODE)
            *latency += machine->node_latency;
    }
    if (page.absent)
        *latency += machine->tlb_latency;
    return start;
}

uint64_t hierarchy_access(struct hierarchy *hierarchy, const struct access *access, uint64_t now)
{
    const struct machine *machine = hierarchy->machine;
    struct multiprocessor *sm = awake(hierarchy, access->sm);
    const uint32_t line = (uint32_t)(access->place >> hierarchy->line_shift);
    const unsigned sectors = sector_count(access->sectors);
    const bool read_only = access->road == ROAD_READ_ONLY || access->road == ROAD_TEXTURE;
    const bool cached = access->road == ROAD_L1 || read_only;
    uint64_t latency = machine->l1_latency;
    double start = (double)now;
    struct access rest = *access;
    if (cached) {
        struct cache *cache = read_only && machine->texture_own
                                  ? &sm->texture
                                  : &sm->l1[access->warp % machine->l1_count];
        rest.sectors = cache_access(cache, line, access->sectors, false).absent;
        start = send(&sm->port, (double)now, (double)machine->sector * sectors, start);
    }
    if (rest.sectors) {
        double bytes = (double)machine->sector * sector_count(rest.sectors);
        double far = beyond(hierarchy, &rest, (double)now, &latency);
        start = send(&sm->road, (double)now, bytes, far > start ? far : start);
    }
    if (access->road == ROAD_TEXTURE)
        latency += machine->texture_latency - machine->l1_latency;
    return (uint64_t)start + latency;
}

uint64_t hierarchy_constant(struct hierarchy *hierarchy, unsigned index, uint64_t place,
                            uint64_t now)
{
    const struct machine *machine = hierarchy->machine;
    struct multiprocessor *sm = awake(hierarchy, index);
    if (!cache_access(&sm->constant1, (uint32_t)(place / CONSTANT1_LINE), 1, false).absent)
        return now + machine->constant1_latency;
    if (!cache_access(&sm->constant2, (uint32_t)(place / CONSTANT2_LINE), 1, false).absent)
        return now + machine->constant2_latency;
    struct access access = {index, ROAD_L2, WHERE_DEVICE, place, 1, 0};
    return hierarchy_access(hierarchy, &access, now);
}

uint64_t hierarchy_shared(struct hierarchy *hierarchy, unsigned index, uint64_t latency,
                          uint64_t bytes, uint64_t now)
{
    struct multiprocessor *sm = awake(hierarchy, index);
    return (uint64_t)send(&sm->port, (double)now, (double)bytes, (double)now) + latency;
}

uint64_t hierarchy_drained(const struct hierarchy *hierarchy)
{
    double last = hierarchy->dram.free_at;
    const struct channel *roads[] = {&hierarchy->l2_road, &hierarchy->host, &hierarchy->peer};
    for (size_t i = 0; i < sizeof roads / sizeof *roads; i++)
        if (roads[i]->free_at > last)
            last = roads[i]->free_at;
    return (uint64_t)last;
}
