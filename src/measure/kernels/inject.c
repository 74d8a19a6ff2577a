#include "measure/kernels/inject.h"

#include "inject_loops.h"

/* Few lines, so that the two ways of a mix take turns often. */
enum { LINES = 24, LINES_A_TURN = 3, TURNS = LINES / LINES_A_TURN };
const unsigned inject_lines_each = LINES;
const char *const inject_order_names[INJECT_ORDERS + 1] = {"sequential", "random", NULL};

/* A kernel for the mix alone: a repeat is a turn of the loop, three lines. */
#define INJECT_KERNEL(name, address, access)                                                       \
    INJECT_LOOP(loops_##name, address, access)                                                     \
    static uint64_t name##_run(void *state, uint64_t turns)                                        \
    {                                                                                              \
        struct inject_lines *lines = state;                                                        \
        lines->position = loops_##name(lines->memory, lines->mask, lines->step, lines->position,   \
                                       lines->delay, turns);                                       \
        return lines->position;                                                                    \
    }

enum way { READ, MODIFY, WRITE, WAYS };

INJECT_KERNEL(inject_read, INJECT_FORWARD, INJECT_READ)
INJECT_KERNEL(inject_modify, INJECT_FORWARD, INJECT_MODIFY)
INJECT_KERNEL(inject_random_read, INJECT_ANYWHERE, INJECT_READ)
INJECT_KERNEL(inject_random_modify, INJECT_ANYWHERE, INJECT_MODIFY)
#ifdef INJECT_WRITE
INJECT_KERNEL(inject_write, INJECT_FORWARD, INJECT_WRITE)
INJECT_KERNEL(inject_random_write, INJECT_ANYWHERE, INJECT_WRITE)
#else
enum { INJECT_WRITE_BYTES = 0 };
#define inject_write_run        NULL
#define inject_random_write_run NULL
#endif

static kernel_function *const kernels[WAYS][INJECT_ORDERS] = {
    [READ] = {inject_read_run, inject_random_read_run},
    [MODIFY] = {inject_modify_run, inject_random_modify_run},
    [WRITE] = {inject_write_run, inject_random_write_run},
};

const char *inject_mix_make(struct inject_mix *mix, unsigned read_percent, enum inject_order order,
                            size_t line_bytes)
{
    const unsigned writes = 100 - read_percent;
    /* With m of n lines modified, n are read and m written; with w of n lines only written and the
     * others modified, n - w are read and n written. */
    const bool past = read_percent < 50;
    *mix = past ? (struct inject_mix){.plain = kernels[MODIFY][order],
                                      .other = kernels[WRITE][order],
                                      .others = writes - read_percent,
                                      .of = writes,
                                      .apart = true,
                                      .moved = 100.0 / writes,
                                      .modifies = read_percent > 0}
                : (struct inject_mix){.plain = kernels[READ][order],
                                      .other = kernels[MODIFY][order],
                                      .others = writes,
                                      .of = read_percent,
                                      .moved = 100.0 / read_percent,
                                      .modifies = writes > 0};
    return past && line_bytes != INJECT_WRITE_BYTES
               ? "more writes than reads take stores past the caches of whole lines, which fathom "
                 "does not have for this processor"
               : NULL;
}

/* LINES lines, in the mix's two ways. */
static void go(struct injector *injector)
{
    const struct inject_mix *mix = injector->mix;
    const uint64_t owed = injector->owed + TURNS * mix->others, others = owed / mix->of;
    if (others)
        mix->other(mix->apart ? &injector->apart : &injector->lines, others);
    if (others < TURNS)
        mix->plain(&injector->lines, TURNS - others);
    injector->owed = owed % mix->of;
}

uint64_t inject_run(void *state, uint64_t repeats)
{
    struct injector *injector = state;
    for (; repeats; repeats--)
        go(injector);
    return injector->lines.position;
}
