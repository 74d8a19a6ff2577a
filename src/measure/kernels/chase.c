#include "measure/kernels/chase.h"

#include "chase_loops.h"

const unsigned chase_steps = CHASE_STEPS;
const bool chase_straddles = CHASE_STRADDLES;

#define CHASE_RUN(name, loads)                                                                     \
    uint64_t name(void *state, uint64_t repeats)                                                   \
    {                                                                                              \
        struct chase *chase = state;                                                               \
        chase->position = loops_chase_##loads(chase->position, repeats);                           \
        return (uint64_t)(uintptr_t)chase->position;                                               \
    }
CHASE_RUN(chase_run, 64)
CHASE_RUN(chase_1_run, 1)
CHASE_RUN(chase_8_run, 8)
CHASE_RUN(chase_100_run, 100)

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
