#include "measure/engine/barrier.h"

enum { SPINS_A_LOOK = 256 }; /* reading the clock costs more than a spin */

void barrier_init(struct barrier *barrier, unsigned members, const struct clock *clock)
{
    atomic_init(&barrier->waiting, 0);
    atomic_init(&barrier->generation, 0);
    atomic_init(&barrier->broken, false);
    barrier->members = members;
    barrier->clock = clock;
}

bool barrier_wait(struct barrier *barrier, double patience_ns)
{
    unsigned generation = atomic_load_explicit(&barrier->generation, memory_order_acquire);
    if (atomic_fetch_add_explicit(&barrier->waiting, 1, memory_order_acq_rel) + 1 ==
        barrier->members) {
        atomic_store_explicit(&barrier->waiting, 0, memory_order_relaxed);
        atomic_store_explicit(&barrier->generation, generation + 1, memory_order_release);
        return !atomic_load_explicit(&barrier->broken, memory_order_relaxed);
    }
    const uint64_t patience = clock_ticks_of_ns(barrier->clock, patience_ns);
    const uint64_t begin = clock_ticks(barrier->clock);
    for (unsigned spins = 1;; spins++) {
        if (atomic_load_explicit(&barrier->generation, memory_order_acquire) != generation)
            return !atomic_load_explicit(&barrier->broken, memory_order_relaxed);
        if (atomic_load_explicit(&barrier->broken, memory_order_relaxed))
            return false;
        if (spins % SPINS_A_LOOK == 0 && clock_ticks(barrier->clock) - begin > patience) {
            atomic_store_explicit(&barrier->broken, true, memory_order_relaxed);
            return false;
        }
        arch_relax();
    }
}
