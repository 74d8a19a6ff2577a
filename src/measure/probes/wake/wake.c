/*
 * Wake-ups: how long one CPU takes to wake another. In turns: each side sleeps until the other
 * rings, and half of a round trip is one wake-up, the cost of a message between two threads. After
 * a sleep: one side stays awake and rings a sleeper that has slept for a known time, long enough
 * for its CPU to enter a deeper idle state.
 */
#include "measure/kernels/wake.h"
#include "machine/bell.h"
#include "measure/probes/cores/cores.h"
#include "measure/probes/kit/build.h"
#include "stats/student.h"

#include <math.h>

/* The most pairs that are visited side by side: each has its own file descriptors. */
enum { SIDE_BY_SIDE = 32 };
/* Above this number of CPUs only the first way is measured between all pairs, the others only from
 * the first CPU to every other one: five matrices of 500 CPUs would take an hour. */
enum { ALL_WAYS_UP_TO = 32 };
enum { WARM_ROUND_TRIPS = 4, BATCHES = 5, TRIALS_LEAST = 6, TRIALS_MOST = 25 };
/* Wake-ups of a trial after sleeps: its value is their median, so almost half of them may be
 * disturbed by other threads. */
enum { WAKE_UPS_MOST = 51, WAKE_UPS_LEAST = 5 };
/* How long a CPU sleeps before it is woken. */
static const double sleeps_us[] = {10, 100, 1000, 10000};
enum { SLEEPS = sizeof sleeps_us / sizeof *sleeps_us };
/* Long enough for some fifty round trips of 10 us. Those of a spinning pair take a hundredth of
 * that, and a shorter batch is less often interrupted. */
static const double blocking_batch_ns = 500e3, spinning_batch_ns = 10e3, sleeping_trial_ns = 20e6;
/* Wake-ups depend on the state of both CPUs and scatter more than memory latencies. */
static const double default_precision = 0.1;
static const double share_of_blocking = 0.5, share_of_spinning = 0.2;
enum { REGION_BYTES = 4096, SHARED_AT = 1024 };

struct wake_options {
    struct setting way;
};

#include "wake.help.h"

/* Numbers of context switches and wake-ups of one way, by trial. */
enum { TALLY_TRIALS = 512 };
struct tally {
    double switches[TALLY_TRIALS], wake_ups[TALLY_TRIALS];
    size_t count;
};

struct wake_state {
    int series[BELL_KINDS]; /* each way's matrix; -1: the way is not measured */
    int sleeping;           /* the series of sleeps; -1: there is none */
    bool whole;             /* measure every pair, every way, and sleeps */
    enum bell_kind sleeper; /* the way of waking in the series of sleeps */
    enum { BLOCKING, SPINNING, SLEEPING } stage;
    unsigned sleep;     /* in stage SLEEPING: index into sleeps_us */
    struct bell *bells; /* [regions][BELL_KINDS][2] */
    size_t regions;
    double ticks_per_ns; /* of the counter; 0: not measured yet */
    struct tally tallies[BELL_KINDS];
};

/* --- bells --- */

static struct bell *bells_of(const struct wake_state *state, size_t region, int way)
{
    return &state->bells[(region * BELL_KINDS + (size_t)way) * 2];
}

static void release_wake(struct probe_task *task)
{
    const struct wake_state *state = task->state;
    for (size_t i = 0; state && state->bells && i < state->regions * BELL_KINDS * 2; i++)
        bell_close(&state->bells[i]);
}

/* --- plans --- */

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
    if (!task->common.thorough.has)
        plan->trials_max = TRIALS_MOST;
    if (!task->common.precision.has)
        plan->precision = default_precision;
    for (size_t i = 0; i < plan->point_count; i++)
        plan->points[i].arena_bytes = state->regions * REGION_BYTES;
}

static bool is_of_stage(const struct wake_state *state, int way, int stage)
{
    return state->series[way] >= 0 && (way == BELL_SPIN) == (stage == SPINNING);
}

static bool has_stage(const struct wake_state *state, int stage)
{
    bool any = false;
    for (int way = 0; way < BELL_KINDS; way++)
        any = any || is_of_stage(state, way, stage);
    return any;
}

static void add_pair(struct probe_task *task, int way, size_t region, int first, int second)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    plan->points[plan->point_count++] = (struct plan_point){.series = (unsigned)state->series[way],
                                                            .from = task->cpus.ids[first],
                                                            .to = task->cpus.ids[second],
                                                            .seat_count = 2,
                                                            .what = (unsigned)way,
                                                            .region = (unsigned)region};
}

/* Adds the pairs of the stage's ways: in rounds of pairs that share no core, split into groups of
 * at most as many pairs as regions. */
static void add_pairs(struct probe_task *task)
{
    struct plan *plan = &task->plan;
    const struct wake_state *state = task->state;
    const int count = (int)task->cpus.count;
    const size_t most = BELL_KINDS * task->cpus.count * (task->cpus.count - 1);
    unsigned *groups = pool_alloc(task->pool, most, sizeof *groups);
    bool all = state->whole; /* the first way */
    plan->points = pool_alloc(task->pool, most, sizeof *plan->points);
    plan->groups = groups;
    const struct tournament rounds = tournament_plan(
        tournament_cores(task, task->cpus.ids, task->cpus.count), task->cpus.count, task->pool);
    for (int way = 0; way < BELL_KINDS; way++) {
        if (!is_of_stage(state, way, (int)state->stage))
            continue;
        const struct pairing *pairing = rounds.pairings;
        for (size_t round = 0; all && round < rounds.round_count; round++)
            for (unsigned i = 0; i < rounds.rounds[round]; i++, pairing++) {
                const size_t region = i % state->regions;
                plan->group_count += region == 0;
                groups[plan->group_count - 1]++;
                add_pair(task, way, region, pairing->first, pairing->second);
            }
        for (int i = 1; !all && i < (state->whole ? count : 2); i++) {
            groups[plan->group_count++] = 1;
            add_pair(task, way, 0, 0, i);
        }
        all = state->whole && count <= ALL_WAYS_UP_TO;
    }
    pool_give_back(task->pool, rounds.pairings);
}

static void plan_turns(struct probe_task *task, bool spinning)
{
    struct wake_state *state = task->state;
    struct plan *plan = &task->plan;
    state->stage = spinning ? SPINNING : BLOCKING;
    add_pairs(task);
    plan_common(task);
    plan->warm_repeats = WARM_ROUND_TRIPS;
    plan->batch_ns = spinning ? spinning_batch_ns : blocking_batch_ns;
    /* A sleeping thread is switched out, which is no interruption. */
    plan->meant = spinning ? 0 : MEANT_SWITCHES;
    plan->share = !state->whole ? 1 : spinning ? share_of_spinning : share_of_blocking;
}

static int add_series(struct probe_task *task, const char *name, int way, struct axis x)
{
    const unsigned series =
        build_series(task, (struct series){.name = name, .x = x, .y = {"latency", "ns"}});
    build_factor_text(task, series, "way", bell_names[way]);
    return (int)series;
}

static void plan_wake(struct probe_task *task)
{
    const struct setting *asked = &((const struct wake_options *)task->options)->way;
    const size_t pairs = task->cpus.count / 2;
    struct wake_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    struct error why = {0};
    state->whole = task->named && !task->common.quick.has;
    state->sleeper = asked->has ? (enum bell_kind)asked->choice : BELL_FUTEX;
    state->regions = !state->whole ? 1 : pairs < SIDE_BY_SIDE ? pairs : SIDE_BY_SIDE;
    for (int way = 0; way < BELL_KINDS; way++) {
        const bool main_one = way == (int)state->sleeper;
        state->series[way] = main_one || (state->whole && !asked->has)
                                 ? add_series(task, "wake-up", way, (struct axis){"cpu", ""})
                                 : -1;
        if (state->series[way] < 0)
            continue;
        task->plan.series[state->series[way]].matrix = true;
        task->plan.series[state->series[way]].headline = state->whole && main_one;
    }
    state->sleeping = state->whole && state->sleeper != BELL_SPIN
                          ? add_series(task, "wake-up after a sleep", (int)state->sleeper,
                                       (struct axis){"asleep", "us"})
                          : -1;
    const size_t count = state->regions * BELL_KINDS * 2, align = _Alignof(struct bell);
    /* The pool's alignment is too small for bells. */
    unsigned char *memory = pool_alloc(task->pool, count + 1, sizeof(struct bell));
    state->bells = (struct bell *)(void *)(memory + (align - (uintptr_t)memory % align) % align);
    for (size_t i = 0; i < count; i++)
        state->bells[i].reads = state->bells[i].writes = -1;
    int code = 0;
    for (size_t region = 0; region < state->regions; region++)
        for (int way = 0; way < BELL_KINDS; way++)
            for (int side = 0; side < 2 && state->series[way] >= 0 && code == 0; side++)
                code = bell_open(&bells_of(state, region, way)[side], (enum bell_kind)way, &why);
    if (code == ERROR_IMPOSSIBLE && !task->named)
        return build_skip(task, pool_strdup(task->pool, why.text));
    if (code < 0)
        pool_leave(task->pool, code, "%s", why.text);
    plan_turns(task, !has_stage(state, BLOCKING));
}

/* Plans the blocking ways, then spinning, then each sleep. */
static bool next_wake(struct probe_task *task)
{
    struct wake_state *state = task->state;
    probe_plan_clear(task);
    if (state->stage == BLOCKING && has_stage(state, SPINNING)) {
        plan_turns(task, true);
        return true;
    }
    if (state->sleeping < 0 || !(state->ticks_per_ns > 0) ||
        (state->stage == SLEEPING && ++state->sleep == SLEEPS))
        return false;
    state->stage = SLEEPING;
    struct plan *plan = &task->plan;
    const double sleep_us = sleeps_us[state->sleep];
    build_point(task, (unsigned)state->sleeping, sleep_us, task->cpus.ids, 2, PARTNER)->what =
        state->sleeper;
    plan_common(task);
    plan->kernel_timed = true; /* excludes the sleep and what follows the wake-up */
    plan->meant = MEANT_SWITCHES;
    plan->repeats = 1;
    plan->batches =
        (unsigned)fmax(WAKE_UPS_LEAST, fmin(WAKE_UPS_MOST, sleeping_trial_ns / (sleep_us * 1e3)));
    plan->share = 1.0 / (SLEEPS - state->sleep);
    return true;
}

/* --- trials --- */

static uint64_t count_switches(void)
{
    struct os_thread_events events;
    os_thread_events(&events);
    return events.switches;
}

/* The data that a pair shares are at the beginning of its region of the arena. */
static void prepare_wake(struct trial *trial)
{
    const struct wake_state *state = trial->probe_state;
    const size_t at = trial->point->region;
    const int way = (int)trial->point->what;
    const bool sleeping = state->stage == SLEEPING;
    unsigned char *region = trial->arena->memory + at * REGION_BYTES;
    struct wake_bells *shared_bells = (struct wake_bells *)(void *)region;
    struct wake_shared *shared = (struct wake_shared *)(void *)(region + SHARED_AT);
    struct bell *bells = bells_of(state, at, way);
    *shared_bells = (struct wake_bells){bell_ways[way].ring, bell_ways[way].await, count_switches};
    *shared = (struct wake_shared){0};
    for (int side = 0; side < 2; side++) {
        struct worker *worker = &trial->workers[side];
        worker->state = worker->room;
        bell_silence(&bells[side]);
        if (sleeping) {
            *(struct wake_sleep *)worker->state = (struct wake_sleep){
                .bells = shared_bells,
                .bell = bells,
                .shared = shared,
                .turn = 1,
                .pause_ticks = (uint64_t)(trial->point->x * 1e3 * state->ticks_per_ns),
                .ps_per_tick = 1e3 / state->ticks_per_ns,
            };
            worker->run = side == 0 ? wake_waker_run : wake_sleeper_run;
        } else {
            *(struct wake_turns *)worker->state =
                (struct wake_turns){shared_bells, &bells[side], &bells[!side], side == 0, {0}};
            worker->run = wake_turns_run;
        }
    }
    trial->operations = sleeping ? 1 : 2;
}

/* --- observing --- */

static void observe_wake(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct wake_state *state = task->state;
    const struct trial *trial = seen->trial;
    if (!seen->batch_count || state->stage == SLEEPING)
        return;
    struct tally *tally = &state->tallies[trial->point->what];
    const struct wake_turns *first = trial->workers[0].state, *second = trial->workers[1].state;
    const double ns = seen->batches[seen->batch_count - 1].ns;
    /* An interruption between two clocks makes the rate too low, nothing makes it too high: take
     * the highest. */
    if (ns > 0)
        state->ticks_per_ns = fmax(state->ticks_per_ns, (double)first->done.last_ticks / ns);
    if (tally->count < TALLY_TRIALS) {
        tally->switches[tally->count] = (double)(first->done.switches + second->done.switches);
        tally->wake_ups[tally->count++] = (double)(first->done.repeats + second->done.repeats);
    }
}

/* --- findings --- */

static void conclude_wake(struct probe_task *task)
{
    const struct wake_state *state = task->state;
    bool slept = false, counted = false; /* counted: any switch was counted while threads slept */
    for (int way = 0; way < BELL_KINDS; way++)
        for (size_t i = 0; way != BELL_SPIN && i < state->tallies[way].count; i++) {
            slept = true;
            counted = counted || state->tallies[way].switches[i] > 0;
        }
    for (int way = 0; way < BELL_KINDS; way++) {
        const struct tally *tally = &state->tallies[way];
        if (!tally->count)
            continue;
        const bool known = counted || !slept;
        const struct interval ratio = ratio_of_sums(tally->switches, tally->wake_ups, tally->count);
        struct finding *finding =
            finding_add(task->result, task->pool,
                        pool_printf(task->pool, "wake.%s.switches", bell_names[way]), "");
        if (known) {
            finding->value = ratio.value;
            finding->low = ratio.low;
            finding->high = ratio.high;
        }
        finding->text =
            known ? "context switches for each wake-up, by the system's count"
                  : "unknown: this system counts no context switches (getrusage), so nothing "
                    "shows that threads slept; measure outside this sandbox or emulator";
    }
}

static void add_extreme(struct analysis *analysis, const struct series *series,
                        const struct point *point, const char *name, const char *words)
{
    struct finding *finding = analysis_add_summary(
        analysis, pool_printf(analysis->pool, "wake.%s.%s", analysis_factor(series, "way"), name),
        series->y.unit, &point->y, point->flags);
    finding->cpus = pool_printf(analysis->pool, "%d,%d", point->from, point->to);
    finding->text = pool_printf(analysis->pool, "%s pair: CPU %d and CPU %d, half of a round trip",
                                words, point->from, point->to);
}

static void analyse_wake(struct analysis *analysis)
{
    for (size_t s = 0; s < analysis->result->series_count; s++) {
        const struct series *series = &analysis->result->series[s];
        const struct point *least, *most;
        series_extremes(series, &least, &most);
        if (series->matrix && least) {
            add_extreme(analysis, series, least, "min", "fastest");
            add_extreme(analysis, series, most, "max", "slowest");
        }
        for (size_t i = 0; !series->matrix && i < series->point_count; i++) {
            const struct point *point = &series->points[i];
            if (point->y.n)
                analysis_add_summary(analysis,
                                     pool_printf(analysis->pool, "wake.after.%.0fus", point->x),
                                     series->y.unit, &point->y, point->flags)
                    ->text = pool_printf(analysis->pool, "woken by %s, after a sleep of %g us",
                                         analysis_factor(series, "way"), point->x);
        }
        analysis_read_off(analysis, series);
    }
    analysis_keep(analysis, "wake.*.switches", "context switches are in no series");
}

#include "wake.findings.h"

const struct probe wake_probe = {
    .name = "wake",
    .place = 45,
    .help = &help,
    .needs = NEEDS_TWO_CPUS,
    .weight = 1,
    .findings = {finding_lines, experiment},
    .plan = plan_wake,
    .prepare = prepare_wake,
    .observe = observe_wake,
    .next = next_wake,
    .conclude = conclude_wake,
    .analyse = analyse_wake,
    .release = release_wake,
};
