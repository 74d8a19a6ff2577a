#include "measure/kernels/inject.h"

#include "inject_loops.h"

#include <stddef.h>

/* Few lines, because a background worker checks only after each repeat whether to stop, and the
 * other workers wait for a slow one. */
enum { LINES = 24, LINES_A_TURN = 3 };
const unsigned inject_lines = LINES;
const char *const inject_order_names[INJECT_ORDERS + 1] = {"sequential", "random", NULL};

#define INJECT_KERNEL(kernel, loop, address, first, second, third)                                 \
    INJECT_LOOP(loop, address, first, second, third)                                               \
    static uint64_t kernel(void *state, uint64_t repeats)                                          \
    {                                                                                              \
        struct injector *injector = state;                                                         \
        injector->position =                                                                       \
            loop(injector->memory, injector->mask, injector->step, injector->position,             \
                 injector->delay, repeats * (LINES / LINES_A_TURN));                               \
        return injector->position;                                                                 \
    }

INJECT_KERNEL(inject_read_run, loops_inject_read, INJECT_FORWARD, INJECT_READ, INJECT_READ,
              INJECT_READ)
INJECT_KERNEL(inject_mixed_run, loops_inject_mixed, INJECT_FORWARD, INJECT_READ, INJECT_READ,
              INJECT_MODIFY)
INJECT_KERNEL(inject_modify_run, loops_inject_modify, INJECT_FORWARD, INJECT_MODIFY, INJECT_MODIFY,
              INJECT_MODIFY)
INJECT_KERNEL(inject_random_read_run, loops_inject_random_read, INJECT_ANYWHERE, INJECT_READ,
              INJECT_READ, INJECT_READ)
INJECT_KERNEL(inject_random_mixed_run, loops_inject_random_mixed, INJECT_ANYWHERE, INJECT_READ,
              INJECT_READ, INJECT_MODIFY)
INJECT_KERNEL(inject_random_modify_run, loops_inject_random_modify, INJECT_ANYWHERE, INJECT_MODIFY,
              INJECT_MODIFY, INJECT_MODIFY)

const struct injection injections[INJECTIONS] = {
    {100, 0, {inject_read_run, inject_random_read_run}},
    {75, 1, {inject_mixed_run, inject_random_mixed_run}},
    {50, 3, {inject_modify_run, inject_random_modify_run}},
};
