#include "kernels/wake.h"

#include "arch.h"

static uint64_t switches_of(const struct wake_bells *bells)
{
    return bells->switches ? bells->switches() : 0;
}

/* --- in turn --- */

uint64_t wake_turns_run(void *state, uint64_t repeats)
{
    struct wake_turns *side = state;
    const struct wake_bells *bells = side->bells;
    const uint64_t before = switches_of(bells);
    if (side->begins)
        for (uint64_t left = repeats; left; left--) {
            bells->ring(side->theirs);
            bells->await(side->mine);
        }
    else
        for (uint64_t left = repeats; left; left--) {
            bells->await(side->mine);
            bells->ring(side->theirs);
        }
    side->switches += switches_of(bells) - before;
    return side->done += repeats;
}

/* --- after a sleep --- */

static void await_word(const uint32_t *word, uint32_t turn)
{
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != turn)
        arch_relax();
}

static void pause_for(uint64_t ticks)
{
    const uint64_t start = arch_counter();
    while (arch_counter() - start < ticks)
        arch_relax();
}

uint64_t wake_waker_run(void *state, uint64_t repeats)
{
    struct wake_sleep *side = state;
    const uint64_t before = switches_of(side->bells), first = arch_counter();
    for (uint64_t left = repeats; left; left--, side->turn++) {
        await_word(&side->shared->asleep, side->turn);
        pause_for(side->pause_ticks);
        const uint64_t start = arch_counter();
        side->bells->ring(side->bell);
        await_word(&side->shared->awake, side->turn);
        const uint64_t taken = arch_counter() - start;
        if (side->used < side->room)
            side->taken[side->used++] = taken;
    }
    side->last_ticks = arch_counter() - first;
    side->switches += switches_of(side->bells) - before;
    return side->done += repeats;
}

uint64_t wake_sleeper_run(void *state, uint64_t repeats)
{
    struct wake_sleep *side = state;
    const uint64_t before = switches_of(side->bells);
    for (uint64_t left = repeats; left; left--, side->turn++) {
        __atomic_store_n(&side->shared->asleep, side->turn, __ATOMIC_RELEASE);
        side->bells->await(side->bell);
        __atomic_store_n(&side->shared->awake, side->turn, __ATOMIC_RELEASE);
    }
    side->switches += switches_of(side->bells) - before;
    return side->done += repeats;
}
