#include "conclude/levels/reading.h"

#include "base/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A level that begins or ends beyond this multiple of a declared cache's size is not that cache. */
static const double passed_over = 1.5;
/* No memory is faster than this, though caches may be slower. The cycles are those of a slow core,
 * for curves from which the clock can't be computed. */
static const double memory_least_ns = 35, memory_least_cycles = 60;

/* If kinds of core differ, the largest cache of a level counts. */
void level_read_declared(struct level_reading *reading, const struct machine_facts *facts)
{
    for (size_t i = 0; facts && i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        if (!cache_holds_data(cache) || cache->level < 1 || cache->level > LEVELS_DECLARED_MOST)
            continue;
        double *bytes = &reading->declared[cache->level - 1];
        *bytes = fmax(*bytes, (double)cache->size_bytes);
        if ((size_t)cache->level > reading->declared_count)
            reading->declared_count = (size_t)cache->level;
    }
    while (reading->skipped < reading->declared_count &&
           reading->declared[reading->skipped] < reading->smallest)
        reading->skipped++;
}

/* The level's number, counted from 1. With few sizes a cache may have been skipped: a level whose
 * sizes are all beyond a declared cache is a later one. */
size_t level_number(const struct level_reading *reading, size_t index)
{
    size_t number = reading->skipped;
    for (size_t k = 0; k <= index; k++) {
        number++;
        while (number <= reading->declared_count && reading->declared[number - 1] > 0 &&
               reading->levels.list[k].from > passed_over * reading->declared[number - 1])
            number++;
    }
    return number;
}

static bool is_last(const struct level_reading *reading, size_t index)
{
    return index + 1 == reading->levels.count && !isfinite(reading->levels.list[index].capacity);
}

/* Whether the last level may be a cache larger than all measured sizes: it is the first plateau, a
 * cache of that level is declared to be larger, or it is faster than any memory. */
static bool may_be_cache(const struct level_reading *reading, size_t index)
{
    const size_t level = level_number(reading, index) - 1;
    const double latency = reading->levels.list[index].latency;
    const char *unit = reading->series->y.unit;
    const double ns = isfinite(reading->clock) ? latency / reading->clock : latency;
    if (level == 0 ||
        (level < reading->declared_count && reading->declared[level] >= reading->largest))
        return true;
    return quantity_is(unit, DIMENSION_CYCLES) ? latency < memory_least_cycles
                                               : ns < memory_least_ns;
}

/* If all declared caches were found and outgrown, half an octave beyond them proves memory:
 * declared sizes may be wrong, but declared numbers of caches are hardly ever. */
static bool is_behind_all(const struct level_reading *reading, size_t index)
{
    return !reading->levels.sparse && reading->declared_count > 0 &&
           level_number(reading, index) > reading->declared_count && index > 0 &&
           reading->levels.stays &&
           reading->largest >= 2 * reading->levels.list[index - 1].capacity;
}

bool level_is_dram(const struct level_reading *reading, size_t index)
{
    return is_last(reading, index) && !may_be_cache(reading, index) &&
           (reading->levels.proven || is_behind_all(reading, index));
}

/* A plateau that goes on well beyond the size of its cache may be the memory behind the cache. */
bool level_is_unnamed(const struct level_reading *reading, size_t index)
{
    const size_t level = level_number(reading, index) - 1;
    const bool declared = level < reading->declared_count &&
                          reading->largest <= passed_over * reading->declared[level];
    return is_last(reading, index) && !declared && !level_is_dram(reading, index) &&
           !may_be_cache(reading, index);
}

void level_name(const struct level_reading *reading, size_t index, char name[LEVEL_NAME_ROOM])
{
    if (level_is_dram(reading, index))
        strcpy(name, "DRAM");
    else if (level_is_unnamed(reading, index))
        strcpy(name, "last");
    else
        snprintf(name, LEVEL_NAME_ROOM, "L%zu", level_number(reading, index));
}

double level_declared(const struct level_reading *reading, size_t index)
{
    size_t level = level_number(reading, index) - 1;
    bool known = !level_is_dram(reading, index) && !level_is_unnamed(reading, index) &&
                 level < reading->declared_count;
    return known && reading->declared[level] > 0 ? reading->declared[level] : NAN;
}
