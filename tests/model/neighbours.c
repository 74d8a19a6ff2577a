#include "neighbours.h"

#include <math.h>

static const double full_turn = 6.283185307179586;
/* A drifting neighbour's strength is looked at this often in its period. */
static const double looks = 400;
/* Cycles of an addition in four chains side by side, alone and beside a thread of the same core, as
 * a Xeon showed them; neither differed from trial to trial by more than 1 %. */
const double neighbours_wide_alone = 0.290;
static const double wide_shared = 0.323;

bool neighbours_exist(const struct model_neighbour list[NEIGHBOURS_MAX])
{
    bool any = false;
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++)
        any = any || list[i].share > 0;
    return any;
}

static double exponential(struct random *random, double mean)
{
    return -mean * log(1 - random_unit(random));
}

/* Of a bursty one the share of its stays, and of bursts in a stay. */
static double stays_share(const struct model_neighbour *neighbour)
{
    return neighbour->course == BURSTY ? sqrt(neighbour->share) : neighbour->share;
}

/* Of a wave between -1 and 1 that part above `peak` is its strength, so that it is there for its
 * share of the period: cos(pi * share). */
static double peak_of(const struct model_neighbour *neighbour)
{
    return cos(full_turn / 2 * neighbour->share);
}

void neighbours_begin(struct neighbours *neighbours,
                      const struct model_neighbour list[NEIGHBOURS_MAX], unsigned cpu_count,
                      uint64_t seed)
{
    *neighbours = (struct neighbours){.list = list, .cpu_count = cpu_count ? cpu_count : 1};
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        struct neighbour_state *state = &neighbours->states[i];
        state->random = (struct random){random_mix(seed + i)};
        state->phase = random_unit(&state->random);
        state->there = random_unit(&state->random) >= stays_share(&list[i]); /* turned below */
        state->peak = peak_of(&list[i]);
    }
}

/* Goes on from state to state until one lasts beyond now. Those far shorter than the time that has
 * passed are not gone through one by one: exponential times have no memory. */
static void move_on(struct random *random, bool *on, double *until_s, double now_s, double on_s,
                    double share)
{
    const double off_s = on_s * (1 - share) / share;
    if (now_s - *until_s > 20 * (on_s + off_s)) {
        *on = random_unit(random) < share;
        *until_s = now_s + exponential(random, *on ? on_s : off_s);
    }
    while (*until_s <= now_s) {
        *on = !*on;
        *until_s += fmax(1e-9, exponential(random, *on ? on_s : off_s));
    }
}

/* How much of its full strength, and until when. */
static double strength_at(const struct model_neighbour *neighbour, struct neighbour_state *state,
                          double now_s, double *until_s)
{
    if (neighbour->course == DRIFTING) {
        const double look_s = neighbour->busy_s / looks, look = floor(now_s / look_s + 1e-6);
        const double wave = cos(full_turn * (look / looks + state->phase));
        *until_s = fmin(*until_s, (look + 1) * look_s);
        const double strength = (wave - state->peak) / (1 - state->peak);
        return strength > 0 ? ceil(strength * neighbour_strengths) / neighbour_strengths : 0;
    }
    move_on(&state->random, &state->there, &state->until_s, now_s, neighbour->busy_s,
            stays_share(neighbour));
    *until_s = fmin(*until_s, state->until_s);
    if (neighbour->course == TWO_STATE || !state->there)
        return state->there;
    move_on(&state->random, &state->bursting, &state->burst_until_s, now_s, neighbour->burst_s,
            stays_share(neighbour));
    *until_s = fmin(*until_s, state->burst_until_s);
    return state->bursting;
}

static double more(double taken, double share)
{
    return 1 - (1 - taken) * (1 - share);
}

static void take(struct taken *taken, const struct model_neighbour *neighbour, double strength,
                 bool here, double of_cpus)
{
    const struct neighbour_takes *takes = &neighbour->takes;
    if (here) {
        /* What runs beside us slowly takes slices too short to be seen one by one. */
        if (neighbour->course == DRIFTING)
            taken->pace /= 1 - takes->time * strength;
        else if (takes->time > 0)
            taken->cpu = true;
        taken->thread *= 1 + takes->pace * strength;
        if (takes->pace > 0)
            taken->wide *= 1 + (wide_shared / neighbours_wide_alone - 1) * strength;
        for (unsigned level = 0; level < 2; level++)
            taken->ways[level] = more(taken->ways[level], takes->ways[level] * strength);
        taken->entries = more(taken->entries, takes->entries * strength);
    }
    taken->room = more(taken->room, takes->room * strength * of_cpus);
    taken->traffic *= 1 + takes->traffic * strength * of_cpus;
}

struct taken neighbours_at(struct neighbours *neighbours, unsigned cpu, double now_s,
                           double *until_s)
{
    struct taken taken = {.pace = 1, .thread = 1, .wide = 1, .traffic = 1};
    *until_s = INFINITY;
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        const struct model_neighbour *neighbour = &neighbours->list[i];
        if (!(neighbour->share > 0))
            continue;
        const double strength = strength_at(neighbour, &neighbours->states[i], now_s, until_s);
        const bool here = neighbour->cpus >> cpu & 1;
        const double of_cpus = (double)__builtin_popcount(neighbour->cpus) / neighbours->cpu_count;
        if (strength > 0)
            take(&taken, neighbour, strength, here, of_cpus);
    }
    return taken;
}
