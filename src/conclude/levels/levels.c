#include "conclude/levels/reading.h"
#include "conclude/levels/steps.h"

#include "base/quantity.h"
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "conclude/registry/home.h"
#include "document/flag.h"
#include "stats/student.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A level gets a flag that over this share of its points have: fewer do not change a median. */
static const double flagged_share = 0.25;

/* An interval of 95 % needs six values (stats/order.h). */
static const size_t trials_enough = 6;

/* --- names --- */

/* A level that begins or ends beyond this multiple of a declared cache's size is not that cache. */
static const double passed_over = 1.5;
/* No memory is faster than this, though caches may be slower. The cycles are those of a slow core,
 * for curves from which the clock can't be computed. */
static const double memory_least_ns = 35, memory_least_cycles = 60;

/* Memory is read up to this size at least; where a machine declares no cache, no smaller set is
 * said to be in memory. */
static const double memory_bytes = 256 << 20;

/* Whether the last level is shown to be DRAM: flat far behind the last cache, or half an octave
 * behind all declared caches, of which sizes may be wrong but hardly ever numbers. Where nothing is
 * declared, or more than was measured, it may be a last cache that no measured size outgrew. */
static bool is_dram(const struct levels *levels, size_t k, size_t number)
{
    const size_t declared = levels->declared_count;
    const bool behind_all = !levels->sparse && declared > 0 && number > declared && k > 0 &&
                            levels->largest >= 2 * levels->list[k - 1].capacity.value;
    return (levels->proven || behind_all) &&
           (levels->undeclared ? levels->largest >= memory_bytes
                               : !declared || levels->largest > levels->declared[declared - 1]);
}

static void name_levels(struct levels *levels, const struct series *series,
                        const struct level_sample *samples, const struct machine_facts *facts,
                        int cpu)
{
    levels->smallest = INFINITY;
    for (size_t i = 0; i < series->point_count; i++)
        if (samples[i].latency > 0) {
            levels->smallest = fmin(levels->smallest, samples[i].bytes);
            levels->largest = fmax(levels->largest, samples[i].bytes);
        }
    for (int level = 1; facts && level <= LEVELS_DECLARED_MOST; level++) {
        const struct cache_facts *cache = cache_of_cpu(facts, level, cpu);
        if (!cache)
            continue;
        levels->declared[level - 1] = (double)cache->size_bytes;
        levels->declared_count = (size_t)level;
    }
    levels->undeclared = facts && facts->threads && !levels->declared_count;
    while (levels->skipped < levels->declared_count &&
           levels->declared[levels->skipped] < levels->smallest)
        levels->skipped++;
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
        /* What a level of that number is. The last level that was reached is a cache only where the
         * curve leaves it, where it is the first, or where no memory is as fast. */
        const double latency = level->latency.value;
        const bool fast =
            quantity_is(series->y.unit, DIMENSION_CYCLES)
                ? latency < memory_least_cycles
                : (isfinite(levels->clock) ? latency / levels->clock : latency) < memory_least_ns;
        level->kind =
            k + 1 < levels->count || isfinite(level->capacity.value) || number == 1 || fast
                ? LEVEL_CACHE
                : LEVEL_MEMORY;
        level->number = (int)number;
        level->declared = level->kind == LEVEL_CACHE && bytes > 0 ? bytes : NAN;
        snprintf(level->name, sizeof level->name, "L%zu", number);
        if (level->kind != LEVEL_CACHE)
            snprintf(level->name, sizeof level->name, "%s",
                     is_dram(levels, k, number) ? level_memory : level_reached);
    }
}

/* --- latency --- */

unsigned reading_flags(const struct level_reading *reading, size_t index)
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
    const struct level *level = &reading->levels.list[index];
    char from[UNIT_TEXT], to[UNIT_TEXT], upto[UNIT_TEXT];
    size_t points = 0;
    for (size_t i = 0; i < reading->series->point_count; i++)
        points += reading->samples[i].level == (int)index;
    const char *more =
        isfinite(level->capacity.value) || strcmp(level->name, level_memory) == 0 ? ""
        : level->kind == LEVEL_MEMORY
            ? pool_printf(reading->pool,
                          "; beyond L%d, up to %s: too little of it was measured "
                          "to tell memory from a cache",
                          level->number - 1, size_format(reading->levels.largest, upto))
            : "; no size that was measured is too large for it";
    return pool_printf(reading->pool, "the plateau from %s to %s, %zu size%s%s",
                       size_format(level->from, from), size_format(level->to, to), points,
                       points == 1 ? "" : "s", more);
}

/* What interference did to the level's points: the median of the shares, and of the trials. */
static struct disturbance disturbance_of(const struct level_reading *reading, size_t index)
{
    const struct series *series = reading->series;
    double *longer = pool_alloc(reading->pool, 2 * series->point_count, sizeof *longer),
           *trials = longer + series->point_count;
    size_t n = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct disturbance *at = &series->points[i].disturbance;
        if (reading->samples[i].level != (int)index || isnan((double)at->longer))
            continue;
        longer[n] = (double)at->longer;
        trials[n++] = (double)at->trials;
    }
    const struct disturbance disturbance = {(float)median_of(longer, n),
                                            (float)median_of(trials, n)};
    pool_give_back(reading->pool, longer);
    return disturbance;
}

/* The points of `timed`, whose trials, unlike the fit's, know whether they had the core alone, each
 * with the fit's sample of the nearest size. Both series ascend. */
static struct level_reading at_own_sizes(const struct level_reading *fit,
                                         const struct series *timed)
{
    struct level_reading own = *fit;
    own.series = timed;
    own.samples = pool_alloc(fit->pool, timed->point_count, sizeof *own.samples);
    for (size_t i = 0, at = 0; i < timed->point_count; i++) {
        const double bytes = timed->points[i].x;
        while (at + 1 < fit->series->point_count &&
               fit->samples[at].bytes * fit->samples[at + 1].bytes < bytes * bytes)
            at++;
        own.samples[i] = fit->samples[at];
    }
    return own;
}

/* Whether six trials of the level had the core alone; then only their sizes remain on it. */
static bool keep_undisturbed(struct level_reading *reading, size_t index)
{
    double alone = 0;
    for (size_t i = 0; i < reading->series->point_count; i++) {
        const struct point *point = &reading->series->points[i];
        const double undisturbed = round(point->y.n * (1 - (double)point->disturbance.trials));
        const bool here = reading->samples[i].level == (int)index;
        if (here && undisturbed >= 1)
            alone += undisturbed;
        else if (here)
            reading->samples[i].level = -1;
    }
    return alone >= trials_enough;
}

/* The level's latency from its points' times or cycles, each corrected as the fit says. */
static struct interval latency_in(const struct level_reading *reading, size_t index, bool cycles)
{
    const struct series *series = reading->series;
    const double fitted = reading->levels.list[index].fitted;
    double *values = pool_alloc(reading->pool, 2 * series->point_count, sizeof *values),
           *halves = values + series->point_count, least = INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < series->point_count; i++) {
        const struct level_sample *sample = &reading->samples[i];
        const struct estimate at =
            cycles ? finding_cycles_of(&series->points[i]) : finding_time_of(&series->points[i]);
        if (sample->level != (int)index)
            continue;
        values[n] = (double)at.median * fitted / sample->fitted;
        /* The least and greatest of few trials enclose the truth in less than 95 % of cases. */
        const double few = student_widening((double)series->points[i].y.coverage);
        halves[n] = (double)(at.high - at.low) / 2 * few * fitted / sample->fitted +
                    sample->doubt * values[n];
        least = fmin(least, (double)(cycles ? at.low : series->points[i].y.min));
        n++;
    }
    struct interval latency = level_pool(values, halves, n);
    /* Where the fit takes the sizes for slower than the level, it is no faster than its least
     * trial. */
    if (latency.value < least && isfinite(least)) {
        latency.value = least;
        latency.high = fmax(latency.high, least);
    }
    pool_give_back(reading->pool, values);
    return latency;
}

/* Caches serve the less of a set the larger it is, and walks of the page tables take the longer;
 * how early the curve counts as flat, and how far it goes, differs from run to run. So memory is
 * read in one octave: up to level_memory_end(), or to twice the power of two before which the fit's
 * plateau begins; in the curve's last octave where it ends earlier. */
double level_memory_end(double declared)
{
    return fmax(memory_bytes, M_SQRT2 * declared);
}

static double far_end(const struct level_reading *reading, const struct level *level)
{
    const struct levels *levels = &reading->levels;
    const double declared =
        levels->declared_count ? levels->declared[levels->declared_count - 1] : 0;
    const double to =
        fmin(levels->largest, fmax(level_memory_end(declared), 2 * exp2(ceil(log2(level->from)))));
    for (size_t i = 0; i < reading->series->point_count; i++)
        if (reading->samples[i].latency > 0 && reading->samples[i].bytes > to / 2 &&
            reading->samples[i].bytes <= to)
            return to;
    return levels->largest;
}

/* Reads the level in the last octave up to `to`. */
static void read_far_end(struct level_reading *reading, struct level *level, double to)
{
    const int index = (int)(level - reading->levels.list);
    const double from = fmax(level->from, to / 2), end = level->to;
    level->from = level->to = NAN;
    for (size_t i = 0; i < reading->series->point_count; i++) {
        struct level_sample *sample = &reading->samples[i];
        const bool own = sample->level == index || (sample->bytes > end && sample->latency > 0);
        if (own)
            sample->level = sample->bytes >= from && sample->bytes <= to ? index : -1;
        if (sample->level != index)
            continue;
        level->from = fmin(level->from, sample->bytes);
        level->to = fmax(level->to, sample->bytes);
    }
}

/* Reads memory at its far end. A level before it that is no farther than two levels of a fit have
 * to be is a part of it: where sizes between them took longer, by other programs' traffic, the fit
 * made two levels of one role. */
static bool read_memory(struct level_reading *reading, bool whole)
{
    struct levels *levels = &reading->levels;
    const size_t k = levels->count ? levels->count - 1 : 0;
    struct level *last = &levels->list[k];
    if (!levels->count || last->kind != LEVEL_MEMORY)
        return false;
    read_far_end(reading, last, whole ? far_end(reading, last) : last->to);
    if (!k)
        return false;
    const double before =
        isfinite(levels->clock) ? latency_in(reading, k - 1, false).value : last[-1].latency.value;
    if (!(before * plateau_step >= latency_in(reading, k, false).value))
        return false;
    for (size_t i = 0; i < reading->series->point_count; i++)
        if (reading->samples[i].level >= (int)k - 1)
            reading->samples[i].level = reading->samples[i].level == (int)k ? (int)k - 1 : -1;
    last[-1] = *last;
    levels->count--;
    return true;
}

/* The clock at the level's points, and its extremes; NAN: there are no cycles. */
static struct interval clock_of(const struct level_reading *reading, size_t index)
{
    const struct series *series = reading->series;
    double *clocks = pool_alloc(reading->pool, series->point_count, sizeof *clocks);
    size_t n = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (reading->samples[i].level == (int)index)
            clocks[n++] = (double)(series->points[i].cycles.median / series->points[i].y.median);
    const double middle = 1e9 * median_of(clocks, n); /* which sorts them */
    const struct interval clock = {middle, n ? 1e9 * clocks[0] : NAN,
                                   n ? 1e9 * clocks[n - 1] : NAN};
    pool_give_back(reading->pool, clocks);
    return clock;
}

/* Whether the trials of the level's points show that its time follows the core's clock. */
static bool follows_core(const struct level_reading *reading, size_t index)
{
    const struct series *series = reading->series;
    double *exponents = pool_alloc(reading->pool, series->point_count, sizeof *exponents);
    size_t n = 0;
    for (size_t i = 0; i < series->point_count; i++)
        if (reading->samples[i].level == (int)index && isfinite(series->points[i].by_clock))
            exponents[n++] = (double)series->points[i].by_clock;
    sort_ascending(exponents, n);
    const struct median_ranks ranks = n ? median_interval(n, 0.95) : (struct median_ranks){0};
    const bool follows =
        n >= trials_enough && exponents[ranks.high - 1] < -0.5 && exponents[ranks.low - 1] > -1.5;
    pool_give_back(reading->pool, exponents);
    return follows;
}

static struct finding *add_value(const struct level_reading *reading, const struct level *level,
                                 const char *fact, const char *unit)
{
    return finding_add(reading->result, reading->pool,
                       pool_printf(reading->pool, "%s.%s", level->name, fact), unit);
}

/* Adds the level's latency in its home and, where the points have both cycles and ns, in the other
 * unit, derived at `clock`. */
static void add_latency(const struct level_reading *reading, size_t index, struct interval clock,
                        struct disturbance disturbance)
{
    const struct level *level = &reading->levels.list[index];
    const char *unit = reading->series->y.unit;
    const bool both = isfinite(reading->levels.clock),
               cycles = both || quantity_is(unit, DIMENSION_CYCLES);
    const bool memory = level->kind == LEVEL_MEMORY;
    struct interval value = memory ? latency_in(reading, index, false) : level->latency;
    /* A level has no interval if its points agree exactly and each was measured only once. */
    bool known = value.low < value.high;
    for (size_t i = 0; i < reading->series->point_count && !known; i++)
        known =
            reading->samples[i].level == (int)index && reading->series->points[i].y.coverage > 0;
    if (cycles)
        add_value(reading, level, "latency", "cycles");
    if (both || !cycles)
        add_value(reading, level, "latency_ns", "ns");
    struct finding *last = &reading->result->findings[reading->result->finding_count - 1],
                   *home = last, *other = last;
    if (both) {
        const bool follows = finding_pair_home(last, NULL) == HOME_CYCLES ||
                             (!memory && follows_core(reading, index));
        value = latency_in(reading, index, follows);
        home = follows ? last - 1 : last;
        other = follows ? last : last - 1;
    }
    home->value = value.value;
    home->low = known ? value.low : NAN;
    home->high = known ? value.high : NAN;
    home->text = plateau_text(reading, index);
    home->flags = reading_flags(reading, index);
    home->disturbance = disturbance;
    other->text = home->text;
    if (both)
        finding_derive(other, home, clock);
}

/* --- what was not found --- */

/* The one place that reports a refused level: a stretch where no two sizes agree, or only within an
 * interval that reaches a neighbour, is no level and has no number. */
static void tell_gaps(const struct level_reading *reading)
{
    if (reading->levels.gap_count == 0)
        return;
    const struct levels *levels = &reading->levels;
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
    finding_add(reading->result, reading->pool, "levels.gaps", "")->text =
        reading->levels.sparse
            ? pool_printf(reading->pool,
                          "%s: too few sizes to find a level here; add --per-octave 4", text)
            : pool_printf(reading->pool,
                          "%s: sizes agree too little to tell a level from its neighbours, so none "
                          "is reported here",
                          text);
}

/* Where the curve leaves the last cache and no plateau follows, memory's row says why. */
static void tell_memory(const struct level_reading *reading)
{
    const struct levels *levels = &reading->levels;
    const bool cycles = quantity_is(reading->series->y.unit, DIMENSION_CYCLES);
    char from[UNIT_TEXT], to[UNIT_TEXT];
    if (!levels->count || !isfinite(levels->list[levels->count - 1].capacity.value))
        return;
    finding_add(reading->result, reading->pool, cycles ? "last.latency" : "last.latency_ns",
                cycles ? "cycles" : "ns")
        ->text = pool_printf(
        reading->pool,
        "not found: no sizes from %s to %s agree. Measure larger ones, or on a quieter machine",
        size_format(levels->list[levels->count - 1].capacity.value, from),
        size_format(levels->largest, to));
}

/* A step that translation probably causes is described in words and does not count as a cache. */
static void tell_translation(const struct level_reading *reading)
{
    const double small_page = 4096;
    const char *text = "", *unit = isfinite(reading->levels.clock) ? "cycles"
                                   : reading->series->y.unit       ? reading->series->y.unit
                                                                   : "";
    for (size_t k = 0; k < reading->levels.count; k++) {
        const struct level *level = &reading->levels.list[k];
        char size[UNIT_TEXT];
        if (isnan(level->translated))
            continue;
        text = pool_printf(reading->pool,
                           "%s%swithin %s, mostly near %s, latency steps up by %.3g %s, as it does "
                           "where pages of 4 KiB outgrow a TLB of some %.0f entries",
                           text, *text ? "; " : "", level->name,
                           size_format(size_handy(level->translated), size), level->translation,
                           unit, level->translated / small_page);
    }
    if (!*text)
        return;
    finding_add(reading->result, reading->pool, "levels.translation", "")->text =
        pool_printf(reading->pool,
                    "%s. %s, so fathom takes this for address translation and not for a cache. If "
                    "it is a cache after all, the capacity shown is that of the next one",
                    text,
                    reading->guest ? "A guest does not see its host's pages"
                                   : "The table does not say which pages it was measured on");
}

/* Counts only caches that the measured sizes can show: larger than the smallest size and smaller
 * than the largest. */
static void compare_numbers(const struct level_reading *reading)
{
    const struct levels *levels = &reading->levels;
    const size_t declared = levels->declared_count;
    size_t found = 0, expected = 0;
    for (size_t k = 0; k < levels->count; k++)
        found += isfinite(levels->list[k].capacity.value) ? 1 : 0;
    for (size_t i = levels->skipped; i < declared; i++)
        expected += levels->declared[i] > 0 && 4 * levels->declared[i] <= levels->largest;
    const bool outgrown = declared > 0 && levels->declared[declared - 1] * 4 <= levels->largest;
    if (levels->count == 0 || declared == 0 || found == expected || (found > expected && !outgrown))
        return;
    char from[UNIT_TEXT], to[UNIT_TEXT];
    finding_add(reading->result, reading->pool, "levels.disagreement", "")->text =
        pool_printf(reading->pool,
                    "from %s to %s the machine declares %zu cache%s and the latencies show %zu: %s",
                    size_format(levels->smallest, from), size_format(levels->largest, to), expected,
                    expected == 1 ? "" : "s", found,
                    found < expected
                        ? "a cache is hidden, too small a share of one is left to this run, or "
                          "two are too alike to be distinguished"
                        : "a cache is not declared, or translation or another program adds a step");
}

enum level_pages level_pages(const struct machine_facts *declared, size_t knee_count)
{
    const bool known = knee_count == KNEES_TRANSLATION_MOST;
    if (declared && declared->hypervisor)
        return known ? LEVEL_PAGES_WALKED : LEVEL_PAGES_HOSTED;
    return known || declared ? LEVEL_PAGES_KNOWN : LEVEL_PAGES_UNKNOWN;
}

void findings_levels(struct probe_result *result, struct pool *pool, const struct series *series,
                     const struct series *timed, const struct machine_facts *declared, int cpu,
                     const struct translation_knee *knees, size_t knee_count)
{
    struct level_reading reading = {.result = result,
                                    .pool = pool,
                                    .series = series,
                                    .guest = declared && declared->hypervisor};
    /* A foreign document may have any unit. */
    if (!quantity_comparable(series->y.unit, "ns") &&
        !quantity_is(series->y.unit, DIMENSION_CYCLES))
        return;
    reading.samples = levels_of_series(pool, level_pages(declared, knee_count), series, knees,
                                       knee_count, &reading.levels);
    name_levels(&reading.levels, series, reading.samples, declared, cpu);
    /* In a table and on a device, translation may add steps beyond the plateau. */
    while (read_memory(&reading, cpu >= 0))
        name_levels(&reading.levels, series, reading.samples, declared, cpu);
    struct level_reading own = timed ? at_own_sizes(&reading, timed) : reading;
    for (size_t k = 0; k < reading.levels.count; k++) {
        const struct level *level = &reading.levels.list[k];
        const struct disturbance others = disturbance_of(&own, k);
        const bool known = timed && level->kind == LEVEL_CACHE && level->number <= PRIVATE_LEVELS &&
                           (double)others.trials > 0;
        add_latency(known && keep_undisturbed(&own, k) ? &own : &reading, k, clock_of(&reading, k),
                    known ? others : disturbance_of(&reading, k));
        reading_add_capacity(&reading, k);
    }
    tell_memory(&reading);
    tell_translation(&reading);
    tell_gaps(&reading);
    compare_numbers(&reading);
}
