#include "measure/kernels/gaps.h"

#include "arch.h"
#include "gaps_loops.h"

/* Where the caller does not set `over`, a gap is this many times the shortest distance of two
 * different readings. A coarse counter often gives the same reading twice. */
enum { TRIES = 256, TIMES = 16 };

static uint64_t choose_over(uint64_t *shortest)
{
    uint64_t least = UINT64_MAX, last = arch_counter();
    for (unsigned i = 0; i < TRIES; i++) {
        const uint64_t now = arch_counter();
        if (now > last && now - last < least)
            least = now - last;
        last = now;
    }
    *shortest = least < UINT64_MAX ? least : 0;
    return least < UINT64_MAX / TIMES ? least * TIMES : TIMES;
}

/* Returns the counter after the gap is recorded: recording does not count as observed time. */
static __attribute__((noinline)) uint64_t note(struct gaps *gaps, uint64_t last, uint64_t now)
{
    struct gap gap = {.at = last, .ticks = now - last};
    if (gaps->count) {
        const struct gap_counts before = gaps->counts;
        gaps->count(&gaps->counts);
        gap.switches = (uint32_t)(gaps->counts.switches - before.switches);
        gap.faults = (uint32_t)(gaps->counts.faults - before.faults);
    }
    if ((int64_t)gap.ticks < 0) {
        gaps->backwards_now++;
    } else if (gaps->used_now < gaps->room) {
        gaps->log[gaps->used_now++] = gap;
    } else {
        gaps->missed_now++;
        gaps->missed_ticks_now += gap.ticks;
        if (gap.ticks > gaps->missed_longest_now)
            gaps->missed_longest_now = gap.ticks;
    }
    const uint64_t after = arch_counter();
    /* A counter that went back shows no time between two readings. */
    gaps->noting += after - ((int64_t)gap.ticks < 0 ? last : now);
    return after;
}

/* Results go to the public members only in end(), so a call that is recalled adds nothing. */
static void begin(struct gaps *gaps)
{
    if (!gaps->over)
        gaps->over = choose_over(&gaps->shortest);
    if (gaps->count)
        gaps->count(&gaps->counts);
    gaps->used_now = gaps->used;
    gaps->missed_now = gaps->missed_ticks_now = gaps->backwards_now = gaps->noting = 0;
    gaps->missed_longest_now = gaps->missed_longest;
}

static void end(struct gaps *gaps, uint64_t repeats, uint64_t ticks)
{
    gaps->used = gaps->used_now;
    gaps->missed += gaps->missed_now;
    gaps->missed_ticks += gaps->missed_ticks_now;
    gaps->missed_longest = gaps->missed_longest_now;
    gaps->backwards += gaps->backwards_now;
    gaps->readings += repeats;
    gaps->last_ticks = ticks;
    gaps->watched += ticks - gaps->noting;
}

uint64_t gaps_run(void *state, uint64_t repeats)
{
    struct gaps *gaps = state;
    begin(gaps);
    const uint64_t over = gaps->over, first = arch_counter();
    uint64_t last = first, left = repeats;
    while (left) {
        const uint64_t now = loops_gap(&last, over, &left);
        if (left) {
            last = note(gaps, last, now);
            left--;
        }
    }
    end(gaps, repeats, last - first);
    return gaps->used;
}
