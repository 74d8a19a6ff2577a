/*
 * Latency under load: one chase through DRAM is timed while other CPUs move lines to and from the
 * same memory, in steps from no traffic to the most they can. Each injector's lines are counted
 * while the chase is timed, so the curve is latency over obtained bandwidth, not over a requested
 * one.
 *
 * The idea is that of Intel's Memory Latency Checker ("loaded latency") and of bandwidth-latency
 * curves (Esmaili-Dokht et al., "A Mess of Memory System Benchmarking, Simulation and Application
 * Profiling", MICRO 2024).
 */
#include "measure/probes/loaded/loaded.h"

#include "base/random.h"
#include "base/units.h"
#include "measure/probes/chase/working_sets.h"
#include "measure/probes/kit/build.h"
#include "stats/undisturbed.h"

#include <math.h>
#include <stdlib.h>

static const uint64_t HUGE_PAGE = 2 * 1024 * 1024;
/* Limits the memory of all injectors together, because every round touches it. */
static const uint64_t inject_bytes_most = (uint64_t)2 << 30;
/* An injector below this share of the fastest one's rate had no CPU, and not just a slow one. */
static const double starved_below = 0.05;
/* Latency under load is not reproducible within 1 %. */
static const double usual_precision = 0.02;
/* Of a trial: beside other programs many are disturbed. */
enum { WINDOWS = 12 };
/* Share of the time for the ladder's two ends if the steps between them follow. */
static const double ends_share = 0.5;
/* Every second or third step still shows how latency rises and between which two steps the knee
 * lies; fewer steps do not. */
enum { STRIDE_MOST = 3 };
enum { ENDS = 2, ENDS_TRIALS_MAX = 12, INJECTORS_MOST = 65536 };

const unsigned loaded_pauses[LOADED_STEPS] = {0,  4096, 2048, 1024, 512, 256, 192, 128,
                                              96, 64,   48,   32,   24,  16,  8,   1};

struct loaded_options {
    struct setting mix, traffic, injectors, cpu, device, pages;
};

#include "loaded.help.h"

/* --- planning: seats --- */

/* A CPU that may inject; the lowest rank comes first. */
struct candidate {
    int cpu;
    bool own_node, own_core;
    int sibling;
};

static int by_rank(const void *a, const void *b)
{
    const struct candidate *p = a, *q = b;
    if (p->own_core != q->own_core)
        return p->own_core - q->own_core;
    if (p->own_node != q->own_node)
        return q->own_node - p->own_node;
    if (p->sibling != q->sibling)
        return (p->sibling > q->sibling) - (p->sibling < q->sibling);
    return (p->cpu > q->cpu) - (p->cpu < q->cpu);
}

/* Chooses the CPUs that chase and inject. */
static void choose_seats(struct probe_task *task)
{
    struct loaded_state *state = task->state;
    const struct loaded_options *asked = task->options;
    const struct seat *chase = chases_seat(task, &asked->cpu);
    struct candidate *list = pool_alloc(task->pool, task->cpus.count, sizeof *list);
    struct seat *seats = pool_alloc(task->pool, task->cpus.count, sizeof *seats);
    /* All CPUs except the chase's, in the order in which they become injectors. */
    static const struct cpu_place unknown = {-1, -1, 0, -1, -1, -1};
    const struct cpu_place *own = machine_cpu(task->machine, chase->cpu);
    own = own ? own : &unknown;
    size_t count = 0;
    for (size_t i = 0; i < task->cpus.count; i++) {
        const struct cpu_place *place = machine_cpu(task->machine, task->cpus.ids[i]);
        if (task->cpus.ids[i] == chase->cpu)
            continue;
        place = place ? place : &unknown;
        list[count++] = (struct candidate){.cpu = task->cpus.ids[i],
                                           .own_node = place->node == own->node,
                                           .own_core = place->core >= 0 && place->core == own->core,
                                           .sibling = place->sibling};
    }
    qsort(list, count, sizeof *list, by_rank);
    /* By default the other cores of the chase's node, else other cores, else the chase's core. */
    size_t own_node = 0, other_cores = 0;
    for (size_t i = 0; i < count; i++) {
        own_node += list[i].own_node && !list[i].own_core;
        other_cores += !list[i].own_core;
    }
    size_t wanted = own_node ? own_node : other_cores ? other_cores : count;
    if (asked->injectors.has)
        wanted = (size_t)asked->injectors.number;
    if (wanted > count)
        pool_leave(task->pool, ERROR_USAGE,
                   "--injectors %zu: besides CPU %d, which measures, only %zu may be used, and "
                   "each holds one injector; ask for at most %zu",
                   wanted, chase->cpu, count, count);
    seats[0] = *chase;
    for (size_t i = 0; i < wanted; i++) {
        seats[i + 1] = (struct seat){list[i].cpu, BACKGROUND};
        state->shares_core = state->shares_core || list[i].own_core;
    }
    state->seats = seats;
    state->injectors = (unsigned)wanted;
}

/* --- planning: where --- */

/* Bytes of the arena for each injector. */
static uint64_t inject_room(const struct loaded_state *state)
{
    return (state->mix.apart ? 2 : 1) * state->inject_bytes;
}

/* Bytes for each injector: a power of two, twice the last level or less if many injectors share it.
 * 0: too little memory. */
static uint64_t choose_inject_bytes(const struct probe_task *task, uint64_t chase_room)
{
    const struct loaded_state *state = task->state;
    const uint64_t wanted = 2 * memory_bounds(task).last_level,
                   n = state->injectors * (state->mix.apart ? 2 : 1);
    const struct cache_facts *cache = machine_last_cache(task->machine);
    const size_t sharers = cache ? cpulist_text_count(cache->shared_cpus) : 0;
    const uint64_t least = wanted / (sharers ? sharers : 1);
    const uint64_t budget = machine_memory_budget(task->machine);
    const uint64_t left = budget > chase_room ? (budget - chase_room) / n : 0;
    uint64_t each = inject_bytes_most / n < wanted ? inject_bytes_most / n : wanted;
    each = each < least ? least : each;
    each = each < left ? each : left;
    uint64_t power = HUGE_PAGE;
    while (power * 2 <= each)
        power *= 2;
    return each < HUGE_PAGE || each < least / 2 ? 0 : power;
}

/* The chase's working set is that of `fathom latency` for DRAM, or a smaller one if memory is
 * short. False if even one that is well beyond the caches is too large. */
static bool choose_memory(struct probe_task *task)
{
    struct loaded_state *state = task->state;
    struct chase_level levels[CHASE_LEVELS_MAX];
    size_t count = chases_levels(task, state->seats[0].cpu, NULL, levels);
    const uint64_t least = memory_bounds(task).least;
    if (!count || !levels[count - 1].last)
        return false;
    for (uint64_t bytes = levels[count - 1].bytes; bytes >= least; bytes /= 2) {
        state->chase_bytes = bytes / state->chases.line_bytes * state->chases.line_bytes;
        state->chase_room = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
        state->inject_bytes = choose_inject_bytes(task, state->chase_room);
        if (state->inject_bytes)
            return true;
    }
    return false;
}

/* --- planning: what --- */

const char *const loaded_shows[LOADED_ALL] = {
    [LOADED_LATENCY] = "latency by step of the traffic",
    [LOADED_BANDWIDTH] = "bandwidth by step of the traffic",
    [LOADED_CURVE] = "latency by bandwidth",
    [LOADED_KNEE] = "knee by round",
};

/* The settings that the plans of all stages share. */
static void plan_place(struct probe_task *task)
{
    const struct loaded_state *state = task->state;
    const struct loaded_options *asked = task->options;
    const int cpu = state->seats[0].cpu;
    const struct cpu_place *place = machine_cpu(task->machine, cpu);
    probe_plan_begin(task, cpu, (enum page_policy)asked->pages.choice, usual_precision);
    task->plan.windows = true;
    task->plan.batches = WINDOWS;
    /* With several nodes the memory is bound to the CPU's node, so that its place is checked. */
    if (place && task->machine->facts.node_count > 1)
        task->plan.node = place->node;
}

static void add_step(struct probe_task *task, unsigned step)
{
    const struct loaded_state *state = task->state;
    struct plan_point *point = pool_append(task->pool, (void **)&task->plan.points,
                                           &task->plan.point_count, sizeof *point);
    *point = (struct plan_point){
        .series = LOADED_LATENCY,
        .x = step,
        .seats = state->seats,
        .seat_count = step == LOADED_NONE ? 1 : 1 + state->injectors,
        .arena_bytes = (size_t)(state->chase_room + state->injectors * inject_room(state)),
        .bytes = state->chase_bytes};
}

/* The time of that many rounds and steps, estimated from the ends. Fresh memory is touched once a
 * round for any number of steps. */
static double rounds_need_s(const struct loaded_state *state, const struct stage_outcome *ends,
                            unsigned rounds, unsigned steps)
{
    const unsigned done = state->steps[LOADED_NONE].trials + state->steps[LOADED_FULL].trials;
    return rounds * (ends->arena_s + steps * ends->visits_s / done);
}

static unsigned steps_between(unsigned stride)
{
    return (LOADED_FULL - LOADED_NONE - 1) / stride;
}

/* --- measuring --- */

/* A modified line is written back when another pushes it out. So before the first window each
 * injector goes once through its memory without pauses, or light traffic would only fill the
 * caches. */
static void fill_caches(const struct trial *trial, unsigned seat)
{
    const struct loaded_state *state = trial->probe_state;
    if (seat == 0) /* the chase */
        return;
    struct injector *injector = trial->workers[seat].state;
    const uint64_t delay = injector->lines.delay;
    injector->lines.delay = injector->apart.delay = 1;
    inject_run(injector, state->inject_bytes / state->chases.line_bytes / inject_lines_each);
    injector->lines.delay = injector->apart.delay = delay;
}

static void prepare_loaded(struct trial *trial)
{
    const struct loaded_state *state = trial->probe_state;
    struct arena part = *trial->arena;
    struct trial chase = *trial;
    part.bytes = (size_t)state->chase_room;
    chase.arena = &part;
    chases_prepare(&chase, &state->chases);
    trial->operations = chase.operations;
    trial->settle = state->mix.modifies ? fill_caches : NULL;
    struct random random = {trial->seed};
    _Static_assert(sizeof(struct injector) <= sizeof trial->workers->room, "it needs more room");
    for (unsigned i = 1; i < trial->point->seat_count; i++) {
        struct worker *worker = &trial->workers[i];
        const struct inject_lines own = {
            .memory = trial->arena->memory + state->chase_room + (i - 1) * inject_room(state),
            .mask = state->inject_bytes - state->chases.line_bytes,
            .step = state->chases.line_bytes,
            .position = random_next(&random),
            .delay = loaded_pauses[(unsigned)trial->point->x],
        };
        struct injector *injector = (struct injector *)worker->room;
        *injector = (struct injector){.lines = own, .apart = own, .mix = &state->mix};
        injector->apart.memory += state->inject_bytes;
        worker->state = worker->room;
        worker->run = inject_run;
    }
}

static const struct seat_share *shares_of(const struct observation *seen, unsigned window)
{
    return seen->shares + window * seen->trial->point->seat_count;
}

/* Repeats of all injectors a nanosecond in that window, each in its own time. */
static double injected(const struct observation *seen, unsigned window)
{
    const struct seat_share *shares = shares_of(seen, window);
    double rate = 0;
    for (unsigned i = 1; i < seen->trial->point->seat_count; i++)
        rate += shares[i].ns > 0 ? (double)shares[i].repeats / shares[i].ns : 0;
    return rate;
}

/* The CPU of an injector that had no CPU time; -1: there is none. */
static int starved_injector(const struct observation *seen)
{
    const unsigned seats = seen->trial->point->seat_count;
    double did[seats], most = 0;
    for (unsigned seat = 1; seat < seats; seat++) {
        did[seat] = 0;
        for (unsigned window = 0; window < seen->batch_count; window++)
            did[seat] += (double)shares_of(seen, window)[seat].repeats;
        most = fmax(most, did[seat]);
    }
    for (unsigned seat = 1; seat < seats; seat++)
        if (!(did[seat] > starved_below * most))
            return seen->trial->point->seats[seat].cpu;
    return -1;
}

static void observe_loaded(void *observer, const struct observation *seen)
{
    struct probe_task *task = observer;
    struct loaded_state *state = task->state;
    const struct trial *trial = seen->trial;
    struct loaded_step *step = &state->steps[(unsigned)trial->point->x];
    if (!seen->batch_count || trial->number >= state->trials_max)
        return;
    step->trials++;
    const int starved = starved_injector(seen);
    if (starved >= 0) {
        step->starved_cpu = starved;
        step->starved++;
        return;
    }
    /* Only the traffic of windows in which all had their CPUs counts: an injector without a CPU
     * makes no traffic, and a chase without one waits for no load. */
    double ns[seen->batch_count], repeats = 0;
    unsigned windows = 0;
    for (unsigned i = 0; i < seen->batch_count; i++)
        ns[i] = seen->batches[i].ns;
    sort_ascending(ns, seen->batch_count);
    const struct undisturbed undisturbed = undisturbed_of(ns, seen->batch_count);
    for (unsigned i = 0; i < seen->batch_count; i++)
        if (seen->batches[i].ns <= ns[undisturbed.count - 1]) {
            repeats += injected(seen, i);
            windows++;
        }
    step->latency[trial->number] = undisturbed.value / (trial->operations * (double)seen->repeats);
    step->bandwidth[trial->number] = repeats / windows * inject_lines_each * state->mix.moved *
                                     (double)state->chases.line_bytes * 1e9;
}

/* --- plan and next --- */

static void plan_loaded(struct probe_task *task)
{
    struct loaded_state *state = task->state = pool_alloc(task->pool, 1, sizeof *state);
    state->chases = chases_make_plain(task);
    const struct loaded_options *asked = task->options;
    state->read_percent = (unsigned)asked->mix.number;
    state->order = (enum inject_order)asked->traffic.choice;
    const char *missing =
        inject_mix_make(&state->mix, state->read_percent, state->order, state->chases.line_bytes);
    if (missing)
        pool_leave(task->pool, ERROR_USAGE, "--mix %u: %s; choose 50 or more", state->read_percent,
                   missing);
    choose_seats(task);
    if (!choose_memory(task)) {
        build_skip(task, "too little memory is free for a chase and its injectors beyond the "
                         "last-level cache");
        return;
    }
    const struct axis step = {"step", ""}, bandwidth = {"bandwidth", "B/s"},
                      latency = {"latency", "ns"}, rounds = {"rounds", ""};
    const struct axis axes[LOADED_ALL][2] = {[LOADED_LATENCY] = {step, latency},
                                             [LOADED_BANDWIDTH] = {step, bandwidth},
                                             [LOADED_CURVE] = {bandwidth, latency},
                                             [LOADED_KNEE] = {rounds, bandwidth}};
    char set[UNIT_TEXT];
    const char *size = pool_strdup(task->pool, size_format((double)state->chase_bytes, set));
    for (unsigned i = 0; i < LOADED_ALL; i++) {
        build_series(task, (struct series){.name = "loaded", .x = axes[i][0], .y = axes[i][1]});
        build_factor_text(task, i, "shows", loaded_shows[i]);
        build_factor(task, i, "mix", state->read_percent);
        build_factor_text(task, i, "traffic", inject_order_names[state->order]);
        build_factor(task, i, "injectors", state->injectors);
        build_factor_text(task, i, "working set", size);
    }
    task->plan.series_count = LOADED_MEASURED; /* the others are derived from these at the end */
    build_note(task, "chase_cpu", state->seats[0].cpu);
    build_note(task, "chase_bytes", (double)state->chase_bytes);
    build_note(task, "injector_bytes", (double)state->inject_bytes);
    const size_t trials = state->trials_max = task->plan.trials_max;
    double *values = pool_alloc(task->pool, 2 * LOADED_STEPS * trials, sizeof *values);
    for (size_t i = 0; i < 2 * LOADED_STEPS * trials; i++)
        values[i] = NAN;
    for (size_t i = 0; i < LOADED_STEPS; i++)
        state->steps[i] = (struct loaded_step){.bandwidth = values + 2 * i * trials,
                                               .latency = values + (2 * i + 1) * trials,
                                               .starved_cpu = -1};
    plan_place(task);
    if (!task->common.thorough.has)
        task->plan.trials_max = ENDS_TRIALS_MAX;
    /* A whole run has only a few seconds, which the ends take. */
    if (task->named && !task->common.quick.has)
        task->plan.share = ends_share;
    add_step(task, LOADED_NONE);
    add_step(task, LOADED_FULL);
}

/* The steps between the ends: all, or every second or third if time is short. A whole run measures
 * them only if it has time for all. */
static bool next_loaded(struct probe_task *task)
{
    struct loaded_state *state = task->state;
    const unsigned rounds = task->plan.trials_min;
    const double left_s = task->plan.budget_s / task->plan.share - task->outcome->elapsed_s;
    const unsigned most = task->named ? STRIDE_MOST : 1;
    unsigned stride = 1;
    if (task->stage > 1 || !state->steps[LOADED_FULL].trials)
        return false;
    while (stride <= most &&
           left_s < rounds_need_s(state, task->outcome, rounds, steps_between(stride)))
        stride++;
    if (task->named && stride > 1) {
        const double need_s = rounds_need_s(state, task->outcome, rounds, steps_between(1));
        state->left_out_s =
            need_s + fmax(need_s, rounds_need_s(state, task->outcome, ENDS_TRIALS_MAX, ENDS));
    }
    if (stride > most)
        return false;
    plan_place(task);
    for (unsigned step = LOADED_FULL - steps_between(stride) * stride; step < LOADED_FULL;
         step += stride)
        add_step(task, step);
    return true;
}

const struct probe loaded_probe = {
    .name = "loaded",
    .place = 70,
    .help = &help,
    .needs = NEEDS_TWO_CPUS,
    .weight = 3,
    .sized_by_found = true,
    .findings = {loaded_lines, loaded_experiment},
    .plan = plan_loaded,
    .prepare = prepare_loaded,
    .observe = observe_loaded,
    .next = next_loaded,
    .conclude = loaded_conclude,
    .analyse = loaded_analyse,
};
