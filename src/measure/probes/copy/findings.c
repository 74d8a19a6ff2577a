/* What the copy probe's series say, and what each of its findings is. */
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "measure/probes/copy/copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the call that the findings of cold memory and of the shortest calls are of. */
enum { COLD_BYTES = 64 << 10, CALL_BYTES = 64 };

static const struct series *series_of(const struct analysis *analysis, const char *name,
                                      enum copy_method method)
{
    return analysis_series(analysis, name, "method", copy_method_names[method]);
}

/* "copy.movsb.what" */
static const char *name_of(struct analysis *analysis, enum copy_method method, const char *what)
{
    return pool_printf(analysis->pool, "copy.%s.%s", copy_method_names[method], what);
}

/* The rate of calls of that size. */
static void add_rate(struct analysis *analysis, const char *name, enum copy_method method,
                     const char *what, double x)
{
    const struct series *series = series_of(analysis, name, method);
    const struct point *point = series ? series_point(series, x) : NULL;
    const size_t first = analysis->result->finding_count;
    char size[UNIT_TEXT];
    if (!point)
        return;
    analysis_add_summary(analysis, name_of(analysis, method, what), "B/s", &point->y, point->flags)
        ->text = pool_printf(analysis->pool, "calls of %s", size_format(x, size));
    analysis_read_off(analysis, first, series);
}

/* How long the shortest calls take, which is how people ask of them. */
static void add_call(struct analysis *analysis, enum copy_method method)
{
    const struct series *series = series_of(analysis, COPY_WARM, method);
    const struct point *point = series ? series_point(series, CALL_BYTES) : NULL;
    const double counted = 1e9 * (double)copy_counted(method, CALL_BYTES);
    const size_t first = analysis->result->finding_count;
    if (!point)
        return;
    const struct estimate rate = finding_time_of(point);
    analysis_add_ratio(analysis, name_of(analysis, method, "call"), "ns",
                       (struct ratio){counted / (double)rate.median, counted / (double)rate.high,
                                      counted / (double)rate.low},
                       point->flags)
        ->text = "a call of 64 bytes";
    analysis_read_off(analysis, first, series);
}

/* Whether it is faster there, beyond doubt. */
static bool is_faster(const struct series *one, const struct series *than, double x)
{
    const struct point *a = series_point(one, x), *b = series_point(than, x);
    return a && b && finding_time_of(a).low > finding_time_of(b).high;
}

/* The ranges of sizes in which one beats the other, each of two sizes or more: a single one falls
 * to either side by chance. Writes "4 KiB to 1 MiB and from 16 MiB on" and returns the first size
 * of the first range; SIZE_MAX: there is none. */
static size_t ranges(const struct series *one, const struct series *than, char *text, size_t room)
{
    size_t first = SIZE_MAX, used = 0;
    for (size_t i = 0; i < one->point_count;) {
        size_t end = i;
        while (end < one->point_count && is_faster(one, than, one->points[end].x))
            end++;
        if (end - i >= 2) {
            char from[UNIT_TEXT], to[UNIT_TEXT];
            const bool on = end == one->point_count;
            size_format(one->points[i].x, from);
            size_format(one->points[end - 1].x, to);
            used += (size_t)snprintf(text + used, room - used, "%s%s%s%s%s", used ? ", " : "",
                                     on ? "from " : "", from, on ? " on" : " to ", on ? "" : to);
            used = used < room ? used : room - 1;
            first = first == SIZE_MAX ? i : first;
        }
        i = end > i ? end : i + 1;
    }
    return first;
}

/* From which size on one beats the other. It lies between the two calls that were measured. */
static void add_overtaking(struct analysis *analysis, enum copy_method method,
                           enum copy_method than)
{
    const struct series *one = series_of(analysis, COPY_WARM, method),
                        *other = series_of(analysis, COPY_WARM, than);
    const size_t first = analysis->result->finding_count;
    const char *by = copy_method_names[than];
    char where[160];
    if (!one || !other)
        return;
    struct finding *finding = analysis_add(analysis, name_of(analysis, method, "overtakes"), "B");
    const size_t from = ranges(one, other, where, sizeof where);
    if (from == SIZE_MAX) {
        finding->text = pool_printf(analysis->pool, "none: %s is as fast at every size", by);
    } else {
        const struct point *here = &one->points[from];
        finding->value = here->x;
        if (from) { /* else it is so from the smallest call on, and may be below */
            finding->low = one->points[from - 1].x;
            finding->high = here->x;
        }
        finding->flags = here->flags | series_point(other, here->x)->flags;
        finding->text = pool_printf(analysis->pool, "faster than %s: %s", by, where);
    }
    analysis_read_off(analysis, first, one);
}

/* The slowest of the ways to be one byte off, over aligned, in the largest call that was measured
 * so and that fits `most` bytes. */
static void add_unaligned(struct analysis *analysis, enum copy_method method, double most)
{
    const struct probe_result *result = analysis->result;
    const struct series *aligned = series_of(analysis, COPY_WARM, method), *worst = NULL,
                        *off = series_of(analysis, COPY_UNALIGNED, method);
    const struct point *slowest = NULL;
    double x = 0;
    for (size_t i = 0; off && i < off->point_count; i++)
        if (off->points[i].x <= most)
            x = off->points[i].x;
    const struct point *plain = aligned ? series_point(aligned, x) : NULL;
    for (size_t i = 0; plain && i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const bool of_it =
            strcmp(series->name, COPY_UNALIGNED) == 0 &&
            strcmp(analysis_factor(series, "method"), copy_method_names[method]) == 0;
        const struct point *point = of_it ? series_point(series, x) : NULL;
        if (!point || (slowest && slowest->y.median <= point->y.median))
            continue;
        slowest = point;
        worst = series;
    }
    if (!slowest)
        return;
    const size_t first = result->finding_count;
    char size[UNIT_TEXT];
    analysis_add_ratio(analysis, name_of(analysis, method, "unaligned"), "",
                       estimate_ratio(finding_time_of(slowest), finding_time_of(plain)),
                       slowest->flags | plain->flags)
        ->text = pool_printf(analysis->pool, "of the aligned speed: %s one byte off, calls of %s",
                             analysis_factor(worst, "off"), size_format(x, size));
    analysis_read_off(analysis, first, worst);
}

void copy_analyse(struct analysis *analysis)
{
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "DRAM"};
    static const enum copy_method short_calls[] = {COPY_MEMCPY, COPY_STRING, COPY_SET,
                                                   COPY_SET_STRING};
    static const enum copy_method pairs[][2] = {
        {COPY_STRING, COPY_MEMCPY},  {COPY_LOOP, COPY_MEMCPY},  {COPY_PAST, COPY_MEMCPY},
        {COPY_SET_STRING, COPY_SET}, {COPY_SET_LOOP, COPY_SET}, {COPY_SET_PAST, COPY_SET}};
    enum { LEVELS = sizeof levels / sizeof *levels };
    double calls[LEVELS] = {0}; /* the call that stands for the level; 0: none does */
    size_t count;
    const struct factor *list = analysis_list(analysis, COPY_LEVEL_CALLS, &count);
    for (size_t i = 0; i + 1 < count; i += 2)
        for (size_t level = 0; level < LEVELS; level++)
            if (list[i].text && strcmp(list[i].text, levels[level]) == 0)
                calls[level] = list[i + 1].number;
    for (enum copy_method method = 0; method < COPY_METHODS; method++) {
        for (size_t level = 0; level < LEVELS; level++)
            add_rate(analysis, COPY_WARM, method, levels[level], calls[level]);
        add_rate(analysis, COPY_COLD, method, "cold", COLD_BYTES);
    }
    for (size_t i = 0; i < sizeof short_calls / sizeof *short_calls; i++)
        add_call(analysis, short_calls[i]);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        add_overtaking(analysis, pairs[i][0], pairs[i][1]);
    add_unaligned(analysis, COPY_MEMCPY, calls[0]);
    add_unaligned(analysis, COPY_STRING, calls[0]);
}

/* What decides which experiment a finding is of, and what its name alone stands for. */
const struct standard copy_experiment[] = {
    {"method", STANDARD_NAMED, NULL, 0}, {"off", STANDARD_NAMED, NULL, 0},
    {"pages", STANDARD_PAGES, NULL, 0},  {"node", STANDARD_TEXT, "own", 0},
    {"core", STANDARD_FASTEST, NULL, 0}, {.factor = NULL},
};

const struct finding_line copy_lines[] = {
    {.patterns = "copy.*.L<n>, copy.*.DRAM",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "Bytes a second that one CPU loads and stores by calls of that kind in memory that "
                "the level holds: a copy's twice, a fill's once.",
     .moves = "The clock and the width of loads and stores in the first levels, the paths that "
              "are shared with others in the last ones, and there whether stores fetch their "
              "line first.",
     .advice = "Where another way is well above memcpy or memset, a large copy in a hot place may "
               "call it."},
    {.patterns = "copy.*.cold",
     .unit = "B/s",
     .role = ROLE_PROPERTY,
     .meaning = "The same in calls of 64 KiB on memory that no cache holds.",
     .moves = "The latency of memory and how far prefetchers run ahead.",
     .advice = "Expect this, and not the warm figures, for data that was just received or long "
               "unused."},
    {.patterns = "copy.*.call",
     .unit = "ns",
     .role = ROLE_PROPERTY,
     .meaning = "What a call of 64 bytes takes, in the first-level cache.",
     .moves = "The start of string instructions, and the branches by which the library chooses.",
     .advice = "For fixed short sizes let the compiler copy in line."},
    {.patterns = "copy.*.overtakes",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .side = SIDE_NEITHER,
     .meaning = "From which size of a call on that way is faster than the library's, beyond doubt "
                "at two sizes in a row or more.",
     .moves = "The processor's microcode, the caches' sizes, and what the library itself does at "
              "that size.",
     .advice = "There the other way is worth a try; what stores past the caches only where nobody "
               "reads the destination soon."},
    {.patterns = "copy.*.unaligned",
     .unit = "",
     .role = ROLE_PROPERTY,
     .side = SIDE_LESS,
     .meaning = "The slowest speed one byte off a line's beginning, over the aligned one, in the "
                "first-level cache.",
     .moves = "Accesses across lines; string instructions have a slow way of their own on some "
              "processors.",
     .advice = "Align large buffers to lines where it is well below 1."},
    {.patterns = NULL},
};
