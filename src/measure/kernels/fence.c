#include "measure/kernels/fence.h"

#include "fence_loops.h"

const unsigned fence_steps = FENCE_STEPS;

uint64_t fence_bring_run(void *state, uint64_t repeats)
{
    struct fence *fence = state;
    while (fence->brought != fence->random) { /* as the loops choose */
        fence->brought = fence->brought * 6364136223846793005u + 1442695040888963407u;
        fence->memory[(((fence->brought >> 32) * fence->lines) >> 32) * 64]++;
    }
    return repeats;
}

#define FENCE_LOOPS(name, ...) FENCE_FIVE(name, FENCE_OP_##name)
FENCE_LIST(FENCE_LOOPS)

#define FENCE_KERNEL(name, which)                                                                  \
    static uint64_t fence_##name##_##which##_run(void *state, uint64_t repeats)                    \
    {                                                                                              \
        return loops_fence_##name##_##which(state, repeats);                                       \
    }
#define FENCE_KERNELS(name, ...)                                                                   \
    FENCE_KERNEL(name, alone)                                                                      \
    FENCE_KERNEL(name, after)                                                                      \
    FENCE_KERNEL(name, lines)                                                                      \
    FENCE_KERNEL(name, loads)                                                                      \
    FENCE_KERNEL(name, stores)
FENCE_LIST(FENCE_KERNELS)

#define FENCE_ROW(op, shown, text, kind, full, there)                                              \
    {shown,                                                                                        \
     text,                                                                                         \
     kind,                                                                                         \
     full,                                                                                         \
     there,                                                                                        \
     {fence_##op##_alone_run, fence_##op##_after_run, fence_##op##_lines_run,                      \
      fence_##op##_loads_run, fence_##op##_stores_run}},
const struct fence_op fence_ops[] = {FENCE_LIST(FENCE_ROW)};
const size_t fence_op_count = sizeof fence_ops / sizeof fence_ops[0];

#define FENCE_NAME(op, shown, ...) shown,
const char *const fence_op_names[] = {"all", FENCE_LIST(FENCE_NAME) NULL};
