/* A worker in the background, and a measured one that is done when the other has done something:
 * were they not at work at the same time, it would wait for ever. */
#ifndef FATHOM_TESTS_ENGINE_BACKGROUND_H
#define FATHOM_TESTS_ENGINE_BACKGROUND_H

#include "measure/engine/plan.h"

#include "arch.h"

#include <stdatomic.h>

static atomic_uint background_runs;

static uint64_t run_in_background(void *state, uint64_t repeats)
{
    atomic_fetch_add(&background_runs, 1);
    return repeats;
}

static uint64_t wait_for_background(void *state, uint64_t repeats)
{
    const unsigned before = atomic_load(&background_runs);
    while (atomic_load(&background_runs) == before)
        arch_relax();
    return repeats;
}

static void prepare_with_background(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = wait_for_background};
    trial->workers[1] = (struct worker){.run = run_in_background};
}

#endif
