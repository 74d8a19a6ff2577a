#include "conclude/levels/reading.h"

#include "base/units.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <string.h>

double level_handy_size(double bytes)
{
    double unit = exp2(10 * floor(log2(bytes) / 10));
    double digits = bytes / unit;
    return unit * (digits >= 10 ? floor(digits) : floor(10 * digits) / 10);
}

static const char *gaps_text(const struct level_reading *reading)
{
    const struct found_levels *levels = &reading->levels;
    const char *text = "";
    for (size_t i = 0; i < levels->gap_count; i++) {
        char from[UNIT_TEXT], to[UNIT_TEXT];
        const struct level_gap *gap = &levels->gaps[i];
        const char *between = i == 0 ? "" : i + 1 == levels->gap_count ? " and " : ", ";
        size_format(gap->from, from);
        size_format(gap->to, to);
        text = strcmp(from, to) == 0
                   ? pool_printf(reading->pool, "%s%sat %s", text, between, from)
                   : pool_printf(reading->pool, "%s%sfrom %s to %s", text, between, from, to);
    }
    return text;
}

/* The one place that reports a refused level: a stretch where no two sizes agree is no level and
 * has no number. */
static void tell_gaps(const struct level_reading *reading)
{
    if (reading->levels.gap_count == 0)
        return;
    struct finding *finding = finding_add(reading->result, reading->pool, "levels.gaps", "");
    const char *where = gaps_text(reading);
    finding->text =
        reading->levels.sparse
            ? pool_printf(reading->pool,
                          "%s: too few sizes to find a level here; add --per-octave 4", where)
            : pool_printf(reading->pool, "%s: no two sizes agree, so no level is reported here",
                          where);
}

/* A step that translation probably causes is described in words and does not count as a cache. */
static void tell_translation(const struct level_reading *reading)
{
    const double small_page = 4096;
    const char *text = "", *unit = reading->series->y.unit ? reading->series->y.unit : "";
    for (size_t k = 0; k < reading->levels.count; k++) {
        const struct found_level *level = &reading->levels.list[k];
        char name[LEVEL_NAME_ROOM], size[UNIT_TEXT];
        if (isnan(level->translated))
            continue;
        level_name(reading, k, name);
        text = pool_printf(reading->pool,
                           "%s%swithin %s, mostly near %s, latency steps up by %.2g %s, as it does "
                           "where pages of 4 KiB outgrow a TLB of some %.0f entries",
                           text, *text ? "; " : "", name,
                           size_format(level_handy_size(level->translated), size),
                           level->translation, unit, level->translated / small_page);
    }
    if (!*text)
        return;
    finding_add(reading->result, reading->pool, "levels.translation", "")->text =
        pool_printf(reading->pool,
                    "%s. The table does not say which pages it was measured on, so fathom takes "
                    "this for address translation and not for a cache. If it is a cache after all, "
                    "the capacity shown is that of the next one",
                    text);
}

/* Counts only caches that the measured sizes can show: larger than the smallest size and smaller
 * than the largest. */
static void compare_numbers(const struct level_reading *reading)
{
    size_t found = 0, expected = 0;
    for (size_t k = 0; k < reading->levels.count; k++)
        found += isfinite(reading->levels.list[k].capacity) ? 1 : 0;
    for (size_t i = reading->skipped; i < reading->declared_count; i++)
        expected += reading->declared[i] > 0 && 4 * reading->declared[i] <= reading->largest;
    bool outgrown = reading->declared_count > 0 &&
                    reading->declared[reading->declared_count - 1] * 4 <= reading->largest;
    if (reading->levels.count == 0 || reading->declared_count == 0 || found == expected ||
        (found > expected && !outgrown))
        return;
    struct finding *finding =
        finding_add(reading->result, reading->pool, "levels.disagreement", "");
    char from[UNIT_TEXT], to[UNIT_TEXT];
    finding->text = pool_printf(
        reading->pool,
        "from %s to %s the machine declares %zu cache%s and the latencies show %zu: %s",
        size_format(reading->smallest, from), size_format(reading->largest, to), expected,
        expected == 1 ? "" : "s", found,
        found < expected ? "a cache is hidden, too small a share of one is left to this run, or "
                           "two are too alike to be distinguished"
                         : "a cache is not declared, or translation or a neighbour adds a step");
}

void level_add_remarks(const struct level_reading *reading)
{
    tell_translation(reading);
    tell_gaps(reading);
    compare_numbers(reading);
}
