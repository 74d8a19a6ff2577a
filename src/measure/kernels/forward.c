#include "measure/kernels/forward.h"

#include "forward_loops.h"

#include <stddef.h>

const unsigned forward_steps = FORWARD_STEPS;

#define FORWARD_KERNEL(kernel, loop, step)                                                         \
    FORWARD_LOOP(loop, step)                                                                       \
    static uint64_t kernel(void *state, uint64_t repeats)                                          \
    {                                                                                              \
        const struct forward *forward = state;                                                     \
        return loop(forward->to, forward->from, 0, repeats);                                       \
    }

FORWARD_KERNEL(forward_same_run, loops_forward_same, FORWARD_SAME_STEP)
FORWARD_KERNEL(forward_named_run, loops_forward_named, FORWARD_NAMED_STEP)
FORWARD_KERNEL(forward_narrow_run, loops_forward_narrow, FORWARD_NARROW_STEP)
FORWARD_KERNEL(forward_wide_run, loops_forward_wide, FORWARD_WIDE_STEP)
#ifdef FORWARD_OVERLAP_STEP
FORWARD_KERNEL(forward_overlap_run, loops_forward_overlap, FORWARD_OVERLAP_STEP)
#else
#define forward_overlap_run NULL
#endif

kernel_function *const forward_kernels[FORWARD_COUNT] = {
    [FORWARD_SAME] = forward_same_run,       [FORWARD_NAMED] = forward_named_run,
    [FORWARD_NARROW] = forward_narrow_run,   [FORWARD_WIDE] = forward_wide_run,
    [FORWARD_OVERLAP] = forward_overlap_run,
};
