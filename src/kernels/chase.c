#include "kernels/chase.h"

#include "loops.h"

const unsigned chase_steps = CHASE_STEPS;

uint64_t chase_run(void *state, uint64_t repeats)
{
    struct chase *chase = state;
    chase->position = loops_chase(chase->position, repeats);
    return (uint64_t)(uintptr_t)chase->position;
}
