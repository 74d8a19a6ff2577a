/* A kernel's blocks on the multiprocessors, and its warps in the order of time. */
#include "simt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Cycles that a barrier takes after the last warp came; and between a block's end and the next. */
enum { BARRIER_CYCLES = 20, CLUSTER_BARRIER_CYCLES = 190, BLOCK_CYCLES = 100 };
/* A warp may run ahead of the one that is behind by this much: less switching, and near enough. */
enum { AHEAD_CYCLES = 32 };

/* Warps that can go on, the one that is furthest behind first. */
struct queue {
    struct warp **warps;
    size_t count;
};

struct schedule {
    struct run *run;
    struct queue queue;
    unsigned warps; /* of a block */
    void **slots;   /* memory of the units that can run at once */
    unsigned slot_count;
    unsigned columns; /* multiprocessors, or clusters of them */
    size_t unit_bytes;
    uint32_t next_block, blocks;
    unsigned live;
    uint64_t end;
};

static unsigned least(unsigned a, uint64_t b)
{
    return b < a ? (unsigned)b : a;
}

unsigned run_occupancy(const struct machine *machine, const struct ptx_function *function,
                       unsigned threads, uint32_t shared_bytes, int carve_out, uint64_t *scratchpad)
{
    const uint64_t warps = (threads + WARP_LANES - 1) / WARP_LANES;
    uint64_t shared = function->shared_bytes + shared_bytes;
    unsigned blocks =
        least((unsigned)machine->blocks_per_sm, machine->threads_per_sm / (warps * WARP_LANES));
    if (shared)
        shared += machine->shared_reserved;
    /* Left alone, the driver makes room for all blocks; asked for a split, for one at least. */
    *scratchpad = machine_scratchpad(machine, carve_out, carve_out < 0 ? shared * blocks : shared);
    if (shared)
        blocks = least(blocks, *scratchpad / shared);
    return blocks;
}

/* --- the queue: a heap --- */

static bool before(const struct warp *a, const struct warp *b)
{
    return a->now != b->now ? a->now < b->now : a->order < b->order;
}

static void push(struct queue *queue, struct warp *warp)
{
    size_t i = queue->count++;
    for (; i > 0 && before(warp, queue->warps[(i - 1) / 2]); i = (i - 1) / 2)
        queue->warps[i] = queue->warps[(i - 1) / 2];
    queue->warps[i] = warp;
}

static struct warp *pop(struct queue *queue)
{
    struct warp *first = queue->warps[0], *last = queue->warps[--queue->count];
    size_t i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < queue->count && before(queue->warps[child + 1], queue->warps[child]))
            child++;
        if (child >= queue->count || !before(queue->warps[child], last))
            break;
        queue->warps[i] = queue->warps[child];
        i = child;
    }
    queue->warps[i] = last;
    return first;
}

/* --- blocks --- */

/* As the hardware deals them: first the even multiprocessors, then the odd ones. */
static unsigned column_of(const struct schedule *schedule, unsigned slot)
{
    unsigned index = slot % schedule->columns, evens = (schedule->columns + 1) / 2;
    return index < evens ? 2 * index : 2 * (index - evens) + 1;
}

static void begin_unit(struct schedule *schedule, unsigned slot, uint64_t now)
{
    const unsigned cluster = schedule->run->grid->cluster;
    struct unit *unit = unit_begin(schedule->run, schedule->slots[slot], schedule->warps,
                                   schedule->next_block, column_of(schedule, slot) * cluster, now);
    unit->slot = slot;
    schedule->live++;
    for (unsigned i = 0; i < cluster; i++)
        for (unsigned j = 0; j < schedule->warps; j++) {
            struct warp *warp = &unit->blocks[i].warps[j];
            warp->order = (uint64_t)(schedule->next_block + i) * schedule->warps + j;
            push(&schedule->queue, warp);
        }
    schedule->next_block += cluster;
}

/* --- barriers --- */

static void wake(struct schedule *schedule, struct warp *warp, uint64_t at)
{
    if (warp->now < at)
        warp->now = at;
    warp->state = WARP_READY;
    push(&schedule->queue, warp);
}

/* Lets a block's warps go on where all that still run have come to the barrier. */
static void open_barrier(struct schedule *schedule, struct block *block)
{
    uint64_t last = 0;
    if (!block->live || block->waiting < block->live)
        return;
    block->waiting = 0;
    for (unsigned i = 0; i < schedule->warps; i++)
        if (block->warps[i].state == WARP_AT_BARRIER && block->warps[i].now > last)
            last = block->warps[i].now;
    for (unsigned i = 0; i < schedule->warps; i++)
        if (block->warps[i].state == WARP_AT_BARRIER)
            wake(schedule, &block->warps[i], last + BARRIER_CYCLES);
}

static void open_cluster(struct schedule *schedule, struct unit *unit)
{
    if (!unit->live_warps || unit->arrived < unit->live_warps)
        return;
    unit->arrived = 0;
    unit->phase++;
    unit->arrived_at += CLUSTER_BARRIER_CYCLES;
    for (unsigned i = 0; i < schedule->run->grid->cluster; i++)
        for (unsigned j = 0; j < schedule->warps; j++) {
            struct warp *warp = &unit->blocks[i].warps[j];
            if (warp->state == WARP_AWAITS_CLUSTER)
                wake(schedule, warp, unit->arrived_at);
        }
}

static void arrive(struct schedule *schedule, struct warp *warp)
{
    struct unit *unit = warp->block->unit;
    warp->cluster_phase = unit->phase;
    if (warp->now > unit->arrived_at)
        unit->arrived_at = warp->now;
    unit->arrived++;
    wake(schedule, warp, warp->now);
    open_cluster(schedule, unit);
}

static void end_warp(struct schedule *schedule, struct warp *warp)
{
    struct block *block = warp->block;
    struct unit *unit = block->unit;
    uint64_t end = warp->now > warp->stored ? warp->now : warp->stored;
    if (end > schedule->end)
        schedule->end = end;
    unit->live_warps--;
    if (--block->live == 0 && --unit->live_blocks == 0) {
        schedule->live--;
        if (schedule->next_block < schedule->blocks)
            begin_unit(schedule, unit->slot, warp->now + BLOCK_CYCLES);
        return;
    }
    open_barrier(schedule, block);
    open_cluster(schedule, unit);
}

/* --- all of it --- */

static void follow(struct schedule *schedule, struct warp *warp)
{
    switch (warp->state) {
    case WARP_READY:
        push(&schedule->queue, warp);
        break;
    case WARP_AT_BARRIER:
        warp->block->waiting++;
        open_barrier(schedule, warp->block);
        break;
    case WARP_ARRIVES:
        arrive(schedule, warp);
        break;
    case WARP_AWAITS_CLUSTER:
        if (warp->cluster_phase != warp->block->unit->phase)
            wake(schedule, warp, warp->block->unit->arrived_at);
        break;
    case WARP_ENDED:
        end_warp(schedule, warp);
        break;
    case WARP_FAILED:
        break;
    }
}

static void work_off(struct schedule *schedule)
{
    struct queue *queue = &schedule->queue;
    struct run_outcome *outcome = schedule->run->outcome;
    while (queue->count && !outcome->result) {
        struct warp *warp = pop(queue);
        uint64_t until = queue->count ? queue->warps[0]->now + AHEAD_CYCLES : UINT64_MAX;
        warp->state = warp_run(schedule->run, warp, until);
        follow(schedule, warp);
    }
    if (!outcome->result && schedule->live) {
        outcome->result = RUN_TOO_LONG;
        snprintf(outcome->text, sizeof outcome->text, "a barrier in '%s' that not all warps reach",
                 schedule->run->function->name);
    }
}

static bool take_slots(struct schedule *schedule, unsigned per_multiprocessor)
{
    const struct run_grid *grid = schedule->run->grid;
    const unsigned units = schedule->blocks / grid->cluster;
    schedule->columns = (unsigned)schedule->run->device->machine->sms / grid->cluster;
    schedule->slot_count = least(units, (uint64_t)schedule->columns * per_multiprocessor);
    schedule->slots = calloc(schedule->slot_count, sizeof *schedule->slots);
    schedule->queue.warps = malloc((size_t)schedule->slot_count * grid->cluster * schedule->warps *
                                   sizeof *schedule->queue.warps);
    bool taken = schedule->slots && schedule->queue.warps;
    for (unsigned i = 0; taken && i < schedule->slot_count; i++) {
        schedule->slots[i] = malloc(schedule->unit_bytes);
        taken = schedule->slots[i] != NULL;
    }
    return taken;
}

static void free_slots(struct schedule *schedule)
{
    for (unsigned i = 0; schedule->slots && i < schedule->slot_count; i++)
        free(schedule->slots[i]);
    free(schedule->slots);
    free(schedule->queue.warps);
}

static void run_schedule(struct schedule *schedule, unsigned per_multiprocessor)
{
    struct run *run = schedule->run;
    const unsigned *threads = run->grid->threads, *blocks = run->grid->blocks;
    schedule->warps = (threads[0] * threads[1] * threads[2] + WARP_LANES - 1) / WARP_LANES;
    schedule->blocks = blocks[0] * blocks[1] * blocks[2];
    schedule->unit_bytes = unit_bytes(run, schedule->warps);
    if (take_slots(schedule, per_multiprocessor)) {
        for (unsigned i = 0; i < schedule->slot_count; i++)
            begin_unit(schedule, i, 0);
        work_off(schedule);
    } else {
        run->outcome->result = RUN_OUT_OF_MEMORY;
    }
    free_slots(schedule);
}

void run_kernel(const struct run_device *device, const struct run_grid *grid,
                struct run_outcome *outcome)
{
    const struct machine *machine = device->machine;
    const unsigned *threads = grid->threads;
    uint64_t scratchpad;
    unsigned blocks = run_occupancy(machine, grid->function, threads[0] * threads[1] * threads[2],
                                    grid->shared_bytes, grid->carve_out, &scratchpad);
    struct run run = {.device = device, .grid = grid, .function = grid->function};
    struct schedule schedule = {.run = &run};
    const uint64_t budget = (uint64_t)(machine->watchdog * 1e9);
    *outcome = (struct run_outcome){0};
    run.outcome = outcome;
    run.budget = budget;
    run.shared_bytes = grid->function->shared_bytes + grid->shared_bytes;
    run.constants = grid->constants ? memory_find(device->memory, grid->constants, 1) : NULL;
    hierarchy_begin(device->hierarchy, machine->l1 - scratchpad, device->clock_mhz);
    run_schedule(&schedule, blocks ? blocks : 1);
    outcome->instructions = budget - run.budget;
    outcome->cycles = schedule.end;
    if (hierarchy_drained(device->hierarchy) > outcome->cycles)
        outcome->cycles = hierarchy_drained(device->hierarchy);
}
