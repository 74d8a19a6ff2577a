/* What the copy probe's series say, and what each of its findings is. */
#include "base/units.h"
#include "conclude/registry/finding.h"
#include "machine/steps.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/copy/copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SWITCHES_MOST = 16 };
static const uint64_t GIB = UINT64_C(1) << 30;
static const char by_memcpy[] = "memcpy_by", by_memset[] = "memset_by",
                  level_calls[] = "level_calls";

/* --- what the document has to hold --- */

static int note(struct probe_task *task, const char *name, const char *text, struct error *error)
{
    struct factor *factor = text ? probe_add_parameter(task, name) : NULL;
    factor->text = text;
    return 0;
}

/* The largest call whose memory fits `bytes`; 0: none. A copy's memory is twice its size. */
static uint64_t call_within(const struct copy_state *state, uint64_t bytes)
{
    uint64_t call = 0;
    for (size_t i = 0; i < state->size_count && 2 * state->sizes[i] <= bytes; i++)
        if (state->sizes[i] % COPY_STEP_BYTES == 0)
            call = state->sizes[i];
    return call;
}

/* "L1 8192, L2 262144, ...": the call that stands for each level. */
static int note_levels(struct probe_task *task, struct error *error)
{
    const struct copy_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    const size_t count = chases_levels(task, NULL, levels);
    const char *text = "";
    for (size_t i = 0; i < count && text; i++) {
        const struct chase_level *level = &levels[i];
        const uint64_t call = call_within(state, level->last ? UINT64_MAX : level->bytes);
        /* A fill's memory is only once its size. */
        if (!call || call <= level->above)
            continue;
        text = pool_printf(task->pool, "%s%s%s %llu", text, *text ? ", " : "", level->name,
                           (unsigned long long)call);
    }
    return note(task, level_calls, text, error);
}

/* "1 plain, 2113 string, ..."; "unknown" where the system can't step through a program. */
static int note_switches(struct probe_task *task, enum steps_function function, const char *name,
                         struct error *error)
{
    struct steps_switch switches[SWITCHES_MOST];
    const size_t count = steps_switches(function, GIB, switches, SWITCHES_MOST);
    const char *text = count ? "" : steps_kind_names[STEPS_UNKNOWN];
    for (size_t i = 0; i < count && text; i++)
        text =
            pool_printf(task->pool, "%s%s%llu %s", text, i ? ", " : "",
                        (unsigned long long)switches[i].bytes, steps_kind_names[switches[i].kind]);
    return note(task, name, text, error);
}

void copy_conclude(struct probe_task *task, const struct stage_outcome *outcome)
{
    struct error *error = pool_error(task->pool);
    const struct copy_state *state = task->state;
    (void)outcome;
    int code = note(task, "counting", "bytes that a call loads and stores; 1 GB = 10^9 B", error);
    if (code == 0)
        code = note_levels(task, error);
    if (code == 0 && task->machine->live)
        code = note_switches(task, STEPS_MEMCPY, by_memcpy, error);
    if (code == 0 && task->machine->live)
        code = note_switches(task, STEPS_MEMSET, by_memset, error);
    if (code == 0 && state->not_measured)
        code = note(task, parameter_not_measured, state->not_measured, error);
    return (void)pool_check(task->pool, code);
}

/* --- findings --- */

static const struct series *series_of(const struct analysis *analysis, const char *name,
                                      enum copy_method method)
{
    return analysis_series(analysis, name, "method", copy_method_names[method]);
}

static const struct point *point_of(const struct series *series, double x)
{
    const struct point *point = series ? series_point(series, x) : NULL;
    return point && point->y.n ? point : NULL;
}

static int add_at(struct analysis *analysis, const struct series *series, const char *name,
                  double x, struct error *error)
{
    const struct point *point = point_of(series, x);
    const size_t first = analysis->result->finding_count;
    char size[UNIT_TEXT];
    if (!point)
        return 0;
    struct finding *finding = analysis_add_summary(analysis, name, "B/s", &point->y, point->flags);
    finding->text = pool_printf(analysis->pool, "calls of %s", size_format(x, size));
    analysis_read_off(analysis, first, series);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* The call that stands for the level; 0: none does. */
static double call_of(const struct analysis *analysis, const char *level)
{
    const struct factor *calls = analysis_parameter(analysis, level_calls);
    const char *at = calls ? calls->text : NULL;
    while (at && *at) {
        char name[8];
        unsigned long long bytes;
        if (sscanf(at, "%7s %llu", name, &bytes) != 2)
            break;
        if (strcmp(name, level) == 0)
            return (double)bytes;
        at = strchr(at, ',');
        at = at ? at + 1 : NULL;
    }
    return 0;
}

static int add_rates(struct analysis *analysis, struct error *error)
{
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "DRAM"};
    char name[64];
    int code = 0;
    for (int method = 0; method < COPY_METHODS; method++) {
        const char *by = copy_method_names[method];
        const struct series *warm = series_of(analysis, copy_warm_name, (enum copy_method)method);
        for (size_t i = 0; i < sizeof levels / sizeof *levels && code == 0; i++) {
            snprintf(name, sizeof name, "copy.%s.%s", by, levels[i]);
            code = add_at(analysis, warm, name, call_of(analysis, levels[i]), error);
        }
        snprintf(name, sizeof name, "copy.%s.cold", by);
        if (code == 0)
            code = add_at(analysis, series_of(analysis, copy_cold_name, (enum copy_method)method),
                          name, COPY_COLD_BYTES, error);
    }
    return code;
}

/* How long the shortest calls take, which is how people ask of them. */
static int add_calls(struct analysis *analysis, struct error *error)
{
    static const enum copy_method methods[] = {COPY_MEMCPY, COPY_STRING, COPY_SET, COPY_SET_STRING};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        const struct series *series = series_of(analysis, copy_warm_name, methods[i]);
        const struct point *point = point_of(series, COPY_CALL_BYTES);
        const size_t first = analysis->result->finding_count;
        const double counted = 1e9 * (double)copy_counted(methods[i], COPY_CALL_BYTES);
        char name[64];
        if (!point)
            continue;
        const struct estimate rate = finding_time_of(point);
        snprintf(name, sizeof name, "copy.%s.call", copy_method_names[methods[i]]);
        struct finding *finding = finding_add_value(
            analysis->result, analysis->pool, name, "ns", counted / (double)rate.median,
            counted / (double)rate.high, counted / (double)rate.low, point->flags);
        finding->text = "a call of 64 bytes";
        analysis_read_off(analysis, first, series);
    }
    return 0;
}

/* Whether it is faster there, beyond doubt. */
static bool is_faster(const struct series *one, const struct series *than, double x)
{
    const struct point *a = point_of(one, x), *b = point_of(than, x);
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
static int add_overtaking(struct analysis *analysis, enum copy_method method, enum copy_method than,
                          struct error *error)
{
    const struct series *one = series_of(analysis, copy_warm_name, method),
                        *other = series_of(analysis, copy_warm_name, than);
    const size_t first = analysis->result->finding_count;
    char name[64], where[160];
    if (!one || !other)
        return 0;
    snprintf(name, sizeof name, "copy.%s.overtakes", copy_method_names[method]);
    struct finding *finding = analysis_add(analysis, name, "B");
    const char *by = copy_method_names[than];
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
        finding->flags = here->flags | point_of(other, here->x)->flags;
        finding->text = pool_printf(analysis->pool, "faster than %s: %s", by, where);
    }
    analysis_read_off(analysis, first, one);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* The slowest of the ways to be one byte off, over aligned. */
static int add_unaligned(struct analysis *analysis, enum copy_method method, struct error *error)
{
    const struct series *aligned = series_of(analysis, copy_warm_name, method), *worst = NULL;
    const struct series *off =
        analysis_series(analysis, copy_unaligned_name, "method", copy_method_names[method]);
    double x = 0; /* the largest call that was measured and that L1 holds */
    for (size_t i = 0; off && i < off->point_count; i++)
        if (off->points[i].x <= call_of(analysis, "L1"))
            x = off->points[i].x;
    const struct point *plain = point_of(aligned, x), *slowest = NULL;
    for (size_t i = 0; plain && i < analysis->result->series_count; i++) {
        const struct series *series = &analysis->result->series[i];
        const struct point *point =
            strcmp(series->name, copy_unaligned_name) == 0 &&
                    strcmp(analysis_factor(series, "method"), copy_method_names[method]) == 0
                ? point_of(series, x)
                : NULL;
        if (!point || (slowest && slowest->y.median <= point->y.median))
            continue;
        slowest = point;
        worst = series;
    }
    if (!slowest)
        return 0;
    const size_t first = analysis->result->finding_count;
    const struct estimate a = finding_time_of(slowest), b = finding_time_of(plain);
    char name[64], size[UNIT_TEXT];
    snprintf(name, sizeof name, "copy.%s.unaligned", copy_method_names[method]);
    struct finding *finding = finding_add_value(
        analysis->result, analysis->pool, name, "", (double)(a.median / b.median),
        (double)(a.low / b.high), (double)(a.high / b.low), slowest->flags | plain->flags);
    finding->text =
        pool_printf(analysis->pool, "of the aligned speed: %s one byte off, calls of %s",
                    analysis_factor(worst, "off"), size_format(x, size));
    analysis_read_off(analysis, first, worst);
    return finding->text ? 0 : error_out_of_memory(error);
}

/* One finding for each way but plain loads and stores: from which size on it is taken, and up to
 * which. */
static int add_switch(struct analysis *analysis, const char *function, const char *kind,
                      uint64_t from, uint64_t before, struct error *error)
{
    char name[64], size[UNIT_TEXT];
    snprintf(name, sizeof name, "copy.%s.%s", function, kind);
    struct finding *finding = finding_add_value(analysis->result, analysis->pool, name, "B",
                                                (double)from, (double)from, (double)from, 0);
    finding->text = before
                        ? pool_printf(analysis->pool, "from %llu B on, to below %s",
                                      (unsigned long long)from, size_exact_format(before, size))
                        : pool_printf(analysis->pool, "from %llu B on", (unsigned long long)from);
    return finding->text ? 0 : error_out_of_memory(error);
}

static int add_switches(struct analysis *analysis, const char *parameter, const char *function,
                        struct error *error)
{
    const struct factor *ways = analysis_parameter(analysis, parameter);
    const char *at = ways ? ways->text : NULL;
    unsigned found = 0;
    char name[64];
    int code = 0;
    if (!at)
        return 0;
    const bool unknown = strcmp(at, steps_kind_names[STEPS_UNKNOWN]) == 0;
    while (*at && !unknown && code == 0) {
        char kind[16];
        unsigned long long from, before = 0;
        if (sscanf(at, "%llu %15[a-z]", &from, kind) != 2)
            break;
        const char *next = strchr(at, ',');
        if (next)
            sscanf(next + 1, "%llu", &before);
        if (strcmp(kind, steps_kind_names[STEPS_PLAIN]) != 0) {
            code = add_switch(analysis, function, kind, from, before, error);
            found++;
        }
        at = next ? next + 1 : "";
    }
    if (code < 0 || found)
        return code;
    snprintf(name, sizeof name, "copy.%s.switch", function);
    struct finding *none = analysis_add(analysis, name, "B");
    none->text = unknown ? "unknown: programs can't be stepped through here; compare the curves "
                           "of the library with those of the other ways"
                         : "none: plain loads and stores at every size up to 1 GiB";
    return 0;
}

void copy_analyse(struct analysis *analysis)
{
    struct error *error = pool_error(analysis->pool);
    static const enum copy_method pairs[][2] = {
        {COPY_STRING, COPY_MEMCPY},  {COPY_LOOP, COPY_MEMCPY},  {COPY_PAST, COPY_MEMCPY},
        {COPY_SET_STRING, COPY_SET}, {COPY_SET_LOOP, COPY_SET}, {COPY_SET_PAST, COPY_SET}};
    int code = add_rates(analysis, error);
    if (code == 0)
        code = add_calls(analysis, error);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && code == 0; i++)
        code = add_overtaking(analysis, pairs[i][0], pairs[i][1], error);
    if (code == 0)
        code = add_unaligned(analysis, COPY_MEMCPY, error);
    if (code == 0)
        code = add_unaligned(analysis, COPY_STRING, error);
    if (code == 0)
        code = add_switches(analysis, by_memcpy, "memcpy", error);
    return (void)pool_check(analysis->pool,
                            code == 0 ? add_switches(analysis, by_memset, "memset", error) : code);
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
    {.patterns = "copy.memcpy.string, copy.memset.string",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .side = SIDE_NEITHER,
     .meaning = "The smallest call that the C library does by a string instruction (rep movs, rep "
                "stos), as its instructions show.",
     .moves = "The library's version and what it knows of the processor; GLIBC_TUNABLES.",
     .advice = "Compare the curves at that size: where there is a step down, set the tunable "
               "glibc.cpu.x86_rep_movsb_threshold."},
    {.patterns = "copy.memcpy.past, copy.memset.past",
     .unit = "B",
     .role = ROLE_PROPERTY,
     .side = SIDE_NEITHER,
     .meaning = "The smallest call that the C library stores past the caches, as its instructions "
                "show.",
     .moves = "The library takes it from the caches that the processor declares, which a "
              "hypervisor may overstate; GLIBC_TUNABLES.",
     .advice = "Where it is far beyond the last-level cache that was measured, set "
               "glibc.cpu.x86_non_temporal_threshold."},
    {.patterns = "copy.memcpy.switch, copy.memset.switch",
     .unit = "B",
     .role = ROLE_NOTE,
     .side = SIDE_NEITHER,
     .meaning = "Why no size is given at which the C library changes its way.",
     .moves = "Stepping through a program takes x86-64 with glibc.",
     .advice = "Compare the curve of memcpy with those of the other ways: where two meet, it "
               "probably does the same."},
    {.patterns = NULL},
};
