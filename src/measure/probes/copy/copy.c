/*
 * Copying and filling memory: by the C library, the processor's string instructions, a plain loop
 * of the widest vectors, and stores past the caches, by the size of a call, in memory that the call
 * before used and in memory that no cache holds, and one byte off alignment.
 *
 * Bytes are counted as bandwidth counts them: what is loaded and stored. At which sizes the library
 * changes its way is no question of time: its instructions are looked at (machine/steps.h).
 */
#include "measure/probes/copy/copy.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MIB = 1024 * 1024, GIB = 1024 * 1024 * 1024;
static const uint64_t HUGE_PAGE = 2 << 20;
enum { PAGE = 4096, LINE = 64, LEAST = 64, COLD_LEAST = 4096, SIZES_STEP = 2, LARGE_STEP = 4 };
/* Larger calls are a stage of their own, with fewer batches: one of them fills more than a batch.
 */
static const uint64_t large_from = UINT64_C(2) << 20;
enum { BATCHES_LARGE = 2, BATCHES = 3 };
static const double batch_ns = 100e3, precision = 0.03, unstable_above = 0.2;

const char copy_warm_name[] = "copy", copy_cold_name[] = "copy, cold",
           copy_unaligned_name[] = "copy, unaligned";
const char *const copy_offset_names[COPY_OFFSETS] = {NULL, "destination", "source", "both"};

static const struct option_spec options[] = {
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 1, 0, NULL,
     "bytes of a call (default: 64 to 1M by powers of two, then by powers of four to beyond the "
     "last-level cache)"},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported"},
    {.name = NULL},
};

/* --- sizes --- */

/* The largest call: source and destination have to fit what may be used. */
static uint64_t most_bytes(const struct probe_task *task)
{
    return (machine_memory_budget(task->machine) / 2 - HUGE_PAGE) / PAGE * PAGE;
}

static int add_size(struct probe_task *task, uint64_t bytes, struct error *error)
{
    struct copy_state *state = task->state;
    uint64_t *slot =
        pool_append(task->pool, (void **)&state->sizes, &state->size_count, sizeof *slot);
    *slot = bytes;
    return 0;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int take_listed(struct probe_task *task, struct error *error)
{
    const uint64_t *listed, most = most_bytes(task);
    const size_t count = settings_sizes(task->settings, "sizes", &listed);
    char asked[UNIT_TEXT], usable[UNIT_TEXT];
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++) {
        if (listed[i] > most)
            return error_set(error, ERROR_USAGE,
                             "--sizes %s: a copy needs twice as much, which is more than half of "
                             "the memory that is free; ask for at most %s",
                             size_format((double)listed[i], asked),
                             size_format((double)(most / MIB * MIB), usable));
        code = add_size(task, listed[i], error);
    }
    struct copy_state *state = task->state;
    if (code == 0)
        qsort(state->sizes, state->size_count, sizeof *state->sizes, by_size);
    size_t kept = 0;
    for (size_t i = 0; i < state->size_count; i++)
        if (!kept || state->sizes[i] != state->sizes[kept - 1])
            state->sizes[kept++] = state->sizes[i];
    state->size_count = kept;
    return code;
}

static int choose_sizes(struct probe_task *task, struct error *error)
{
    if (settings_has(task->settings, "sizes"))
        return take_listed(task, error);
    const bool quick = settings_has(task->settings, "quick");
    const uint64_t cache = last_level_bytes(task->machine), most = most_bytes(task);
    uint64_t largest = 16 * MIB;
    while (largest <= cache && largest < GIB / 4)
        largest *= LARGE_STEP;
    int code = 0;
    for (uint64_t bytes = LEAST; bytes <= largest && bytes <= most && code == 0;
         bytes *= quick || bytes >= MIB ? LARGE_STEP : SIZES_STEP)
        code = add_size(task, bytes, error);
    return code;
}

/* --- series and points --- */

static int add_series(struct probe_task *task, struct copy_series what, struct error *error)
{
    struct copy_state *state = task->state;
    struct plan *plan = &task->plan;
    for (size_t i = 0; i < state->series_count; i++)
        if (state->series[i].method == what.method && state->series[i].cold == what.cold &&
            state->series[i].offset == what.offset)
            return (int)i;
    struct series *series =
        pool_append(task->pool, (void **)&plan->series, &plan->series_count, sizeof *series);
    struct copy_series *slot =
        pool_append(task->pool, (void **)&state->series, &state->series_count, sizeof *slot);
    struct factor *factors = pool_alloc(task->pool, 2, sizeof *factors);
    *slot = what;
    factors[0] = (struct factor){"method", copy_method_names[what.method], 0};
    factors[1] = (struct factor){"off", copy_offset_names[what.offset], 0};
    *series = (struct series){.name = what.cold     ? copy_cold_name
                                      : what.offset ? copy_unaligned_name
                                                    : copy_warm_name,
                              .factors = factors,
                              .factor_count = what.offset ? 2 : 1,
                              .x = {"call", "B"},
                              .y = {"bandwidth", "B/s"}};
    return (int)plan->series_count - 1;
}

/* Between two places, so that prefetchers which follow one call do not fetch for the next. */
static uint64_t place_bytes(uint64_t bytes)
{
    return (stream_extent(2, bytes) / PAGE + 2) * PAGE;
}

static uint64_t warm_extent(uint64_t bytes)
{
    return stream_extent(2, bytes) + 2 * LINE;
}

/* Every size, or every other where that shows enough. */
enum { ALL_SIZES = 1, EVERY_OTHER = 2 };
static int add_points(struct probe_task *task, struct copy_series what, uint64_t from, uint64_t to,
                      size_t step, struct error *error)
{
    struct copy_state *state = task->state;
    struct plan *plan = &task->plan;
    const char *missing;
    if (!copy_find(what.method, &missing))
        return 0;
    if (settings_has(task->settings, "sizes"))
        step = ALL_SIZES;
    for (size_t i = 0; i < state->size_count; i += step) {
        const uint64_t bytes = state->sizes[i];
        if (bytes < from || bytes >= to ||
            (!copy_takes_any(what.method) && bytes % COPY_STEP_BYTES) ||
            (what.cold && 2 * place_bytes(bytes) > state->cold_bytes))
            continue;
        const int series = add_series(task, what, error);
        struct plan_point *point = series < 0 ? NULL
                                              : pool_append(task->pool, (void **)&plan->points,
                                                            &plan->point_count, sizeof *point);
        const uint64_t behind = what.cold ? 0 : warm_extent(bytes) + HUGE_PAGE;
        *point = (struct plan_point){.series = (unsigned)series,
                                     .x = (double)bytes,
                                     .seats = state->seat,
                                     .seat_count = 1,
                                     .arena_bytes = (size_t)(state->cold_bytes + behind),
                                     .bytes = bytes};
    }
    return 0;
}

static void begin_plan(struct probe_task *task)
{
    const struct copy_state *state = task->state;
    struct plan *plan = &task->plan;
    probe_plan_clear(task);
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false;
    plan->pages = (enum page_policy)settings_choice(task->settings, "pages");
    plan->touch_cpu = state->seat->cpu;
    plan->batch_ns = batch_ns;
    plan->batches = BATCHES;
    plan->unstable_above = unstable_above;
    if (!settings_has(task->settings, "precision"))
        plan->precision = precision;
}

/* Calls that find nothing in a cache go through more memory than all caches hold. */
static int choose_cold(struct probe_task *task, struct error *error)
{
    struct copy_state *state = task->state;
    const uint64_t cache = last_level_bytes(task->machine), least = 64 * MIB;
    const uint64_t wanted = cache ? (4 * cache > least ? 4 * cache : least) : GIB / 4;
    const uint64_t most = machine_memory_budget(task->machine) / 2;
    char needed[UNIT_TEXT];
    state->cold_bytes = (wanted < GIB ? wanted : GIB) / HUGE_PAGE * HUGE_PAGE;
    if (2 * cache <= state->cold_bytes && state->cold_bytes <= most)
        return 0;
    state->cold_bytes = 0;
    state->not_measured = pool_printf(
        task->pool, "cold memory: that takes %s beyond the caches, more than can be used here",
        size_format((double)(4 * cache), needed));
    return state->not_measured ? 0 : error_out_of_memory(error);
}

static void plan_copy(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    static const enum copy_method unaligned[] = {COPY_MEMCPY, COPY_STRING};
    struct copy_state *state = pool_alloc(task->pool, 1, sizeof *state);
    task->state = state;
    int code = chases_seat(task, &state->seat, error);
    if (code == 0)
        code = choose_sizes(task, error);
    if (code == 0)
        code = choose_cold(task, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    begin_plan(task);
    for (int method = 0; method < COPY_METHODS && code == 0; method++)
        code = add_points(task, (struct copy_series){.method = (enum copy_method)method}, 1,
                          large_from, ALL_SIZES, error);
    for (int method = 0; method < COPY_METHODS && code == 0; method++)
        if (method != COPY_MEMMOVE)
            code = add_points(
                task, (struct copy_series){.method = (enum copy_method)method, .cold = true},
                COLD_LEAST, UINT64_MAX, EVERY_OTHER, error);
    for (size_t i = 0; i < sizeof unaligned / sizeof *unaligned; i++)
        for (int offset = COPY_TO_OFF; offset < COPY_OFFSETS && code == 0; offset++)
            code = add_points(
                task,
                (struct copy_series){.method = unaligned[i], .offset = (enum copy_offset)offset}, 1,
                large_from, EVERY_OTHER, error);
    task->plan.share = 0.6;
    return (void)pool_check(task->pool, code);
}

static bool next_copy(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct copy_state *state = task->state;
    int code = 0;
    (void)outcome;
    if (stage > 1)
        return pool_check(task->pool, 0) > 0;
    begin_plan(task);
    state->cold_bytes = 0;
    task->plan.batches = BATCHES_LARGE;
    task->plan.share = 0.8; /* what is left the look at the library's instructions takes */
    for (int method = 0; method < COPY_METHODS && code == 0; method++)
        code = add_points(task, (struct copy_series){.method = (enum copy_method)method},
                          large_from, UINT64_MAX, ALL_SIZES, error);
    return pool_check(task->pool, code < 0 ? code : task->plan.point_count > 0) > 0;
}

/* --- measuring --- */

static uint64_t offset_of(enum copy_offset offset, bool to)
{
    return offset == COPY_BOTH_OFF || offset == (to ? COPY_TO_OFF : COPY_FROM_OFF);
}

static void prepare_copy(struct trial *trial)
{
    /* Cold calls go on where the last trial's stopped: that is what its state says. */
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
        /* Where in the arena a call's memory lies is part of what is measured. */
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

const struct probe copy_probe = {
    .name = "copy",
    .place = 134,
    .title = "Copying and filling memory, by the size of a call",
    .summary = "how fast memcpy and memset are, and which instructions beat them where",
    .about =
        "Calls of one size copy memory (memcpy, memmove, rep movsb, a loop of the widest vectors, "
        "and one that stores past the caches) or fill it (memset, rep stosb and such loops): in "
        "the same memory again and again, in memory that no cache holds, and one byte off a "
        "line's beginning. What is counted are the bytes loaded and stored, as bandwidth counts "
        "them: a copy's twice, a fill's once.\nThe sizes at which the C library changes its way "
        "are not guessed from times: its instructions are looked at step by step, so they are "
        "exact on a busy machine too. Where one way overtakes another is read off the curves.\n"
        "What moves it: what bandwidth moves; the start of string instructions, which costs short "
        "calls; stores past the caches, which save fetching the destination and leave it in "
        "memory, so that whoever reads it next waits.",
    .options = options,
    .findings = {copy_lines, copy_experiment},
    .plan = plan_copy,
    .prepare = prepare_copy,
    .next = next_copy,
    .conclude = copy_conclude,
    .analyse = copy_analyse,
};
