#include "measure/kernels/wake.h"

#include "arch.h"

struct call {
    uint64_t switches, ticks;
};

static struct call begin(const struct wake_bells *bells)
{
    const uint64_t switches = bells->switches ? bells->switches() : 0;
    return (struct call){switches, arch_counter()};
}

static void end(struct wake_done *done, const struct wake_bells *bells, struct call began,
                uint64_t repeats)
{
    done->last_ticks = arch_counter() - began.ticks;
    done->switches += (bells->switches ? bells->switches() : 0) - began.switches;
    done->repeats += repeats;
}

/* --- in turn --- */

uint64_t wake_turns_run(void *state, uint64_t repeats)
{
    struct wake_turns *side = state;
    const struct wake_bells *bells = side->bells;
    const struct call began = begin(bells);
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
    end(&side->done, bells, began, repeats);
    return repeats;
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
    const struct call began = begin(side->bells);
    uint64_t ticks = 0;
    for (uint64_t left = repeats; left; left--, side->turn++) {
        await_word(&side->shared->asleep, (uint32_t)side->turn);
        pause_for(side->pause_ticks);
        const uint64_t start = arch_counter();
        side->bells->ring(side->bell);
        await_word(&side->shared->awake, (uint32_t)side->turn);
        ticks += arch_counter() - start;
    }
    end(&side->done, side->bells, began, repeats);
    return (uint64_t)((double)ticks * side->ps_per_tick);
}

uint64_t wake_sleeper_run(void *state, uint64_t repeats)
{
    struct wake_sleep *side = state;
    const struct call began = begin(side->bells);
    for (uint64_t left = repeats; left; left--, side->turn++) {
        __atomic_store_n(&side->shared->asleep, (uint32_t)side->turn, __ATOMIC_RELEASE);
        side->bells->await(side->bell);
        __atomic_store_n(&side->shared->awake, (uint32_t)side->turn, __ATOMIC_RELEASE);
    }
    end(&side->done, side->bells, began, repeats);
    return repeats;
}
