#include "measure/kernels/chase.h"

#include "chase_loops.h"

const unsigned chase_steps = CHASE_STEPS;
const bool chase_straddles = CHASE_STRADDLES;

#define CHASE_RUN(name, loop)                                                                      \
    uint64_t name(void *state, uint64_t repeats)                                                   \
    {                                                                                              \
        struct chase *chase = state;                                                               \
        chase->position = loop(chase->position, repeats);                                          \
        return (uint64_t)(uintptr_t)chase->position;                                               \
    }
CHASE_RUN(chase_run, loops_chase_64)
CHASE_RUN(chase_1_run, loops_chase_1)
CHASE_RUN(chase_8_run, loops_chase_8)
CHASE_RUN(chase_100_run, loops_chase_100)
CHASE_RUN(chase_spilled_run, loops_chase_spilled)
CHASE_RUN(chase_modify_run, loops_chase_modify)
