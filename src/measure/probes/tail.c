/*
 * The tail: loads timed one by one, level by level and node by node, and DRAM's refresh among the
 * slow ones. A mean hides them: of a hundred loads of memory one may take twice as long as the
 * others, and devices with one mean differ in it (Liu et al., "Systematic CXL memory
 * characterization and performance analysis at scale", ASPLOS 2025).
 */
#include "base/random.h"
#include "base/sort.h"
#include "base/units.h"
#include "conclude/refresh.h"
#include "document/flag.h"
#include "machine/clock.h"
#include "machine/interruptions.h"
#include "measure/kernels/contention.h"
#include "measure/kernels/single.h"
#include "measure/probes/chase/chases.h"
#include "measure/probes/kit/build.h"
#include "stats/histogram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LOADS = 1 << 16, /* of a trial: enough for six of the slowest in ten thousand */
    TRIALS = 32,
    TRIALS_QUICK = 12,
    PAUSE_BITS = 8,
    /* Longer than a load of memory, or the loop would come to each refresh at the same moment. */
    PAUSE_BITS_REFRESH = 10,
};
static const uint64_t MIB = 1024 * 1024;
/* A set of memory whose lines are taken out of the caches: many rows of all banks, and not more
 * pages than a TLB can hold. */
static const uint64_t flushed_bytes = (uint64_t)64 << 20;
/* An interrupt takes longer than this, and no load of memory does. */
static const double late_ns = 1e3;
/* After 2 ms the kernel hands softirqs to a thread (MAX_SOFTIRQ_TIME of Linux's kernel/softirq.c),
 * so a longer interruption without a context switch is no interrupt. */
static const double softirq_most_ns = 2e6;
/* Steps of the counter that are as long as what is measured. */
static const double coarse_ns = 10;
/* For all stages that are left: beside other programs there are fewer trials. */
static const double most_s = 15;

/* Why a load took long, as far as the thread's own counts and the system's tell. */
enum cause { THREADS, FAULTS, INTERRUPTS, STOLEN, UNEXPLAINED, CAUSES };
/* The system's counts of the measuring CPU; NAN: it has none. */
struct counts {
    double at_s, interrupts, stolen_ns;
};

/* A load of a trial, in ticks. */
struct late {
    double ticks; /* first: by_number() sorts by it */
    struct tail_trial *trial;
};

struct tail_trial {
    struct histogram loads; /* in ticks, but those that were interrupted */
    double empty;           /* ticks between two readings without a load */
};

/* Where loads go: a level near a CPU, or a node's memory; with `refresh` one line of it. */
struct tail_place {
    const char *name; /* of its findings: "L1", "DRAM", "node1" */
    int node;         /* -1: the CPU's own */
    bool refresh, flush;
    uint64_t bytes;
    struct tail_trial **trials;
    struct refresh_trial *slow; /* with `refresh`, of each trial */
    struct late *late;          /* loads without a mark of the thread, of all trials */
    size_t trial_count, slow_count, late_count;
    double timed; /* ticks of all loads */
};

struct tail_state {
    const struct seat *seat;
    size_t line_bytes;
    struct tail_place *places; /* node by node */
    size_t place_count, first; /* of the current stage */
    size_t stages;             /* planned so far: each has a series of what the engine timed */
    struct single single;
    double ticks_per_ns;        /* 0: not known yet */
    uint64_t step;              /* greatest common divisor of all times, in ticks */
    struct counts before, rate; /* the rate is a nanosecond's, of the first stage */
    double interrupted[CAUSES], loads;
};

/* --- plan --- */

static struct counts count_system(struct probe_task *task, double at_s)
{
    int cpu = ((const struct tail_state *)task->state)->seat->cpu;
    struct counts counts = {at_s, NAN, NAN};
    uint64_t *stolen = pool_alloc(task->pool, (size_t)cpu + 1, sizeof *stolen);
    struct interruptions now = {0};
    if (!task->machine->live || !stolen ||
        interruptions_read(&now, NULL, &(struct cpulist){&cpu, 1}, task->pool, NULL) < 0)
        return counts;
    if (os_stolen_ns(stolen, (size_t)cpu + 1))
        counts.stolen_ns = (double)stolen[cpu];
    if (now.interrupts.count)
        counts.interrupts = 0;
    for (size_t i = 0; i < now.interrupts.count; i++)
        counts.interrupts += (double)now.interrupts.list[i].counts[0];
    return counts;
}

static struct tail_place *add_place(struct probe_task *task, const char *name, int node,
                                    uint64_t bytes)
{
    struct tail_state *state = task->state;
    struct tail_place *place =
        pool_append(task->pool, (void **)&state->places, &state->place_count, sizeof *place);
    *place = (struct tail_place){.name = name, .node = node, .bytes = bytes};
    return place;
}

/* Memory, and one line of it for its refresh; where no line can be taken out of the caches, all of
 * that memory. */
static void add_memory(struct probe_task *task, const char *name, int node, uint64_t bytes)
{
    const size_t line = ((const struct tail_state *)task->state)->line_bytes;
    const bool flush = line_flush_possible();
    add_place(task, name, node, bytes)->flush = flush;
    struct tail_place *one = add_place(task, name, node, flush ? line : bytes);
    one->flush = flush;
    one->refresh = true;
}

static void choose_places(struct probe_task *task)
{
    const struct tail_state *state = task->state;
    const struct machine *machine = task->machine;
    struct chase_level levels[CHASE_LEVELS_MAX];
    const size_t count = chases_levels(task, state->seat->cpu, task->result, levels);
    const uint64_t most = machine_memory_budget(machine) / MIB * MIB;
    uint64_t memory = 0;
    for (size_t i = 0; i < count; i++)
        if (levels[i].last)
            memory = levels[i].bytes;
        else
            add_place(task, pool_strdup(task->pool, levels[i].name), -1, levels[i].bytes);
    if (line_flush_possible())
        memory = most < flushed_bytes ? most : flushed_bytes;
    const struct cpu_place *cpu = machine_cpu(machine, state->seat->cpu);
    if (memory)
        add_memory(task, "DRAM", -1, memory);
    for (size_t i = 0; machine->nodes && memory && i < machine->facts.node_count; i++) {
        const int id = machine->facts.nodes[i].id;
        if (cpu && id != cpu->node && machine->nodes[i].allowed &&
            machine->nodes[i].free_bytes / 2 >= memory)
            add_memory(task, pool_printf(task->pool, "node%d", id), id, memory);
    }
}

/* A stage measures the places of one node. False: all are measured. */
static bool plan_stage(struct probe_task *task, size_t first)
{
    struct tail_state *state = task->state;
    struct plan *plan = &task->plan;
    size_t left = 1;
    if (first == state->place_count)
        return false;
    for (size_t i = first + 1; i < state->place_count; i++)
        left += state->places[i].node != state->places[i - 1].node;
    state->first = first;
    state->stages++;
    probe_plan_begin(task, state->seat->cpu, PAGES_AUTO, 0);
    plan->node = state->places[first].node;
    plan->arena_life = ARENA_WHOLE_STAGE;
    plan->batches = 1;
    plan->repeats = task->common.quick.has ? LOADS / 4 : LOADS;
    plan->trials_min = plan->trials_max = task->common.quick.has ? TRIALS_QUICK : TRIALS;
    plan->precision = INFINITY; /* as many trials as planned, however precise */
    plan->meant = MEANT_SWITCHES | MEANT_STEAL;
    plan->cycles = false;
    plan->share = 1.0 / (double)left;
    plan->lasts_s = most_s / (double)left;
    const unsigned series = build_series(task, (struct series){.name = state->places[first].name,
                                                               .x = {"place", ""},
                                                               .y = {"time with readings", "ns"}});
    for (size_t i = first; i < state->place_count && state->places[i].node == plan->node; i++) {
        struct plan_point *point =
            build_point(task, series, (double)(i - first + 1), &state->seat->cpu, 1, MEASURED);
        point->arena_bytes = (size_t)state->places[i - state->places[i].refresh].bytes;
        point->index = i;
    }
    return true;
}

static void plan_tail(struct probe_task *task)
{
    struct tail_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->seat = chases_seat(task, task->options);
    state->rate = (struct counts){NAN, NAN, NAN};
    state->line_bytes = chases_make(task).line_bytes;
    state->single.bins = pool_alloc(task->pool, SINGLE_BINS, sizeof *state->single.bins);
    state->single.log = pool_alloc(task->pool, LOADS, sizeof *state->single.log);
    choose_places(task);
    if (!plan_stage(task, 0))
        build_skip(task, "no cache is known here, and too little memory is free for a set beyond "
                         "the caches: free some, or raise the limit (cgroup)");
}

static bool next_tail(struct probe_task *task)
{
    struct tail_state *state = task->state;
    const size_t next = state->first + task->plan.point_count;
    const double window_ns = (task->outcome->elapsed_s - state->before.at_s) * 1e9;
    if (state->loads > 0 && state->stages == 1) {
        const struct counts after = count_system(task, 0);
        state->rate.interrupts = (after.interrupts - state->before.interrupts) / window_ns;
        state->rate.stolen_ns = (after.stolen_ns - state->before.stolen_ns) / window_ns;
    }
    return plan_stage(task, next);
}

/* --- trials --- */

static void prepare_tail(struct trial *trial)
{
    struct tail_state *state = (struct tail_state *)trial->probe_state;
    const struct tail_place *place = &state->places[trial->point->index];
    struct random random = {trial->seed};
    const double late = state->ticks_per_ns * late_ns;
    const uint64_t least = late >= 1 && late < SINGLE_BINS ? (uint64_t)late : SINGLE_BINS;
    const uint64_t lines = place->bytes / state->line_bytes,
                   all = trial->point->arena_bytes / state->line_bytes;
    struct single *single = &state->single;
    *single = (struct single){.memory = trial->arena->memory +
                                        random_below(&random, all - lines + 1) * state->line_bytes,
                              .lines = lines,
                              .line_bytes = state->line_bytes,
                              .random = random_next(&random),
                              .flush = place->flush,
                              .pause_bits = place->refresh ? PAUSE_BITS_REFRESH : PAUSE_BITS,
                              .over = place->refresh ? 0 : least,
                              .check = least,
                              .count = probe_count_events,
                              .bins = single->bins,
                              .log = single->log,
                              .room = LOADS};
    /* Touches them, and the set twice, after which caches hold all of it that they can. */
    memset(single->bins, 0, SINGLE_BINS * sizeof *single->bins);
    memset(single->log, 0, (place->refresh ? LOADS : SINGLE_BINS) * sizeof *single->log);
    for (uint64_t i = 0; i < 2 * lines && !place->flush; i++)
        *(const volatile unsigned char *)(single->memory + i % lines * state->line_bytes);
    trial->workers[0].run = single_run;
    trial->workers[0].state = single;
    trial->operations = 1;
}

/* Sorts the logged loads: interrupted, maybe interrupted, or just loads. */
static void take_log(struct probe_task *task, struct tail_place *place, struct tail_trial *trial)
{
    struct tail_state *state = task->state;
    const struct single *single = &state->single;
    for (size_t i = 0; i < single->used; i++) {
        const struct gap *gap = &single->log[i];
        if (gap->switches || gap->faults) {
            state->interrupted[gap->switches ? THREADS : FAULTS]++;
            place->timed -= (double)gap->ticks; /* others' time, and interrupts in it */
        } else if ((double)gap->ticks < state->ticks_per_ns * late_ns) {
            histogram_add(&trial->loads, gap->ticks);
        } else {
            struct late *late =
                pool_append(task->pool, (void **)&place->late, &place->late_count, sizeof *late);
            *late = (struct late){(double)gap->ticks, trial};
        }
    }
}

static void take_slow(struct probe_task *task, struct tail_place *place)
{
    const struct tail_state *state = task->state;
    const struct gap *log = state->single.log;
    const size_t count = state->single.used;
    struct refresh_load *loads = pool_alloc(task->pool, count + 1, sizeof *loads);
    for (size_t i = 0; i < count; i++)
        loads[i] = (struct refresh_load){(double)(log[i].at - log[0].at + log[i].ticks) /
                                             state->ticks_per_ns,
                                         (double)log[i].ticks / state->ticks_per_ns};
    const struct refresh_trial slow = refresh_take(loads, count, task->pool);
    if (refresh_tells(&slow))
        *(struct refresh_trial *)pool_append(task->pool, (void **)&place->slow, &place->slow_count,
                                             sizeof slow) = slow;
    pool_give_back(task->pool, loads);
}

struct taking {
    struct probe_task *task;
    const struct observation *seen;
};

static int take_trial(void *with)
{
    const struct taking *taking = with;
    struct probe_task *task = taking->task;
    struct tail_state *state = task->state;
    struct tail_place *place = &state->places[taking->seen->trial->point->index];
    const struct single *single = &state->single;
    if (!(state->ticks_per_ns > 0))
        state->before = count_system(task, taking->seen->at_s);
    /* What comes between the engine's and the kernel's reading of the clock makes the rate too low,
     * and nothing makes it too high. */
    const double ns = taking->seen->batches[taking->seen->batch_count - 1].ns;
    state->ticks_per_ns = fmax(state->ticks_per_ns, ns > 0 ? (double)single->last_ticks / ns : 0);
    if (place->refresh) {
        take_slow(task, place);
        return 0;
    }
    struct tail_trial *trial = pool_alloc(task->pool, 1, sizeof *trial);
    trial->empty = single->empty;
    for (size_t bin = 0; bin < SINGLE_BINS; bin++) {
        for (uint32_t i = 0; i < single->bins[bin]; i++)
            histogram_add(&trial->loads, bin);
        state->step = single->bins[bin] ? clock_step(state->step, bin) : state->step;
    }
    take_log(task, place, trial);
    place->timed += (double)single->timed;
    state->loads += (double)taking->seen->repeats;
    *(struct tail_trial **)pool_append(task->pool, (void **)&place->trials, &place->trial_count,
                                       sizeof trial) = trial;
    return 0;
}

/* Without memory for it a trial is left out. */
static void observe_tail(void *task, const struct observation *seen)
{
    struct taking taking = {task, seen};
    if (seen->batch_count)
        pool_enter(taking.task->pool, take_trial, &taking, NULL);
}

/* --- what interrupted --- */

/* Loads that took long without a mark of the thread: as many of the shortest as there were
 * interrupts count as interrupted by these, and as much time of the longest as the hypervisor
 * reports counts as taken by it. The rest are loads. */
static void take_out(struct tail_state *state, struct tail_place *place)
{
    const double scale = state->ticks_per_ns, most = softirq_most_ns * scale;
    const double interrupts = state->rate.interrupts * place->timed / scale;
    double stolen = state->rate.stolen_ns * place->timed;
    size_t first = 0, end = place->late_count;
    const struct late *late = place->late;
    if (end)
        qsort(place->late, end, sizeof *late, by_number);
    while (first < end && (double)first + 0.5 < interrupts && late[first].ticks <= most)
        first++;
    state->interrupted[INTERRUPTS] += (double)first;
    for (; end > first && late[end - 1].ticks <= stolen; end--) {
        stolen -= late[end - 1].ticks;
        state->interrupted[STOLEN]++;
    }
    state->interrupted[UNEXPLAINED] += (double)(end - first);
    for (; first < end; first++)
        histogram_add(&late[first].trial->loads, (uint64_t)late[first].ticks);
}

/* What was taken out, by cause; where the system has no count, that cause is not in the text. */
static void add_causes(struct probe_task *task)
{
    static const char *const names[UNEXPLAINED] = {"other threads", "page faults", "interrupts",
                                                   "the hypervisor"};
    const struct tail_state *state = task->state;
    const double a_million = 1e6 / state->loads;
    double out = 0;
    const char *text = "of a million loads were taken out:";
    for (int cause = 0; cause < UNEXPLAINED; cause++) {
        if ((cause == INTERRUPTS && isnan(state->rate.interrupts)) ||
            (cause == STOLEN && isnan(state->rate.stolen_ns)))
            continue;
        out += state->interrupted[cause] * a_million;
        text = pool_printf(task->pool, "%s %s %.3g,", text, names[cause],
                           state->interrupted[cause] * a_million);
    }
    finding_add_value(task->result, task->pool, "tail.interrupted", "",
                      (struct interval){out, NAN, NAN}, 0)
        ->text = pool_printf(task->pool, "%s and %.3g of 1 us or longer without known cause kept",
                             text, state->interrupted[UNEXPLAINED] * a_million);
}

/* --- quantiles --- */

/* The quantiles in the chart: one load in so many takes longer. Those with a name have findings. */
static const struct {
    double one_in;
    const char *name;
} drawn[] = {{2, "p50"},      {5, NULL},    {10, "p90"},  {20, NULL},
             {50, NULL},      {100, "p99"}, {200, NULL},  {500, NULL},
             {1000, "p99.9"}, {2000, NULL}, {5000, NULL}, {10000, "p99.99"}};
enum { DRAWN = sizeof drawn / sizeof *drawn };

/* In ns, less the time between two readings. If the counter's step is as long as a load from a
 * cache, many loads have the same ticks; a quantile among them is then interpolated within the
 * step, by how many of them come before it. A load that took no longer than the reading counts as
 * half a step. */
static double quantile_ns(const struct tail_state *state, const struct tail_trial *trial, double p)
{
    const double wanted = p * (double)histogram_count(&trial->loads, 0), step = (double)state->step;
    double below = 0;
    for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
        const double here = trial->loads.bins[bin], share = (wanted - below) / here - 0.5;
        if (here > 0 && below + here >= wanted)
            return fmax(step / 2, histogram_middle(bin) + share * step - trial->empty) /
                   state->ticks_per_ns;
        below += here;
    }
    return NAN;
}

/* The counter's steps, where they are too coarse; "": they are fine. */
static const char *coarse(const struct probe_task *task)
{
    const struct tail_state *state = task->state;
    const double step_ns = (double)state->step / state->ticks_per_ns;
    return step_ns >= coarse_ns
               ? pool_printf(task->pool, ", in the counter's steps of %.3g ns", step_ns)
               : "";
}

static void add_quantiles(struct probe_task *task, const struct tail_place *place, unsigned flags)
{
    const struct tail_state *state = task->state;
    struct pool *pool = task->pool;
    const size_t usual = task->result->finding_count;
    const char *text = "";
    double *values = pool_alloc(pool, place->trial_count, sizeof *values), longest = 0;
    const unsigned at =
        build_series(task, (struct series){.name = "tail",
                                           .headline = strcmp(place->name, "DRAM") == 0,
                                           .x = {"one load in", ""},
                                           .y = {"latency", "ns"}});
    build_factor_text(task, at, "level", place->name);
    /* Lines that were taken out of the caches are in memory, however few they are. */
    build_factor_text(task, at, place->flush ? "flushed set" : "working set",
                      size_text(pool, (double)place->bytes));
    for (size_t q = 0; q < DRAWN; q++) {
        struct series *series = &task->plan.series[at];
        struct point *point =
            pool_append(pool, (void **)&series->points, &series->point_count, sizeof *point);
        *point = point_bare();
        point->x = drawn[q].one_in;
        point->flags = flags;
        for (size_t i = 0; i < place->trial_count; i++)
            values[i] = quantile_ns(state, place->trials[i], 1 - 1 / point->x);
        summarize(values, place->trial_count, values, &point->y);
        if (!drawn[q].name)
            continue;
        struct finding *finding = finding_add_summary(
            task->result, pool, pool_printf(pool, "tail.%s.%s", place->name, drawn[q].name), "ns",
            &point->y, flags);
        const double median = (double)point->y.median;
        if (q)
            text = pool_printf(pool, median < 9.95 ? "%s%s %.2g, " : "%s%s %.0f, ", text,
                               drawn[q].name, median);
        finding->text = pool_printf(pool, "one load in %g takes longer", point->x);
    }
    for (size_t i = 0; i < place->trial_count; i++)
        longest = fmax(longest, quantile_ns(state, place->trials[i], 1));
    finding_add_value(task->result, pool, pool_printf(pool, "tail.%s.longest", place->name), "ns",
                      (struct interval){longest, NAN, NAN}, flags)
        ->text = "the longest that nothing explains";
    /* One line for the first screen; the counter's steps are said once. */
    task->result->findings[usual].text = pool_printf(
        pool, longest < 1e4 ? "%smax %.0f ns%s" : "%smax %.0f us%s", text,
        longest < 1e4 ? longest : longest * 1e-3, place == state->places ? coarse(task) : "");
}

/* --- refresh --- */

static void add_refresh(struct probe_task *task, const struct tail_place *place, unsigned flags)
{
    static const char *const why[] = {
        [REFRESH_TOO_FEW] = "too few loads were timed; give it time (a larger --budget)",
        [REFRESH_NONE] = "slow loads have no period of 0.9 to 16 us, as JEDEC's DRAM has",
        [REFRESH_APART] = "the two halves of the run do not show the same period",
        [REFRESH_RARE] = "what repeats is part of a longer period, as pulses of programs are",
    };
    struct pool *pool = task->pool;
    const char *prefix = place->node < 0 ? "tail" : pool_printf(pool, "tail.%s", place->name);
    const struct refresh found = refresh_find(place->slow, place->slow_count, pool);
    struct summary share = found.cost_ns;
    struct finding *period =
        finding_add_summary(task->result, pool, pool_printf(pool, "%s.refresh.period", prefix),
                            "ns", &found.period_ns, flags);
    if (found.answer != REFRESH_FOUND) {
        period->text = pool_printf(
            pool, "not found: %s%s",
            task->machine->emulated ? "an emulator's own work takes longer than a refresh"
            : !place->flush ? "no line can be taken out of the caches here, and the channels do "
                              "not refresh together"
                            : why[found.answer],
            coarse(task));
        return;
    }
    summary_divide(&share, (double)found.period_ns.median / 100);
    const double twice = 2 * (double)found.period_ns.median;
    period->text = pool_printf(pool, "a load waits up to %.3g ns, %.3g %% of time",
                               (double)found.cost_ns.median, (double)share.median);
    if (twice <= refresh_most_ns)
        period->text =
            pool_printf(pool, "%s; or two in turn, each %.3g us", period->text, twice * 1e-3);
    finding_add_summary(task->result, pool, pool_printf(pool, "%s.refresh.cost", prefix), "ns",
                        &found.cost_ns, flags)
        ->text = "longer for a load that comes as a refresh begins";
    finding_add_summary(task->result, pool, pool_printf(pool, "%s.refresh.share", prefix), "%",
                        &share, flags)
        ->text = "of the time the memory refreshes and answers no load";
}

static void conclude_tail(struct probe_task *task)
{
    struct tail_state *state = task->state;
    unsigned flags = 0;
    if (!(state->loads > 0))
        return; /* nothing was measured; the points have the reason */
    for (size_t i = 0; i < state->stages; i++)
        flags |= series_flags(&task->plan.series[i]);
    flags &= FLAG_BIT(FLAG_MODELLED) | FLAG_BIT(FLAG_EMULATED) | FLAG_BIT(FLAG_SMALL_PAGES) |
             FLAG_BIT(FLAG_MISPLACED);
    for (size_t i = 0; i < state->place_count; i++)
        if (state->places[i].trial_count) {
            take_out(state, &state->places[i]);
            add_quantiles(task, &state->places[i], flags);
        }
    for (size_t i = 0; i < state->place_count; i++)
        if (state->places[i].refresh)
            add_refresh(task, &state->places[i], flags);
    add_causes(task);
    /* What the engine timed, readings and pauses included, is no result. */
    task->result->series = task->plan.series + state->stages;
    task->result->series_count = task->plan.series_count - state->stages;
}

/* Findings need single loads, which the series do not hold. */
static void analyse_tail(struct analysis *analysis)
{
    analysis_keep(analysis, "tail.interrupted, tail.*.*, tail.*.*.*",
                  "single loads are in no series");
}

/* --- the descriptor --- */

#include "tail.help.h"

#include "tail.findings.h"

const struct probe tail_probe = {
    .name = "tail",
    .place = 136,
    .help = &help,
    .thorough = true,
    .sized_by_found = true,
    .no_twin = "single loads are in no document",
    .findings = {finding_lines, experiment},
    .plan = plan_tail,
    .next = next_tail,
    .prepare = prepare_tail,
    .observe = observe_tail,
    .conclude = conclude_tail,
    .analyse = analyse_tail,
};
