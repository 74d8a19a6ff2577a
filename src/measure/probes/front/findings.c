/*
 * The levels of the instruction side. Each ladder has its own levels (conclude/levels/level.h).
 * What ends one of them is told by a second ladder: where both end after the same number of bytes
 * it is a cache, of branches a branch target buffer, of instructions a cache of decoded
 * instructions, of pages a TLB. An end that only one ladder has is nobody's.
 *
 * Jumps alone prove no cache: a buffer of n branches whose sets are chosen by the address of blocks
 * of 32 bytes ends after n times 32 bytes for all jumps that are farther apart. So one of the
 * ladders that agree on a cache has no jumps.
 */
#include "measure/probes/front/front.h"

#include "base/units.h"
#include "conclude/levels/reading.h"
#include "conclude/registry/finding.h"

#include <math.h>
#include <string.h>

/* Two ends are one if they are this near, in octaves: the ladders' distances are an octave apart,
 * so an end that counts something else is an octave off, and half of that is between both. Less,
 * because sizes are a quarter of an octave apart. */
static const double near_octaves = 0.4;
/* A cache that ends beyond this multiple of a declared one is a farther one
 * (conclude/levels/levels.c). */
static const double passed_over = 1.5;

/* A level costs at least this multiple of the one before. What another program or a busy hardware
 * thread of the core adds to neighbouring sizes is less where it comes and goes: trials keep their
 * undisturbed batches. */
static const double least_step = 1.25;

enum { ENDS_MOST = FRONT_LADDERS * CURVE_LEVELS_MAX };

/* A ladder's levels. */
struct curve {
    const struct front_ladder *ladder;
    struct level_reading reading; /* without a series: it was not measured */
};

/* The end of a curve's level, in bytes or pages, and in branches or instructions. */
struct end {
    const struct curve *curve;
    const struct level *level;
    double size[2];
    bool taken; /* something was concluded from it */
};

struct front_reading {
    struct analysis *analysis;
    struct curve curves[FRONT_LADDERS];
    struct end ends[ENDS_MOST]; /* curve by curve, ascending */
    size_t end_count;
};

/* Ends of several ladders that agree on how much fits; the first is told. */
struct agreement {
    struct end *of[FRONT_LADDERS];
    size_t count;
    struct interval fits;
};

/* --- reading the ladders --- */

static const struct series *series_of(const struct analysis *analysis,
                                      const struct front_ladder *ladder)
{
    const struct probe_result *result = analysis->result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const struct factor *each = series_factor(series, front_each);
        if (strcmp(series->name, ladder->name) == 0 && each && each->number == ladder->each &&
            series->point_count)
            return series;
    }
    return NULL;
}

/* Whether the curve leaves the level for good: for more than two sizes, and by a step. */
static bool is_left(const struct series *series, const struct levels *levels, size_t k)
{
    const struct level *level = &levels->list[k];
    const double after = k + 1 < levels->count
                             ? levels->list[k + 1].latency.value
                             : (double)series->points[series->point_count - 1].cycles.median;
    size_t beyond = 0;
    for (size_t i = 0; i < series->point_count; i++)
        beyond += series->points[i].x > level->capacity.value;
    return isfinite(level->capacity.value) && beyond > 2 &&
           after >= least_step * level->latency.value;
}

/* Without cycles nothing is told. */
static void read_ladders(struct front_reading *reading)
{
    struct analysis *analysis = reading->analysis;
    for (size_t i = 0; i < FRONT_LADDERS; i++) {
        struct curve *curve = &reading->curves[i];
        struct levels *levels = &curve->reading.levels;
        curve->ladder = &front_ladders[i];
        curve->reading.result = analysis->result;
        curve->reading.series = series_of(analysis, curve->ladder);
        if (!curve->reading.series)
            continue;
        curve->reading.samples = levels_of_series(analysis->pool, LEVEL_PAGES_KNOWN,
                                                  curve->reading.series, NULL, 0, levels);
        for (size_t k = 0; k < levels->count && isfinite(levels->clock); k++) {
            const double size = levels->list[k].capacity.value;
            if (is_left(curve->reading.series, levels, k))
                reading->ends[reading->end_count++] = (struct end){
                    curve, &levels->list[k], {size, size / curve->ladder->each}, false};
        }
    }
}

/* --- what ladders agree on --- */

static bool is_near(double size, double other)
{
    return fabs(log2(size / other)) < near_octaves;
}

/* The free ends of these roles near that one, one of each curve. */
static struct agreement around(struct front_reading *reading, const struct end *at, unsigned roles,
                               bool number)
{
    struct agreement agreement = {.count = 0};
    double sizes[FRONT_LADDERS];
    const struct curve *before = NULL;
    for (size_t i = 0; i < reading->end_count; i++) {
        struct end *end = &reading->ends[i];
        if (end->taken || end->curve == before || !(roles >> end->curve->ladder->role & 1) ||
            !is_near(end->size[number], at->size[number]))
            continue;
        sizes[agreement.count] = end->size[number];
        agreement.of[agreement.count++] = end;
        before = end->curve;
    }
    sort_ascending(sizes, agreement.count);
    agreement.fits =
        (struct interval){median(sizes, agreement.count), sizes[0], sizes[agreement.count - 1]};
    return agreement;
}

/* Agreements of two ladders or more around an end of role `first`, those of most ladders before
 * others; takes their ends. Ascending by what fits. */
static size_t agree(struct front_reading *reading, enum front_role first, unsigned roles,
                    bool number, struct agreement list[CURVE_LEVELS_MAX])
{
    size_t count = 0;
    for (size_t wanted = FRONT_LADDERS; wanted > 1; wanted--)
        for (size_t i = 0; i < reading->end_count && count < CURVE_LEVELS_MAX; i++) {
            const struct end *end = &reading->ends[i];
            if (end->taken || end->curve->ladder->role != first)
                continue;
            const struct agreement found = around(reading, end, roles, number);
            if (found.count != wanted)
                continue;
            for (size_t j = 0; j < wanted; j++)
                found.of[j]->taken = true;
            size_t at = count++;
            for (; at && list[at - 1].fits.value > found.fits.value; at--)
                list[at] = list[at - 1];
            list[at] = found;
        }
    return count;
}

/* --- findings --- */

/* Adds a finding read off the end's curve. */
static struct finding *add(struct front_reading *reading, const char *name, const char *unit,
                           const struct end *end, struct interval value, const char *text)
{
    struct analysis *analysis = reading->analysis;
    const struct level_reading *curve = &end->curve->reading;
    const size_t first = analysis->result->finding_count;
    analysis_add_value(analysis, name, unit, value,
                       reading_flags(curve, (size_t)(end->level - curve->levels.list)))
        ->text = text;
    analysis_read_off(analysis, first, curve->series);
    return &analysis->result->findings[first];
}

static struct finding *add_size(struct front_reading *reading, const char *name, const char *unit,
                                const struct agreement *agreed)
{
    return add(reading, name, unit, agreed->of[0], agreed->fits,
               pool_printf(reading->analysis->pool, "%zu ladders agree", agreed->count));
}

/* What the machine declares of its cache of that level that holds instructions; NAN: nothing. */
static double declared_of(const struct machine_facts *machine, int level)
{
    double bytes = NAN;
    for (size_t i = 0; machine && i < machine->cache_count; i++) {
        const struct cache_facts *cache = &machine->caches[i];
        if (cache->level == level && strcmp(cache->type, "data") != 0 && cache->size_bytes)
            bytes = fmax(bytes, (double)cache->size_bytes);
    }
    return bytes;
}

/* Which cache it is, by what is declared, else by their order. */
static int number_of(const struct machine_facts *machine, double bytes, int before)
{
    int number = before + 1;
    while (bytes > passed_over * declared_of(machine, number))
        number++;
    return number;
}

/* "an instruction of 4 B", "a jump each 64 B". */
static const char *operation(struct pool *pool, const struct end *end)
{
    const struct front_ladder *ladder = end->curve->ladder;
    return pool_printf(
        pool, ladder->role == FRONT_STRAIGHT ? "an instruction of %u B" : "a jump each %u B",
        ladder->each);
}

/* Adds what an operation costs, and in the sentence what it costs on the other ladders. */
static void add_cost(struct front_reading *reading, const char *name,
                     const struct agreement *agreed, const char *to)
{
    struct pool *pool = reading->analysis->pool;
    const struct end *end = agreed->of[0];
    const char *text = pool_printf(pool, "%s, to %s", operation(pool, end), to);
    for (size_t i = 1; i < agreed->count; i++)
        text = pool_printf(pool, "%s; %s %.2f", text, operation(pool, agreed->of[i]),
                           agreed->of[i]->level->latency.value);
    add(reading, name, "cycles", end, end->level->latency, text);
}

/* The same end of a chain of jumps is the cache's, and no buffer's; and decoded instructions come
 * before the first cache: no end beyond it is theirs. */
static void take_others(struct front_reading *reading, const struct agreement *list, size_t count)
{
    for (size_t e = 0; e < reading->end_count; e++) {
        struct end *end = &reading->ends[e];
        const enum front_role role = end->curve->ladder->role;
        if (role == FRONT_STRAIGHT && !(count && end->size[0] < list[0].fits.low))
            end->taken = true;
        for (size_t i = 0; i < count && role == FRONT_BRANCHES; i++)
            end->taken = end->taken || is_near(end->size[0], list[i].fits.value);
    }
}

static void add_caches(struct front_reading *reading)
{
    const struct machine_facts *machine = reading->analysis->machine;
    struct pool *pool = reading->analysis->pool;
    struct agreement list[CURVE_LEVELS_MAX];
    const size_t count =
        agree(reading, FRONT_STRAIGHT, 1u << FRONT_STRAIGHT | 1u << FRONT_SCATTERED, false, list);
    int number = 0;
    char size[UNIT_TEXT];
    for (size_t i = 0; i < count; i++) {
        number = number_of(machine, list[i].fits.value, number);
        add_cost(reading, pool_printf(pool, "front.L%d.cycles", number), &list[i],
                 size_format(list[i].fits.value, size));
        add_size(reading, pool_printf(pool, "front.L%d.capacity", number), "B", &list[i])
            ->declared = declared_of(machine, number);
    }
    take_others(reading, list, count);
    if (!count)
        return;
    /* Where the farthest code comes from. */
    struct end far = *list[count - 1].of[0];
    const struct levels *levels = &far.curve->reading.levels;
    far.level = &levels->list[levels->count - 1];
    if (far.level->from > far.size[0] && !isfinite(far.level->capacity.value))
        add(reading, "front.last.cycles", "cycles", &far, far.level->latency,
            pool_printf(pool, "%s, from %s on", operation(pool, &far),
                        size_format(far.level->from, size)));
}

/* Buffers of branches, and the cache of decoded instructions. */
static void add_counted(struct front_reading *reading, enum front_role role, const char *name,
                        const char *what)
{
    struct pool *pool = reading->analysis->pool;
    struct agreement list[CURVE_LEVELS_MAX];
    const size_t count = agree(reading, role, 1u << role, true, list);
    for (size_t i = 0; i < count; i++) {
        const char *level = pool_printf(pool, "front.%s%zu", name, i + 1);
        add_cost(reading, pool_printf(pool, "%s.cycles", level), &list[i],
                 pool_printf(pool, "%.0f %s", list[i].fits.value, what));
        add_size(reading, pool_printf(pool, "%s.entries", level), "", &list[i]);
    }
}

/* What a miss costs is the step, with the far ends of both costs. */
static void add_pages(struct front_reading *reading)
{
    struct pool *pool = reading->analysis->pool;
    const struct factor *page = analysis_parameter(reading->analysis, "page");
    struct agreement list[CURVE_LEVELS_MAX];
    if (!page || !page->text || !agree(reading, FRONT_SPREAD, 1u << FRONT_SPREAD, false, list))
        return;
    for (size_t i = 0; i < list->count; i++) {
        const struct level *at = list->of[i]->level, *next = at + 1;
        const struct levels *levels = &list->of[i]->curve->reading.levels;
        if (next == levels->list + levels->count)
            continue;
        add(reading, pool_printf(pool, "front.itlb.%s.cycles", page->text), "cycles", list->of[i],
            (struct interval){next->latency.value - at->latency.value,
                              next->latency.low - at->latency.high,
                              next->latency.high - at->latency.low},
            pool_printf(pool, "more a jump, beyond %.0f pages", list->fits.value));
        break;
    }
    add_size(reading, pool_printf(pool, "front.itlb.%s.entries", page->text), "", list);
}

void front_analyse(struct analysis *analysis)
{
    struct front_reading *reading = pool_alloc(analysis->pool, 1, sizeof *reading);
    reading->analysis = analysis;
    read_ladders(reading);
    add_caches(reading);
    add_counted(reading, FRONT_STRAIGHT, "decoded", "instructions");
    add_counted(reading, FRONT_BRANCHES, "btb", "branches");
    add_pages(reading);
}
