#include "levels_found.h"

#include "machines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double capacity_tolerance = 0.1, latency_tolerance = 0.02;
/* Of few sizes none may be where only that level serves. */
static const double level_tolerance = 0.1;
static const double fixed_threshold = 1.3;
/* Documents hold floats. */
static const double rounding = 1e-6;

static const struct found_value nothing = {NAN, NAN, NAN};

static struct found_value value_of(const struct probe_result *result, const char *level,
                                   const char *what)
{
    char name[32];
    snprintf(name, sizeof name, "%s.%s", level, what);
    for (size_t i = 0; i < result->finding_count; i++) {
        const struct finding *finding = &result->findings[i];
        if (strcmp(finding->name, name) == 0)
            return (struct found_value){finding->value, finding->low, finding->high};
    }
    return nothing;
}

static struct suite_level level_of(const struct probe_result *result, const char *level)
{
    return (struct suite_level){value_of(result, level, "capacity"),
                                value_of(result, level, "latency_ns"),
                                value_of(result, level, "latency")};
}

struct found found_in(const struct probe_result *result)
{
    struct found found = {.memory = level_of(result, "DRAM")};
    found.dram = !isnan(found.memory.latency_ns.value);
    for (; found.count < FOUND_MAX; found.count++) {
        char level[16];
        snprintf(level, sizeof level, "L%zu", found.count + 1);
        struct suite_level *cache = &found.caches[found.count];
        *cache = level_of(result, level);
        if (isnan(cache->latency_ns.value))
            break;
    }
    return found;
}

static struct found_value exactly(double value)
{
    return (struct found_value){value, value, value};
}

static struct suite_level level_by_threshold(double capacity, const struct point *base)
{
    return (struct suite_level){exactly(capacity), exactly((double)base->y.median),
                                exactly((double)base->cycles.median)};
}

struct found found_by_threshold(const struct series *series)
{
    struct found found = {.dram = true};
    size_t first = 0;
    for (size_t i = 1; i < series->point_count; i++) {
        const struct point *point = &series->points[i], *base = &series->points[first];
        if ((double)point->y.median < fixed_threshold * (double)base->y.median)
            continue;
        if (found.count < FOUND_MAX)
            found.caches[found.count++] = level_by_threshold(series->points[i - 1].x, base);
        first = i;
    }
    found.memory = level_by_threshold(NAN, &series->points[series->point_count - 1]);
    return found;
}

/* Whether a value is as near the truth as it has to be; notes whether its interval holds the truth.
 * What was not found is wrong, and has no interval. */
static bool near(struct score *score, const struct found_value *found, double truth,
                 double tolerance)
{
    if (!isnan(found->value)) {
        score->intervals++;
        score->intervals_right +=
            found->low <= truth * (1 + rounding) && found->high >= truth * (1 - rounding);
    }
    return fabs(found->value / truth - 1) <= tolerance;
}

/* Cycles hold while the clock moves, nanoseconds beyond the core: a level's latency is right where
 * it is in the unit that describes it. */
static void score_latency(struct score *score, const struct model_machine *machine, unsigned level,
                          const struct suite_level *found)
{
    bool core = level < machine->level_count && machine->caches[level].ns == 0;
    score->latencies++;
    score->latencies_right += core ? near(score, &found->cycles,
                                          machine_latency_cycles(machine, level), latency_tolerance)
                                   : near(score, &found->latency_ns,
                                          machine_latency_ns(machine, level), latency_tolerance);
}

void score_add(struct score *score, const struct model_machine *machine, const struct found *found)
{
    static const struct suite_level none = {{NAN, NAN, NAN}, {NAN, NAN, NAN}, {NAN, NAN, NAN}};
    score->machines++;
    score->levels_too_many += found->count > machine->level_count;
    score->levels_right += found->count == machine->level_count && found->dram;
    for (unsigned level = 0; level < machine->level_count; level++) {
        const struct suite_level *cache = level < found->count ? &found->caches[level] : &none;
        score_latency(score, machine, level, cache);
        if (!machine_capacity_defined(machine, level))
            continue;
        score->capacities++;
        score->capacities_right += near(
            score, &cache->capacity, (double)machine_capacity(machine, level), capacity_tolerance);
    }
    score_latency(score, machine, machine->level_count, &found->memory);
}

/* What of a level's latency in ns a table may show that knows neither pages nor clock: all that
 * translation adds, in the slowest clock. */
static double slowest_ns(const struct model_machine *machine, unsigned level)
{
    const double slow = machine->noise.slow_share > 0 ? machine->noise.slow_ratio : 1;
    const double walk =
        machine->walk_cycles[machine->huge_pages ? MODEL_HUGE_PAGES : MODEL_SMALL_PAGES];
    return (machine_latency_ns(machine, level) + walk * 1e9 / machine->core_hz) / slow;
}

/* Whether a level that is reported has that level's latency. */
static bool has_latency_of(const struct model_machine *machine, unsigned level,
                           const struct suite_level *reported, bool table)
{
    const bool core = level < machine->level_count && machine->caches[level].ns == 0 && !table;
    const double value = core ? reported->cycles.value : reported->latency_ns.value;
    const double least =
        core ? machine_latency_cycles(machine, level) : machine_latency_ns(machine, level);
    const double most = table ? slowest_ns(machine, level) : least;
    return value >= (1 - level_tolerance) * least && value <= (1 + level_tolerance) * most;
}

void tally_add(struct tally *tally, const struct model_machine *machine,
               const struct probe_result *result, bool table)
{
    bool seen[FOUND_MAX] = {false};
    unsigned wrong = 0;
    for (unsigned n = 1; n <= FOUND_MAX; n++) {
        char name[16];
        snprintf(name, sizeof name, "L%u", n);
        const bool memory = n == FOUND_MAX;
        const struct suite_level level = level_of(result, memory ? "DRAM" : name);
        if (isnan(level.latency_ns.value))
            continue;
        unsigned which = memory ? machine->level_count : 0;
        while (which < machine->level_count &&
               (seen[which] || !has_latency_of(machine, which, &level, table)))
            which++;
        const bool right =
            which < machine->level_count + memory && has_latency_of(machine, which, &level, table);
        if (right)
            seen[which] = true;
        tally->levels_reported += right;
        wrong += !right;
    }
    tally->machines++;
    tally->with_false += wrong > 0;
    tally->levels_false += wrong;
    tally->levels += machine->level_count + 1;
}

bool score_perfect(const struct score *score)
{
    return score->levels_right == score->machines && score->capacities_right == score->capacities &&
           score->latencies_right == score->latencies;
}
