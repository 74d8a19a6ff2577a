#include "measure/kernels/multiplications.h"

#include "loops.h"

const unsigned multiplication_steps = MULTIPLICATION_STEPS;

uint64_t multiplications_run(void *state, uint64_t repeats)
{
    return loops_multiplications(1, repeats);
}
