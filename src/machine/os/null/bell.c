/* For a system that fathom has no port for: there is no way to wake a sleeping thread. */
#include "machine/bell.h"

const char *const bell_names[BELL_KINDS + 1] = {"futex",     "eventfd", "pipe",
                                                "condition", "spin",    NULL};

static void do_nothing(void *bell) {}

const struct bell_way bell_ways[BELL_KINDS] = {
    {do_nothing, do_nothing}, {do_nothing, do_nothing}, {do_nothing, do_nothing},
    {do_nothing, do_nothing}, {do_nothing, do_nothing},
};

int bell_open(struct bell *bell, enum bell_kind kind, struct error *error)
{
    *bell = (struct bell){.kind = kind, .reads = -1, .writes = -1};
    return error_set(error, ERROR_IMPOSSIBLE,
                     "no %s can be had on this system: fathom has no port for it",
                     bell_names[kind]);
}

void bell_silence(struct bell *bell)
{
    bell->word = 0;
}

void bell_close(struct bell *bell) {}
