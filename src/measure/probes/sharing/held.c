/*
 * Another core's caches by size: how far they are, and how much of them can be used from here.
 *
 * A helper on the other CPU goes twice through all lines of a set, and brings them into its caches,
 * modified or exclusive. Then the measuring CPU chases through some of these lines, some thousand
 * at most, so that a trial takes no longer for a large set. They lie some lines from one another,
 * so that no prefetcher fetches one with another, and several in a page, so that not every load
 * waits for its translation. A trial in which one of both threads was switched off is repeated:
 * meanwhile other programs take lines out of the caches.
 *
 * What lies beyond the cache that ends last may be a farther cache or memory, and what is declared
 * of a guest's caches decides nothing. So lines in no cache are measured in turn with the others.
 */
#include "base/random.h"
#include "base/units.h"
#include "conclude/reaches.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/sharing/coherence.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096, APART = 7, SAMPLE = 4096, SETS = 4, LEAST_TRIALS = 8, LINK_AT = 16 };
static const double smallest = 32 << 10, largest = 96 << 20, otherwise = 16 << 20;
static const double half_octave = 1.41421356;

static const enum line_state held_states[] = {LINE_MODIFIED, LINE_EXCLUSIVE, LINE_INVALID};
enum { HELD_STATES = sizeof held_states / sizeof *held_states };
/* Lines in memory are equally far for sets of all sizes, so only one in this many is measured. */
enum { SIZES_OF_MEMORY = 3 };

/* Parameter: each holder, followed by its caches' names and bytes. */
static const char caches_noted[] = "holder_caches", series_name[] = "held by another core";

void held_note(struct probe_task *task)
{
    const struct coherence_state *state = task->state;
    struct factor *caches = build_note_list(task, caches_noted);
    for (size_t i = 0; i < state->holder_count; i++) {
        build_element(task, caches, state->holders[i]);
        uint64_t bytes;
        for (int n = 1; (bytes = chases_capacity(task, state->holders[i], NULL, n)) > 0; n++) {
            build_word(task, caches, pool_printf(task->pool, "L%d", n));
            build_element(task, caches, (double)bytes);
        }
    }
}

/* The sizes asked for, or two an octave up to three times the last cache. If the largest would take
 * too long, up to a size that still distinguishes the last cache from those before it. */
static uint64_t *choose_sizes(struct probe_task *task, size_t *count)
{
    const struct setting *asked = &((const struct coherence_options *)task->options)->sizes;
    const uint64_t last = last_level_bytes(task->machine);
    const double thrice = last ? 3 * (double)last : largest,
                 end = fmin(thrice <= largest ? thrice : otherwise,
                            (double)machine_memory_budget(task->machine) - PAGE);
    uint64_t *sizes = NULL;
    *count = 0;
    for (size_t i = 0; i < asked->size_count; i++) {
        working_sets_check(task, "sizes", asked->sizes[i], PAGE);
        *(uint64_t *)pool_append(task->pool, (void **)&sizes, count, sizeof *sizes) =
            asked->sizes[i] / PAGE * PAGE;
    }
    for (double bytes = smallest; bytes <= end * 1.001 && !asked->has; bytes *= half_octave)
        *(uint64_t *)pool_append(task->pool, (void **)&sizes, count, sizeof *sizes) =
            (uint64_t)round(bytes / PAGE) * PAGE;
    *count = sizes_sort(sizes, *count);
    return sizes;
}

bool held_plan(struct probe_task *task)
{
    struct coherence_state *state = task->state;
    struct plan *plan = &task->plan;
    size_t count;
    const uint64_t *sizes = choose_sizes(task, &count);
    if (!count)
        return false;
    const uint64_t room = PAGE + sizes[count - 1];
    const unsigned sets = SETS * room <= machine_memory_budget(task->machine) ? SETS : 1;
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->batches = 1;
    plan->repeats = plan->warm_repeats = 1; /* the untimed one prepares */
    plan->trials_per_visit = sets;
    plan->trials_min = LEAST_TRIALS;
    plan->whole = true;
    if (!task->common.precision.has)
        plan->precision = 0.05;
    state->first_held = plan->series_count;
    for (size_t h = 0; h < state->holder_count; h++)
        for (size_t s = 0; s < HELD_STATES; s++) {
            if (!line_state_possible(held_states[s]))
                continue;
            const int cpus[] = {task->cpus.ids[0], state->holders[h]};
            const unsigned series = build_series(task, (struct series){.name = series_name,
                                                                       .headline = h == 0,
                                                                       .x = {"working set", "B"},
                                                                       .y = {"latency", "ns"}});
            build_factor_text(task, series, "state", line_state_names[held_states[s]]);
            build_factor(task, series, "reader", cpus[0]);
            build_factor(task, series, "holder", cpus[1]);
            build_factor_text(task, series, "place", nearness_text(task, cpus[0], cpus[1]));
            for (size_t i = 0; i < count;
                 i += held_states[s] == LINE_INVALID ? SIZES_OF_MEMORY : 1) {
                struct plan_point *point =
                    build_point(task, series, (double)sizes[i], cpus, 2, PARTNER);
                point->arena_bytes = (size_t)(sets * room);
                point->index = held_states[s];
            }
        }
    return true;
}

/* The lines of a set that are read: every so many of evenly chosen pages. */
struct sample {
    unsigned char *memory;
    size_t line, pages, chosen, each; /* bytes; of the set; of them; lines of a chosen page */
};

static void *sampled(const struct sample *sample, size_t i)
{
    const size_t page = i / sample->each, place = i % sample->each * APART + page % APART;
    return sample->memory + page * sample->pages / sample->chosen * PAGE + place * sample->line +
           LINK_AT;
}

/* One random cycle: each line comes after a random one of those before it. */
static struct line_ring link_sample(const struct sample *sample, struct random *random)
{
    const size_t lines = sample->chosen * sample->each;
    void **first = (void **)sampled(sample, 0);
    *first = first;
    for (size_t i = 1; i < lines; i++) {
        void **link = (void **)sampled(sample, i),
             **before = (void **)sampled(sample, (size_t)random_below(random, i));
        *link = *before;
        *before = link;
    }
    return (struct line_ring){.first = first, .lines = lines};
}

void held_prepare(struct trial *trial)
{
    const struct coherence_state *state = trial->probe_state;
    const size_t line = state->line_bytes, lines = (size_t)trial->point->x / line,
                 pages = lines * line / PAGE, each = PAGE / line / APART, most = SAMPLE / each;
    struct random random = {trial->seed};
    const unsigned sets = trial->plan->trials_per_visit;
    const size_t room = trial->arena->bytes / sets / PAGE * PAGE;
    uint64_t *stage = (uint64_t *)(trial->arena->memory + trial->number % sets * room);
    unsigned char *memory =
        (unsigned char *)stage + PAGE + random_below(&random, (room - lines * line) / PAGE) * PAGE;
    const struct sample sample = {memory, line, pages, pages < most ? pages : most, each};
    struct line_ring *some = (struct line_ring *)trial->workers[0].room,
                     *all = (struct line_ring *)trial->workers[1].room;
    *some = link_sample(&sample, &random);
    some->rests = true;
    *all = (struct line_ring){.first = memory, .lines = lines, .apart = line, .others = some};
    *stage = 0;
    for (size_t i = 0; i < 2; i++) {
        struct line_ring *part = i ? all : some;
        part->stage = stage;
        part->turn = !i;
        part->step = 2;
        part->state = (enum line_state)trial->point->index;
        trial->workers[i].state = part;
        trial->workers[i].run = i ? line_helper_run : touch_of(TOUCH_LOAD)->run;
    }
    trial->operations = (double)some->lines;
}

/* --- findings --- */

/* The holder's caches: their bytes, in order. */
static size_t caches_of(struct analysis *analysis, double holder, double bytes[CHASE_LEVELS_MAX])
{
    size_t count, found = 0, i = 0;
    const struct factor *list = analysis_list(analysis, caches_noted, &count);
    while (i < count && (list[i].text || list[i].number != holder))
        i += list[i].text ? 2 : 1; /* a name comes with its bytes */
    for (i++; i + 1 < count && list[i].text && found < CHASE_LEVELS_MAX; i += 2)
        bytes[found++] = list[i + 1].number;
    return found;
}

/* A set that ends within this factor of a cache's bytes is as large as the cache. */
static const double as_large = 1.5;
/* Distances within this share are one. */
static const double as_far = 0.1;

/* A reach in words and in names of findings. */
struct named {
    const char *name; /* "L2", "DRAM"; "beyond": the next cache or memory; NULL: no finding */
    bool full;        /* it ends where that cache is full */
};

/* How far lines in no cache are; NAN: not measured. */
static struct interval memory_of(struct analysis *analysis, double holder)
{
    struct reach reaches[REACHES_MAX];
    for (size_t i = 0; i < analysis->result->series_count; i++) {
        const struct series *series = &analysis->result->series[i];
        if (strcmp(series->name, series_name) == 0 && series_number(series, "holder") == holder &&
            strcmp(analysis_factor(series, "state"), line_state_names[LINE_INVALID]) == 0 &&
            reaches_find(series, analysis->pool, reaches) == 1)
            return reaches[0].ns;
    }
    return (struct interval){NAN, NAN, NAN};
}

/* The cache whose bytes the end of a slope meets, from `level` on; *level becomes the next one. */
static struct named name_end(struct pool *pool, const struct interval *end, const double *bytes,
                             size_t caches, size_t *level)
{
    while (*level < caches && end->low > bytes[*level] && end->value > as_large * bytes[*level])
        ++*level;
    if (*level == caches)
        return (struct named){"beyond", false};
    const bool full = end->high >= bytes[*level] || end->value * as_large >= bytes[*level];
    return (struct named){pool_printf(pool, "L%zu", ++*level), full};
}

/* Names each slope by the cache in which it ends, as long as the caches before it are full. The
 * last slope has no end: it is memory if it is as far as memory, or if the sets are larger than all
 * caches. */
static void name_reaches(struct analysis *analysis, const struct series *series,
                         const struct reach *reaches, size_t count, struct named *named)
{
    double bytes[CHASE_LEVELS_MAX];
    const double holder = series_number(series, "holder"),
                 most = series->points[series->point_count - 1].x;
    const size_t caches = caches_of(analysis, holder, bytes);
    const struct interval memory = memory_of(analysis, holder), *last = &reaches[count - 1].ns;
    size_t level = 0;
    bool known = caches > 0;
    for (size_t i = 0; i < count; i++) {
        named[i] = (struct named){"beyond", false};
        if (!known || i + 1 == count)
            continue;
        named[i] = name_end(analysis->pool, &reaches[i].end, bytes, caches, &level);
        known = named[i].full;
    }
    const char **name = &named[count - 1].name;
    if (count == 1)
        *name = NULL;
    else if ((caches && most > as_large * bytes[caches - 1]) ||
             fabs(last->value / memory.value - 1) <= as_far ||
             (last->low <= memory.high && memory.low <= last->high))
        *name = "DRAM";
    else if (known && level < caches && last->high < memory.low)
        *name = pool_printf(analysis->pool, "L%zu", level + 1);
}

/* "L2 to 1.41 MiB, then 163 ns L3" */
static const char *sentence(struct pool *pool, const struct reach *reaches, size_t count,
                            const struct named *named)
{
    const char *text = count > 1 ? named[0].name : "caches";
    for (size_t i = 0; i + 1 < count; i++) {
        text = pool_printf(
            pool, "%s%s %s, then %.3g ns %s", text, named[i].full ? " to" : ", misses begin at",
            size_text(pool, reaches[i].end.value), reaches[i + 1].ns.value, named[i + 1].name);
    }
    return text;
}

static void add_reaches(struct analysis *analysis, const struct series *series)
{
    struct pool *pool = analysis->pool;
    struct reach reaches[REACHES_MAX];
    struct named named[REACHES_MAX];
    const size_t first = analysis->result->finding_count,
                 count = reaches_find(series, pool, reaches);
    const double reader = series_number(series, "reader"), holder = series_number(series, "holder");
    const char *state = analysis_factor(series, "state"),
               *stem = pool_printf(pool, "coherence.held.%s", state);
    const bool held = strcmp(state, line_state_names[LINE_INVALID]) != 0;
    const unsigned flags = series_flags(series);
    if (!count)
        return;
    name_reaches(analysis, series, reaches, count, named);
    analysis_add_value(analysis, stem, "ns", reaches[0].ns, flags)->text =
        held ? pool_printf(pool, "CPU %.0f's %s (%s)", holder,
                           sentence(pool, reaches, count, named), analysis_factor(series, "place"))
             : "in no cache, for comparison";
    for (size_t i = 0; i < count && held; i++) {
        const char *name = pool_printf(pool, "%s.%s", stem, named[i].name ? named[i].name : "");
        if (named[i].name && (i == 0 || strcmp(named[i].name, named[i - 1].name) != 0))
            analysis_add_value(analysis, name, "ns", reaches[i].ns, flags);
        if (named[i].full)
            analysis_add_value(analysis, pool_printf(pool, "%s.reach", name), "B", reaches[i].end,
                               flags);
    }
    for (size_t i = first; i < analysis->result->finding_count; i++)
        analysis->result->findings[i].cpus =
            pool_printf(pool, "%.0f,%.0f", fmin(reader, holder), fmax(reader, holder));
    analysis_read_off(analysis, series);
}

void held_analyse(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->result->series_count; i++)
        if (strcmp(analysis->result->series[i].name, series_name) == 0)
            add_reaches(analysis, &analysis->result->series[i]);
}
