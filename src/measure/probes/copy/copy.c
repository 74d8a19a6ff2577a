/*
 * Copying and filling memory, with the C library, the processor's string instructions, a plain loop
 * of the widest vectors, and stores past the caches. Measured by the size of a call, in memory that
 * the previous call used, in memory that no cache holds, and one byte off alignment.
 *
 * Bytes are counted as in the bandwidth probe: those loaded and stored.
 */
#include "measure/kernels/copy.h"
#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"

#include <stdio.h>
#include <string.h>

static const uint64_t MIB = 1024 * 1024, GIB = 1024 * 1024 * 1024;
static const uint64_t HUGE_PAGE = 2 << 20;
enum { PAGE = 4096, LINE = 64, LEAST = 64, COLD_LEAST = 4096, SIZES_STEP = 2, LARGE_STEP = 4 };
/* Calls from this size on are a separate stage with fewer batches, because one call takes longer
 * than a batch. */
static const uint64_t large_from = UINT64_C(2) << 20;
enum { BATCHES_LARGE = 2, BATCHES = 3 };
static const double batch_ns = 100e3, precision = 0.03, unstable_above = 0.2;

/* Call sizes of the findings of cold memory and of the shortest calls. */
enum { COLD_BYTES = 64 << 10, CALL_BYTES = 64 };

/* Names of series. The factor "method" names the method, "off" the operand that begins one byte
 * after a line's beginning. */
static const char warm_name[] = "copy", cold_name[] = "copy, cold",
                  unaligned_name[] = "copy, unaligned";
/* The parameter that lists the call size that represents each level: "L1", 8192, "L2", 262144. */
static const char level_calls[] = "level_calls";

enum offset { ALIGNED, TO_OFF, FROM_OFF, BOTH_OFF, OFFSETS };
static const char *const offset_names[OFFSETS] = {NULL, "destination", "source", "both"};

/* What is measured in a series. */
struct copy_series {
    enum copy_method method;
    enum offset offset;
    bool cold;
};

struct copy_state {
    struct copy copy; /* of the current trial */
    const struct seat *seat;
    uint64_t *sizes; /* of a call, ascending */
    size_t size_count;
    struct copy_series *series; /* one each of the plan's */
    size_t series_count;
    uint64_t cold_bytes; /* at the arena's beginning, for calls that find no data in a cache */
    uint64_t cold_at;    /* offset at which the next cold call begins */
    bool cold_runs;      /* the previous trial was cold */
    const char *not_measured;
};

struct copy_options {
    struct setting cpu, sizes, pages;
};

#include "copy.help.h"

/* --- sizes --- */

static void add_size(struct probe_task *task, uint64_t bytes)
{
    struct copy_state *state = task->state;
    *(uint64_t *)pool_append(task->pool, (void **)&state->sizes, &state->size_count, sizeof bytes) =
        bytes;
}

static void choose_sizes(struct probe_task *task)
{
    const struct copy_options *asked = task->options;
    /* The largest call: source and destination must fit the memory budget. */
    const uint64_t cache = last_level_bytes(task->machine),
                   half = machine_memory_budget(task->machine) / 2,
                   most = half > HUGE_PAGE ? (half - HUGE_PAGE) / PAGE * PAGE : 0;
    const uint64_t least = memory_bounds(task).least;
    if (asked->sizes.has) {
        /* Takes the sizes of --sizes, ascending and without duplicates. */
        struct copy_state *state = task->state;
        for (size_t i = 0; i < asked->sizes.size_count; i++) {
            if (asked->sizes.sizes[i] > most)
                pool_leave(task->pool, ERROR_USAGE,
                           "--sizes %s: a copy needs twice as much, which is more than half of the "
                           "memory that is free; ask for at most %s",
                           size_text(task->pool, (double)asked->sizes.sizes[i]),
                           size_text(task->pool, (double)(most / MIB * MIB)));
            add_size(task, asked->sizes.sizes[i]);
        }
        state->size_count = sizes_sort(state->sizes, state->size_count);
        return;
    }
    uint64_t largest = 16 * MIB;
    while ((largest <= cache || 2 * largest < least) && largest < GIB / 4)
        largest *= LARGE_STEP;
    for (uint64_t bytes = LEAST; bytes <= largest && bytes <= most;
         bytes *= task->common.quick.has || bytes >= MIB ? LARGE_STEP : SIZES_STEP)
        add_size(task, bytes);
}

/* --- series and points --- */

static unsigned series_of(struct probe_task *task, struct copy_series what)
{
    struct copy_state *state = task->state;
    for (size_t i = 0; i < state->series_count; i++)
        if (state->series[i].method == what.method && state->series[i].cold == what.cold &&
            state->series[i].offset == what.offset)
            return (unsigned)i;
    *(struct copy_series *)pool_append(task->pool, (void **)&state->series, &state->series_count,
                                       sizeof what) = what;
    const unsigned series =
        build_series(task, (struct series){.name = what.cold     ? cold_name
                                                   : what.offset ? unaligned_name
                                                                 : warm_name,
                                           .x = {"call", "B"},
                                           .y = {"bandwidth", "B/s"}});
    build_factor_text(task, series, "method", copy_method_names[what.method]);
    if (what.offset)
        build_factor_text(task, series, "off", offset_names[what.offset]);
    return series;
}

/* Leaves a gap between two calls' memory, so that prefetchers that follow one call do not fetch for
 * the next. */
static uint64_t place_bytes(uint64_t bytes)
{
    return (stream_extent(2, bytes) / PAGE + 2) * PAGE;
}

static uint64_t warm_extent(uint64_t bytes)
{
    return stream_extent(2, bytes) + 2 * LINE;
}

/* Every size, or every second one if that shows enough. */
enum { ALL_SIZES = 1, EVERY_OTHER = 2 };
static void add_points(struct probe_task *task, struct copy_series what, uint64_t from, uint64_t to,
                       size_t step)
{
    const struct copy_state *state = task->state;
    const char *missing;
    if (!copy_find(what.method, &missing))
        return;
    if (((const struct copy_options *)task->options)->sizes.has)
        step = ALL_SIZES;
    for (size_t i = 0; i < state->size_count; i += step) {
        const uint64_t bytes = state->sizes[i];
        if (bytes < from || bytes >= to ||
            (!copy_takes_any(what.method) && bytes % COPY_STEP_BYTES) ||
            (what.cold && 2 * place_bytes(bytes) > state->cold_bytes))
            continue;
        const uint64_t behind = what.cold ? 0 : warm_extent(bytes) + HUGE_PAGE;
        struct plan_point *point =
            build_point(task, series_of(task, what), (double)bytes, &state->seat->cpu, 1, MEASURED);
        point->arena_bytes = (size_t)(state->cold_bytes + behind);
        point->bytes = bytes;
    }
}

static void begin_plan(struct probe_task *task)
{
    const struct copy_state *state = task->state;
    const struct copy_options *asked = task->options;
    struct plan *plan =
        probe_plan_begin(task, state->seat->cpu, (enum page_policy)asked->pages.choice, precision);
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false;
    plan->batch_ns = batch_ns;
    plan->batches = BATCHES;
    plan->unstable_above = unstable_above;
}

/* Cold calls go through more memory than all caches hold. */
static void choose_cold(struct probe_task *task)
{
    struct copy_state *state = task->state;
    const uint64_t cache = last_level_bytes(task->machine), least = 64 * MIB;
    const uint64_t wanted = cache ? (4 * cache > least ? 4 * cache : least) : GIB / 4;
    const uint64_t most = machine_memory_budget(task->machine) / 2;
    state->cold_bytes = (wanted < GIB ? wanted : GIB) / HUGE_PAGE * HUGE_PAGE;
    if (2 * cache <= state->cold_bytes && state->cold_bytes <= most)
        return;
    state->cold_bytes = 0;
    state->not_measured = pool_printf(
        task->pool, "cold memory: that takes %s beyond the caches, more than can be used here",
        size_text(task->pool, (double)(4 * cache)));
}

static void plan_copy(struct probe_task *task)
{
    static const enum copy_method unaligned[] = {COPY_MEMCPY, COPY_STRING};
    struct copy_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->seat = chases_seat(task, &((const struct copy_options *)task->options)->cpu);
    choose_sizes(task);
    choose_cold(task);
    begin_plan(task);
    for (enum copy_method method = 0; method < COPY_METHODS; method++)
        add_points(task, (struct copy_series){method, ALIGNED, false}, 1, large_from, ALL_SIZES);
    for (enum copy_method method = 0; method < COPY_METHODS; method++)
        if (method != COPY_MEMMOVE)
            add_points(task, (struct copy_series){method, ALIGNED, true}, COLD_LEAST, UINT64_MAX,
                       EVERY_OTHER);
    for (size_t i = 0; i < sizeof unaligned / sizeof *unaligned; i++)
        for (enum offset offset = TO_OFF; offset < OFFSETS; offset++)
            add_points(task, (struct copy_series){unaligned[i], offset, false}, 1, large_from,
                       EVERY_OTHER);
    task->plan.share = 0.6;
}

/* Large calls. */
static bool next_copy(struct probe_task *task)
{
    struct copy_state *state = task->state;
    if (task->stage > 1)
        return false;
    begin_plan(task);
    state->cold_bytes = 0;
    task->plan.batches = BATCHES_LARGE;
    for (enum copy_method method = 0; method < COPY_METHODS; method++)
        add_points(task, (struct copy_series){method, ALIGNED, false}, large_from, UINT64_MAX,
                   ALL_SIZES);
    return task->plan.point_count > 0;
}

/* --- measuring --- */

static uint64_t offset_of(enum offset offset, bool to)
{
    return offset == BOTH_OFF || offset == (to ? TO_OFF : FROM_OFF);
}

static void prepare_copy(struct trial *trial)
{
    /* Cold calls continue where the previous trial's stopped, which its state shows. */
    struct copy_state *state = (struct copy_state *)trial->probe_state;
    const struct copy_series *what = &state->series[trial->point->series];
    const uint64_t bytes = trial->point->bytes;
    struct copy *copy = &state->copy;
    const char *missing;
    uint64_t at = 0;
    if (state->cold_runs)
        state->cold_at = copy->place * copy->place_bytes;
    state->cold_runs = what->cold;
    *copy = (struct copy){.bytes = (size_t)bytes, .places = 1};
    if (what->cold) {
        copy->place_bytes = (size_t)place_bytes(bytes);
        copy->places = (size_t)(state->cold_bytes / copy->place_bytes);
        copy->place = (size_t)(state->cold_at / copy->place_bytes % copy->places);
    } else {
        /* Where a call's memory lies affects its time, so it varies from trial to trial. */
        struct random random = {trial->seed};
        const uint64_t room = trial->point->arena_bytes - state->cold_bytes - warm_extent(bytes);
        at = state->cold_bytes + random_below(&random, room / PAGE + 1) * PAGE;
        trial->warm_repeats = bytes < large_from ? 2 : 1;
    }
    copy->to = trial->arena->memory + at + offset_of(what->offset, true);
    copy->from = trial->arena->memory + at + stream_extent(2, bytes) - bytes;
    copy->from -= (uintptr_t)copy->from % LINE;
    copy->from += offset_of(what->offset, false);
    trial->workers[0].run = copy_find(what->method, &missing);
    trial->workers[0].state = copy;
    trial->operations = (double)copy_counted(what->method, bytes);
}

/* --- concluding --- */

static void conclude_copy(struct probe_task *task)
{
    const struct copy_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    const size_t count = chases_levels(task, state->seat->cpu, NULL, levels);
    const uint64_t least = memory_bounds(task).least;
    build_note_text(task, "counting", "bytes that a call loads and stores; 1 GB = 10^9 B");
    struct factor *calls = build_note_list(task, level_calls);
    for (size_t i = 0; i < count; i++) {
        const struct chase_level *level = &levels[i];
        uint64_t call = 0; /* the largest call that fits the level with source and destination */
        for (size_t k = 0; k < state->size_count; k++)
            if (state->sizes[k] % COPY_STEP_BYTES == 0 &&
                (level->last || 2 * state->sizes[k] <= level->bytes))
                call = state->sizes[k];
        /* A fill uses only its size, not twice that. */
        if (!call || call <= level->above || (level->last && 2 * call < least))
            continue;
        build_word(task, calls, pool_strdup(task->pool, level->name));
        build_element(task, calls, (double)call);
    }
    if (state->not_measured)
        build_note_text(task, parameter_not_measured, state->not_measured);
}

/* --- findings --- */

static const struct series *curve_of(const struct analysis *analysis, const char *name,
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
    const struct series *series = curve_of(analysis, name, method);
    const struct point *point = series ? series_point(series, x) : NULL;
    if (!point)
        return;
    analysis_add_summary(analysis, name_of(analysis, method, what), "B/s", &point->y, point->flags)
        ->text = pool_printf(analysis->pool, "calls of %s", size_text(analysis->pool, x));
    analysis_read_off(analysis, series);
}

/* Whether `one` is faster at x and the intervals do not overlap. */
static bool is_faster(const struct series *one, const struct series *than, double x)
{
    const struct point *a = series_point(one, x), *b = series_point(than, x);
    return a && b && finding_time_of(a).low > finding_time_of(b).high;
}

/* The ranges of at least two sizes in which `one` is faster: a single size may be faster by chance.
 * Writes "4 KiB to 1 MiB and from 16 MiB on" and returns the index at which the range begins that
 * goes on to the largest size, else the first range; SIZE_MAX: no range. */
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
            first = on || first == SIZE_MAX ? i : first;
        }
        i = end > i ? end : i + 1;
    }
    return first;
}

/* The size from which on `method` is faster. It lies between two measured calls. */
static void add_overtaking(struct analysis *analysis, enum copy_method method,
                           enum copy_method than)
{
    const struct series *one = curve_of(analysis, warm_name, method),
                        *other = curve_of(analysis, warm_name, than);
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
        if (from) { /* else the smallest call is faster, and there is no lower bound */
            finding->low = one->points[from - 1].x;
            finding->high = here->x;
        }
        finding->flags = here->flags | series_point(other, here->x)->flags;
        finding->text = pool_printf(analysis->pool, "faster than %s: %s", by, where);
    }
    analysis_read_off(analysis, one);
}

/* Adds the slowest rate of calls with an operand one byte off alignment, relative to aligned calls,
 * at the largest unaligned call of at most `most` bytes. */
static void add_unaligned(struct analysis *analysis, enum copy_method method, double most)
{
    const struct probe_result *result = analysis->result;
    const struct series *aligned = curve_of(analysis, warm_name, method), *worst = NULL,
                        *off = curve_of(analysis, unaligned_name, method);
    const struct point *slowest = NULL;
    double x = 0;
    for (size_t i = 0; off && i < off->point_count; i++)
        if (off->points[i].x <= most)
            x = off->points[i].x;
    const struct point *plain = aligned ? series_point(aligned, x) : NULL;
    for (size_t i = 0; plain && i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const bool of_it =
            strcmp(series->name, unaligned_name) == 0 &&
            strcmp(analysis_factor(series, "method"), copy_method_names[method]) == 0;
        const struct point *point = of_it ? series_point(series, x) : NULL;
        if (!point || (slowest && slowest->y.median <= point->y.median))
            continue;
        slowest = point;
        worst = series;
    }
    if (!slowest)
        return;
    analysis_add_value(analysis, name_of(analysis, method, "unaligned"), "",
                       estimate_ratio(finding_time_of(slowest), finding_time_of(plain)),
                       slowest->flags | plain->flags)
        ->text = pool_printf(analysis->pool, "of the aligned speed: %s one byte off, calls of %s",
                             analysis_factor(worst, "off"), size_text(analysis->pool, x));
    analysis_read_off(analysis, worst);
}

static void analyse_copy(struct analysis *analysis)
{
    static const char *const levels[] = {"L1", "L2", "L3", "L4", "DRAM"};
    static const enum copy_method short_calls[] = {COPY_MEMCPY, COPY_STRING, COPY_SET,
                                                   COPY_SET_STRING};
    static const enum copy_method pairs[][2] = {
        {COPY_STRING, COPY_MEMCPY},  {COPY_LOOP, COPY_MEMCPY},  {COPY_PAST, COPY_MEMCPY},
        {COPY_SET_STRING, COPY_SET}, {COPY_SET_LOOP, COPY_SET}, {COPY_SET_PAST, COPY_SET}};
    enum { LEVELS = sizeof levels / sizeof *levels };
    double calls[LEVELS] = {0}; /* the call that represents the level; 0: none */
    size_t count;
    const struct factor *list = analysis_list(analysis, level_calls, &count);
    for (size_t i = 0; i + 1 < count; i += 2)
        for (size_t level = 0; level < LEVELS; level++)
            if (list[i].text && strcmp(list[i].text, levels[level]) == 0)
                calls[level] = list[i + 1].number;
    for (enum copy_method method = 0; method < COPY_METHODS; method++) {
        for (size_t level = 0; level < LEVELS; level++)
            add_rate(analysis, warm_name, method, levels[level], calls[level]);
        add_rate(analysis, cold_name, method, "cold", COLD_BYTES);
    }
    for (size_t i = 0; i < sizeof short_calls / sizeof *short_calls; i++) {
        /* The time of the shortest calls, which says more to people than their rate. */
        const enum copy_method method = short_calls[i];
        const struct series *series = curve_of(analysis, warm_name, method);
        const struct point *point = series ? series_point(series, CALL_BYTES) : NULL;
        const double counted = 1e9 * (double)copy_counted(method, CALL_BYTES);
        if (!point)
            continue;
        const struct estimate rate = finding_time_of(point);
        analysis_add_value(analysis, name_of(analysis, method, "call"), "ns",
                           (struct interval){counted / (double)rate.median,
                                             counted / (double)rate.high,
                                             counted / (double)rate.low},
                           point->flags)
            ->text = "a call of 64 bytes";
        analysis_read_off(analysis, series);
    }
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        add_overtaking(analysis, pairs[i][0], pairs[i][1]);
    add_unaligned(analysis, COPY_MEMCPY, calls[0]);
    add_unaligned(analysis, COPY_STRING, calls[0]);
}

#include "copy.findings.h"

const struct probe copy_probe = {
    .name = "copy",
    .place = 134,
    .help = &help,
    .sized_by_found = true,
    .findings = {finding_lines, experiment},
    .plan = plan_copy,
    .prepare = prepare_copy,
    .next = next_copy,
    .conclude = conclude_copy,
    .analyse = analyse_copy,
};
