#include "measure/engine/placement.h"

#include "machine/os.h"

#include <stdlib.h>

/* States were seen to last seconds, so few intervals of this length hold a move, and few trials are
 * lost with them. Looks take a twentieth of the time at most. */
static const uint64_t due_ns = 50 * 1000 * 1000;
enum { LOOKS_APART = 20 };

static int make_room(struct placement *placement, struct error *error)
{
    if (placement->look_count < placement->room)
        return 0;
    const uint32_t room = placement->room ? placement->room * 2 : 256;
    uint8_t *larger = realloc(placement->found, room * sizeof *larger);
    if (!larger)
        return error_out_of_memory(error);
    placement->found = larger;
    placement->room = room;
    return 0;
}

int placement_look(struct placement *placement, struct error *error)
{
    if (!placement)
        return 0;
    int code = make_room(placement, error);
    if (code < 0)
        return code;
    const uint64_t began_ns = os_raw_ns();
    const size_t states = placement->facts->placement_count;
    code = placement->look(placement, error);
    placement->looked_ns = os_raw_ns();
    if (code < 0)
        return code;
    /* A look that finds a new state takes longer than others, so it does not count. */
    const uint64_t took_ns = placement->looked_ns - began_ns;
    const bool known = placement->facts->placement_count == states;
    if (known && (!placement->shortest_ns || took_ns < placement->shortest_ns))
        placement->shortest_ns = took_ns;
    const uint32_t last = placement->look_count++;
    placement->found[last] = (uint8_t)code;
    placement->facts->placements[code].looks++;
    placement->facts->moves += last && placement->found[last - 1] != placement->found[last];
    return 0;
}

int placement_look_if_due(struct placement *placement, struct error *error)
{
    if (!placement)
        return 0;
    const uint64_t apart_ns = LOOKS_APART * placement->shortest_ns;
    const bool due = os_raw_ns() - placement->looked_ns > (apart_ns > due_ns ? apart_ns : due_ns);
    return due || !placement->look_count ? placement_look(placement, error) : 0;
}

uint32_t placement_interval(const struct placement *placement)
{
    return placement && placement->look_count ? placement->look_count - 1 : 0;
}

unsigned placement_of(const struct placement *placement, uint32_t interval)
{
    if (!placement || interval >= placement->look_count)
        return 0;
    const bool ended = interval + 1 < placement->look_count;
    return !ended || placement->found[interval + 1] == placement->found[interval]
               ? placement->found[interval]
               : PLACEMENT_MOVING;
}

unsigned placement_since(const struct placement *placement, uint32_t first)
{
    unsigned states = 0;
    for (uint32_t i = first; i <= placement_interval(placement); i++)
        states |= 1u << placement_of(placement, i);
    return states;
}

void placement_free(struct placement *placement)
{
    free(placement->found);
    placement->found = NULL;
    placement->look_count = placement->room = 0;
}
