#include "findings/levels.h"

#include "base/units.h"
#include "findings/finding.h"
#include "quantity/quantity.h"
#include "result/flag.h"
#include "stats/quantile.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 32, DECLARED_MOST = 8 };

/* An effective capacity this far from the declared one, with an interval that leaves it out, is
 * worth a sentence. */
static const double capacity_differs = 0.15;
/* A level that begins so far beyond a declared cache is not that cache. */
static const double passed_over = 1.5;
/* A size that people are told to go by is known this well: its interval's ends, one over the other.
 */
static const double advice_spread = 1.35;
/* No memory answers sooner; caches may be slower. In cycles where nothing tells the clock, for a
 * slow core. */
static const double memory_least_ns = 35, memory_least_cycles = 60;
/* Of a plateau's points so many bear a flag before the plateau does: a median bears less. */
static const double flagged_share = 0.25;

struct reading {
    struct probe_result *result;
    struct pool *pool;
    const struct series *series;
    const struct level_sample *samples;
    struct levels levels;
    double
        clock; /* of samples in cycles: how many a nanosecond; NAN: they are in the series' unit */
    double smallest, largest;       /* sizes */
    double declared[DECLARED_MOST]; /* bytes of data caches, by level from 1 on */
    size_t declared_count, skipped; /* declared levels; those smaller than the smallest size */
    struct error *error;
};

static double relative_width(double median, double low, double high)
{
    return (high - low) / median;
}

/* In cycles of that clock. */
static struct estimate steadier(const struct point *point, double clock)
{
    const struct summary *y = &point->y;
    const struct estimate *cycles = &point->cycles;
    double in_time = relative_width((double)y->median, (double)y->low, (double)y->high);
    double in_cycles =
        relative_width((double)cycles->median, (double)cycles->low, (double)cycles->high);
    if (!(in_time < in_cycles))
        return *cycles;
    return (struct estimate){(float)(clock * (double)y->median), (float)(clock * (double)y->low),
                             (float)(clock * (double)y->high)};
}

struct level_sample *findings_level_samples(const struct series *series, struct pool *pool,
                                            double *clock)
{
    const size_t n = series->point_count;
    struct level_sample *samples = pool_alloc(pool, n + 1, sizeof *samples);
    double *clocks = pool_alloc(pool, n + 1, sizeof *clocks);
    bool cycles = n > 0;
    *clock = NAN;
    if (!samples || !clocks)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        clocks[i] = (double)point->cycles.median / (double)point->y.median;
        cycles = cycles && point->cycles.median > 0 && point->y.median > 0;
    }
    if (cycles) {
        sort_ascending(clocks, n);
        *clock = median(clocks, n);
    }
    for (size_t i = 0; i < n; i++) {
        const struct point *point = &series->points[i];
        struct estimate y = {point->y.median, point->y.low, point->y.high};
        if (cycles)
            y = steadier(point, *clock);
        /* One trial, as a table has it, knows nothing of its noise. */
        const bool known = point->y.coverage > 0;
        samples[i] = (struct level_sample){.bytes = point->x,
                                           .latency = (double)y.median,
                                           .low = known ? (double)y.low : NAN,
                                           .high = known ? (double)y.high : NAN};
    }
    return samples;
}

/* The data caches that are declared: of several kinds of core the largest of a level. */
static void read_declared(struct reading *reading, const struct machine_facts *facts)
{
    for (size_t i = 0; facts && i < facts->cache_count; i++) {
        const struct cache_facts *cache = &facts->caches[i];
        bool data = !cache->type || strcmp(cache->type, "instruction") != 0;
        if (!data || cache->level < 1 || cache->level > DECLARED_MOST)
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

/* --- names --- */

/* Which level it is, counted from 1. One whose sizes all go beyond a cache that is declared is a
 * later one, where few sizes pass a cache over. */
static size_t number_of(const struct reading *reading, size_t index)
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

static bool is_last(const struct reading *reading, size_t index)
{
    return index + 1 == reading->levels.count && !isfinite(reading->levels.list[index].capacity);
}

/* Whether it may be a cache that the sizes did not outgrow: the first plateau of all, one that is
 * declared to be larger than they are, or one faster than any memory. */
static bool may_be_cache(const struct reading *reading, size_t index)
{
    const size_t level = number_of(reading, index) - 1;
    const double latency = reading->levels.list[index].latency;
    const char *unit = reading->series->y.unit;
    const double ns = isfinite(reading->clock) ? latency / reading->clock : latency;
    if (level == 0 ||
        (level < reading->declared_count && reading->declared[level] >= reading->largest))
        return true;
    return quantity_is(unit, DIMENSION_CYCLES) ? latency < memory_least_cycles
                                               : ns < memory_least_ns;
}

/* Where all caches that are declared were found and outgrown, half an octave is proof enough: sizes
 * are declared wrongly, and numbers of caches hardly ever. */
static bool is_behind_all(const struct reading *reading, size_t index)
{
    return !reading->levels.sparse && reading->declared_count > 0 &&
           number_of(reading, index) > reading->declared_count && index > 0 &&
           reading->levels.stays &&
           reading->largest >= 2 * reading->levels.list[index - 1].capacity;
}

static bool is_dram(const struct reading *reading, size_t index)
{
    return is_last(reading, index) && !may_be_cache(reading, index) &&
           (reading->levels.proven || is_behind_all(reading, index));
}

/* Neither memory nor the next cache, for all that is known. */
static bool is_unnamed(const struct reading *reading, size_t index)
{
    const size_t level = number_of(reading, index) - 1;
    const bool declared = level < reading->declared_count && reading->declared[level] > 0;
    return is_last(reading, index) && !declared && !is_dram(reading, index) &&
           !may_be_cache(reading, index);
}

static void name_level(const struct reading *reading, size_t index, char name[NAME_BYTES])
{
    if (is_dram(reading, index))
        strcpy(name, "DRAM");
    else if (is_unnamed(reading, index))
        strcpy(name, "last");
    else
        snprintf(name, NAME_BYTES, "L%zu", number_of(reading, index));
}

/* What the machine declares for a level that was found; NAN where nothing. */
static double declared_for(const struct reading *reading, size_t index)
{
    size_t level = number_of(reading, index) - 1;
    bool known =
        !is_dram(reading, index) && !is_unnamed(reading, index) && level < reading->declared_count;
    return known && reading->declared[level] > 0 ? reading->declared[level] : NAN;
}

/* --- latency --- */

static unsigned level_flags(const struct reading *reading, size_t index)
{
    size_t points = 0, bearing[FLAG_COUNT] = {0};
    for (size_t i = 0; i < reading->series->point_count; i++) {
        if (reading->samples[i].level != (int)index)
            continue;
        points++;
        for (int flag = 0; flag < FLAG_COUNT; flag++)
            bearing[flag] += (reading->series->points[i].flags & FLAG_BIT(flag)) != 0;
    }
    unsigned flags = 0;
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        if ((double)bearing[flag] > flagged_share * (double)points)
            flags |= FLAG_BIT(flag);
    return flags;
}

static const char *plateau_text(const struct reading *reading, size_t index)
{
    const struct level *level = &reading->levels.list[index];
    char from[UNIT_TEXT], to[UNIT_TEXT];
    size_t points = 0;
    for (size_t i = 0; i < reading->series->point_count; i++)
        points += reading->samples[i].level == (int)index;
    const char *more = isfinite(level->capacity) || is_dram(reading, index) ? ""
                       : is_unnamed(reading, index)
                           ? "; the last level seen: too little of it was measured to tell memory "
                             "from a cache"
                           : "; no larger size was measured that leaves it";
    return pool_printf(reading->pool, "the plateau from %s to %s, %zu size%s%s",
                       size_format(level->from, from), size_format(level->to, to), points,
                       points == 1 ? "" : "s", more);
}

/* A level of a single point that was tried once, or of such that agree, tells of no interval. */
static bool has_interval(const struct reading *reading, size_t index)
{
    const struct level *level = &reading->levels.list[index];
    bool known = level->low < level->high;
    for (size_t i = 0; i < reading->series->point_count && !known; i++)
        known =
            reading->samples[i].level == (int)index && reading->series->points[i].y.coverage > 0;
    return known;
}

static int add_latency(const struct reading *reading, size_t index, const char *level_name)
{
    const struct level *level = &reading->levels.list[index];
    const unsigned flags = level_flags(reading, index);
    const char *unit = reading->series->y.unit, *text = plateau_text(reading, index);
    const bool interval = has_interval(reading, index);
    const struct level_estimate found = {level->latency, interval ? level->low : NAN,
                                         interval ? level->high : NAN};
    struct level_estimate ns = found;
    char name[2 * NAME_BYTES];
    if (!text)
        return error_out_of_memory(reading->error);
    if (isfinite(reading->clock) || quantity_is(unit, DIMENSION_CYCLES)) {
        snprintf(name, sizeof name, "%s.latency", level_name);
        struct finding *cycles = finding_add_value(reading->result, reading->pool, name, "cycles",
                                                   found.value, found.low, found.high, flags);
        if (!cycles)
            return error_out_of_memory(reading->error);
        cycles->text = text;
        if (!quantity_is(unit, DIMENSION_TIME))
            return 0;
        ns.value /= reading->clock;
        ns.low /= reading->clock;
        ns.high /= reading->clock;
    }
    snprintf(name, sizeof name, "%s.latency_ns", level_name);
    struct finding *finding = finding_add_value(reading->result, reading->pool, name, "ns",
                                                ns.value, ns.low, ns.high, flags);
    if (!finding)
        return error_out_of_memory(reading->error);
    finding->text = text;
    return 0;
}

/* --- capacity --- */

/* A size to go by: two digits, rounded down. */
static double handy(double bytes)
{
    double unit = exp2(10 * floor(log2(bytes) / 10));
    double digits = bytes / unit;
    return unit * (digits >= 10 ? floor(digits) : floor(10 * digits) / 10);
}

/* What this level and those before it hold together at most. */
static double declared_up_to(const struct reading *reading, size_t index)
{
    double sum = 0;
    for (size_t i = 0; i < number_of(reading, index); i++)
        sum += reading->declared[i];
    return sum;
}

static const char *capacity_text(const struct reading *reading, size_t index, double declared)
{
    const struct level *level = &reading->levels.list[index];
    char holds[UNIT_TEXT], said[UNIT_TEXT], size[UNIT_TEXT];
    size_format(handy(level->capacity), holds);
    bool differs = fabs(level->capacity / declared - 1) > capacity_differs &&
                   (declared < level->capacity_low || declared > level->capacity_high);
    if (!differs && reading->levels.rising && index + 1 == reading->levels.count)
        return pool_printf(reading->pool,
                           "the curve still rises at %s: larger sizes tell this better",
                           size_format(reading->largest, size));
    if (!differs)
        return NULL;
    size_format(declared, said);
    const bool known = level->capacity_high <= advice_spread * level->capacity_low;
    if (level->capacity < declared)
        return pool_printf(reading->pool,
                           "in this run %s of %s behaved as cache: it is shared or partitioned. "
                           "%s%s",
                           holds, said,
                           known ? "As long as that stays, size buffers by "
                                 : "From where on it misses is not known well enough to size "
                                   "buffers by",
                           known ? size_format(handy(level->capacity_low), size) : "");
    return pool_printf(reading->pool,
                       "sets of up to %s are served as this level serves them, and %s are "
                       "declared: %s",
                       holds, said,
                       level->capacity_low <=
                               (1 + capacity_differs) * declared_up_to(reading, index)
                           ? "levels that exclude one another hold more together"
                           : "this level and the next can't be told apart here, for between them "
                             "latencies rise on and on; repeat with --thorough or on a quieter "
                             "machine");
}

static int add_capacity(const struct reading *reading, size_t index, const char *level_name)
{
    const struct level *level = &reading->levels.list[index];
    char name[2 * NAME_BYTES];
    if (!isfinite(level->capacity))
        return 0;
    snprintf(name, sizeof name, "%s.capacity", level_name);
    struct finding *finding =
        finding_add_value(reading->result, reading->pool, name, "B", level->capacity,
                          level->capacity_low, level->capacity_high, level_flags(reading, index));
    if (!finding)
        return error_out_of_memory(reading->error);
    finding->declared = declared_for(reading, index);
    finding->text = capacity_text(reading, index, finding->declared);
    return 0;
}

/* --- what the machine says --- */

/* Only caches that the sizes could tell count: those that they begin within and outgrow. */
static int compare_numbers(const struct reading *reading)
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
        return 0;
    struct finding *finding =
        finding_add(reading->result, reading->pool, "levels.disagreement", "");
    char from[UNIT_TEXT], to[UNIT_TEXT];
    if (!finding)
        return error_out_of_memory(reading->error);
    finding->text = pool_printf(
        reading->pool,
        "from %s to %s the machine declares %zu cache%s and the latencies show %zu: %s",
        size_format(reading->smallest, from), size_format(reading->largest, to), expected,
        expected == 1 ? "" : "s", found,
        found < expected ? "one is hidden, too small a share of it is left, or two are too near to "
                           "be told apart"
                         : "one is not declared, or translation or a neighbour adds a step");
    return finding->text ? 0 : error_out_of_memory(reading->error);
}

/* --- what could not be told --- */

static const char *gaps_text(const struct reading *reading)
{
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
        if (!text)
            return NULL;
    }
    return text;
}

/* The one place that refuses: a stretch of sizes on which no two agree is no level, and has no
 * number. */
static int tell_gaps(const struct reading *reading)
{
    if (reading->levels.gap_count == 0)
        return 0;
    struct finding *finding = finding_add(reading->result, reading->pool, "levels.untold", "");
    const char *where = finding ? gaps_text(reading) : NULL;
    if (!where)
        return error_out_of_memory(reading->error);
    finding->text =
        reading->levels.sparse
            ? pool_printf(reading->pool,
                          "%s: not enough sizes to tell a level here; add "
                          "--per-octave 4",
                          where)
            : pool_printf(reading->pool, "%s: no two sizes agree, so no level is told here", where);
    return finding->text ? 0 : error_out_of_memory(reading->error);
}

/* A step that is suspected to be no cache's is told in words, and takes no number of a cache. */
static int tell_translation(const struct reading *reading)
{
    enum { SMALL_PAGE = 4096 };
    const char *text = "", *unit = reading->series->y.unit ? reading->series->y.unit : "";
    for (size_t k = 0; k < reading->levels.count && text; k++) {
        const struct level *level = &reading->levels.list[k];
        char name[NAME_BYTES], size[UNIT_TEXT];
        if (isnan(level->translated))
            continue;
        name_level(reading, k, name);
        text =
            pool_printf(reading->pool,
                        "%s%swithin %s, mostly near %s, latency steps up by %.2g %s, as a TLB "
                        "of some %.0f entries makes it on pages of 4 KiB",
                        text, *text ? "; " : "", name, size_format(handy(level->translated), size),
                        level->translation, unit, level->translated / SMALL_PAGE);
    }
    if (text && !*text)
        return 0;
    struct finding *finding =
        text ? finding_add(reading->result, reading->pool, "levels.translation", "") : NULL;
    if (finding)
        finding->text = pool_printf(
            reading->pool,
            "%s. Which pages the table had is unknown: suspected translation, counted as no cache. "
            "If it is one after all, the capacity told is of the next",
            text);
    return finding && finding->text ? 0 : error_out_of_memory(reading->error);
}

/* Curves are read in ns and in cycles; another person's document may have any unit. */
static bool is_readable(const struct series *series)
{
    const struct quantity *y = quantity_of(series->y.unit);
    return y && (y->dimension == DIMENSION_CYCLES ||
                 (y->dimension == DIMENSION_TIME && y->metric_factor == 1e-9));
}

int findings_levels(struct probe_result *result, struct pool *pool, const struct series *series,
                    const struct machine_facts *declared, const struct translation_knee *knees,
                    size_t knee_count, struct error *error)
{
    struct reading reading = {.result = result,
                              .pool = pool,
                              .series = series,
                              .smallest = INFINITY,
                              .largest = 0,
                              .error = error};
    if (!is_readable(series))
        return 0;
    struct level_sample *samples = findings_level_samples(series, pool, &reading.clock);
    if (!samples)
        return error_out_of_memory(error);
    reading.samples = samples;
    for (size_t i = 0; i < series->point_count; i++) {
        reading.smallest = fmin(reading.smallest, series->points[i].x);
        reading.largest = fmax(reading.largest, series->points[i].x);
    }
    read_declared(&reading, declared);
    const bool cycles = isfinite(reading.clock) || quantity_is(series->y.unit, DIMENSION_CYCLES);
    const enum level_pages pages = declared || knee_count ? LEVEL_PAGES_KNOWN : LEVEL_PAGES_UNKNOWN;
    int code = levels_find_on(pages, samples, series->point_count, knees, cycles ? knee_count : 0,
                              &reading.levels);
    if (code < 0)
        return error_out_of_memory(error);
    for (size_t k = 0; code == 0 && k < reading.levels.count; k++) {
        char name[NAME_BYTES];
        name_level(&reading, k, name);
        code = add_latency(&reading, k, name);
        if (code == 0)
            code = add_capacity(&reading, k, name);
    }
    if (code == 0)
        code = tell_translation(&reading);
    if (code == 0)
        code = tell_gaps(&reading);
    return code == 0 ? compare_numbers(&reading) : code;
}
