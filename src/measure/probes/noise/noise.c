/*
 * Noise: who takes the core away, how often and for how long. Every CPU reads its counter as fast
 * as it can, all of them at the same time; where two readings lie far apart, something else had the
 * CPU (as in Petrini, Kerbyson and Pakin, "The case of the missing supercomputer performance",
 * SC 2003). Nothing is measured again because of an interruption: they are what is measured.
 */
#include "measure/probes/noise/noise.h"

#include "base/units.h"
#include "document/flag.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A trial's log: at 1000 interrupts a second it takes 4 s to fill. Where more come, they are still
 * counted and summed. */
enum { LOG_ROOM = 4096, SLOT_ALIGN = 4096, TRIALS_SLACK = 8 };
static const double trials_planned = 500;
static const double for_alone_s = 10, for_run_s = 2, for_quick_s = 1;
/* A batch is a number of readings, and not a time: where others have the CPU most of the time, one
 * that is as long as asked would hardly watch. Short ones, because the last one is cut off when the
 * time is over. A reading takes 10 to 50 ns. */
static const double batch_least_ns = 10e6, batch_most_ns = 1e9, reading_ns = 25;
/* An interrupt that does nothing takes more, and what a core does by itself (a page walk after the
 * system was asked, a sibling's burst) takes less. sysjitter begins at 200 ns, osnoise at 1 us. */
static const double over_default_ns = 500;
/* A distance below this many of its own readings, or of the counter's steps, says nothing. */
static const double readings_least = 4;

static const struct option_spec options[] = {
    {"for", 0, OPTION_REAL, "S", NULL, 0.5, 86400, NULL,
     "seconds to watch, up to a day (default: 10, or 1 with --quick; 2 in a whole run)"},
    {"over", 0, OPTION_REAL, "NS", NULL, 50, 1e9, NULL,
     "shortest interruption that counts (default: 500, or what the counter can resolve)"},
    {.name = NULL},
};

/* --- plan --- */

static double for_seconds(const struct probe_task *task)
{
    if (settings_has(task->settings, "for"))
        return settings_number(task->settings, "for");
    return settings_has(task->settings, "quick") ? for_quick_s
           : task->named                         ? for_alone_s
                                                 : for_run_s;
}

static int reserve(struct probe_task *task, struct noise_state *state)
{
    const size_t cpus = task->cpus.count;
    state->tallies = pool_alloc(task->pool, cpus, sizeof *state->tallies);
    for (size_t i = 0; state->tallies && i < cpus; i++) {
        struct noise_tally *tally = &state->tallies[i];
        double *columns = pool_alloc(task->pool, (GAP_KINDS + 1) * NOISE_WINDOWS, sizeof *columns);
        if (!columns)
            return ERROR_SYSTEM;
        for (int kind = 0; kind < GAP_KINDS; kind++)
            tally->lost[kind] = columns + (size_t)kind * NOISE_WINDOWS;
        tally->watched = columns + (size_t)GAP_KINDS * NOISE_WINDOWS;
    }
    return state->tallies ? 0 : ERROR_SYSTEM;
}

static int add_points(struct probe_task *task, const struct noise_state *state)
{
    struct plan *plan = &task->plan;
    const size_t cpus = task->cpus.count;
    struct seat *seats = pool_alloc(task->pool, cpus, sizeof *seats);
    unsigned *group = pool_alloc(task->pool, 1, sizeof *group);
    plan->series = pool_alloc(task->pool, 1, sizeof *plan->series);
    plan->points = pool_alloc(task->pool, cpus, sizeof *plan->points);
    if (!seats || !group || !plan->series || !plan->points)
        return ERROR_SYSTEM;
    plan->series[plan->series_count++] =
        (struct series){.name = "reading", .x = {"cpu", ""}, .y = {"time", "ns"}};
    for (size_t i = 0; i < cpus; i++) {
        seats[i] = (struct seat){task->cpus.ids[i], MEASURED};
        plan->points[i] = (struct plan_point){.x = task->cpus.ids[i],
                                              .seats = &seats[i],
                                              .seat_count = 1,
                                              .arena_bytes = cpus * state->slot_bytes,
                                              .index = i};
    }
    plan->point_count = cpus;
    *group = (unsigned)cpus;
    plan->groups = group;
    plan->group_count = 1;
    return 0;
}

static int refuse_contradiction(const struct probe_task *task, double for_s, struct error *error)
{
    const struct settings *settings = task->settings;
    if (settings_given(settings, "for") && settings_has(settings, "budget") &&
        settings_number(settings, "budget") < for_s)
        return error_set(error, ERROR_USAGE,
                         "--for %g does not fit into --budget %g: leave --budget out, or watch for "
                         "less",
                         for_s, settings_number(settings, "budget"));
    return 0;
}

static void plan_noise(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct plan *plan = &task->plan;
    struct noise_state *state = pool_alloc(task->pool, 1, sizeof *state);
    task->state = state;
    state->for_s = for_seconds(task);
    state->over_ns = settings_has(task->settings, "over") ? settings_number(task->settings, "over")
                                                          : over_default_ns;
    state->slot_bytes = (sizeof(struct gaps) + LOG_ROOM * sizeof(struct gap) + SLOT_ALIGN - 1) /
                        SLOT_ALIGN * SLOT_ALIGN;
    int code = refuse_contradiction(task, state->for_s, error);
    if (code < 0)
        return (void)pool_check(task->pool, code);
    const double batch_ns =
        fmin(batch_most_ns, fmax(batch_least_ns, state->for_s * 1e9 / trials_planned));
    plan->repeats = (uint64_t)(batch_ns / reading_ns);
    plan->batches = 1;
    /* The time ends it, so there may be more of them. */
    plan->trials_min = plan->trials_max =
        TRIALS_SLACK * (unsigned)ceil(state->for_s * 1e9 / batch_ns);
    plan->precision = INFINITY; /* it watches for as long as asked, however much it sees */
    plan->span_s = 0;
    plan->lasts_s = state->for_s;
    plan->meant = MEANT_SWITCHES | MEANT_STEAL;
    plan->cycles = false;
    plan->pages = PAGES_SMALL;
    plan->arena_life = ARENA_WHOLE_STAGE;
    task->weight_s = task->named ? state->for_s : 0;
    if (reserve(task, state) < 0 || add_points(task, state) < 0)
        return (void)pool_check(
            task->pool, error_set(error, ERROR_SYSTEM,
                                  "out of memory for that many CPUs: choose fewer with --cpus"));
    return (void)pool_check(task->pool, 0);
}

/* --- trials --- */

static void count_events(struct gap_counts *counts)
{
    struct os_thread_events events;
    os_thread_events(&events);
    *counts = (struct gap_counts){events.switches, events.page_faults};
}

static struct gaps *gaps_of(const struct trial *trial)
{
    const struct noise_state *state = trial->probe_state;
    return (struct gaps *)(void *)(trial->arena->memory + trial->point->index * state->slot_bytes);
}

/* The log goes on from trial to trial, so that nothing is lost where a visit has to be made again
 * for another reason. */
static void prepare_noise(struct trial *trial)
{
    const struct noise_state *state = trial->probe_state;
    struct noise_tally *tally = &state->tallies[trial->point->index];
    struct gaps *gaps = gaps_of(trial);
    if (!tally->begun)
        *gaps = (struct gaps){
            .count = count_events, .log = (struct gap *)(void *)(gaps + 1), .room = LOG_ROOM};
    tally->begun = true;
    gaps->over = tally->over;
    trial->workers[0].run = gaps_run;
    trial->workers[0].state = gaps;
}

/* --- observing --- */

/* What interrupts between the engine's reading of the clock and the kernel's makes the rate too
 * low, and nothing makes it too high: so the highest is right. */
static void learn_rate(struct noise_state *state, const struct observation *seen,
                       const struct gaps *gaps)
{
    const double ns = seen->batches[seen->batch_count - 1].ns;
    if (ns > 0 && gaps->last_ticks)
        state->ticks_per_ns = fmax(state->ticks_per_ns, (double)gaps->last_ticks / ns);
}

static uint64_t ticks_over(const struct noise_state *state, const struct gaps *gaps)
{
    double lost = (double)gaps->missed_ticks;
    for (size_t i = 0; i < gaps->used; i++)
        lost += (double)gaps->log[i].ticks;
    const double reading = ((double)gaps->watched - lost) / (double)gaps->readings;
    /* A counter may move in steps of many ticks, as an emulator's does, and stand still between. */
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

static void count_system(struct probe_task *task, double at_s)
{
    struct noise_state *state = task->state;
    const size_t ids = noise_ids(task);
    state->counted = true;
    state->counted_at_s = at_s;
    state->stolen_before = pool_alloc(task->pool, ids, sizeof *state->stolen_before);
    if (!task->machine->live || !state->stolen_before)
        return;
    interruptions_read(&state->before, NULL, &task->cpus, task->pool, NULL);
    os_stolen_ns(state->stolen_before, ids);
}

/* The line that is shown while it runs. */
static void tell_so_far(struct probe_task *task)
{
    const struct noise_state *state = task->state;
    double lost = 0, watched = 0, longest = 0;
    char longest_text[UNIT_TEXT];
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct noise_tally *tally = &state->tallies[i];
        watched += noise_watched(tally);
        for (int kind = 0; kind < GAP_KINDS; kind++) {
            lost += noise_lost(tally, (enum gap_kind)kind);
            longest = fmax(longest, (double)tally->longest[kind]);
        }
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
    learn_rate(state, seen, gaps);
    if (!tally->over)
        tally->over = ticks_over(state, gaps);
    if (noise_tally_add(tally, gaps, task->pool) < 0)
        tally->event_counts[0] = tally->event_counts[1] = EVENTS_MOST; /* no memory for more */
    if (!state->counted)
        count_system(task, seen->at_s);
    if (seen->trial->point->index + 1 == task->cpus.count)
        tell_so_far(task);
}

const struct probe noise_probe = {
    .name = "noise",
    .place = 5,
    .title = "Who takes the core away",
    .summary = "who takes CPU time away: how much, how long at a time, and by what",
    .about =
        "Every CPU reads its counter as fast as it can, all at the same time, and where two "
        "readings lie farther apart than they should (--over), something else had the CPU. Shown "
        "are the share of time that was taken, the lengths, the longest, what comes "
        "periodically, and the quietest CPUs, as a list for --cpus.\n"
        "The cause is known where the system reports it: other threads and page faults for each "
        "interruption, by the thread's own counts; interrupts (with the softirqs behind them) by "
        "how many there were; stolen time by what the hypervisor reports, in steps of 10 ms. The "
        "rest is unexplained: firmware (SMI), or a host that does not report it.\n"
        "What moves it: everything else that runs, the timer's tick, devices whose interrupts come "
        "to this CPU, a hypervisor's other guests. What is rare needs time to be seen: watch for a "
        "minute with --for 60. All CPUs are busy meanwhile, so others find none idle.",
    .weight = 2,
    .quick = true,
    .options = options,
    .findings = {noise_lines, noise_experiment},
    .plan = plan_noise,
    .prepare = prepare_noise,
    .observe = observe_noise,
    .conclude = noise_conclude,
    .analyse = noise_analyse,
};
