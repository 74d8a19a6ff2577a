#include "model.h"

#include "kernels/chase.h"
#include "kernels/ring.h"
#include "known_kernels.h"
#include "memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a ring shorter than a sample, whole rounds of at least so many steps are followed. */
enum { ROUNDS_STEPS = 4096, UNIT = 8, SMALLEST_PAGE = 4096, AHEAD = 6 };
/* Mapping, touching and building: how long the model's world goes on between two trials. */
static const double between_trials_s = 1e-3;

/* The ring of the trial, or as much of it as fills the caches and a sample. */
struct path {
    const unsigned char *base;
    uint32_t *units; /* of each element in the ring's order: where it lies, in pointers */
    size_t count, room;
    size_t at;       /* where the kernel's state stands */
    size_t followed; /* where the modelled memory stands */
};

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
    unsigned round;
    bool scattered;
    struct mood slow_clock, neighbour;
    double core_hz, trial_factor;
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
    if (!(machine->core_hz > 0))
        fail("a core clock of %g Hz", machine->core_hz);
}

static size_t cache_lines(const struct model_machine *machine)
{
    size_t lines = 0;
    for (unsigned level = 0; level < machine->level_count; level++)
        lines += machine->caches[level].bytes / machine->line_bytes;
    return lines;
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
    model->path.room = 2 * cache_lines(machine) + MODEL_SAMPLE_STEPS;
    model->path.units = calloc(model->path.room, sizeof *model->path.units);
    if (!model->path.units || !memory_create(&model->memory, &model->machine, arena_bytes)) {
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
    free(model->path.units);
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

/* Trials of one round follow each other at once; rounds are as far apart as the plan's span asks.
 */
static void let_time_pass(struct model *model, const struct trial *trial)
{
    const struct plan *plan = trial->plan;
    model->now_s += between_trials_s;
    if (trial->number == model->round)
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
    memory_renew(&model->memory, pages_of(model, trial->plan->pages), random_next(&model->random));
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
}

/* --- the ring --- */

static const struct known_kernel *known_or_fail(kernel_function *run)
{
    const struct known_kernel *kernel = kernel_find(run);
    if (!kernel)
        fail("a kernel that the model does not know");
    return kernel;
}

/* Where in the arena an element lies, in pointers; what lies elsewhere is no ring. */
static uint32_t unit_of(const struct model *model, const struct arena *arena, const void *element)
{
    uintptr_t at = (uintptr_t)element - (uintptr_t)arena->memory;
    if (at >= arena->bytes || at >= model->arena_bytes || at % UNIT)
        fail("the ring leaves the arena, or the arena of %zu bytes is larger than the model's %zu",
             arena->bytes, model->arena_bytes);
    return (uint32_t)(at / UNIT);
}

/* Reads the ring from where the kernel stands, to its end or as far as there is room. */
static void read_ring(struct model *model, const struct known_kernel *kernel,
                      const struct trial *trial)
{
    struct path *path = &model->path;
    const void *state = trial->workers[0].state;
    const void *start = kernel_element(kernel, state), *at = start;
    path->base = trial->arena->memory;
    path->at = path->followed = path->count = 0;
    do {
        path->units[path->count++] = unit_of(model, trial->arena, at);
        at = kernel_next(kernel, state, at);
    } while (at != start && path->count < path->room);
}

static const unsigned char *place(const struct path *path)
{
    return path->base + (size_t)path->units[path->at] * UNIT;
}

static uint32_t line_on_path(const struct model *model, size_t at)
{
    return model->path.units[at] >> (model->memory.line_shift - 3);
}

static uint64_t follow_one(struct model *model)
{
    struct path *path = &model->path;
    uint32_t line = line_on_path(model, path->followed);
    if (path->followed + AHEAD < path->count)
        memory_expect(&model->memory, line_on_path(model, path->followed + AHEAD));
    if (++path->followed == path->count)
        path->followed = 0;
    return memory_access(&model->memory, line);
}

/* What the probe's warming leaves behind: that of the last steps before the ring's start. Where no
 * cache replaces at random nor by a tree, once round is as good as any number of rounds. Of a ring
 * that is far longer than the caches, its last steps fill them. */
static void warm(struct model *model)
{
    struct path *path = &model->path;
    const struct model_machine *machine = &model->machine;
    size_t rounds = 1, lines = cache_lines(machine);
    for (unsigned level = 0; level < machine->level_count; level++)
        if (machine->caches[level].replacement != MODEL_LRU)
            rounds = 2;
    size_t enough = lines + lines / 2, steps = rounds * path->count;
    if (path->count > 2 * lines)
        steps = lines;
    else if (steps > enough)
        steps = path->count > enough ? path->count : enough;
    path->followed = (rounds * path->count - steps) % path->count;
    while (steps--)
        follow_one(model);
}

static void begin_sample(struct model *model)
{
    size_t count = model->path.count;
    size_t rounds = (ROUNDS_STEPS + count - 1) / count;
    size_t steps = rounds * count;
    model->sample = (struct sample){
        .left = steps < MODEL_SAMPLE_STEPS ? steps : MODEL_SAMPLE_STEPS,
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
    read_ring(model, kernel, trial);
    warm(model);
    begin_sample(model);
}

/* Follows up to `steps` of the sample's steps; returns how many, and what they took. */
static uint64_t follow(struct model *model, uint64_t steps, uint64_t *ps)
{
    struct sample *sample = &model->sample;
    uint64_t done = 0;
    for (; done < steps && sample->left; done++) {
        uint64_t took_ps = follow_one(model);
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

static uint64_t model_work(void *self, int cpu, kernel_function *run, void *state, uint64_t repeats)
{
    (void)cpu;
    struct model *model = self;
    const struct model_noise *noise = &model->machine.noise;
    struct path *path = &model->path;
    const struct known_kernel *kernel = known_or_fail(run);
    if (!path->count || kernel_element(kernel, state) != place(path))
        fail("the kernel stands where the model did not leave it");
    uint64_t steps = repeats * chase_steps, ps = 0;
    uint64_t followed = follow(model, steps, &ps);
    const struct sample *sample = &model->sample;
    double mean_ps = sample->steps ? (double)sample->ps / (double)sample->steps : 0;
    double total_ps = (double)ps + (double)(steps - followed) * mean_ps;
    if (kernel->spills)
        total_ps += (double)steps * model->machine.forward_cycles * 1e12 / model->core_hz;
    path->at = (size_t)((path->at + steps) % path->count);
    kernel_stand_on(kernel, state, place(path));

    total_ps *= model->trial_factor * exp(noise->batch_sigma * normal(&model->random));
    double spikes = noise->spikes_per_s * total_ps * 1e-12;
    if (random_unit(&model->random) < 1 - exp(-spikes))
        total_ps += noise->spike_ns * 1e3 * (0.5 + random_unit(&model->random));
    model->now_s += total_ps * 1e-12;
    return (uint64_t)llround(total_ps);
}

static uint64_t model_additions(void *self, int cpu, uint64_t additions)
{
    (void)cpu;
    const struct model *model = self;
    return (uint64_t)llround((double)additions * 1e12 / model->core_hz);
}

struct timing_model model_timing(struct model *model)
{
    return (struct timing_model){model, model_prepared, model_work, model_additions};
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
    return quiet;
}
