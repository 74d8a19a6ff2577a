#include "conclude/levels/levels.h"

#include "base/quantity.h"
#include "base/units.h"
#include "conclude/levels/reading.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A sentence explains an effective capacity if it differs from the declared one by more than this
 * and its interval excludes the declared one. */
static const double capacity_differs = 0.15;
/* A size is given as advice only if the ends of its interval differ by less than this factor. */
static const double advice_spread = 1.35;
/* A level gets a flag that over this share of its points have: fewer do not change a median. */
static const double flagged_share = 0.25;

/* An interval of 95 % needs six values (stats/interval.h). */
static const size_t trials_enough = 6;

/* --- latency --- */

static unsigned level_flags(const struct level_reading *reading, size_t index)
{
    size_t points = 0, trials = 0, bearing[FLAG_COUNT] = {0};
    for (size_t i = 0; i < reading->series->point_count; i++) {
        if (reading->samples[i].level != (int)index)
            continue;
        points++;
        trials += reading->series->points[i].y.n;
        for (int flag = 0; flag < FLAG_COUNT; flag++)
            bearing[flag] += (reading->series->points[i].flags & FLAG_BIT(flag)) != 0;
    }
    unsigned flags = 0;
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if ((double)bearing[flag] > flagged_share * (double)points)
            flags |= FLAG_BIT(flag);
    /* All points of a level measure the same, so their trials are added. */
    return trials >= trials_enough ? flags & ~FLAG_BIT(FLAG_TOO_FEW) : flags;
}

static const char *plateau_text(const struct level_reading *reading, size_t index)
{
    const struct found_level *level = &reading->levels.list[index];
    char from[UNIT_TEXT], to[UNIT_TEXT];
    size_t points = 0;
    for (size_t i = 0; i < reading->series->point_count; i++)
        points += reading->samples[i].level == (int)index;
    const char *more = isfinite(level->capacity) || level_is_dram(reading, index) ? ""
                       : level_is_unnamed(reading, index)
                           ? "; the last level seen: too little of it was measured to tell memory "
                             "from a cache"
                           : "; no size that was measured is too large for it";
    return pool_printf(reading->pool, "the plateau from %s to %s, %zu size%s%s",
                       size_format(level->from, from), size_format(level->to, to), points,
                       points == 1 ? "" : "s", more);
}

/* A level has no interval if its points agree exactly and each was measured only once. */
static bool has_interval(const struct level_reading *reading, size_t index)
{
    const struct found_level *level = &reading->levels.list[index];
    bool known = level->low < level->high;
    for (size_t i = 0; i < reading->series->point_count && !known; i++)
        known =
            reading->samples[i].level == (int)index && reading->series->points[i].y.coverage > 0;
    return known;
}

/* The level's found latency: from the same points, corrected in the same way. */
static struct level_estimate as_found(const struct level_reading *reading, size_t index,
                                      double *values, double *halves)
{
    const struct found_level *level = &reading->levels.list[index];
    size_t n = 0;
    for (size_t i = 0; i < reading->series->point_count; i++) {
        const struct level_sample *sample = &reading->samples[i], *found = &reading->found[i];
        if (sample->level != (int)index)
            continue;
        const double factor = level->fitted / sample->fitted;
        values[n] = found->latency * factor;
        halves[n++] = (found->high - found->low) / 2 * factor + sample->doubt * level->fitted;
    }
    return n ? level_pool(values, halves, n)
             : (struct level_estimate){level->latency, level->low, level->high};
}

static struct quiet quiet_in(const struct level_estimate *estimate, double divisor)
{
    return (struct quiet){(float)(estimate->value / divisor), (float)(estimate->low / divisor),
                          (float)(estimate->high / divisor)};
}

static void add_latency(const struct level_reading *reading, size_t index, const char *level_name)
{
    const struct found_level *level = &reading->levels.list[index];
    const unsigned flags = level_flags(reading, index);
    const char *unit = reading->series->y.unit, *text = plateau_text(reading, index);
    const bool interval = has_interval(reading, index);
    const struct level_estimate quiet = {level->latency, interval ? level->low : NAN,
                                         interval ? level->high : NAN};
    struct level_estimate found = quiet;
    if (reading->quiet) {
        double *room = pool_alloc(reading->pool, 2 * reading->series->point_count, sizeof *room);
        found = as_found(reading, index, room, room + reading->series->point_count);
    }
    struct level_estimate ns = found;
    char name[2 * LEVEL_NAME_ROOM];
    if (isfinite(reading->clock) || quantity_is(unit, DIMENSION_CYCLES)) {
        snprintf(name, sizeof name, "%s.latency", level_name);
        struct finding *cycles = finding_add_value(reading->result, reading->pool, name, "cycles",
                                                   found.value, found.low, found.high, flags);
        cycles->text = text;
        if (reading->quiet)
            cycles->quiet = quiet_in(&quiet, 1);
        if (!quantity_is(unit, DIMENSION_TIME))
            return;
        ns.value /= reading->found_clock;
        ns.low /= reading->found_clock;
        ns.high /= reading->found_clock;
    }
    snprintf(name, sizeof name, "%s.latency_ns", level_name);
    struct finding *finding = finding_add_value(reading->result, reading->pool, name, "ns",
                                                ns.value, ns.low, ns.high, flags);
    finding->text = text;
    if (reading->quiet)
        finding->quiet = quiet_in(&quiet, isfinite(reading->clock) ? reading->clock : 1);
}

/* --- capacity --- */

/* The declared capacity of this level and those before it together. */
static double declared_up_to(const struct level_reading *reading, size_t index)
{
    double sum = 0;
    for (size_t i = 0; i < level_number(reading, index); i++)
        sum += reading->declared[i];
    return sum;
}

static const char *capacity_text(const struct level_reading *reading, size_t index, double declared)
{
    const struct found_level *level = &reading->levels.list[index];
    char holds[UNIT_TEXT], said[UNIT_TEXT], size[UNIT_TEXT];
    size_format(level->capacity, holds);
    bool differs = fabs(level->capacity / declared - 1) > capacity_differs &&
                   (declared < level->capacity_low || declared > level->capacity_high);
    if (!differs && reading->levels.rising && index + 1 == reading->levels.count)
        return pool_printf(reading->pool,
                           "the curve still rises at %s: measure larger sizes to know this better",
                           size_format(reading->largest, size));
    if (!differs)
        return NULL;
    size_format(declared, said);
    const bool known = level->capacity_high <= advice_spread * level->capacity_low;
    if (level->capacity < declared)
        return pool_printf(
            reading->pool,
            "in this run %s of %s behaved as cache: it is shared or partitioned. "
            "%s%s",
            holds, said,
            known ? "While that lasts, keep buffers within "
                  : "Where it begins to miss is not known well enough to size buffers by it",
            known ? size_format(level_handy_size(level->capacity_low), size) : "");
    return pool_printf(
        reading->pool,
        "working sets of up to %s are as fast as this level, which is declared to hold %s: %s",
        holds, said,
        level->capacity_low <= (1 + capacity_differs) * declared_up_to(reading, index)
            ? "exclusive levels hold more together"
            : "latencies rise steadily from this level to the next, so the two can't be "
              "distinguished; repeat with --thorough or on a quieter machine");
}

/* Why the capacity of a level was not found, in words. */
static void add_blurred(const struct level_reading *reading, size_t index, const char *name)
{
    const struct found_level *level = &reading->levels.list[index];
    char from[UNIT_TEXT], to[UNIT_TEXT];
    struct finding *finding = finding_add(reading->result, reading->pool, name, "B");
    finding->declared = level_declared(reading, index);
    finding->flags = level_flags(reading, index);
    finding->text =
        pool_printf(reading->pool,
                    "not found: from %s to %s latencies rise steadily, so where this level "
                    "ends can't be said; repeat with --thorough or on a quieter machine",
                    size_format(level->to, from), size_format(level->capacity, to));
}

static void add_capacity(const struct level_reading *reading, size_t index, const char *level_name)
{
    const struct found_level *level = &reading->levels.list[index];
    char name[2 * LEVEL_NAME_ROOM];
    if (!isfinite(level->capacity))
        return;
    snprintf(name, sizeof name, "%s.capacity", level_name);
    if (level->blurred) {
        add_blurred(reading, index, name);
        return;
    }
    struct finding *finding =
        finding_add_value(reading->result, reading->pool, name, "B", level->capacity,
                          level->capacity_low, level->capacity_high, level_flags(reading, index));
    finding->declared = level_declared(reading, index);
    finding->text = capacity_text(reading, index, finding->declared);
}

/* Only curves in ns or in cycles can be read; a foreign document may have any unit. */
static bool is_readable(const struct series *series)
{
    return quantity_comparable(series->y.unit, "ns") ||
           quantity_is(series->y.unit, DIMENSION_CYCLES);
}

void findings_levels(struct probe_result *result, struct pool *pool, const struct series *series,
                     const struct machine_facts *declared, const struct translation_knee *knees,
                     size_t knee_count)
{
    struct level_reading reading = {
        .result = result, .pool = pool, .series = series, .smallest = INFINITY};
    if (!is_readable(series))
        return;
    struct level_sample *samples = level_samples(series, LEVEL_VALUES_QUIET, pool, &reading.clock);
    reading.samples = samples;
    reading.found = level_samples(series, LEVEL_VALUES_FOUND, pool, &reading.found_clock);
    for (size_t i = 0; i < series->point_count; i++) {
        reading.quiet = reading.quiet || quiet_is_known(&series->points[i].quiet);
        reading.smallest = fmin(reading.smallest, series->points[i].x);
        reading.largest = fmax(reading.largest, series->points[i].x);
    }
    level_read_declared(&reading, declared);
    const bool cycles = isfinite(reading.clock) || quantity_is(series->y.unit, DIMENSION_CYCLES);
    levels_find(pool, declared || knee_count ? LEVEL_PAGES_KNOWN : LEVEL_PAGES_UNKNOWN, samples,
                series->point_count, knees, cycles ? knee_count : 0, &reading.levels);
    for (size_t k = 0; k < reading.levels.count; k++) {
        char name[LEVEL_NAME_ROOM];
        level_name(&reading, k, name);
        add_latency(&reading, k, name);
        add_capacity(&reading, k, name);
    }
    level_add_remarks(&reading);
}
