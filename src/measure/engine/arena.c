#include "measure/engine/arena.h"

#include "document/flag.h"
#include "machine/pages.h"

#include <math.h>

/* The smallest page of any supported system: a write at every such distance touches every page,
 * whatever its size. */
enum { SMALLEST_PAGE = 4096, HUGE_2M = 2 << 20, HUGE_1G = 1 << 30 };

static size_t page_of(enum page_policy policy)
{
    if (page_policy_bytes(policy))
        return page_policy_bytes(policy);
    return policy == PAGES_HUGE1G ? HUGE_1G : policy == PAGES_SMALL ? 1 << 16 : HUGE_2M;
}

static int try_policy(struct arena *arena, size_t bytes, enum page_policy policy,
                      struct error *error)
{
    size_t page = page_of(policy), rounded;
    if (__builtin_add_overflow(bytes, page - 1, &rounded))
        return error_set(error, ERROR_USAGE,
                         "a working set of %zu bytes is more than can be "
                         "addressed: ask for less",
                         bytes);
    rounded = rounded / page * page;
    arena->memory = os_map(rounded, policy, arena->node, error);
    if (!arena->memory)
        return ERROR_IMPOSSIBLE;
    arena->bytes = arena->mapped = rounded;
    arena->used = policy;
    return 0;
}

int arena_map(struct arena *arena, size_t bytes, enum page_policy policy, int node,
              struct error *error)
{
    static const enum page_policy best_first[] = {PAGES_HUGE2M, PAGES_THP, PAGES_SMALL};
    *arena = (struct arena){.asked = policy, .node = node};
    if (policy != PAGES_AUTO)
        return try_policy(arena, bytes, policy, error);
    int code = 0;
    for (size_t i = 0; i < sizeof best_first / sizeof *best_first; i++) {
        code = try_policy(arena, bytes, best_first[i], error);
        if (code == 0)
            break;
    }
    return code;
}

void arena_use(struct arena *arena, size_t bytes)
{
    arena->bytes = bytes < arena->mapped ? bytes : arena->mapped;
}

void arena_touch_part(struct arena *arena, size_t at, size_t bytes)
{
    const size_t left = at < arena->bytes ? arena->bytes - at : 0;
    const size_t first = at, end = at + (bytes < left ? bytes : left);
    struct os_thread_events before, after;
    os_thread_events(&before);
    for (; at < end; at += SMALLEST_PAGE)
        *(volatile unsigned char *)(arena->memory + at) = 0;
    os_thread_events(&after);
    atomic_fetch_add(&arena->touched_bytes, end - first);
    atomic_fetch_add(&arena->faults, after.page_faults - before.page_faults);
}

/* Only root can read the size of transparent huge pages below the largest. But a
 * first touch takes one fault for each page, whatever its size: of F faults in B bytes h were on
 * pages of S bytes and the others on small ones of s, so that B = h S + (F - h) s. Fewer faults
 * than pages mean that the touch was not the first. */
static void count_pages(struct arena *arena, double page)
{
    const double touched = (double)atomic_load(&arena->touched_bytes),
                 faults = (double)atomic_load(&arena->faults),
                 small = (double)pages_bytes(PAGES_OF_4K);
    struct os_placement *placement = &arena->placement;
    placement->page_bytes = 0;
    placement->huge_share = NAN;
    if (!(faults >= 0.9 * touched / page) || !(touched > 0) || !(small < page))
        return;
    const double on_pages = (touched - faults * small) / (page - small);
    placement->huge_share = fmax(0, fmin(1, on_pages * page / touched));
    if (placement->huge_share >= 0.9)
        placement->page_bytes = (uint64_t)page;
    else if (placement->huge_share <= 0.1)
        placement->page_bytes = (uint64_t)small;
}

void arena_verify(struct arena *arena)
{
    const size_t page = page_policy_bytes(arena->used);
    os_verify(arena->memory, arena->bytes, arena->node, &arena->placement);
    if (page)
        count_pages(arena, (double)page);
}

unsigned arena_flags(const struct arena *arena)
{
    unsigned flags = 0;
    if (arena->asked != PAGES_SMALL && !(arena->placement.huge_share >= 0.9))
        flags |= FLAG_BIT(FLAG_SMALL_PAGES);
    if (arena->node >= 0 && arena->placement.node_share < 1)
        flags |= FLAG_BIT(FLAG_MISPLACED);
    return flags;
}

void arena_unmap(struct arena *arena)
{
    if (arena->memory)
        os_unmap(arena->memory, arena->mapped);
    *arena = (struct arena){.node = -1};
}

static void give_back(struct attic *attic, unsigned at)
{
    os_unmap(attic->kept[at].memory, attic->kept[at].bytes);
    attic->bytes -= attic->kept[at].bytes;
    attic->kept[at].memory = NULL;
    attic->kept[at].bytes = 0;
}

void arena_keep(struct arena *arena, struct attic *attic)
{
    const bool reserved = arena->used == PAGES_HUGE2M || arena->used == PAGES_HUGE1G;
    size_t head = reserved || !arena->memory ? 0 : arena->bytes;
    head = (head < attic->bytes_most ? head : attic->bytes_most) / HUGE_2M * HUGE_2M;
    if (arena->memory)
        attic->gave_back = head < arena->bytes / HUGE_2M * HUGE_2M || !head;
    /* Not every system can give back a part of a mapping. */
    if (head &&
        (arena->mapped == head || pages_unmap(arena->memory + head, arena->mapped - head))) {
        for (unsigned i = 0; i < ATTIC_ARENAS && attic->bytes + head > attic->bytes_most; i++)
            give_back(attic, (attic->next + i) % ATTIC_ARENAS);
        give_back(attic, attic->next);
        attic->kept[attic->next].memory = arena->memory;
        attic->kept[attic->next].bytes = head;
        attic->bytes += head;
        attic->next = (attic->next + 1) % ATTIC_ARENAS;
        arena->memory = NULL;
    }
    arena_unmap(arena);
}

void attic_clear(struct attic *attic)
{
    for (unsigned i = 0; i < ATTIC_ARENAS; i++)
        give_back(attic, i);
}
