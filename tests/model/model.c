#include "model.h"

#include "beside.h"
#include "known_kernels.h"
#include "measure/engine/engine.h"
#include "measure/kernels/chase.h"
#include "measure/kernels/ring.h"
#include "memory.h"
#include "path.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNIT = 8, SMALLEST_PAGE = 4096, HUGE_PAGE = 2 << 20 };
/* Mapping, touching and building: how long the model's world goes on between two trials. */
static const double between_trials_s = 1e-3;

struct sample {
    size_t left; /* steps to follow */
    uint64_t steps, ps;
    uint64_t round_ps, missed_before; /* of the round that is under way */
};

struct mood {
    bool on;
    double until_s;
};

struct model {
    struct model_machine machine;
    struct memory memory;
    size_t arena_bytes;
    struct random random;
    struct path path;
    struct sample sample;

    double now_s, round_began_s, drift_phase;
    double engine_s, between_s; /* the engine's time; what it does not know of: between trials */
    unsigned round;
    bool scattered;
    struct mood slow_clock, neighbour;
    double core_hz, trial_factor;

    bool has_neighbours;
    struct beside beside;
    struct pace pace; /* of the trial */
};

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("model: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

/* --- a machine that makes sense --- */

static bool power_of_two(uint32_t n)
{
    return n && (n & (n - 1)) == 0;
}

static void check_cache(const struct model_machine *machine, unsigned level)
{
    const struct model_cache *cache = &machine->caches[level];
    if (cache->ways == 0 || cache->ways > CACHE_WAYS_MAX ||
        cache->bytes % (machine->line_bytes * cache->ways) != 0 ||
        !power_of_two(cache->bytes / machine->line_bytes / cache->ways))
        fail("cache %u: %" PRIu32 " bytes in %" PRIu32 " ways of %u-byte lines make no sets that "
             "are a power of two",
             level + 1, cache->bytes, cache->ways, machine->line_bytes);
    if (cache->replacement == MODEL_TREE_PLRU && !power_of_two(cache->ways))
        fail("cache %u: a tree needs a power of two of ways, not %" PRIu32, level + 1, cache->ways);
}

static void check_machine(const struct model_machine *machine)
{
    if (!power_of_two(machine->line_bytes) || machine->line_bytes < UNIT)
        fail("lines of %u bytes", machine->line_bytes);
    if (machine->level_count < 1 || machine->level_count > MODEL_LEVELS_MAX)
        fail("%u cache levels: 1 to %d can be had", machine->level_count, MODEL_LEVELS_MAX);
    for (unsigned level = 0; level < machine->level_count; level++)
        check_cache(machine, level);
    for (unsigned i = 0; i < 4; i++) {
        const struct model_tlb *tlb = &machine->tlbs[i / 2][i % 2];
        if (tlb->ways > CACHE_WAYS_MAX ||
            (tlb->ways && (tlb->entries % tlb->ways || !power_of_two(tlb->entries / tlb->ways))))
            fail("a TLB of %u entries in %u ways", tlb->entries, tlb->ways);
    }
    if (!power_of_two(machine->row_bytes) || machine->banks < 1 ||
        machine->banks > MEMORY_BANKS_MAX)
        fail("DRAM rows of %u bytes in %u banks", machine->row_bytes, machine->banks);
    if (machine->cpus > MODEL_CPUS_MAX)
        fail("%u CPUs: %d can be had", machine->cpus, MODEL_CPUS_MAX);
    if (!(machine->core_hz > 0))
        fail("a core clock of %g Hz", machine->core_hz);
}

struct model *model_create(const struct model_machine *machine, size_t arena_bytes, uint64_t seed)
{
    check_machine(machine);
    struct model *model = calloc(1, sizeof *model);
    if (!model)
        return NULL;
    model->machine = *machine;
    model->arena_bytes = arena_bytes;
    model->random = (struct random){seed};
    model->drift_phase = random_unit(&model->random);
    model->core_hz = machine->core_hz;
    model->trial_factor = 1;
    model->has_neighbours = neighbours_exist(machine->neighbours);
    beside_begin(&model->beside, &model->machine, random_mix(seed));
    if (!path_create(&model->path, machine) ||
        !memory_create(&model->memory, &model->machine, arena_bytes)) {
        model_free(model);
        return NULL;
    }
    return model;
}

void model_free(struct model *model)
{
    if (!model)
        return;
    memory_free(&model->memory);
    path_free(&model->path);
    free(model);
}

/* --- moods --- */

static double normal(struct random *random)
{
    double radius = sqrt(-2 * log(1 - random_unit(random)));
    return radius * cos(6.283185307179586 * random_unit(random));
}

/* A mood lasts an exponential time; the next one does not know the last. */
static bool mood_now(struct model *model, struct mood *mood, double share)
{
    if (model->scattered || model->now_s >= mood->until_s) {
        mood->on = random_unit(&model->random) < share;
        mood->until_s =
            model->now_s - model->machine.noise.dwell_s * log(1 - random_unit(&model->random));
    }
    return mood->on;
}

/* Trials of one round follow each other at once; rounds are as far apart as the engine says that
 * they are, or, where it says nothing, as the plan's span asks. */
static void let_time_pass(struct model *model, const struct trial *trial)
{
    const struct plan *plan = trial->plan;
    model->now_s += between_trials_s;
    model->between_s += between_trials_s;
    model->now_s = fmax(model->now_s, model->engine_s + model->between_s);
    if (trial->number == model->round || plan->sweep) /* points of a sweep are not in step */
        return;
    model->round = trial->number;
    model->now_s = fmax(model->now_s, model->round_began_s + plan->span_s / plan->trials_min);
    model->round_began_s = model->now_s;
}

static enum model_pages pages_of(const struct model *model, enum page_policy policy)
{
    return policy != PAGES_SMALL && model->machine.huge_pages ? MODEL_HUGE_PAGES
                                                              : MODEL_SMALL_PAGES;
}

/* Fresh memory and the mood of the moment. */
static void begin_trial(struct model *model, const struct trial *trial)
{
    const struct model_noise *noise = &model->machine.noise;
    let_time_pass(model, trial);
    const enum model_pages pages = pages_of(model, trial->plan->pages);
    const uint64_t memory_seed = random_next(&model->random);
    memory_renew(&model->memory, pages, memory_seed);
    bool slow = mood_now(model, &model->slow_clock, noise->slow_share);
    bool shared = mood_now(model, &model->neighbour, noise->neighbour_share);
    bool far = random_unit(&model->random) < noise->far_share;
    double turn = noise->drift_period_s > 0 ? model->now_s / noise->drift_period_s : 0;
    double drift = 1 + noise->drift * sin(6.283185307179586 * (turn + model->drift_phase));
    model->core_hz = model->machine.core_hz * (slow ? noise->slow_ratio : 1);
    model->trial_factor = exp(noise->trial_sigma * normal(&model->random));
    memory_set_pace(&model->memory, model->core_hz, drift, far ? noise->far_ratio : 1);
    if (model->machine.level_count > 1)
        memory_share_last_level(&model->memory, shared);
    model->pace = (struct pace){model->core_hz, drift, far ? noise->far_ratio : 1, 0};
    beside_trial(&model->beside, pages, memory_seed);
}

/* --- the ring --- */

static const struct known_kernel *known_or_fail(kernel_function *run)
{
    const struct known_kernel *kernel = kernel_find(run);
    if (!kernel)
        fail("a kernel that the model does not know");
    return kernel;
}

static void begin_sample(struct model *model)
{
    model->sample = (struct sample){
        .left = path_sample_steps(&model->path),
        .missed_before = model->memory.missed,
    };
}

/* --- what the engine calls --- */

static void model_prepared(void *self, const struct trial *trial)
{
    struct model *model = self;
    if (trial->plan->trials_per_visit > 1 || trial->point->seat_count != 1)
        fail("one worker and one trial a visit are all that is modelled");
    const struct known_kernel *kernel = known_or_fail(trial->workers[0].run);
    begin_trial(model, trial);
    const char *why = path_read(&model->path, kernel, trial, model->arena_bytes);
    if (why)
        fail("%s", why);
    if (model->has_neighbours) /* what is left of the caches is known when it runs */
        return;
    path_warm(&model->path, &model->memory);
    begin_sample(model);
}

/* Follows up to `steps` of the sample's steps; returns how many, and what they took. */
static uint64_t follow(struct model *model, uint64_t steps, uint64_t *ps)
{
    struct sample *sample = &model->sample;
    uint64_t done = 0;
    for (; done < steps && sample->left; done++) {
        uint64_t took_ps = path_follow(&model->path, &model->memory);
        *ps += took_ps;
        sample->ps += took_ps;
        sample->round_ps += took_ps;
        sample->steps++;
        sample->left--;
        if (model->path.followed)
            continue;
        if (sample->missed_before == model->memory.missed) {
            /* A round in which all hit leaves everything as it was: so do all that follow. */
            *sample = (struct sample){.steps = model->path.count, .ps = sample->round_ps};
            return done + 1;
        }
        sample->missed_before = model->memory.missed;
        sample->round_ps = 0;
    }
    return done;
}

/* Picoseconds of steps that nobody disturbs. */
static double steps_alone(struct model *model, uint64_t steps)
{
    uint64_t ps = 0;
    const uint64_t followed = follow(model, steps, &ps);
    const struct sample *sample = &model->sample;
    const double mean_ps = sample->steps ? (double)sample->ps / (double)sample->steps : 0;
    return (double)ps + (double)(steps - followed) * mean_ps +
           (double)steps * model->pace.each_cycles * 1e12 / model->core_hz;
}

/* Of a part of a ring the mean is not all rings': which steps a batch gets is chance. */
static double steps_beside(struct model *model, unsigned cpu, uint64_t steps)
{
    const double ps = beside_steps(&model->beside, &model->memory, &model->path, &model->pace, cpu,
                                   (double)steps, &model->now_s);
    const double variation = beside_variation(&model->beside, &model->path, (double)steps);
    return ps * fmax(0.5, 1 + sqrt(variation) * normal(&model->random));
}

static uint64_t model_work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    struct model *model = self;
    const struct model_noise *noise = &model->machine.noise;
    struct path *path = &model->path;
    const struct known_kernel *kernel = known_or_fail(run);
    if (!path->count || kernel_element(kernel, state) != path_place(path))
        fail("the kernel stands where the model did not leave it");
    const uint64_t steps = repeats * chase_steps;
    const double before_s = model->now_s;
    model->pace.each_cycles = kernel->spills ? model->machine.forward_cycles : 0;
    double total_ps = model->has_neighbours ? steps_beside(model, (unsigned)cpu, steps)
                                            : steps_alone(model, steps);
    path_move(path, steps);
    kernel_stand_on(kernel, state, path_place(path));

    total_ps *= model->trial_factor * exp(noise->batch_sigma * normal(&model->random));
    double spikes = noise->spikes_per_s * total_ps * 1e-12;
    if (random_unit(&model->random) < 1 - exp(-spikes))
        total_ps += noise->spike_ns * 1e3 * (0.5 + random_unit(&model->random));
    model->now_s = fmax(model->now_s, before_s + total_ps * 1e-12);
    return (uint64_t)llround(total_ps);
}

static uint64_t run_cycles(struct model *model, int cpu, double cycles, bool wide)
{
    if (!model->has_neighbours)
        return (uint64_t)llround(cycles * 1e12 / model->core_hz);
    return (uint64_t)llround(
        beside_cycles(&model->beside, &model->pace, (unsigned)cpu, cycles, wide, &model->now_s));
}

static uint64_t model_additions(void *self, int cpu, uint64_t additions)
{
    return run_cycles(self, cpu, (double)additions, false);
}

static uint64_t model_additions_wide(void *self, int cpu, uint64_t additions)
{
    return run_cycles(self, cpu, neighbours_wide_alone * (double)additions, true);
}

static void model_hear_time(void *self, uint64_t now_ps)
{
    struct model *model = self;
    model->engine_s = (double)now_ps * 1e-12;
}

/* The arena is real, and this system may give it other pages than the model gives its own. */
static void model_placed(void *self, const struct plan *plan, struct stage_outcome *outcome)
{
    const bool huge = pages_of(self, plan->pages) == MODEL_HUGE_PAGES;
    outcome->placement.page_bytes = huge ? HUGE_PAGE : SMALLEST_PAGE;
    outcome->placement.huge_share = huge;
    outcome->pages_used = huge ? PAGES_THP : PAGES_SMALL;
}

struct timing_model model_timing(struct model *model)
{
    return (struct timing_model){.self = model,
                                 .prepared = model_prepared,
                                 .work = model_work,
                                 .additions = model_additions,
                                 .now = model_hear_time,
                                 .placed = model_placed,
                                 .additions_wide = model_additions_wide};
}

/* --- for tests --- */

double model_ideal_ns(const struct model_machine *machine, uint64_t bytes, enum page_policy pages)
{
    const size_t room = (size_t)bytes;
    const struct model_machine quiet = model_quiet(machine);
    struct model *model = model_create(&quiet, room, 1);
    struct arena arena = {.memory = aligned_alloc(SMALLEST_PAGE, room), .bytes = room};
    if (!model || !arena.memory)
        fail("out of memory");
    struct ring ring = {.memory = arena.memory,
                        .count = room / machine->line_bytes,
                        .stride = machine->line_bytes,
                        .order = RING_RANDOM,
                        .seed = 1};
    ring_build(&ring);
    const struct plan plan = {.pages = pages, .trials_per_visit = 1, .trials_min = 1};
    const struct seat seat = {0, MEASURED};
    const struct plan_point point = {.seats = &seat, .seat_count = 1};
    struct chase chase = {arena.memory};
    struct worker worker = {.run = chase_run, .state = &chase};
    const struct trial trial = {
        .plan = &plan, .point = &point, .arena = &arena, .workers = &worker};
    model_prepared(model, &trial);
    const uint64_t repeats = MODEL_SAMPLE_STEPS / chase_steps;
    uint64_t ps = model_work(model, 0, chase_run, &chase, repeats);
    free(arena.memory);
    model_free(model);
    return (double)ps * 1e-3 / (double)(repeats * chase_steps);
}

void model_scatter_moods(struct model *model, uint64_t seed)
{
    model->random = (struct random){seed};
    model->scattered = true;
}

double model_now_s(const struct model *model)
{
    return model->now_s;
}

void model_set_now_s(struct model *model, double now_s)
{
    model->now_s = now_s;
}

struct model_machine model_quiet(const struct model_machine *machine)
{
    struct model_machine quiet = *machine;
    quiet.noise = (struct model_noise){0};
    memset(quiet.neighbours, 0, sizeof quiet.neighbours);
    return quiet;
}

struct model_machine model_let(const struct model_machine *machine)
{
    struct model_machine let = *machine;
    memset(let.neighbours, 0, sizeof let.neighbours);
    let.noise.slow_share = let.noise.neighbour_share = let.noise.far_share = 0;
    let.noise.spikes_per_s = 0;
    return let;
}
