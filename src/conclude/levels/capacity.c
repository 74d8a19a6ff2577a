#include "conclude/levels/reading.h"

#include "base/units.h"
#include "conclude/registry/finding.h"
#include "document/flag.h"

#include <math.h>

/* A sentence explains an effective capacity if it differs from the declared one by more than this
 * and its interval excludes the declared one. */
static const double capacity_differs = 0.15;
/* The steps of the search for a capacity are about this wide. */
static const double capacity_agrees = 0.02;
/* Ends that differ by more than this are no capacity: misses begin at the one, and most loads miss
 * from the other on. */
static const double early_spread = 4.1;

double size_handy(double bytes)
{
    double unit = exp2(10 * floor(log2(bytes) / 10));
    double digits = bytes / unit;
    return unit * (digits >= 10 ? floor(digits) : floor(10 * digits) / 10);
}

static const char *capacity_text(const struct level_reading *reading, size_t index)
{
    const struct level *level = &reading->levels.list[index];
    char holds[UNIT_TEXT], said[UNIT_TEXT], size[UNIT_TEXT];
    const double declared = level->declared;
    /* The declared capacity of this level and those before it together. */
    double together = 0;
    for (int i = 0; i < level->number && i < LEVELS_DECLARED_MOST; i++)
        together += reading->levels.declared[i];
    size_format(level->capacity.value, holds);
    bool differs = fabs(level->capacity.value / declared - 1) > capacity_differs &&
                   (declared < level->capacity.low || declared > level->capacity.high);
    if (!differs && level->capacity.high > early_spread * level->capacity.low)
        return pool_printf(
            reading->pool,
            "misses begin at %s, and only from %s on do most loads miss: small pages or other "
            "programs make them begin early, or another level is hidden between",
            size_format(level->capacity.low, said), size_format(level->capacity.high, size));
    if (!differs && reading->levels.rising && index + 1 == reading->levels.count)
        return pool_printf(reading->pool,
                           "the curve still rises at %s: measure larger sizes to know this better",
                           size_format(reading->levels.largest, size));
    if (!differs)
        return NULL;
    size_format(declared, said);
    if (level->capacity.value < declared)
        return pool_printf(reading->pool,
                           "in this run %s of %s behaved as cache: it is shared or partitioned",
                           holds, said);
    return pool_printf(
        reading->pool,
        "working sets of up to %s are as fast as this level, which is declared to hold %s: %s",
        holds, said,
        level->capacity.low <= (1 + capacity_differs) * together
            ? "exclusive levels hold more together"
            : "latencies rise steadily from this level to the next, so the two can't be "
              "distinguished; repeat with --thorough or on a quieter machine");
}

/* What made loads miss before the level was full, as far as it was seen at the sizes up to there:
 * sets that pages at random fill unevenly (not those of a first cache, which is indexed within a
 * page), or other programs. NULL: nothing was seen, or what is declared was reached. */
static const char *early_by(const struct level_reading *reading, size_t index)
{
    const struct level *level = &reading->levels.list[index];
    size_t points = 0, small = 0, disturbed = 0;
    for (size_t i = 0; i < reading->series->point_count; i++) {
        const struct point *point = &reading->series->points[i];
        if (point->x < level->from || point->x > level->capacity.high)
            continue;
        points++;
        small += level->number > 1 && (point->flags & FLAG_BIT(FLAG_SMALL_PAGES));
        disturbed += point_is_disturbed(point);
    }
    const bool pages = 2 * small > points, others = 2 * disturbed > points;
    if (!(level->declared > (1 + capacity_agrees) * level->capacity.high) &&
        !(isnan(level->declared) && pages))
        return NULL;
    return pages && others ? "pages of 4 KiB, beside others"
           : pages         ? "pages of 4 KiB"
           : others        ? "beside others"
           : reading->guest && isfinite(level->declared)
               ? "pages or neighbours that a guest can't see"
               : NULL;
}

void reading_add_capacity(const struct level_reading *reading, size_t index)
{
    const struct level *level = &reading->levels.list[index];
    if (!isfinite(level->capacity.value))
        return;
    const char *early = level->blurred ? NULL : early_by(reading, index);
    const struct interval unknown = {NAN, NAN, NAN};
    char from[UNIT_TEXT], to[UNIT_TEXT];
    struct finding *finding = finding_add_value(
        reading->result, reading->pool,
        pool_printf(reading->pool, "%s.%s", level->name, early ? "begins" : "capacity"), "B",
        level->blurred ? unknown : level->capacity, reading_flags(reading, index));
    finding->declared = level->declared;
    finding->text =
        early
            ? pool_printf(reading->pool, "misses begin at %s (%s), so where it ends can't be said",
                          size_format(level->capacity.value, from), early)
        : level->blurred
            ? pool_printf(reading->pool,
                          "not found: from %s to %s latencies rise steadily, so where this level "
                          "ends can't be said; repeat with --thorough or on a quieter machine",
                          size_format(level->to, from), size_format(level->capacity.value, to))
            : capacity_text(reading, index);
}
