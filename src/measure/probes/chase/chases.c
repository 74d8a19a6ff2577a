#include "measure/probes/chase/chases.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/chase_index.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t GIB = 1024 * 1024 * 1024, HUGE_PAGE = 2 * 1024 * 1024;
enum { SMALL_PAGE = 4096, WORD = 8, ELEMENT_MOST = 256 };

const char *const address_names[] = {"index-checked", "index", "pointer", "spilled", NULL};

const char *const chase_states[] = {"filled", "chased", NULL};

/* --- kinds --- */

static const struct {
    const char *text;
    enum ring_order order;
    bool blocks;
} orders[] = {
    {"random", RING_RANDOM, false},           {"forward", RING_FORWARD, false},
    {"backward", RING_BACKWARD, false},       {"random-in-block", RING_RANDOM, true},
    {"forward-in-block", RING_FORWARD, true},
};

/* The order as text, "random" or "forward-in-block:4K"; in the pool or constant. */
static const char *order_text(const struct chase_kind *kind, struct pool *pool)
{
    if (kind->block_count)
        return pool_printf(pool, "random-in-block:%zu strides", kind->block_count);
    const size_t unit = kind->block_bytes % 1024 == 0 ? 1024 : 1;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i].order == kind->order && orders[i].blocks == (kind->block_bytes > 0))
            return orders[i].blocks ? pool_printf(pool, "%s:%zu%s", orders[i].text,
                                                  kind->block_bytes / unit, unit > 1 ? "K" : "")
                                    : orders[i].text;
    return NULL;
}

int chase_order_parse(struct chase_kind *kind, const char *text, struct error *error)
{
    size_t word = strcspn(text, ":");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint64_t block = 0;
        if (strncmp(text, orders[i].text, word) != 0 || orders[i].text[word] != '\0' ||
            orders[i].blocks != (text[word] == ':'))
            continue;
        if (orders[i].blocks &&
            (size_parse(text + word + 1, &block, NULL) < 0 || block < kind->stride))
            break;
        kind->order = orders[i].order;
        kind->block_bytes = (size_t)block;
        return 0;
    }
    return error_set(error, ERROR_USAGE,
                     "--order '%s': choose random, forward, backward, random-in-block:SIZE or "
                     "forward-in-block:SIZE with a block of at least one stride",
                     text);
}

const char *const chase_loads[] = {"1", "8", "64", "100", NULL};
static const struct {
    unsigned loads;
    kernel_function *run;
} loops[] = {{1, chase_1_run}, {8, chase_8_run}, {0, chase_run}, {100, chase_100_run}};

bool chase_loads_parse(struct chase_kind *kind, const char *text)
{
    for (size_t i = 0; chase_loads[i]; i++)
        if (strcmp(chase_loads[i], text) == 0) {
            kind->loads = loops[i].loads;
            return true;
        }
    return false;
}

static kernel_function *kernel_of(const struct chase_kind *kind)
{
    switch (kind->address) {
    case ADDRESS_INDEX_CHECKED:
    case ADDRESS_INDEX:
        return chase_index_kernel(kind->stride, kind->address == ADDRESS_INDEX_CHECKED);
    case ADDRESS_SPILLED:
        return chase_spilled_run;
    case ADDRESS_POINTER:
        break;
    }
    size_t loop = 0;
    while (loops[loop].loads != kind->loads)
        loop++;
    return kind->modify ? chase_modify_run : loops[loop].run;
}

static unsigned steps_of(const struct chase_kind *kind)
{
    return kind->loads ? kind->loads : chase_steps;
}

int chase_kind_check(const struct chase_kind *kind, struct error *error)
{
    const char *address = address_names[kind->address];
    if (kind->offset & (kind->offset - 1) || kind->offset > ALIGN_MOST)
        return error_set(error, ERROR_USAGE, "--align %zu: give a power of two up to %d",
                         kind->offset, ALIGN_MOST);
    if (kind->block_bytes && kind->block_bytes < kind->stride)
        return error_set(error, ERROR_USAGE,
                         "--order: a block of %zu holds no stride of %zu: ask for a larger block",
                         kind->block_bytes, kind->stride);
    if (kind->stride % WORD != 0)
        return error_set(error, ERROR_USAGE,
                         "--stride %zu: give a multiple of %d, a pointer's size", kind->stride,
                         WORD);
    if (kind->modify && kind->address != ADDRESS_POINTER)
        return error_set(error, ERROR_USAGE,
                         "--access modify follows pointers: leave out --address %s", address);
    if (kind->modify && kind->stride < 2 * WORD)
        return error_set(error, ERROR_USAGE,
                         "--access modify writes beside each pointer: give a --stride of at least "
                         "%d, or --element padded",
                         2 * WORD);
    if (kind->loads && (kind->modify || kind->address != ADDRESS_POINTER))
        return error_set(error, ERROR_USAGE,
                         "--loads %u: the chases by index, on the stack and with stores have 64 "
                         "loads in their loop: give 64, or leave it out",
                         kind->loads);
    if (!kernel_of(kind))
        return error_set(error, ERROR_USAGE,
                         "--address %s takes elements of 8, 64, 128 or 256 bytes, not %zu: give "
                         "one of these as --stride",
                         address, kind->stride);
    if (kind->offset % WORD != 0 && !chase_straddles)
        return error_set(error, ERROR_USAGE,
                         "--align %zu: this architecture loads only from aligned addresses; give "
                         "at least %d",
                         kind->offset, WORD);
    return 0;
}

/* --- planning --- */

struct chases chases_make(const struct probe_task *task)
{
    unsigned line = machine_line_bytes(task->machine);
    bool plausible = line >= 16 && line <= 1024 && (line & (line - 1)) == 0;
    return (struct chases){.line_bytes = plausible ? line : 64,
                           .settled_bytes = 2 * memory_bounds(task).last_level};
}

struct chases chases_make_plain(const struct probe_task *task)
{
    struct chases chases = chases_make(task);
    chases.kinds = pool_alloc(task->pool, 1, sizeof *chases.kinds);
    chases.kinds[0] = (struct chase_kind){.address = ADDRESS_POINTER, .stride = chases.line_bytes};
    chases.count = 1;
    return chases;
}

int chases_add_series(struct chases *chases, struct probe_task *task, const char *name,
                      const struct chase_kind *kind, const char *pages)
{
    while (chases->count <= task->plan.series_count) {
        struct chase_kind *slot =
            pool_append(task->pool, (void **)&chases->kinds, &chases->count, sizeof *slot);
        *slot = chases->count > task->plan.series_count ? *kind : chases->kinds[0];
    }
    const unsigned series = build_series(
        task, (struct series){.name = name, .x = {"working set", "B"}, .y = {"latency", "ns"}});
    build_factor_text(task, series, "address", address_names[kind->address]);
    build_factor_text(task, series, "access", kind->modify ? "modify" : "read");
    build_factor_text(task, series, "order", order_text(kind, task->pool));
    if (kind->stride != CHASE_STRIDE_IS_X)
        build_factor(task, series, "stride", (double)kind->stride);
    build_factor_text(task, series, "pages", pages);
    if (kind->offset)
        build_factor(task, series, "align", (double)kind->offset);
    if (kind->loads)
        build_factor(task, series, "loads", kind->loads);
    if (kind->chased)
        build_factor_text(task, series, "state", chase_states[STATE_CHASED]);
    if (chases->threads > 1) {
        build_factor(task, series, "threads", chases->threads);
        build_factor_text(task, series, "ring", chases->shared ? "shared" : "own");
    }
    return (int)series;
}

/* Bytes from the beginning of a page to the ring's end. If the offset is no multiple of a word, the
 * last pointer reaches into one more word. */
static uint64_t room_of(const struct chase_kind *kind, uint64_t bytes)
{
    return bytes + kind->offset + (kind->offset % WORD ? WORD : 0);
}

static const struct chase_kind *kind_of(const struct chases *chases, size_t series)
{
    return &chases->kinds[series < chases->count ? series : 0];
}

static struct chase_kind kind_at(const struct chases *chases, const struct plan_point *point)
{
    struct chase_kind kind = *kind_of(chases, point->series);
    if (kind.stride == CHASE_STRIDE_IS_X)
        kind.stride = (size_t)point->x;
    return kind;
}

struct plan_point *chases_add_point(const struct chases *chases, struct probe_task *task,
                                    int series, double x, uint64_t bytes)
{
    struct plan *plan = &task->plan;
    const struct chase_kind *kind = kind_of(chases, (size_t)series);
    const unsigned threads = chases->threads ? chases->threads : 1;
    struct plan_point *point =
        pool_append(task->pool, (void **)&plan->points, &plan->point_count, sizeof *point);
    *point = (struct plan_point){.series = (unsigned)series,
                                 .x = x,
                                 .seats = chases->seat,
                                 .seat_count = threads,
                                 .arena_bytes = (size_t)room_of(kind, bytes),
                                 .bytes = bytes};
    return point;
}

const struct option_spec chases_cpu_option[] = {
    {"cpu", 0, OPTION_INTEGER, "N", NULL, 0, CPU_ID_MAX, NULL, 0,
     "CPU that measures (default: the first of the fastest kind)"},
    {.name = NULL},
};

const struct seat *chases_seat(const struct probe_task *task, const struct setting *cpu)
{
    struct seat *seat = pool_alloc(task->pool, 1, sizeof *seat);
    *seat = (struct seat){task->cpus.ids[0], MEASURED};
    if (cpu->has) {
        seat->cpu = (int)cpu->number;
        char usable[128];
        if (!cpulist_has(&task->cpus, seat->cpu))
            pool_leave(task->pool, ERROR_USAGE, "--cpu %d: no such CPU may be used; choose from %s",
                       seat->cpu, cpulist_format(&task->cpus, usable, sizeof usable));
        return seat;
    }
    int best = -1;
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, task->cpus.ids[i]);
        if (place && place->kind > best) {
            best = place->kind;
            seat->cpu = place->id;
        }
    }
    return seat;
}

void chases_lay_out_parts(struct chases *chases, struct probe_task *task)
{
    struct plan *plan = &task->plan;
    const unsigned threads = chases->threads;
    size_t most = 0;
    if (threads < 2)
        return;
    for (size_t i = 0; i < plan->point_count; i++)
        most = plan->points[i].arena_bytes > most ? plan->points[i].arena_bytes : most;
    const size_t each = chases->shared ? (most + threads - 1) / threads : most;
    const size_t part = (each + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    chases->part_bytes = chases->shared ? 0 : part;
    for (size_t i = 0; i < plan->point_count && !chases->shared; i++)
        plan->points[i].arena_bytes = threads * part;
    int cpus[threads];
    for (unsigned i = 0; i < threads; i++)
        cpus[i] = chases->seat[i].cpu;
    build_parts(task, cpus, threads, part);
}

void chases_plan_place(struct probe_task *task, const struct chases *chases, enum page_policy pages)
{
    probe_plan_begin(task, chases->seat->cpu, pages, 0);
    task->plan.unstable_above = 0.1;
    task->plan.windows = chases->threads > 1;
    if (!task->plan.windows) /* else batches are long, because windows have 16 looks at the clock */
        probe_plan_short_batches(&task->plan, PROBE_TRIAL_NS);
}

/* A batch of 8000 loads or more has its share of misses, and the scheduler leaves it alone. */
void chases_plan_chased(struct plan *plan)
{
    plan->batch_ns = 500e3;
    plan->batches = 20;
}

int *chases_cpus(const struct probe_task *task, int first)
{
    const size_t count = task->cpus.count;
    struct cpu_place *places = pool_alloc(task->pool, count, sizeof *places);
    int *cpus = pool_alloc(task->pool, count, sizeof *cpus);
    machine_places(task->machine, &task->cpus, places);
    for (size_t i = 0; i < count; i++)
        if (places[i].id == first)
            places[i].sibling = -1;
    qsort(places, count, sizeof *places, machine_by_thread);
    for (size_t i = 0; i < count; i++)
        cpus[i] = places[i].id;
    return cpus;
}

size_t chases_threads(const struct probe_task *task, const struct setting *threads,
                      size_t otherwise)
{
    const size_t count = task->cpus.count;
    const size_t wanted = threads->has ? (size_t)threads->number : otherwise;
    if (wanted > count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--threads %zu: only %zu CPU%s may be used, and each holds one thread; ask for "
                   "at most %zu",
                   wanted, count, count == 1 ? "" : "s", count);
    return wanted;
}

static const char page_noted[] = "page_bytes";

size_t chases_note_page(struct probe_task *task)
{
    const size_t bytes = facts_page_bytes(&task->machine->facts);
    build_note(task, page_noted, (double)bytes);
    return bytes;
}

size_t chases_page_noted(const struct analysis *analysis)
{
    const double noted = analysis_number(analysis, page_noted);
    const bool plausible = noted >= FACTS_PAGE_LEAST && noted <= FACTS_PAGE_MOST;
    return plausible ? (size_t)noted : FACTS_PAGE_LEAST;
}

/* --- measuring --- */

/* The number of loads that settle the caches. Going round twice settles any replacement policy; a
 * chase, which is then timed going round, has to do so once before. For a set larger than the
 * caches, as many lines as they hold are enough. In random order each load fetches a line, however
 * small the elements are. */
static uint64_t settling_visits(const struct chases *chases, const struct chase_kind *kind,
                                uint64_t count)
{
    bool scattered = kind->order == RING_RANDOM && !kind->block_bytes && !kind->block_count;
    size_t brings =
        scattered && kind->stride < chases->line_bytes ? chases->line_bytes : kind->stride;
    const uint64_t settled = chases->settled_bytes / brings,
                   visits = (kind->chased ? 1 : 2) * count;
    return visits < settled ? visits : settled;
}

static void begin_worker(struct worker *worker, const struct chase_kind *kind,
                         const struct ring *ring, unsigned char *position)
{
    worker->run = kernel_of(kind);
    worker->state = worker->room;
    if (ring->link == RING_INDEXES)
        *(struct chase_index *)worker->state = (struct chase_index){
            ring->memory, ring->count, (uint64_t)(position - ring->memory) / ring->stride};
    else
        *(struct chase *)worker->state = (struct chase){position};
}

static struct ring ring_of(const struct chase_kind *kind, uint64_t bytes, unsigned char *memory,
                           uint64_t seed)
{
    return (struct ring){.memory = memory + kind->offset,
                         .count = (size_t)(bytes / kind->stride),
                         .stride = kind->stride,
                         .order = kind->order,
                         .block = kind->block_count ? kind->block_count
                                                    : kind->block_bytes / kind->stride,
                         .seed = seed,
                         .link = kind->address <= ADDRESS_INDEX ? RING_INDEXES : RING_POINTERS};
}

/* --- several threads --- */

/* A thread's own ring, in its part of the arena, or the one that all share. Rings that all began at
 * the same place of a huge page would contend for a few sets. */
static struct ring ring_of_thread(const struct trial *trial, unsigned seat)
{
    const struct chases *chases = trial->probe_state;
    const struct chase_kind kind = kind_at(chases, trial->point);
    const uint64_t bytes = trial->point->bytes, room = room_of(&kind, bytes),
                   unit = room >= HUGE_PAGE ? HUGE_PAGE : SMALL_PAGE;
    const unsigned which = chases->shared ? 0 : seat;
    const uint64_t slack = chases->shared ? 0 : chases->part_bytes - room;
    struct random random = {trial->seed ^ random_mix(which)};
    const uint64_t at = which * chases->part_bytes + random_below(&random, slack / unit + 1) * unit;
    return ring_of(&kind, bytes, trial->arena->memory + at, random_next(&random));
}

static void build_of_thread(const struct trial *trial, unsigned seat)
{
    const struct chases *chases = trial->probe_state;
    const struct ring ring = ring_of_thread(trial, seat);
    if (chases->shared)
        ring_build_part(&ring, seat, trial->point->seat_count);
    else
        ring_build(&ring);
}

/* Threads that share a ring settle the caches together, each with what comes before its start. */
static void settle_thread(const struct trial *trial, unsigned seat)
{
    const struct chases *chases = trial->probe_state;
    const struct chase_kind kind = kind_at(chases, trial->point);
    const struct ring ring = ring_of_thread(trial, seat);
    const unsigned parts = chases->shared ? trial->point->seat_count : 1;
    const size_t visits = (size_t)settling_visits(chases, &kind, ring.count);
    begin_worker(&trial->workers[seat], &kind, &ring,
                 ring_warm_part(&ring, seat % parts, parts, visits / parts + 1));
    if (kind.chased)
        kernel_of (&kind)(trial->workers[seat].state, visits / steps_of(&kind) + 1);
}

void chases_prepare(struct trial *trial, const struct chases *chases)
{
    const struct chase_kind kind = kind_at(chases, trial->point);
    const uint64_t bytes = trial->point->bytes;
    /* A ring's place in the arena affects its latency, so it varies from trial to trial. A set of
     * 2 MiB or more begins on a huge page, or it would need one more of them. */
    const uint64_t room = room_of(&kind, bytes), unit = room >= HUGE_PAGE ? HUGE_PAGE : SMALL_PAGE;
    struct random random = {trial->seed};
    const uint64_t place = random_below(&random, (trial->arena->bytes - room) / unit + 1) * unit;
    struct ring ring = ring_of(&kind, bytes, trial->arena->memory + place, trial->seed);
    ring_build(&ring);
    const uint64_t visits = settling_visits(chases, &kind, ring.count);
    begin_worker(&trial->workers[0], &kind, &ring,
                 kind.chased ? ring.memory : ring_warm(&ring, (size_t)visits));
    if (kind.chased)
        kernel_of (&kind)(trial->workers[0].state, visits / steps_of(&kind) + 1);
    else if (trial->plan->sweep) /* building the ring left the caches in a state that short trials
                                    would see */
        trial->warm_repeats = 2 * (uint64_t)ring.count / steps_of(&kind) + 1;
    trial->operations = steps_of(&kind);
    trial->round = kind.chased ? ring.count / steps_of(&kind) : 0;
}

void chases_prepare_alone(struct trial *trial)
{
    const struct chases *chases = trial->probe_state;
    if (chases->threads < 2) {
        chases_prepare(trial, chases);
        return;
    }
    const struct chase_kind kind = kind_at(chases, trial->point);
    trial->build = build_of_thread;
    trial->settle = settle_thread;
    trial->operations = steps_of(&kind);
}

void chases_begin(struct trial *trial, void *first, size_t lines)
{
    struct worker *worker = &trial->workers[0];
    struct chase *chase = (struct chase *)worker->room;
    chase->position = first;
    chase_run(chase, 2 * lines / chase_steps + 1);
    worker->run = chase_run;
    worker->state = chase;
    trial->operations = chase_steps;
}

/* --- levels --- */

uint64_t chases_capacity(const struct probe_task *task, int cpu, const struct probe_result *found,
                         int n)
{
    static const char *const ends[] = {"capacity", "begins"};
    double bytes = NAN;
    for (int i = 0; i < 4 && !(bytes >= (double)SMALL_PAGE); i++) {
        char name[24];
        snprintf(name, sizeof name, "L%d.%s", n, ends[i % 2]);
        const struct finding *earlier =
            i > 1 && task->document ? document_finding(task->document, name) : NULL;
        bytes = i < 2 ? probe_value(found, name) : earlier ? earlier->value : NAN;
    }
    if (bytes >= (double)SMALL_PAGE && bytes < 0x1p62)
        return (uint64_t)bytes;
    const struct cache_facts *cache = cache_of_cpu(&task->machine->facts, n, cpu);
    return cache ? cache->size_bytes : 0;
}

size_t chases_levels(const struct probe_task *task, int cpu, const struct probe_result *found,
                     struct chase_level *levels)
{
    const uint64_t most = machine_memory_budget(task->machine);
    size_t count = 0;
    const double memory_ns = memory_ns_of(found);
    const struct memory_bounds memory =
        memory_ns > 0 && found->series_count
            ? memory_bounds_within(task->machine, &found->series[0], memory_ns)
            : memory_bounds(task);
    uint64_t above = 0;
    for (int n = 1; n < CHASE_LEVELS_MAX; n++) {
        uint64_t capacity = chases_capacity(task, cpu, found, n);
        /* A declared cache ends before the size from which on the curve shows memory, or this
         * process gets less of it. */
        if (capacity <= above || capacity > most || (memory.shown && capacity > memory.shown))
            break;
        /* Well inside the level, and well beyond the capacity of the one before it. */
        uint64_t bytes = capacity / (n > 2 ? 3 : 2);
        if (bytes < 2 * above)
            bytes = (uint64_t)sqrt((double)above * (double)capacity);
        struct chase_level *level = &levels[count++];
        *level = (struct chase_level){.bytes = bytes / ELEMENT_MOST * ELEMENT_MOST, .above = above};
        snprintf(level->name, sizeof level->name, "L%d", n);
        above = capacity;
    }
    /* The capacity that was found may be less than the cache's size, because other programs use a
     * part of it. */
    const uint64_t last = above > memory.last_level ? above : memory.last_level;
    uint64_t least = 2 * above > memory.least ? 2 * above : memory.least;
    uint64_t bytes = 4 * last < GIB ? 4 * last : GIB;
    least = (least + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
    bytes = bytes < least ? least : bytes;
    bytes = bytes < most ? bytes : most;
    const uint64_t beyond = bytes >= least ? bytes / SMALL_PAGE * SMALL_PAGE : 0;
    if (beyond)
        levels[count++] = (struct chase_level){"DRAM", beyond, above, true};
    return count;
}
