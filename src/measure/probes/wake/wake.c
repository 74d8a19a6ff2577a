/*
 * Wake-ups: what it takes one CPU to wake another. In turn, both sides sleep until the other rings,
 * and half of a round trip is one wake-up; that is what a message between two threads costs. After
 * a sleep, one side stays awake and rings a sleeper that has slept for a known time, long enough
 * for its CPU to have gone to a deeper idle state.
 */
#include "measure/probes/wake/wake.h"

#include "document/flag.h"
#include "measure/kernels/wake.h"

#include <math.h>
#include <stdlib.h>

const double wake_sleeps_us[WAKE_SLEEPS] = {10, 100, 1000, 10000};

enum { WARM_ROUND_TRIPS = 4, BATCHES = 5, TRIALS_LEAST = 6, TRIALS_MOST = 25 };
/* Of a trial after sleeps: its value is their median, so half of them may meet other threads. */
enum { WAKE_UPS_MOST = 51, WAKE_UPS_LEAST = 5 };
/* Long enough for some fifty round trips of 10 us. Hand-offs of a spinning pair take a hundredth of
 * that, and a shorter batch has better chances that nothing comes in between. */
static const double blocking_batch_ns = 500e3, spinning_batch_ns = 10e3, sleeping_trial_ns = 20e6;
/* Wake-ups scatter with the state of both CPUs by more than memory does. */
static const double default_precision = 0.1;
static const double share_of_blocking = 0.5, share_of_spinning = 0.2;
enum { REGION_BYTES = 4096, SHARED_AT = 1024 };

static const struct option_spec options[] = {
    {"way", 0, OPTION_CHOICE, "WAY", NULL, 0, 0, bell_names,
     "measure this way alone: futex, eventfd, pipe, condition (a POSIX condition variable), or "
     "spin, which puts nobody to sleep (default: all of them)"},
    {.name = NULL},
};

/* --- bells --- */

static struct bell *bells_of(const struct wake_state *state, size_t region, int way)
{
    return &state->bells[(region * BELL_KINDS + (size_t)way) * 2];
}

/* Aligned beyond what a pool promises. */
static struct bell *reserve_bells(struct pool *pool, size_t count)
{
    const uintptr_t align = _Alignof(struct bell);
    unsigned char *memory = pool_alloc(pool, count + 1, sizeof(struct bell));
    return memory ? (struct bell *)(void *)(memory + (align - (uintptr_t)memory % align) % align)
                  : NULL;
}

static int open_bells(struct probe_task *task, struct wake_state *state, struct error *error)
{
    const size_t count = state->regions * BELL_KINDS * 2;
    state->bells = reserve_bells(task->pool, count);
    for (size_t i = 0; i < count; i++)
        state->bells[i].reads = state->bells[i].writes = -1;
    int code = 0;
    for (size_t region = 0; region < state->regions; region++)
        for (int way = 0; way < BELL_KINDS; way++)
            for (int side = 0; side < 2 && state->chosen[way] && code == 0; side++)
                code = bell_open(&bells_of(state, region, way)[side], (enum bell_kind)way, error);
    return code;
}

static void release_wake(struct probe_task *task)
{
    const struct wake_state *state = task->state;
    for (size_t i = 0; state && state->bells && i < state->regions * BELL_KINDS * 2; i++)
        bell_close(&state->bells[i]);
}

/* --- plans --- */

static struct series *add_series(struct probe_task *task, const char *name, int way)
{
    struct series *series = &task->plan.series[task->plan.series_count++];
    struct factor *factor = pool_alloc(task->pool, 1, sizeof *factor);
    if (!factor)
        return NULL;
    *factor = (struct factor){"way", bell_names[way], 0};
    *series =
        (struct series){.name = name, .factors = factor, .factor_count = 1, .y = {"latency", "ns"}};
    return series;
}

static void plan_common(struct probe_task *task)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    plan->cycles = false;
    plan->pages = PAGES_SMALL;
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->batches = BATCHES;
    plan->span_s = 0;
    plan->trials_min = TRIALS_LEAST;
    if (!settings_has(task->settings, "thorough"))
        plan->trials_max = TRIALS_MOST;
    if (!settings_has(task->settings, "precision"))
        plan->precision = default_precision;
    for (size_t i = 0; i < plan->point_count; i++)
        plan->points[i].arena_bytes = state->regions * REGION_BYTES;
}

static bool is_any(const struct wake_state *state, enum wake_stage stage)
{
    bool any = false;
    for (int way = 0; way < BELL_KINDS; way++)
        any = any || (state->chosen[way] && (way == BELL_SPIN) == (stage == WAKE_SPINNING));
    return any;
}

static int plan_turns(struct probe_task *task, enum wake_stage stage, struct error *error)
{
    struct wake_state *state = task->state;
    struct plan *plan = &task->plan;
    state->stage = stage;
    int code = wake_add_pairs(task, error);
    plan_common(task);
    plan->warm_repeats = WARM_ROUND_TRIPS;
    plan->batch_ns = stage == WAKE_SPINNING ? spinning_batch_ns : blocking_batch_ns;
    /* A thread that sleeps is switched out: that is no interruption. */
    plan->meant = stage == WAKE_SPINNING ? 0 : MEANT_SWITCHES;
    plan->share = !state->whole            ? 1
                  : stage == WAKE_SPINNING ? share_of_spinning
                                           : share_of_blocking;
    return code;
}

static int plan_sleep(struct probe_task *task, struct error *error)
{
    struct wake_state *state = task->state;
    struct plan *plan = &task->plan;
    const double sleep_ns = wake_sleeps_us[state->sleep] * 1e3;
    plan->points = pool_alloc(task->pool, 1, sizeof *plan->points);
    struct seat *seats = pool_alloc(task->pool, 2, sizeof *seats);
    seats[0] = (struct seat){task->cpus.ids[0], MEASURED};
    seats[1] = (struct seat){task->cpus.ids[1], PARTNER};
    plan->points[0] = (struct plan_point){.series = (unsigned)state->sleeping,
                                          .x = wake_sleeps_us[state->sleep],
                                          .seats = seats,
                                          .seat_count = 2,
                                          .what = (unsigned)state->sleeper};
    plan->point_count = 1;
    plan_common(task);
    plan->kernel_timed = true; /* what is timed is neither the sleep nor what follows the wake-up */
    plan->meant = MEANT_SWITCHES;
    plan->repeats = 1;
    plan->batches =
        (unsigned)fmax(WAKE_UPS_LEAST, fmin(WAKE_UPS_MOST, sleeping_trial_ns / sleep_ns));
    plan->share = 1.0 / (WAKE_SLEEPS - state->sleep);
    return 0;
}

static int choose(struct probe_task *task, struct wake_state *state)
{
    const bool one = settings_has(task->settings, "way");
    const bool quick = settings_has(task->settings, "quick");
    state->whole = task->named && !quick;
    for (int way = 0; way < BELL_KINDS; way++) {
        state->chosen[way] =
            one ? way == settings_choice(task->settings, "way") : state->whole || way == BELL_FUTEX;
        state->series[way] = -1;
    }
    state->sleeping = -1;
    state->sleeper = one ? (enum bell_kind)settings_choice(task->settings, "way") : BELL_FUTEX;
    const size_t pairs = task->cpus.count / 2;
    state->regions = !state->whole ? 1 : pairs < WAKE_SIDE_BY_SIDE ? pairs : WAKE_SIDE_BY_SIDE;
    state->tallies = pool_alloc(task->pool, BELL_KINDS, sizeof *state->tallies);
    return state->tallies ? 0 : ERROR_SYSTEM;
}

static int add_all_series(struct probe_task *task, struct wake_state *state)
{
    task->plan.series = pool_alloc(task->pool, BELL_KINDS + 1, sizeof *task->plan.series);
    for (int way = 0; task->plan.series && way < BELL_KINDS; way++) {
        if (!state->chosen[way])
            continue;
        state->series[way] = (int)task->plan.series_count;
        struct series *series = add_series(task, "wake-up", way);
        if (!series)
            return ERROR_SYSTEM;
        series->matrix = true;
        series->x = (struct axis){"cpu", ""};
        series->headline = state->whole && way == (int)state->sleeper;
    }
    if (!task->plan.series)
        return ERROR_SYSTEM;
    if (!state->whole || state->sleeper == BELL_SPIN)
        return 0;
    state->sleeping = (int)task->plan.series_count;
    struct series *series = add_series(task, "wake-up after a sleep", (int)state->sleeper);
    if (!series)
        return ERROR_SYSTEM;
    series->x = (struct axis){"asleep", "us"};
    return 0;
}

static void plan_wake(struct probe_task *task)
{
    struct error *error = pool_error(task->pool);
    struct wake_state *state = pool_alloc(task->pool, 1, sizeof *state);
    task->state = state;
    if (!state || choose(task, state) < 0 || add_all_series(task, state) < 0)
        return (void)pool_check(task->pool, error_out_of_memory(error));
    struct error why = {0};
    int code = open_bells(task, state, &why);
    if (code == ERROR_IMPOSSIBLE && !task->named) {
        task->result->status = PROBE_SKIPPED;
        task->result->reason = pool_strdup(task->pool, why.text);
        return (void)pool_check(task->pool, task->result->reason ? 0 : error_out_of_memory(error));
    }
    if (code < 0)
        return (void)pool_check(task->pool, error_set(error, code, "%s", why.text));
    return (void)pool_check(
        task->pool,
        plan_turns(task, is_any(state, WAKE_BLOCKING) ? WAKE_BLOCKING : WAKE_SPINNING, error));
}

/* Blocking ways, then spinning, then one sleep after the other. */
static bool next_wake(struct probe_task *task, const struct stage_outcome *outcome, unsigned stage)
{
    struct error *error = pool_error(task->pool);
    struct wake_state *state = task->state;
    (void)outcome, (void)stage;
    int code = 0;
    probe_plan_clear(task);
    if (state->stage == WAKE_BLOCKING && is_any(state, WAKE_SPINNING)) {
        code = plan_turns(task, WAKE_SPINNING, error);
        return pool_check(task->pool, code < 0 ? code : 1) > 0;
    }
    if (state->sleeping < 0 || !(state->ticks_per_ns > 0))
        return pool_check(task->pool, 0) > 0;
    if (state->stage == WAKE_SLEEPING && ++state->sleep == WAKE_SLEEPS)
        return pool_check(task->pool, 0) > 0;
    state->stage = WAKE_SLEEPING;
    code = plan_sleep(task, error);
    return pool_check(task->pool, code < 0 ? code : 1) > 0;
}

/* --- trials --- */

static uint64_t count_switches(void)
{
    struct os_thread_events events;
    os_thread_events(&events);
    return events.switches;
}

static void set_bells(struct wake_bells *bells, int way)
{
    *bells = (struct wake_bells){bell_ways[way].ring, bell_ways[way].await, count_switches};
}

/* What a pair shares, at the beginning of its part of the arena; struct wake_shared lies behind. */
struct region {
    struct wake_bells bells;
};

static void prepare_turns(struct trial *trial, struct region *region, struct bell *bells)
{
    for (int side = 0; side < 2; side++) {
        struct wake_turns *turns = (struct wake_turns *)(void *)trial->workers[side].room;
        *turns = (struct wake_turns){&region->bells, &bells[side], &bells[!side], side == 0, {0}};
        trial->workers[side].run = wake_turns_run;
        trial->workers[side].state = turns;
    }
    trial->operations = 2;
}

static void prepare_sleep(struct trial *trial, struct region *region, struct bell *bells)
{
    const struct wake_state *state = trial->probe_state;
    struct wake_shared *shared =
        (struct wake_shared *)(void *)((unsigned char *)region + SHARED_AT);
    *shared = (struct wake_shared){0};
    for (int side = 0; side < 2; side++) {
        struct wake_sleep *sleep = (struct wake_sleep *)(void *)trial->workers[side].room;
        *sleep = (struct wake_sleep){
            .bells = &region->bells,
            .bell = bells,
            .shared = shared,
            .turn = 1,
            .pause_ticks = (uint64_t)(trial->point->x * 1e3 * state->ticks_per_ns),
            .ps_per_tick = 1e3 / state->ticks_per_ns,
        };
        trial->workers[side].run = side == 0 ? wake_waker_run : wake_sleeper_run;
        trial->workers[side].state = sleep;
    }
    trial->operations = 1;
}

static void prepare_wake(struct trial *trial)
{
    const struct wake_state *state = trial->probe_state;
    const size_t at = trial->point->region;
    const int way = (int)trial->point->what;
    struct region *region = (struct region *)(void *)(trial->arena->memory + at * REGION_BYTES);
    struct bell *bells = bells_of(state, at, way);
    for (int side = 0; side < 2; side++)
        bell_silence(&bells[side]);
    set_bells(&region->bells, way);
    if (state->stage == WAKE_SLEEPING)
        prepare_sleep(trial, region, bells);
    else
        prepare_turns(trial, region, bells);
}

/* --- observing --- */

static void observe_wake(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct wake_state *state = task->state;
    const struct trial *trial = seen->trial;
    if (!seen->batch_count || state->stage == WAKE_SLEEPING)
        return;
    struct wake_tally *tally = &state->tallies[trial->point->what];
    const struct wake_turns *first = trial->workers[0].state, *second = trial->workers[1].state;
    const double ns = seen->batches[seen->batch_count - 1].ns;
    /* An interruption between two clocks makes the rate too low, and nothing makes it too high. */
    if (ns > 0)
        state->ticks_per_ns = fmax(state->ticks_per_ns, (double)first->done.last_ticks / ns);
    if (tally->count < WAKE_TALLY) {
        tally->switches[tally->count] = (double)(first->done.switches + second->done.switches);
        tally->wake_ups[tally->count++] = (double)(first->done.repeats + second->done.repeats);
    }
}

const struct probe wake_probe = {
    .name = "wake",
    .place = 45,
    .title = "What it takes to wake another CPU",
    .summary = "how long it takes to wake a thread that sleeps on another CPU",
    .about =
        "Two threads on two CPUs wake each other in turn, and half of a round trip is one wake-up: "
        "by futex, eventfd, pipe and condition variable, and, for comparison, by spinning, where "
        "nobody sleeps. Every pair is measured, in rounds of pairs that share no core; above 32 "
        "CPUs the other ways only from the first CPU. Then one CPU lets another sleep for 10 us to "
        "10 ms and wakes it: from deeper idle states that takes longer.\n"
        "Beside each way stands how many context switches a wake-up took, by the system's own "
        "count: about 1 where the other really slept, 0 where it had not come to sleep yet.\n"
        "What moves it: idle states (their exit latency is in "
        "/sys/devices/system/cpu/cpu0/cpuidle), "
        "the distance of the CPUs, the clock of a CPU that has just slept, a hypervisor, which "
        "has to be asked for an interrupt and for waking a halted CPU, and everything else that "
        "runs. In a whole run, and with --quick, it is one pair and futex alone.",
    .needs = NEEDS_TWO_CPUS,
    .weight = 1,
    .options = options,
    .findings = {wake_lines, wake_experiment},
    .plan = plan_wake,
    .prepare = prepare_wake,
    .observe = observe_wake,
    .next = next_wake,
    .conclude = wake_conclude,
    .analyse = wake_analyse,
    .release = release_wake,
};
