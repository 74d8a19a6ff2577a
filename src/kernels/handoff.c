#include "kernels/handoff.h"

#include "loops.h"

const char *const handoff_cas_order = CAS_ORDER;
const char *const handoff_readwrite_order = READWRITE_ORDER;

uint64_t handoff_cas_run(void *state, uint64_t repeats)
{
    const struct handoff_cas *side = state;
    loops_cas(side->flag, side->expected, side->desired, repeats);
    return repeats;
}

uint64_t handoff_readwrite_first_run(void *state, uint64_t repeats)
{
    struct handoff_readwrite *side = state;
    side->last = loops_write_then_wait(side->mine, side->theirs, side->last, repeats);
    return side->last;
}

uint64_t handoff_readwrite_second_run(void *state, uint64_t repeats)
{
    struct handoff_readwrite *side = state;
    side->last = loops_wait_then_write(side->mine, side->theirs, side->last, repeats);
    return side->last;
}
