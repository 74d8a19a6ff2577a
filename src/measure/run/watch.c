#include "measure/run/watch.h"

#include "base/cpulist.h"
#include "compare/compare.h"
#include "measure/engine/engine.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/contention.h"
#include "stats/order.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A batch of 64 loads takes 10 us in memory, and one of twice as many in a shared cache. In the
 * core's own caches a batch has twelve times as many and takes 2 to 5 us, or the clock's reading
 * and the loop's first turns would add a tenth. All levels together take some 0.3 ms of CPU time,
 * and with the engine's bursts and threads less than 1 ms. */
enum { BATCHES = 3, PRIVATE_TIMES = 12, SHARED_TIMES = 2, FLUSHED_TIMES = 4 };
/* Rings beyond the first cache have their lines up to 512 bytes apart, as long as so many are left:
 * in an eighth of the sets there is less to load and to push out, and no line is loaded because its
 * neighbour was. */
enum { APART = 512, PRIVATE_LINES = 192, PART_LINES = 384, FLUSHED_LINES = 4096 };
enum { PAGE = 4096, HUGE_PAGE = 2 << 20, STATE_BYTES = 128 };
static const uint64_t memory_most = 128 << 20, memory_least = 32 << 20;
/* A stage keeps what it measured, so a watch without an end is stages of an hour. */
static const double stage_s = 3600;

/* --- the levels --- */

static struct watch_level *add_level(struct watch *watch, const char *name, uint64_t bytes,
                                     size_t stride, bool private)
{
    struct watch_level *level = &watch->levels[watch->level_count++];
    const size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : PAGE;
    *level = (struct watch_level){.now = NAN, .private = private};
    snprintf(level->name, sizeof level->name, "%s", name);
    level->at = (watch->arena_bytes + unit - 1) / unit * unit;
    /* Modelled times hold no clock's reading, and models know the chase alone. */
    level->times = watch->model ? 1 : private ? PRIVATE_TIMES : SHARED_TIMES;
    level->ring = (struct ring){.count = (size_t)(bytes / stride),
                                .stride = stride,
                                .seed = watch->seed + watch->level_count};
    watch->arena_bytes = level->at + (size_t)bytes;
    return level;
}

/* Well within each declared cache; a shared one is watched in up to twice what the caches before
 * hold, so that they keep little of it, and in a power of two, so that its ring has equal parts. */
static void choose_levels(struct watch *watch)
{
    const uint64_t budget = machine_memory_budget(watch->machine) / 2;
    uint64_t above = 0;
    size_t line_bytes = 64;
    watch->arena_bytes = PAGE; /* for the chases' states */
    for (int n = 1; n < WATCH_LEVELS_MOST; n++) {
        const struct cache_facts *cache = cache_of_cpu(&watch->machine->facts, n, watch->cpu);
        char name[8];
        if (!cache || cache->size_bytes <= above || cache->size_bytes > budget)
            break;
        line_bytes = cache->line_bytes ? cache->line_bytes : line_bytes;
        const bool shared = n > PRIVATE_LEVELS;
        const uint64_t half = cache->size_bytes / 2, few = (shared ? 2 : 3) * above;
        uint64_t bytes = n == 1 || half < few ? half : few;
        while (shared && bytes & (bytes - 1))
            bytes &= bytes - 1;
        snprintf(name, sizeof name, "L%d", n);
        size_t stride = line_bytes;
        while (n > 1 && stride < APART &&
               bytes / (2 * stride) >= (shared ? WATCH_PARTS * PART_LINES : PRIVATE_LINES))
            stride *= 2;
        struct watch_level *level = add_level(watch, name, bytes, stride, !shared);
        level->push_bytes = shared ? (size_t)(above + above / 2) : 0;
        watch->arena_bytes += level->push_bytes; /* behind the ring */
        above = cache->size_bytes;
    }
    /* Memory is watched in lines that are flushed, or where a program can't flush them in four
     * times the last cache. */
    const bool flushed = line_flush_possible() && !watch->model;
    const uint64_t least = watch->model ? 0 : memory_least, most = memory_most,
                   many = 4 * above < least  ? least
                          : 4 * above > most ? most
                                             : 4 * above,
                   bytes = flushed ? FLUSHED_LINES * APART : many;
    if (bytes > budget || (!flushed && bytes <= above))
        return;
    struct watch_level *dram = add_level(watch, "DRAM", bytes, flushed ? APART : line_bytes, false);
    dram->flushed = flushed;
    dram->times = flushed ? FLUSHED_TIMES : dram->times;
}

/* --- a trial --- */

struct walk {
    struct chase chase;
    unsigned times;
};

static uint64_t walk_on(void *state, uint64_t repeats)
{
    struct walk *walk = state;
    return chase_run(&walk->chase, walk->times * repeats);
}

static void prepare(struct trial *trial)
{
    struct watch *const *watch = trial->probe_state;
    struct watch_level *level = &(*watch)->levels[trial->point->index];
    unsigned char *memory = trial->arena->memory;
    struct walk *walk = (struct walk *)(memory + trial->point->index * STATE_BYTES);
    const unsigned part = (*watch)->ticks % WATCH_PARTS, next = (part + 1) % WATCH_PARTS;
    const size_t each = level->ring.count / WATCH_PARTS;
    if (!level->ring.memory) {
        level->ring.memory = memory + level->at;
        ring_build(&level->ring);
        walk->chase.position = level->ring.memory;
        level->trials = 0;
        walk->times = level->times;
        if (level->push_bytes) {
            ring_mark(&level->ring, WATCH_PARTS, level->parts);
            ring_warm_part(&level->ring, part, WATCH_PARTS, each);
        }
    }
    if (level->private)
        ring_warm(&level->ring, level->ring.count);
    if (level->push_bytes) {
        /* Loads what the next trial asks for, and pushes it out of the core's own caches. So a
         * neighbour has had the time between two trials to evict it, and no more: lines that were
         * loaded a minute ago are gone on an idle machine, too. */
        walk->chase.position = level->parts[part];
        ring_warm_part(&level->ring, next, WATCH_PARTS, each);
        const unsigned char *behind = level->ring.memory + level->ring.count * level->ring.stride;
        for (size_t i = 0; i < level->push_bytes; i += level->ring.stride)
            (void)*(const volatile unsigned char *)(behind + i);
    }
    /* All lines, before half of them have been loaded: batches may be repeated. */
    if (level->flushed &&
        level->trials++ % (level->ring.count / 2 / (BATCHES * level->times * chase_steps)) == 0)
        for (size_t i = 0; i < level->ring.count; i++)
            line_flush(level->ring.memory + i * level->ring.stride);
    /* Loads another line of each page, so that no walk of the page tables is timed: in a guest a
     * walk takes as long as several loads, and not the same time in each trial. */
    for (size_t i = APART / 2; level->flushed && i < level->ring.count * APART; i += PAGE)
        (void)*(const volatile unsigned char *)(level->ring.memory + i);
    trial->workers[0].run = level->times > 1 ? walk_on : chase_run;
    trial->workers[0].state = walk;
    trial->operations = level->times * chase_steps;
}

/* Only interruptions add time in the core's own caches, so their undisturbed batches count. Beyond
 * these caches the neighbours' effect is what is measured, so all batches count. */
static void observe(void *observer, const struct observation *seen)
{
    struct watch *watch = observer;
    struct watch_level *level = &watch->levels[seen->trial->point->index];
    const size_t n = seen->batch_count;
    double ns[BATCHES], hz[BATCHES];
    for (size_t i = 0; i < n; i++) {
        ns[i] = seen->batches[i].ns / (seen->trial->operations * (double)seen->repeats);
        hz[i] = seen->batches[i].core_hz;
    }
    sort_ascending(ns, n);
    watch->at_s = watch->before_s + seen->at_s;
    const double load_ns = level->private ? undisturbed_of(ns, n).value : median(ns, n);
    level->now = level->private ? load_ns * median_of(hz, n) * 1e-9 : load_ns;
}

/* --- changes --- */

static struct figure figure_at(const struct watch *watch, const struct watch_level *level,
                               const struct factor *values, size_t count)
{
    char name[24];
    double sorted[WATCH_KEPT];
    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i].number;
    sort_ascending(sorted, count);
    snprintf(name, sizeof name, "%s.latency%s", level->name, level->private ? "" : "_ns");
    const struct finding finding = {.name = name,
                                    .unit = level->private ? "cycles" : "ns",
                                    .value = median(sorted, count),
                                    .low = sorted[0],
                                    .high = sorted[count - 1],
                                    .runs = (struct factor *)values,
                                    .run_count = count};
    const struct machine_facts *facts = &watch->machine->facts;
    const struct figure_source source = {facts, facts->hypervisor != NULL, false};
    const struct finding_meaning meaning = finding_meaning(&finding);
    return figure_of(&source, &finding, &meaning);
}

static void keep(struct factor values[WATCH_KEPT], size_t *count, double number)
{
    if (*count == WATCH_KEPT)
        memmove(values, values + 1, --*count * sizeof *values);
    values[(*count)++] = (struct factor){.number = number};
}

/* Compares the last values with the usual ones. Values of a change, and those just after it, do not
 * become usual: a neighbour that comes again would be compared with itself. A level is back when it
 * is within half of the tolerance; where it does not come back, what it has become is usual. */
static void judge(const struct watch *watch, struct watch_level *level)
{
    const double tests = 3600 / watch->every_s * (double)watch->level_count;
    const bool was_away = level->away > 0;
    level->changed = false;
    if (isnan(level->now))
        return;
    keep(level->values, &level->count, level->now);
    if (level->count <= WATCH_RECENT)
        return;
    const struct factor *recent = level->values + level->count - WATCH_RECENT;
    if (level->away == 0)
        keep(level->usual, &level->usual_count, recent[-1].number);
    if (level->usual_count < WATCH_USUAL_LEAST)
        return;
    const struct figure before = figure_at(watch, level, level->usual, level->usual_count),
                        after = figure_at(watch, level, recent, WATCH_RECENT);
    struct comparison compared = compare(&before, &after, NAN);
    comparison_settle(&compared, comparison_share / tests);
    /* compare() takes the mean. The median has to differ, too: two odd values of five are no
     * change. */
    const double change = fabs(log(after.value / before.value));
    const bool away = was_away ? change > compared.tolerance / 2
                               : change > compared.tolerance && compared.answer == CHANGED;
    if (away != was_away) {
        level->changed = true;
        level->changes++;
        level->before = away ? before.value : level->after;
        level->after = after.value;
        level->away = away ? 0 : -1 - WATCH_RECENT;
    }
    level->away += away || level->away < 0;
    if (level->away == WATCH_KEPT) {
        memcpy(level->usual, level->values, sizeof level->usual);
        level->usual_count = level->count - WATCH_RECENT;
        level->away = 0;
    }
}

/* The engine shows progress before the first round and after each. */
static void end_tick(void *argument, double done, double left_s)
{
    struct watch *watch = argument;
    bool any = false;
    for (size_t i = 0; i < watch->level_count; i++) {
        any = any || !isnan(watch->levels[i].now);
        judge(watch, &watch->levels[i]);
    }
    watch->ticks += any;
    if (any)
        watch->tick(watch->argument, watch);
    for (size_t i = 0; i < watch->level_count; i++)
        watch->levels[i].now = NAN;
}

/* --- the watch --- */

static int run_stage(struct watch *watch, struct engine *engine, double for_s, struct pool *pool,
                     struct error *error)
{
    const unsigned rounds = (unsigned)ceil(for_s / watch->every_s) + 1;
    const struct seat seat = {watch->cpu, MEASURED};
    struct series series = {.name = "watch", .x = {"level", ""}, .y = {"latency", "ns"}};
    struct plan_point points[WATCH_LEVELS_MOST];
    for (size_t i = 0; i < watch->level_count; i++) {
        points[i] = (struct plan_point){.x = (double)i,
                                        .seats = &seat,
                                        .seat_count = 1,
                                        .arena_bytes = watch->arena_bytes,
                                        .index = i};
        watch->levels[i].ring.memory = NULL;
        watch->levels[i].count = watch->levels[i].usual_count = 0;
        watch->levels[i].away = 0;
    }
    const struct plan plan = {.series = &series,
                              .series_count = 1,
                              .points = points,
                              .point_count = watch->level_count,
                              .pages = PAGES_AUTO,
                              .node = -1,
                              .touch_cpu = watch->cpu,
                              .arena_life = ARENA_WHOLE_STAGE,
                              .cycles = true,
                              .trials_min = rounds,
                              .trials_max = rounds,
                              .trials_per_visit = 1,
                              .sweep = (unsigned)watch->level_count,
                              .batches = BATCHES,
                              .repeats = 1,
                              .batch_ns = clock_shortest_batch_ns(engine->clock), /* as given */
                              .patient = true,
                              .unstable_above = INFINITY,
                              .meant = MEANT_STEAL,
                              .span_s = rounds * watch->every_s,
                              .share = 1,
                              .budget_s = for_s};
    const struct trial_work work = {prepare, observe, watch, &watch};
    struct stage_outcome outcome;
    const int code = stage_run(engine, &plan, &work, pool, &outcome, error);
    watch->before_s += for_s;
    return code;
}

int watch_run(struct watch *watch, struct error *error)
{
    struct clock clock = {.name = "model", .hz = 1e9};
    struct engine engine = {.machine = watch->machine,
                            .clock = &clock,
                            .model = watch->model,
                            .seed = watch->seed,
                            .progress = {end_tick, watch}};
    if (watch->cpu < 0)
        watch->cpu = watch->machine->allowed.ids[0];
    if (!cpulist_has(&watch->machine->allowed, watch->cpu))
        return error_set(error, ERROR_USAGE, "--cpu %d: no such CPU may be used", watch->cpu);
    if (!watch->model && !watch->machine->live)
        return error_set(
            error, ERROR_IMPOSSIBLE,
            "another machine can't be watched: unset FATHOM_ROOT and HWLOC_ variables");
    choose_levels(watch);
    if (!watch->level_count)
        return error_set(error, ERROR_IMPOSSIBLE, "there is too little memory to watch");
    int code = watch->model ? 0 : clock_check(error);
    if (code == 0 && !watch->model)
        clock_calibrate_below(&clock, watch->machine->root);
    if (code == 0)
        code = team_create(&engine.team, watch->stop, error);
    const double end_s = watch->for_s > 0 ? watch->for_s : INFINITY;
    do {
        struct pool pool = {0};
        if (code == 0)
            code = run_stage(watch, &engine, fmin(end_s - watch->before_s, stage_s), &pool, error);
        pool_free(&pool);
    } while (code == 0 && watch->before_s < end_s);
    attic_clear(&engine.attic);
    team_free(engine.team);
    return code;
}
