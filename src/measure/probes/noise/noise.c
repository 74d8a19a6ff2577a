/*
 * Noise: what interrupts the cores, how often and for how long. All CPUs read their counters as
 * fast as they can, at the same time; if two readings are far apart, something else had the CPU (as
 * in Petrini, Kerbyson and Pakin, "The case of the missing supercomputer performance", SC 2003).
 * Interrupted trials are not repeated, because the interruptions are measured.
 */
#include "measure/probes/noise/noise.h"

#include "base/units.h"

#include <math.h>
#include <stdio.h>

/* A trial's log: 1000 interrupts a second fill it in 4 s. Interruptions beyond it are still counted
 * and summed. */
enum { LOG_ROOM = 4096, SLOT_ALIGN = 4096, TRIALS_SLACK = 8 };
static const double trials_planned = 500;
static const double for_alone_s = 10, for_run_s = 2, for_quick_s = 1;
/* A batch is a number of readings, not a time: if other programs have the CPU most of the time, a
 * batch of fixed length would hardly read. Batches are short, because the last one is cut off when
 * the time is over. A reading takes 10 to 50 ns. */
static const double batch_least_ns = 10e6, batch_most_ns = 1e9, reading_ns = 25;
/* Even an empty interrupt takes longer, and a core's own delays (a page walk after a system call, a
 * burst of the sibling thread) are shorter. sysjitter begins at 200 ns, osnoise at 1 us. */
static const double over_default_ns = 500;
/* A gap must be at least this many times as long as a reading, and as the counter's step. */
static const double readings_least = 4;

/* An interruption is long from this multiple of the counting threshold on, by default 50 us. A
 * timer's tick is seldom that long, and longer interruptions are rare enough to be logged for
 * hours. */
static const double long_overs = 100;

struct noise_options {
    struct setting watch, over;
};

#include "noise.help.h"

/* --- plan --- */

static void plan_noise(struct probe_task *task)
{
    const struct noise_options *asked = task->options;
    const struct common_options *common = &task->common;
    struct plan *plan = &task->plan;
    struct noise_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    unsigned *group = pool_alloc(task->pool, 1, sizeof *group);
    const double for_s = asked->watch.has    ? asked->watch.number
                         : common->quick.has ? for_quick_s
                         : task->named       ? for_alone_s
                                             : for_run_s;
    state->over_ns = asked->over.has ? asked->over.number : over_default_ns;
    state->slot_bytes = (sizeof(struct gaps) + LOG_ROOM * sizeof(struct gap) + SLOT_ALIGN - 1) /
                        SLOT_ALIGN * SLOT_ALIGN;
    state->tallies = pool_alloc(task->pool, task->cpus.count, sizeof *state->tallies);
    if (asked->watch.given && common->budget.has && common->budget.number < for_s)
        pool_leave(task->pool, ERROR_USAGE,
                   "--for %g does not fit into --budget %g: leave --budget out, or watch for less",
                   for_s, common->budget.number);
    const double batch_ns = fmin(batch_most_ns, fmax(batch_least_ns, for_s * 1e9 / trials_planned));
    plan->repeats = (uint64_t)(batch_ns / reading_ns);
    plan->batches = 1;
    /* The time limit ends the plan, so this must only be enough. */
    plan->trials_min = plan->trials_max = TRIALS_SLACK * (unsigned)ceil(for_s * 1e9 / batch_ns);
    plan->precision = INFINITY; /* it watches for the requested time, however precise */
    plan->span_s = 0;
    plan->lasts_s = for_s;
    plan->meant = MEANT_SWITCHES | MEANT_STEAL;
    plan->cycles = false;
    plan->pages = PAGES_SMALL;
    plan->arena_life = ARENA_WHOLE_STAGE;
    task->weight_s = task->named ? for_s : 0;
    build_series(task, (struct series){.name = "reading", .x = {"cpu", ""}, .y = {"time", "ns"}});
    for (size_t i = 0; i < task->cpus.count; i++) {
        const int *cpu = &task->cpus.ids[i];
        struct plan_point *point = build_point(task, 0, *cpu, cpu, 1, MEASURED);
        point->arena_bytes = task->cpus.count * state->slot_bytes;
        point->index = i;
    }
    *group = (unsigned)task->cpus.count;
    plan->groups = group;
    plan->group_count = 1;
}

/* --- trials --- */

static struct gaps *gaps_of(const struct trial *trial)
{
    const struct noise_state *state = trial->probe_state;
    return (struct gaps *)(void *)(trial->arena->memory + trial->point->index * state->slot_bytes);
}

/* The log continues from trial to trial, so that a repeated visit loses nothing. */
static void prepare_noise(struct trial *trial)
{
    const struct noise_state *state = trial->probe_state;
    struct noise_tally *tally = &state->tallies[trial->point->index];
    struct gaps *gaps = gaps_of(trial);
    if (!tally->begun)
        *gaps = (struct gaps){
            .count = probe_count_events, .log = (struct gap *)(void *)(gaps + 1), .room = LOG_ROOM};
    tally->begun = true;
    gaps->over = tally->over;
    trial->workers[0].run = gaps_run;
    trial->workers[0].state = gaps;
}

/* --- tallies --- */

/* Makes room for a trial: opens a new window if the last one is full, and first merges neighbours
 * in pairs if there are NOISE_WINDOWS. */
static void open_window(struct noise_tally *tally)
{
    tally->each = tally->each ? tally->each : 1;
    if (tally->windows && tally->filled < tally->each)
        return;
    const bool full = tally->windows == NOISE_WINDOWS;
    for (int column = 0; column <= WATCHED && full; column++)
        for (size_t i = 0; i < NOISE_WINDOWS / 2; i++)
            tally->ticks[column][i] = tally->ticks[column][2 * i] + tally->ticks[column][2 * i + 1];
    if (full) {
        tally->windows /= 2;
        tally->each *= 2;
    }
    for (int column = 0; column <= WATCHED; column++)
        tally->ticks[column][tally->windows] = 0;
    tally->windows++;
    tally->filled = 0;
}

/* Adds the kernel's log to the tally and empties it. */
static void take(struct noise_tally *tally, struct gaps *gaps, struct pool *pool)
{
    double lost[GAP_KINDS] = {0};
    for (size_t i = 0; i < gaps->used; i++) {
        const struct gap *gap = &gaps->log[i];
        const enum gap_kind kind = gap->switches ? GAP_THREADS
                                   : gap->faults ? GAP_FAULTS
                                                 : GAP_OTHER;
        if (gap->ticks < tally->over)
            continue;
        histogram_add(&tally->lengths[kind], gap->ticks);
        lost[kind] += (double)gap->ticks;
        if (gap->ticks > tally->longest[kind])
            tally->longest[kind] = gap->ticks;
        const int length = (double)gap->ticks >= long_overs * (double)tally->over;
        struct noise_event *event = tally->event_counts[length] < EVENTS_MOST
                                        ? pool_append(pool, (void **)&tally->events[length],
                                                      &tally->event_counts[length], sizeof *event)
                                        : NULL;
        if (event)
            *event = (struct noise_event){(double)gap->at, (double)gap->ticks, kind};
    }
    /* Interruptions without room in the log have no single lengths, but the sums include them. */
    lost[GAP_OTHER] += (double)gaps->missed_ticks;
    if (gaps->missed_longest > tally->longest[GAP_OTHER])
        tally->longest[GAP_OTHER] = gaps->missed_longest;
    tally->missed += gaps->missed;
    tally->backwards += gaps->backwards;
    if (gaps->watched) {
        open_window(tally);
        tally->filled++;
        for (int kind = 0; kind < GAP_KINDS; kind++)
            tally->ticks[kind][tally->windows - 1] += lost[kind];
        tally->ticks[WATCHED][tally->windows - 1] += (double)gaps->watched;
    }
    gaps->used = 0;
    gaps->missed = gaps->missed_ticks = gaps->missed_longest = 0;
    gaps->readings = gaps->watched = gaps->backwards = 0;
}

double noise_ticks(const struct noise_tally *tally, int column)
{
    double sum = 0;
    for (unsigned i = 0; i < tally->windows; i++)
        sum += tally->ticks[column][i];
    return sum;
}

double noise_longest(const struct noise_tally *tally)
{
    double longest = 0;
    for (int kind = 0; kind < GAP_KINDS; kind++)
        longest = fmax(longest, (double)tally->longest[kind]);
    return longest;
}

/* --- observing --- */

static uint64_t ticks_over(const struct noise_state *state, const struct gaps *gaps)
{
    double lost = (double)gaps->missed_ticks;
    for (size_t i = 0; i < gaps->used; i++)
        lost += (double)gaps->log[i].ticks;
    const double reading = ((double)gaps->watched - lost) / (double)gaps->readings;
    /* A counter may advance in steps of many ticks, as an emulator's does. */
    const double distance = fmax(fmax(reading, (double)gaps->shortest), 1);
    return (uint64_t)ceil(fmax(state->over_ns * state->ticks_per_ns, readings_least * distance));
}

size_t noise_ids(const struct probe_task *task)
{
    int most = 0;
    for (size_t i = 0; i < task->cpus.count; i++)
        most = task->cpus.ids[i] > most ? task->cpus.ids[i] : most;
    return (size_t)most + 1;
}

/* The line that is shown while it runs. */
static void tell_so_far(struct probe_task *task)
{
    const struct noise_state *state = task->state;
    double lost = 0, watched = 0, longest = 0;
    char longest_text[UNIT_TEXT];
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct noise_tally *tally = &state->tallies[i];
        watched += noise_ticks(tally, WATCHED);
        longest = fmax(longest, noise_longest(tally));
        for (int kind = 0; kind < GAP_KINDS; kind++)
            lost += noise_ticks(tally, kind);
    }
    if (watched > 0)
        snprintf(task->so_far, sizeof task->so_far, "%.2f %% taken, longest %s",
                 100 * lost / watched,
                 duration_format(longest / state->ticks_per_ns * 1e-9, longest_text));
}

static void observe_noise(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct noise_state *state = task->state;
    struct noise_tally *tally = &state->tallies[seen->trial->point->index];
    struct gaps *gaps = gaps_of(seen->trial);
    if (!seen->batch_count || !gaps->readings)
        return;
    /* An interruption between the engine's and the kernel's reading of the clock makes the rate too
     * low, and nothing makes it too high, so the highest rate is right. */
    const double ns = seen->batches[seen->batch_count - 1].ns;
    if (ns > 0 && gaps->last_ticks)
        state->ticks_per_ns = fmax(state->ticks_per_ns, (double)gaps->last_ticks / ns);
    if (!tally->over)
        tally->over = ticks_over(state, gaps);
    take(tally, gaps, task->pool);
    if (!state->counted) {
        const size_t ids = noise_ids(task);
        state->counted = true;
        state->counted_at_s = seen->at_s;
        state->stolen_before = pool_alloc(task->pool, ids, sizeof *state->stolen_before);
        if (task->machine->live && state->stolen_before) {
            interruptions_read(&state->before, NULL, &task->cpus, task->pool, NULL);
            os_stolen_ns(state->stolen_before, ids);
        }
    }
    if (seen->trial->point->index + 1 == task->cpus.count)
        tell_so_far(task);
}

/* --- findings --- */

/* Findings need single interruptions, which the series by CPU do not hold. */
static void analyse_noise(struct analysis *analysis)
{
    analysis_keep(analysis, "noise.*, noise.*.*, noise.*.*.*",
                  "single interruptions are in no series");
}

#include "noise.findings.h"

const struct probe noise_probe = {
    .name = "noise",
    .place = 5,
    .help = &help,
    .weight = 2,
    .quick = true,
    .no_twin = "single interruptions are in no document",
    .findings = {finding_lines, experiment},
    .plan = plan_noise,
    .prepare = prepare_noise,
    .observe = observe_noise,
    .conclude = noise_conclude,
    .analyse = analyse_noise,
};
