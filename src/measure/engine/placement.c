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

/* The last look up to this one that recognised a state; 0: none did. */
static uint32_t told_before(const struct placement *placement, uint32_t look)
{
    while (look && placement->found[look] == PLACEMENT_MOVING)
        look--;
    return look;
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
    const uint32_t look = placement->look_count++;
    placement->found[look] = (uint8_t)code;
    if (code == PLACEMENT_MOVING)
        return 0;
    placement->facts->placements[code].looks++;
    const unsigned before = look ? placement->found[told_before(placement, look - 1)] : 0;
    placement->facts->moves += look && before != PLACEMENT_MOVING && before != (unsigned)code;
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
    const unsigned begin = placement->found[told_before(placement, interval)];
    uint32_t next = interval + 1;
    if (next == placement->look_count) /* it goes on */
        return begin;
    while (next < placement->look_count && placement->found[next] == PLACEMENT_MOVING)
        next++;
    return next < placement->look_count && placement->found[next] == begin ? begin
                                                                           : PLACEMENT_MOVING;
}

void placement_free(struct placement *placement)
{
    free(placement->found);
    placement->found = NULL;
    placement->look_count = placement->room = 0;
}
