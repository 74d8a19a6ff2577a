#include "conclude/levels/level.h"

#include "base/quantity.h"

#include <math.h>
#include <stdio.h>

/* A level that begins or ends beyond this multiple of a declared cache's size is not that cache. */
static const double passed_over = 1.5;
/* No memory is faster than this, though caches may be slower. The cycles are those of a slow core,
 * for curves from which the clock can't be computed. */
static const double memory_least_ns = 35, memory_least_cycles = 60;

/* If kinds of core differ, the largest cache of a level counts. */
static void read_declared(struct levels *levels, const struct machine_facts *facts)
{
    for (size_t i = 0; facts && i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (!cache_holds_data(cache) || cache->level < 1 || cache->level > LEVELS_DECLARED_MOST)
            continue;
        double *bytes = &levels->declared[cache->level - 1];
        *bytes = fmax(*bytes, (double)cache->size_bytes);
        if ((size_t)cache->level > levels->declared_count)
            levels->declared_count = (size_t)cache->level;
    }
    while (levels->skipped < levels->declared_count &&
           levels->declared[levels->skipped] < levels->smallest)
        levels->skipped++;
}

/* What a level of that number is, of which `declared` bytes are declared (0: none). */
static enum level_kind kind_of(const struct levels *levels, size_t k, size_t number,
                               double declared, const char *unit)
{
    const double latency = levels->list[k].latency.value;
    if (k + 1 < levels->count || isfinite(levels->list[k].capacity.value))
        return LEVEL_CACHE;
    /* The last level may be a cache larger than all measured sizes: it is the first plateau, a
     * cache of that number is declared to be larger, or it is faster than any memory. */
    const bool fast =
        quantity_is(unit, DIMENSION_CYCLES)
            ? latency < memory_least_cycles
            : (isfinite(levels->clock) ? latency / levels->clock : latency) < memory_least_ns;
    if (number == 1 || fast || (declared > 0 && declared >= levels->largest))
        return LEVEL_CACHE;
    /* If all declared caches were found and outgrown, half an octave beyond them proves memory:
     * declared sizes may be wrong, but declared numbers of caches are hardly ever. */
    const bool behind_all = !levels->sparse && levels->declared_count > 0 &&
                            number > levels->declared_count && k > 0 && levels->stays &&
                            levels->largest >= 2 * levels->list[k - 1].capacity.value;
    if (levels->proven || behind_all)
        return LEVEL_MEMORY;
    /* A plateau that goes on well beyond its cache's size may be the memory behind that cache. */
    return declared > 0 && levels->largest <= passed_over * declared ? LEVEL_CACHE : LEVEL_OTHER;
}

void levels_name(struct levels *levels, const struct series *series,
                 const struct machine_facts *facts)
{
    levels->smallest = INFINITY;
    for (size_t i = 0; i < series->point_count; i++) {
        levels->smallest = fmin(levels->smallest, series->points[i].x);
        levels->largest = fmax(levels->largest, series->points[i].x);
    }
    read_declared(levels, facts);
    /* With few sizes a cache may have been skipped: a level whose sizes are all beyond a declared
     * cache is a later one. */
    size_t number = levels->skipped;
    for (size_t k = 0; k < levels->count; k++) {
        struct level *level = &levels->list[k];
        number++;
        while (number <= levels->declared_count && levels->declared[number - 1] > 0 &&
               level->from > passed_over * levels->declared[number - 1])
            number++;
        const double bytes = number <= levels->declared_count ? levels->declared[number - 1] : 0;
        level->kind = kind_of(levels, k, number, bytes, series->y.unit);
        level->number = (int)number;
        level->declared = level->kind == LEVEL_CACHE && bytes > 0 ? bytes : NAN;
        snprintf(level->name, sizeof level->name, "L%zu", number);
        if (level->kind != LEVEL_CACHE)
            snprintf(level->name, sizeof level->name, "%s",
                     level->kind == LEVEL_MEMORY ? "DRAM" : "last");
    }
}
