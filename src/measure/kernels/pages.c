#include "measure/kernels/pages.h"

#include "page_loops.h"

static void note(struct pages *pages, bool done)
{
    pages->refused += !done;
}

void pages_release(struct pages *pages)
{
    pages_twin_end(pages->twin);
    pages->twin = 0;
    if (pages->memory)
        note(pages, pages_unmap(pages->memory, pages->bytes));
    pages->memory = NULL;
}

/* --- what is timed --- */

#define ACCESS_KERNEL(name, loop)                                                                  \
    static uint64_t name(void *state, uint64_t repeats)                                            \
    {                                                                                              \
        const struct pages *pages = state;                                                         \
        for (; repeats && pages->memory; repeats--)                                                \
            loop(pages->memory, pages->step, pages->bytes / pages->step);                          \
        return repeats;                                                                            \
    }

ACCESS_KERNEL(pages_touch_run, loops_touch)
ACCESS_KERNEL(pages_look_run, loops_look)

static uint64_t pages_clear_run(void *state, uint64_t repeats)
{
    const struct pages *pages = state;
    for (; repeats && pages->memory; repeats--)
        for (size_t at = 0; at < pages->bytes; at += pages->step)
            loops_clear(pages->memory + at, pages->step);
    return repeats;
}

static uint64_t pages_populate_run(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    for (; repeats && pages->memory; repeats--)
        note(pages, pages_populate(pages->memory, pages->bytes));
    return repeats;
}

static inline __attribute__((always_inline)) void
in_calls(struct pages *pages, unsigned char *memory, bool (*call)(unsigned char *, size_t))
{
    for (size_t at = 0; memory && at < pages->bytes; at += pages->call_bytes)
        note(pages, call(memory + at, pages->call_bytes));
}

/* After a recall these addresses must not be unmapped again, because another mapping may be there
 * by then. So the state drops the region before the first call. There is one region, so there is
 * one repeat. */
static uint64_t pages_unmap_run(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    unsigned char *memory = pages->memory;
    pages->memory = NULL;
    in_calls(pages, memory, pages_unmap);
    return 0;
}

static uint64_t pages_discard_run(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    for (; repeats; repeats--)
        in_calls(pages, pages->memory, pages_discard);
    return 0;
}

kernel_function *const pages_kernels[PAGES_ACTIONS] = {
    [PAGES_TOUCH] = pages_touch_run, [PAGES_LOOK] = pages_look_run,
    [PAGES_CLEAR] = pages_clear_run, [PAGES_POPULATE] = pages_populate_run,
    [PAGES_UNMAP] = pages_unmap_run, [PAGES_DISCARD] = pages_discard_run,
};

uint64_t pages_beside_run(void *state, uint64_t repeats)
{
    const struct pages_beside *beside = state;
    for (; repeats; repeats--)
        loops_look(beside->memory, beside->step, beside->count);
    return 0;
}

/* --- what brings the region back --- */

static uint64_t pages_fresh(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    pages_release(pages);
    pages->memory = pages_map(pages->bytes, pages->kind, pages->step);
    note(pages, pages->memory != NULL);
    return 0;
}

static uint64_t pages_filled(void *state, uint64_t repeats)
{
    pages_fresh(state, repeats);
    return pages_touch_run(state, 1);
}

static uint64_t pages_kept(void *state, uint64_t repeats)
{
    const struct pages *pages = state;
    return pages->memory ? 0 : pages_filled(state, repeats);
}

static uint64_t pages_dropped(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    pages_kept(state, repeats);
    if (pages->memory)
        note(pages, pages_discard(pages->memory, pages->bytes));
    return 0;
}

static uint64_t pages_twinned(void *state, uint64_t repeats)
{
    struct pages *pages = state;
    pages_filled(state, repeats);
    pages->twin = pages_twin_start();
    note(pages, pages->twin > 0);
    return 0;
}

kernel_function *const pages_restores[PAGES_RESTORES] = {
    [PAGES_FRESH] = pages_fresh,     [PAGES_FILLED] = pages_filled,   [PAGES_KEPT] = pages_kept,
    [PAGES_DROPPED] = pages_dropped, [PAGES_TWINNED] = pages_twinned,
};
