/*
 * Another core's caches by size: how far they are, and how much of them can be used from here.
 *
 * A helper on the other CPU goes once through all lines of a set, and brings them into its caches,
 * modified or exclusive. Then the measuring CPU chases through some of these lines, some thousand
 * at most and each some lines from the next one, so that a trial takes no longer for a large set
 * and no prefetcher of line pairs fetches one with another.
 */
#include "base/random.h"
#include "base/units.h"
#include "conclude/reaches.h"
#include "measure/kernels/ring.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/sharing/coherence.h"

#include <math.h>
#include <string.h>

enum { PAGE = 4096, APART = 3, SAMPLE = 4096, SETS = 4, LEAST_TRIALS = 8, LINK_AT = 16 };
static const double smallest = 32 << 10, largest = 96 << 20, otherwise = 16 << 20;
static const double half_octave = 1.41421356;

static const enum line_state held_states[] = {LINE_MODIFIED, LINE_EXCLUSIVE};
enum { HELD_STATES = sizeof held_states / sizeof *held_states };

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

/* As asked, or two an octave up to three times the last cache; where that takes too long, up to
 * what tells the last cache from those before it. */
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
    /* To bring a large set in takes longer than other programs leave a thread alone; what is timed
     * is short. */
    plan->meant = MEANT_SWITCHES;
    if (!task->common.precision.has)
        plan->precision = 0.05;
    state->first_held = plan->series_count;
    for (size_t h = 0; h < state->holder_count; h++)
        for (size_t s = 0; s < HELD_STATES; s++) {
            if (line_states_need_flush[held_states[s]] && !line_flush_possible)
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
            for (size_t i = 0; i < count; i++) {
                struct plan_point *point =
                    build_point(task, series, (double)sizes[i], cpus, 2, PARTNER);
                point->arena_bytes = (size_t)(sets * room);
                point->index = held_states[s];
            }
        }
    return true;
}

/* All lines are the helper's ring; every so many of them are the measuring CPU's, by links of its
 * own. An odd distance spreads these evenly over a cache's sets. */
void held_prepare(struct trial *trial)
{
    const struct coherence_state *state = trial->probe_state;
    const size_t line = state->line_bytes, lines = (size_t)trial->point->x / line,
                 apart = (lines / SAMPLE > APART ? lines / SAMPLE : APART) | 1;
    struct random random = {trial->seed};
    const unsigned sets = trial->plan->trials_per_visit;
    const size_t room = trial->arena->bytes / sets / PAGE * PAGE;
    uint64_t *stage = (uint64_t *)(trial->arena->memory + trial->number % sets * room);
    unsigned char *memory =
        (unsigned char *)stage + PAGE + random_below(&random, (room - lines * line) / PAGE) * PAGE;
    const struct ring all = {.memory = memory,
                             .count = lines,
                             .stride = line,
                             .block = PAGE / line,
                             .seed = random_next(&random)},
                      some = {.memory = memory + LINK_AT,
                              .count = lines / apart,
                              .stride = line * apart,
                              .seed = random_next(&random)};
    ring_build(&all);
    ring_build(&some);
    *stage = 0;
    for (size_t i = 0; i < 2; i++) {
        const struct ring *ring = i ? &all : &some;
        struct line_ring *part = (struct line_ring *)trial->workers[i].room;
        *part = (struct line_ring){.first = ring->memory,
                                   .lines = ring->count,
                                   .stage = stage,
                                   .turn = !i,
                                   .step = 2,
                                   .state = (enum line_state)trial->point->index,
                                   .rests = true};
        trial->workers[i].state = part;
        trial->workers[i].run = i ? line_helper_run : touch_of(TOUCH_LOAD)->run;
    }
    trial->operations = (double)some.count;
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

/* Which cache has these sizes in its middle, but none before `next`; `count`: memory. */
static size_t level_of(const double *bytes, size_t count, double from, double to, size_t next)
{
    while (next < count && sqrt(from * to) > bytes[next])
        next++;
    return next;
}

/* "L2 to 1.41 MiB, then 163 ns L3" */
static const char *sentence(struct pool *pool, const struct reach *reaches, size_t count,
                            const char *const *names)
{
    const char *text = names[0];
    for (size_t i = 0; i + 1 < count; i++) {
        char size[UNIT_TEXT];
        text = pool_printf(pool, "%s to %s, then %.3g ns %s", text,
                           size_format(reaches[i].end.value, size), reaches[i + 1].ns.value,
                           names[i + 1]);
    }
    return text;
}

/* Names of the caches that the reaches are of; returns how many have one. */
static size_t name_reaches(struct analysis *analysis, const struct series *series,
                           const struct reach *reaches, size_t count, const char **names)
{
    double bytes[CHASE_LEVELS_MAX];
    const size_t caches = caches_of(analysis, series_number(series, "holder"), bytes);
    size_t level = 0, i = 0;
    for (; i < count && level <= caches && caches; i++, level++) {
        const double from = i ? reaches[i - 1].end.value : series->points[0].x,
                     to = i + 1 < count ? reaches[i].end.value
                                        : series->points[series->point_count - 1].x;
        level = level_of(bytes, caches, from, to, level);
        names[i] = level < caches ? pool_printf(analysis->pool, "L%zu", level + 1) : "DRAM";
    }
    return i;
}

static void add_reaches(struct analysis *analysis, const struct series *series)
{
    struct pool *pool = analysis->pool;
    struct reach reaches[REACHES_MAX];
    const char *names[REACHES_MAX];
    const size_t first = analysis->result->finding_count,
                 found = reaches_find(series, pool, reaches),
                 count = name_reaches(analysis, series, reaches, found, names);
    const double reader = series_number(series, "reader"), holder = series_number(series, "holder");
    const char *stem = pool_printf(pool, "coherence.held.%s", analysis_factor(series, "state"));
    const unsigned flags = series_flags(series);
    if (!count)
        return;
    analysis_add_value(analysis, stem, "ns", reaches[0].ns, flags)->text =
        pool_printf(pool, "CPU %.0f's %s (%s)", holder, sentence(pool, reaches, count, names),
                    analysis_factor(series, "place"));
    for (size_t i = 0; i < count; i++) {
        const char *name = pool_printf(pool, "%s.%s", stem, names[i]);
        analysis_add_value(analysis, name, "ns", reaches[i].ns, flags);
        if (i + 1 < count)
            analysis_add_value(analysis, pool_printf(pool, "%s.reach", name), "B", reaches[i].end,
                               flags);
    }
    for (size_t i = first; i < analysis->result->finding_count; i++)
        analysis->result->findings[i].cpus =
            pool_printf(pool, "%.0f,%.0f", fmin(reader, holder), fmax(reader, holder));
    analysis_read_off(analysis, first, series);
}

void held_analyse(struct analysis *analysis)
{
    for (size_t i = 0; i < analysis->result->series_count; i++)
        if (strcmp(analysis->result->series[i].name, series_name) == 0)
            add_reaches(analysis, &analysis->result->series[i]);
}
