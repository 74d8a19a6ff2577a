#include "measure/kernels/chase.h"

#include "chase_loops.h"

const unsigned chase_steps = CHASE_STEPS;
const bool chase_straddles = CHASE_STRADDLES;

uint64_t chase_run(void *state, uint64_t repeats)
{
    struct chase *chase = state;
    chase->position = loops_chase(chase->position, repeats);
    return (uint64_t)(uintptr_t)chase->position;
}

uint64_t chase_spilled_run(void *state, uint64_t repeats)
{
    struct chase *chase = state;
    chase->position = loops_chase_spilled(chase->position, repeats);
    return (uint64_t)(uintptr_t)chase->position;
}

uint64_t chase_modify_run(void *state, uint64_t repeats)
{
    struct chase *chase = state;
    chase->position = loops_chase_modify(chase->position, repeats);
    return (uint64_t)(uintptr_t)chase->position;
}
