/*
 * Copying and filling memory: by the C library, the processor's string instructions, a plain loop
 * of the widest vectors, and stores past the caches, by the size of a call, in memory that the call
 * before used and in memory that no cache holds, and one byte off alignment.
 *
 * Bytes are counted as bandwidth counts them: what is loaded and stored.
 */
#include "measure/probes/copy/copy.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/stream.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"

#include <stdlib.h>

static const uint64_t MIB = 1024 * 1024, GIB = 1024 * 1024 * 1024;
static const uint64_t HUGE_PAGE = 2 << 20;
enum { PAGE = 4096, LINE = 64, LEAST = 64, COLD_LEAST = 4096, SIZES_STEP = 2, LARGE_STEP = 4 };
/* Larger calls are a stage of their own, with fewer batches: one of them fills more than a batch.
 */
static const uint64_t large_from = UINT64_C(2) << 20;
enum { BATCHES_LARGE = 2, BATCHES = 3 };
static const double batch_ns = 100e3, precision = 0.03, unstable_above = 0.2;

enum offset { ALIGNED, TO_OFF, FROM_OFF, BOTH_OFF, OFFSETS };
static const char *const offset_names[OFFSETS] = {NULL, "destination", "source", "both"};

/* What is measured in a series. */
struct copy_series {
    enum copy_method method;
    enum offset offset;
    bool cold;
};

struct copy_state {
    struct copy copy; /* of the trial that is measured */
    const struct seat *seat;
    uint64_t *sizes; /* of a call, ascending */
    size_t size_count;
    struct copy_series *series; /* one each of the plan's */
    size_t series_count;
    uint64_t cold_bytes; /* of the arena's beginning, for calls that find nothing in a cache */
    uint64_t cold_at;    /* where the next of them goes on */
    bool cold_runs;      /* the trial before was one of them */
    const char *not_measured;
};

struct copy_options {
    struct setting cpu, sizes, pages;
};

static const struct option_spec options[] = {
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL,
     "CPU that measures (default: the first of the fastest kind)",
     offsetof(struct copy_options, cpu)},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", NULL, 1, 0, NULL,
     "bytes of a call (default: 64 to 1M by powers of two, then by powers of four to beyond the "
     "last-level cache)",
     offsetof(struct copy_options, sizes)},
    {"pages", 0, OPTION_CHOICE, "POLICY", "auto", 0, 0, page_policy_names,
     "page policy: auto takes the largest to be had; what was obtained is verified and reported",
     offsetof(struct copy_options, pages)},
    {.name = NULL},
};

/* --- sizes --- */

/* The largest call: source and destination have to fit what may be used. */
static uint64_t most_bytes(const struct probe_task *task)
{
    return (machine_memory_budget(task->machine) / 2 - HUGE_PAGE) / PAGE * PAGE;
}

static void add_size(struct probe_task *task, uint64_t bytes)
{
    struct copy_state *state = task->state;
    *(uint64_t *)pool_append(task->pool, (void **)&state->sizes, &state->size_count, sizeof bytes) =
        bytes;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Those of --sizes, ascending, each once. */
static void take_listed(struct probe_task *task, const struct setting *asked)
{
    struct copy_state *state = task->state;
    const uint64_t most = most_bytes(task);
    char wanted[UNIT_TEXT], usable[UNIT_TEXT];
    size_t kept = 0;
    for (size_t i = 0; i < asked->size_count; i++) {
        if (asked->sizes[i] > most)
            pool_leave(task->pool, ERROR_USAGE,
                       "--sizes %s: a copy needs twice as much, which is more than half of the "
                       "memory that is free; ask for at most %s",
                       size_format((double)asked->sizes[i], wanted),
                       size_format((double)(most / MIB * MIB), usable));
        add_size(task, asked->sizes[i]);
    }
    qsort(state->sizes, state->size_count, sizeof *state->sizes, by_size);
    for (size_t i = 0; i < state->size_count; i++)
        if (!kept || state->sizes[i] != state->sizes[kept - 1])
            state->sizes[kept++] = state->sizes[i];
    state->size_count = kept;
}

static void choose_sizes(struct probe_task *task)
{
    const struct copy_options *asked = task->options;
    if (asked->sizes.has)
        return take_listed(task, &asked->sizes);
    const uint64_t cache = last_level_bytes(task->machine), most = most_bytes(task);
    uint64_t largest = 16 * MIB;
    while (largest <= cache && largest < GIB / 4)
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
        build_series(task, (struct series){.name = what.cold     ? COPY_COLD
                                                   : what.offset ? COPY_UNALIGNED
                                                                 : COPY_WARM,
                                           .x = {"call", "B"},
                                           .y = {"bandwidth", "B/s"}});
    build_factor_text(task, series, "method", copy_method_names[what.method]);
    if (what.offset)
        build_factor_text(task, series, "off", offset_names[what.offset]);
    return series;
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
    struct plan *plan = &task->plan;
    probe_plan_clear(task);
    plan->yields = OPERATIONS_PER_SECOND;
    plan->cycles = false;
    plan->pages = (enum page_policy)((const struct copy_options *)task->options)->pages.choice;
    plan->touch_cpu = state->seat->cpu;
    plan->batch_ns = batch_ns;
    plan->batches = BATCHES;
    plan->unstable_above = unstable_above;
    if (!task->common.precision.has)
        plan->precision = precision;
}

/* Calls that find nothing in a cache go through more memory than all caches hold. */
static void choose_cold(struct probe_task *task)
{
    struct copy_state *state = task->state;
    const uint64_t cache = last_level_bytes(task->machine), least = 64 * MIB;
    const uint64_t wanted = cache ? (4 * cache > least ? 4 * cache : least) : GIB / 4;
    const uint64_t most = machine_memory_budget(task->machine) / 2;
    char needed[UNIT_TEXT];
    state->cold_bytes = (wanted < GIB ? wanted : GIB) / HUGE_PAGE * HUGE_PAGE;
    if (2 * cache <= state->cold_bytes && state->cold_bytes <= most)
        return;
    state->cold_bytes = 0;
    state->not_measured = pool_printf(
        task->pool, "cold memory: that takes %s beyond the caches, more than can be used here",
        size_format((double)(4 * cache), needed));
}

static void plan_copy(struct probe_task *task)
{
    static const enum copy_method unaligned[] = {COPY_MEMCPY, COPY_STRING};
    struct copy_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->seat = chases_seat(task);
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
static bool next_copy(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct copy_state *state = task->state;
    (void)outcome;
    if (stage > 1)
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

/* --- concluding --- */

/* The largest call whose memory fits `bytes`; 0: none. A copy's memory is twice its size. */
static uint64_t call_within(const struct copy_state *state, uint64_t bytes)
{
    uint64_t call = 0;
    for (size_t i = 0; i < state->size_count && 2 * state->sizes[i] <= bytes; i++)
        if (state->sizes[i] % COPY_STEP_BYTES == 0)
            call = state->sizes[i];
    return call;
}

static void conclude_copy(struct probe_task *task, const struct stage_outcome *outcome)
{
    const struct copy_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    const size_t count = chases_levels(task, NULL, levels);
    (void)outcome;
    build_note_text(task, "counting", "bytes that a call loads and stores; 1 GB = 10^9 B");
    struct factor *calls = build_note_list(task, COPY_LEVEL_CALLS);
    for (size_t i = 0; i < count; i++) {
        const struct chase_level *level = &levels[i];
        const uint64_t call = call_within(state, level->last ? UINT64_MAX : level->bytes);
        /* A fill's memory is only once its size. */
        if (!call || call <= level->above)
            continue;
        build_word(task, calls, pool_strdup(task->pool, level->name));
        build_element(task, calls, (double)call);
    }
    if (state->not_measured)
        build_note_text(task, parameter_not_measured, state->not_measured);
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
        "them: a copy's twice, a fill's once. Where one way overtakes another is read off the "
        "curves.\n"
        "What moves it: what bandwidth moves; the start of string instructions, which costs short "
        "calls; stores past the caches, which save fetching the destination and leave it in "
        "memory, so that whoever reads it next waits.",
    .options = options,
    .options_bytes = sizeof(struct copy_options),
    .findings = {copy_lines, copy_experiment},
    .plan = plan_copy,
    .prepare = prepare_copy,
    .next = next_copy,
    .conclude = conclude_copy,
    .analyse = copy_analyse,
};
