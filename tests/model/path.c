#include "path.h"

#include <stdlib.h>

/* Of a ring shorter than a sample, whole rounds of at least this many steps are followed. */
enum { ROUNDS_STEPS = 4096, SWEPT_STEPS = 512, UNIT = 8, AHEAD = 6 };

size_t cache_lines(const struct model_machine *machine)
{
    size_t lines = 0;
    for (unsigned level = 0; level < machine->level_count; level++)
        lines += machine->caches[level].bytes / machine->line_bytes;
    return lines;
}

bool path_create(struct path *path, const struct model_machine *machine)
{
    *path = (struct path){.cache_lines = cache_lines(machine)};
    path->room = 2 * path->cache_lines + MODEL_SAMPLE_STEPS;
    path->units = calloc(path->room, sizeof *path->units);
    return path->units;
}

void path_free(struct path *path)
{
    free(path->units);
    path->units = NULL;
}

const char *path_read(struct path *path, const struct known_kernel *kernel,
                      const struct trial *trial, size_t arena_most)
{
    const struct arena *arena = trial->arena;
    const void *state = trial->workers[0].state;
    const void *start = kernel_element(kernel, state), *element = start;
    path->base = arena->memory;
    path->swept = trial->plan->sweep > 0;
    path->at = path->followed = path->count = 0;
    do {
        const uintptr_t at = (uintptr_t)element - (uintptr_t)arena->memory;
        if (at >= arena->bytes || at >= arena_most || at % UNIT)
            return "the ring leaves the arena, or the arena is larger than the model's";
        path->units[path->count++] = (uint32_t)(at / UNIT);
        element = kernel_next(kernel, state, element);
    } while (element != start && path->count < path->room);
    return NULL;
}

const unsigned char *path_place(const struct path *path)
{
    return path->base + (size_t)path->units[path->at] * UNIT;
}

void path_move(struct path *path, uint64_t steps)
{
    path->at = (size_t)((path->at + steps) % path->count);
}

static uint32_t line_at(const struct path *path, const struct memory *memory, size_t at)
{
    return path->units[at] >> (memory->line_shift - 3);
}

uint64_t path_follow(struct path *path, struct memory *memory)
{
    uint32_t line = line_at(path, memory, path->followed);
    if (path->followed + AHEAD < path->count)
        memory_expect(memory, line_at(path, memory, path->followed + AHEAD));
    if (++path->followed == path->count)
        path->followed = 0;
    return memory_access(memory, line);
}

/* The last steps before the ring's start. Where no cache replaces at random nor by a tree, once
 * round is as good as any number of rounds. Of a ring that is far longer than the caches, its last
 * steps fill them. */
void path_warm(struct path *path, struct memory *memory)
{
    const struct model_machine *machine = memory->machine;
    const size_t lines = path->cache_lines;
    size_t rounds = 1;
    for (unsigned level = 0; level < machine->level_count; level++)
        if (machine->caches[level].replacement != MODEL_LRU)
            rounds = 2;
    size_t enough = lines + lines / 2, steps = rounds * path->count;
    if (path->count > 2 * lines)
        steps = lines;
    else if (steps > enough)
        steps = path->count > enough ? path->count : enough;
    path->followed = (rounds * path->count - steps) % path->count;
    while (steps--)
        path_follow(path, memory);
}

size_t path_sample_steps(const struct path *path)
{
    const size_t wanted = path->swept ? SWEPT_STEPS : ROUNDS_STEPS;
    const size_t rounds = (wanted + path->count - 1) / path->count;
    const size_t steps = rounds * path->count;
    return steps < MODEL_SAMPLE_STEPS ? steps : MODEL_SAMPLE_STEPS;
}
