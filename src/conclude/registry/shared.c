#include "conclude/registry/shared.h"

#include "base/cpulist.h"

#include <math.h>

/* On every machine, caches beyond the second level belong to several cores. */
enum { PRIVATE_LEVELS = 2 };

bool role_is_shared(enum finding_role role)
{
    return role == ROLE_WIDTH || role == ROLE_FLIGHT || role == ROLE_HANDOFF ||
           role == ROLE_CLUSTER || role == ROLE_CONTENTION;
}

bool level_is_shared(const struct machine_facts *machine, int level)
{
    /* With two kinds of core, one may have more threads than the other, hence the rounding up. */
    const unsigned siblings =
        machine->cores ? (machine->threads + machine->cores - 1) / machine->cores : 1;
    if (level < 1 || level > PRIVATE_LEVELS)
        return true;
    for (size_t i = 0; i < machine->cache_count; i++)
        if (machine->caches[i].level == level &&
            cpulist_text_count(machine->caches[i].shared_cpus) > siblings)
            return true;
    return false;
}

bool finding_is_of_all_cpus(const struct finding_meaning *meaning)
{
    return meaning->device < 0 && meaning->role != ROLE_PLAIN &&
           (meaning->fact == FACT_ALL || meaning->fact == FACT_EFFICIENCY ||
            meaning->line->shared == OF_ALL_CPUS);
}

bool finding_is_shared(const struct machine_facts *machine, const struct finding_meaning *meaning)
{
    if (meaning->device >= 0 || meaning->role == ROLE_PLAIN)
        return false;
    if (finding_is_of_all_cpus(meaning))
        return true;
    if (meaning->level == LEVEL_CACHE)
        return level_is_shared(machine, meaning->number);
    return meaning->role == ROLE_LEVEL || role_is_shared(meaning->role) || meaning->line->shared;
}

/* The largest cache of all, or of those that a core has for itself. */
static double largest_bytes(const struct machine_facts *machine, bool own)
{
    const bool shared[] = {true, level_is_shared(machine, 1), level_is_shared(machine, 2)};
    double most = 0;
    for (size_t i = 0; i < machine->cache_count; i++) {
        const struct cache_facts *cache = &machine->caches[i];
        const bool is_own =
            cache->level >= 1 && cache->level <= PRIVATE_LEVELS && !shared[cache->level];
        if (is_own || !own)
            most = fmax(most, (double)cache->size_bytes);
    }
    return most;
}

double last_cache_bytes(const struct machine_facts *machine)
{
    return largest_bytes(machine, false);
}

double own_cache_bytes(const struct machine_facts *machine)
{
    return largest_bytes(machine, true);
}
