#include "beside.h"

#include <math.h>
#include <string.h>

void beside_begin(struct beside *beside, const struct model_machine *machine, uint64_t seed)
{
    *beside = (struct beside){.machine = machine};
    neighbours_begin(&beside->neighbours, machine->neighbours, machine->cpus, seed);
}

void beside_trial(struct beside *beside, enum model_pages pages, uint64_t memory_seed)
{
    beside->pages = pages;
    beside->memory_seed = memory_seed;
    beside->known_count = 0;
    beside->now = beside->next = NULL;
    beside->refilling = 0;
}

/* --- room --- */

static unsigned left_of(unsigned whole, double taken, bool power_of_two)
{
    double left = fmax(1, round(whole * (1 - taken)));
    return (unsigned)(power_of_two ? exp2(floor(log2(left))) : left);
}

static struct memory_room room_left(const struct beside *beside, const struct taken *taken)
{
    const struct model_machine *machine = beside->machine;
    struct memory_room room = memory_all_room(machine, beside->pages);
    for (unsigned level = 0; level < machine->level_count; level++)
        room.ways[level] = left_of(room.ways[level], level < 2 ? taken->ways[level] : taken->room,
                                   machine->caches[level].replacement == MODEL_TREE_PLRU);
    for (unsigned i = 0; i < 2; i++)
        room.entries[i] = left_of(room.entries[i], taken->entries, false);
    return room;
}

/* Follows the ring through that room, and counts. */
static struct demand demand_of(const struct beside *beside, struct memory *memory,
                               struct path *path, const struct memory_room *room)
{
    const struct model_machine *machine = beside->machine;
    memory_renew(memory, beside->pages, beside->memory_seed);
    memory_limit(memory, room);
    const size_t at = path->at;
    path_warm(path, memory);
    const struct tally before = memory->tally;
    size_t steps = path_sample_steps(path), done = 0;
    double sum = 0, squares = 0;
    uint64_t missed = memory->missed;
    while (done < steps) {
        const double ps = (double)path_follow(path, memory);
        sum += ps;
        squares += ps * ps;
        done++;
        if (path->followed == 0 && memory->missed == missed)
            break; /* a round in which all hit: so do all that follow */
        missed = path->followed == 0 ? memory->missed : missed;
    }
    path->at = at;
    const double count = (double)done, mean = sum / count;
    const struct tally *tally = &memory->tally;
    struct demand demand = {
        .room = *room,
        .row_hits = (double)(tally->row_hits - before.row_hits) / count,
        .row_misses = (double)(tally->row_misses - before.row_misses) / count,
        .second = (double)(tally->second - before.second) / count,
        .walks = (double)(tally->walks - before.walks) / count,
        .variation = mean > 0 ? fmax(0, squares / count / (mean * mean) - 1) : 0,
    };
    for (unsigned level = 0; level < machine->level_count; level++)
        demand.hits[level] = (double)(tally->hits[level] - before.hits[level]) / count;
    return demand;
}

static const struct demand *demand_with(struct beside *beside, struct memory *memory,
                                        struct path *path, const struct taken *taken)
{
    const struct memory_room room = room_left(beside, taken);
    for (unsigned i = 0; i < beside->known_count; i++)
        if (memcmp(&beside->known[i].room, &room, sizeof room) == 0)
            return &beside->known[i];
    if (beside->known_count == BESIDE_KNOWN_MOST) /* more than any trial meets */
        return beside->now;
    struct demand *demand = &beside->known[beside->known_count++];
    *demand = demand_of(beside, memory, path, &room);
    return demand;
}

/* --- time --- */

static double step_ps(const struct beside *beside, const struct demand *demand,
                      const struct pace *pace, const struct taken *taken)
{
    const struct model_machine *machine = beside->machine;
    const enum model_pages pages = beside->pages;
    double cycles = pace->each_cycles, ns = 0;
    for (unsigned level = 0; level < machine->level_count; level++) {
        cycles += demand->hits[level] * machine->caches[level].cycles;
        ns += demand->hits[level] * machine->caches[level].ns;
    }
    cycles += (demand->row_hits + demand->row_misses) * machine->dram_cycles;
    cycles += demand->second * machine->tlbs[pages][1].cycles;
    cycles += demand->walks * machine->walk_cycles[pages];
    const double dram_ns =
        demand->row_hits * machine->row_hit_ns + demand->row_misses * machine->row_miss_ns;
    return cycles * 1e12 / pace->core_hz * taken->pace * taken->thread +
           1e3 * pace->beyond * (ns + dram_ns * pace->dram * taken->traffic);
}

/* Until nobody else runs on the CPU: a program that does not run reads no clock. */
static void wait_for_cpu(struct beside *beside, unsigned cpu, double *now_s)
{
    double until_s;
    while (neighbours_at(&beside->neighbours, cpu, *now_s, &until_s).cpu)
        *now_s = until_s;
}

static void change_room(struct beside *beside, const struct demand *demand, size_t round)
{
    if (!beside->now) {
        beside->now = beside->next = demand;
    } else if (demand != beside->next) {
        bool less = false;
        for (unsigned level = 0; level < MODEL_LEVELS_MAX; level++)
            less = less || demand->room.ways[level] < beside->next->room.ways[level];
        for (unsigned i = 0; i < 2; i++)
            less = less || demand->room.entries[i] < beside->next->room.entries[i];
        beside->now = less ? demand : beside->now;
        beside->next = demand;
        beside->refilling = less ? 0 : (double)round;
    }
}

double beside_steps(struct beside *beside, struct memory *memory, struct path *path,
                    const struct pace *pace, unsigned cpu, double steps, double *now_s)
{
    wait_for_cpu(beside, cpu, now_s);
    const double began_s = *now_s;
    while (steps > 0) {
        double until_s;
        const struct taken taken = neighbours_at(&beside->neighbours, cpu, *now_s, &until_s);
        if (taken.cpu) {
            *now_s = until_s;
            continue;
        }
        change_room(beside, demand_with(beside, memory, path, &taken), path->count);
        if (!(beside->refilling > 0))
            beside->now = beside->next;
        const double each_s = step_ps(beside, beside->now, pace, &taken) * 1e-12;
        double now = fmin(steps, fmax(1e-3, (until_s - *now_s) / each_s));
        if (beside->refilling > 0)
            now = fmin(now, fmax(1, beside->refilling));
        beside->refilling -= now;
        steps -= now;
        *now_s += now * each_s;
    }
    return (*now_s - began_s) * 1e12;
}

double beside_cycles(struct beside *beside, const struct pace *pace, unsigned cpu, double cycles,
                     bool wide, double *now_s)
{
    wait_for_cpu(beside, cpu, now_s);
    const double began_s = *now_s;
    while (cycles > 0) {
        double until_s;
        const struct taken taken = neighbours_at(&beside->neighbours, cpu, *now_s, &until_s);
        if (taken.cpu) {
            *now_s = until_s;
            continue;
        }
        const double each_s = taken.pace * (wide ? taken.wide : 1) / pace->core_hz;
        const double now = fmin(cycles, fmax(1e-3, (until_s - *now_s) / each_s));
        cycles -= now;
        *now_s += now * each_s;
    }
    return (*now_s - began_s) * 1e12;
}

double beside_variation(const struct beside *beside, const struct path *path, double steps)
{
    const double count = (double)path->count, part = fmod(steps, count);
    return beside->now && steps > 0
               ? beside->now->variation * part * (1 - part / count) / (steps * steps)
               : 0;
}
