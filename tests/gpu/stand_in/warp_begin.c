/* Blocks and warps as a kernel finds them: memory, constants, special registers. */
#include "simt.h"

#include <string.h>

static size_t file_bytes(const struct ptx_function *function)
{
    return (size_t)function->columns * WARP_LANES * sizeof(uint64_t);
}

static size_t round_up(size_t bytes)
{
    enum { ALIGNMENT = 64 };
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t block_bytes(const struct run *run, unsigned warps)
{
    size_t ready = round_up(run->function->columns * sizeof(uint64_t));
    return round_up(warps * sizeof(struct warp)) +
           warps * (ready + round_up(file_bytes(run->function))) + round_up(run->shared_bytes);
}

size_t unit_bytes(const struct run *run, unsigned warps)
{
    return round_up(sizeof(struct unit)) + round_up(run->grid->cluster * sizeof(struct block)) +
           run->grid->cluster * block_bytes(run, warps);
}

static uint64_t special_value(const struct run *run, const struct warp *warp, unsigned special,
                              uint32_t lane)
{
    const struct run_grid *grid = run->grid;
    const struct block *block = warp->block;
    const unsigned *threads = grid->threads;
    const uint32_t thread = warp->index * WARP_LANES + lane;
    const unsigned shape[3] = {grid->cluster, 1, 1};
    const unsigned axis = special % 3; /* of those that have axes, which come first */
    switch (special < SPECIAL_CLUSTER_CTARANK ? special - axis : SPECIALS) {
    case SPECIAL_TID:
        return axis == 0   ? thread % threads[0]
               : axis == 1 ? thread / threads[0] % threads[1]
                           : thread / threads[0] / threads[1];
    case SPECIAL_NTID:
        return threads[axis];
    case SPECIAL_CTAID:
        return block->place[axis];
    case SPECIAL_NCTAID:
        return grid->blocks[axis];
    case SPECIAL_CLUSTER_CTAID:
        return axis ? 0 : block->rank;
    case SPECIAL_CLUSTER_NCTAID:
        return shape[axis];
    case SPECIAL_CLUSTERID:
        return block->place[axis] / shape[axis];
    case SPECIAL_NCLUSTERID:
        return grid->blocks[axis] / shape[axis];
    default:
        break;
    }
    const uint32_t total = threads[0] * threads[1] * threads[2];
    switch (special) {
    case SPECIAL_CLUSTER_CTARANK:
        return block->rank;
    case SPECIAL_CLUSTER_NCTARANK:
        return grid->cluster;
    case SPECIAL_LANEID:
        return lane;
    case SPECIAL_WARPID:
        return warp->index;
    case SPECIAL_NWARPID:
        return (total + WARP_LANES - 1) / WARP_LANES;
    case SPECIAL_SMID:
        return block->sm;
    case SPECIAL_NSMID:
        return run->device->machine->sms;
    case SPECIAL_DYNAMIC_SHARED:
        return grid->shared_bytes;
    default:
        return run->shared_bytes;
    }
}

static void fill_file(const struct run *run, struct warp *warp)
{
    const struct ptx_function *function = run->function;
    uint64_t *constants = column(warp, (uint16_t)function->registers);
    uint64_t *specials = constants + (size_t)function->constant_count * WARP_LANES;
    memset(warp->file, 0, function->registers * WARP_LANES * sizeof *warp->file);
    memset(warp->ready, 0, function->columns * sizeof *warp->ready);
    for (uint32_t i = 0; i < function->constant_count; i++) {
        const struct ptx_constant *constant = &function->constants[i];
        uint64_t value = constant->value;
        if (constant->variable >= 0)
            value += run->grid->module->variables[constant->variable].at;
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            constants[(size_t)i * WARP_LANES + lane] = value;
    }
    for (uint32_t i = 0; i < function->special_count; i++)
        for (uint32_t lane = 0; lane < WARP_LANES; lane++)
            specials[(size_t)i * WARP_LANES + lane] =
                special_value(run, warp, function->specials[i], lane);
}

static void begin_warp(const struct run *run, struct warp *warp, struct block *block,
                       unsigned index, uint64_t now)
{
    const unsigned *threads = run->grid->threads;
    const uint32_t left = threads[0] * threads[1] * threads[2] - index * WARP_LANES;
    warp->block = block;
    warp->index = index;
    warp->now = now;
    warp->lanes = left >= WARP_LANES ? UINT32_MAX : (1u << left) - 1;
    warp->meets = UINT32_MAX;
    fill_file(run, warp);
}

/* Lays a block out from `memory` on. */
static void begin_block(const struct run *run, struct block *block, unsigned char *memory,
                        unsigned warps, uint64_t now)
{
    const struct ptx_function *function = run->function;
    const size_t file = round_up(file_bytes(function));
    block->warps = (struct warp *)(void *)memory;
    memory += round_up(warps * sizeof(struct warp));
    block->live = warps;
    memset(block->warps, 0, warps * sizeof *block->warps);
    for (unsigned i = 0; i < warps; i++) {
        block->warps[i].file = (uint64_t *)(void *)memory;
        memory += file;
        block->warps[i].ready = (uint64_t *)(void *)memory;
        memory += round_up(function->columns * sizeof(uint64_t));
        begin_warp(run, &block->warps[i], block, i, now);
    }
    block->shared = memory;
    memset(memory, 0, run->shared_bytes);
}

struct unit *unit_begin(const struct run *run, void *memory, unsigned warps, uint32_t first_block,
                        unsigned first_sm, uint64_t now)
{
    const struct run_grid *grid = run->grid;
    struct unit *unit = memory;
    unsigned char *rest = (unsigned char *)memory + round_up(sizeof *unit);
    *unit = (struct unit){.live_blocks = grid->cluster};
    unit->live_warps = grid->cluster * warps;
    unit->blocks = (struct block *)(void *)rest;
    rest += round_up(grid->cluster * sizeof(struct block));
    for (unsigned i = 0; i < grid->cluster; i++) {
        struct block *block = &unit->blocks[i];
        uint32_t number = first_block + i;
        *block = (struct block){.unit = unit, .rank = i, .sm = first_sm + i};
        block->place[0] = number % grid->blocks[0];
        block->place[1] = number / grid->blocks[0] % grid->blocks[1];
        block->place[2] = number / grid->blocks[0] / grid->blocks[1];
        begin_block(run, block, rest, warps, now);
        rest += block_bytes(run, warps);
    }
    return unit;
}
