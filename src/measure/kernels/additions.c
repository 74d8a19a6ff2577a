#include "measure/kernels/additions.h"

#include "loops.h"

const unsigned addition_steps = ADDITION_STEPS;

uint64_t additions_run(void *state, uint64_t repeats)
{
    (void)state;
    return loops_additions(0, repeats);
}
