#include "measure/run/pressure.h"

#include "base/random.h"
#include "conclude/registry/registry.h"
#include "machine/os.h"
#include "measure/kernels/contention.h"
#include "measure/kernels/inject.h"
#include "measure/kernels/single.h"
#include "measure/kernels/stream.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { HUGE_PAGE = 2 << 20, POLL_MS = 5, BESIDE_MS = 60 };
/* Some 20 us of work between two readings of the word that ends it. */
enum { HOLD_STEPS = 4096, INJECT_REPEATS = 64 };
/* Timed loads take less than a thousandth of a holder's time. */
enum { LOADS = 4, CHUNKS_A_LOOK = 16, CALIBRATION_LOADS = 2000 };

enum phase { MAKING_READY, UNDER_WAY, OVER };

struct presser {
    kernel_function *kernel;
    void *state;
    uint64_t chunk, warm; /* repeats between two looks; chunks before the work begins */
    double chunk_bytes;
    struct stream stream;
    struct injector injector;
    struct single single;
    uint32_t bins[SINGLE_BINS];
    double bytes; /* moved while the work ran */
    uint64_t began_ns, ended_ns;
};

struct pressed_run {
    struct pressure *pressure;
    bool (*over)(void *argument);
    void *argument;
    size_t count;
    atomic_uint phase, ready;
    struct inject_mix mix;
};

/* --- on the CPUs that press --- */

static void press(void *argument, unsigned rank)
{
    struct pressed_run *run = argument;
    struct presser *presser = &run->pressure->pressers[rank];
    const bool holds = presser->kernel != inject_run;
    for (uint64_t i = 0; i < presser->warm && atomic_load(&run->phase) != OVER; i++)
        presser->kernel(presser->state, presser->chunk);
    atomic_fetch_add(&run->ready, 1);
    unsigned phase;
    for (uint64_t n = 0; (phase = atomic_load(&run->phase)) != OVER; n++) {
        if (!presser->began_ns && phase == UNDER_WAY) {
            presser->bytes = 0;
            presser->began_ns = os_raw_ns();
            memset(presser->bins, 0, sizeof presser->bins);
        }
        presser->kernel(presser->state, presser->chunk);
        presser->bytes += presser->chunk_bytes;
        if (holds && n % CHUNKS_A_LOOK == 0)
            single_run(&presser->single, LOADS);
    }
    presser->ended_ns = os_raw_ns();
}

/* --- beside them --- */

/* Nothing is ever overdue: the pressers end by themselves. */
static bool look(void *argument)
{
    struct pressed_run *run = argument;
    unsigned before = MAKING_READY;
    if (atomic_load(&run->ready) < run->count)
        return false;
    atomic_compare_exchange_strong(&run->phase, &before, UNDER_WAY);
    if (run->over(run->argument))
        atomic_store(&run->phase, OVER);
    return false;
}

/* --- what was taken --- */

static struct pressed sum_up(const struct pressure *pressure, const struct pressure_level *level,
                             size_t count)
{
    struct pressed pressed = {NAN, NAN, NAN};
    double rate = 0, loads = 0, quick = 0;
    for (size_t i = 0; i < count; i++) {
        const struct presser *presser = &pressure->pressers[i];
        if (presser->began_ns && presser->ended_ns > presser->began_ns)
            rate += presser->bytes * 1e9 / (double)(presser->ended_ns - presser->began_ns);
        for (unsigned bin = 0; bin < SINGLE_BINS; bin++) {
            loads += presser->bins[bin];
            quick += bin < pressure->slow_ticks ? presser->bins[bin] : 0;
        }
    }
    if (level->kind == PRESSURE_TRAFFIC)
        pressed.traffic = rate;
    if (level->kind == PRESSURE_HOLD && pressure->slow_ticks && loads > 0)
        pressed.held =
            fmax(0, quick / loads * (double)level->bytes - (double)count * pressure->own_bytes);
    return pressed;
}

/* --- laying it out --- */

static struct single loads_from(const struct pressure *pressure, const unsigned char *memory,
                                uint64_t bytes, uint32_t *bins)
{
    return (struct single){.memory = memory,
                           .line_bytes = (size_t)pressure->line_bytes,
                           .lines = bytes / (uint64_t)pressure->line_bytes,
                           .random = random_mix(os_raw_ns()),
                           .pause_bits = 4,
                           .over = SINGLE_BINS,
                           .check = UINT64_MAX,
                           .bins = bins};
}

/* The median of CALIBRATION_LOADS. */
static uint64_t median_ticks(struct single *single)
{
    uint64_t below = 0, median = 0;
    memset(single->bins, 0, SINGLE_BINS * sizeof *single->bins);
    single_run(single, CALIBRATION_LOADS);
    while (median < SINGLE_BINS && 2 * (below += single->bins[median]) < CALIBRATION_LOADS)
        median++;
    return median;
}

double pressure_load_ticks(struct pressure *pressure, const struct arena *arena)
{
    /* The last presser stands for this CPU. */
    struct single single =
        loads_from(pressure, arena->memory, arena->bytes, pressure->pressers[pressure->count].bins);
    single.flush = true;
    const double ticks =
        arena->memory && line_flush_possible() ? (double)median_ticks(&single) - single.empty : 0;
    return ticks > 0 ? ticks : NAN;
}

static unsigned char *memory_of(const struct pressure *pressure, const struct presser *presser)
{
    return pressure->arena.memory + (size_t)(presser - pressure->pressers) * pressure->room;
}

static void lay_out_holder(struct pressure *pressure, struct presser *presser, uint64_t bytes)
{
    unsigned char *memory = memory_of(pressure, presser);
    const struct stream_access access = {.pattern = STREAM_SEQUENTIAL};
    uint64_t steps;
    bytes = bytes / STREAM_STEP_BYTES * STREAM_STEP_BYTES;
    presser->kernel =
        stream_lay_out(&presser->stream, stream_find(STREAM_READ, stream_usual_width(), NULL),
                       memory, bytes, &access, 0, &steps);
    presser->state = &presser->stream;
    presser->chunk = HOLD_STEPS;
    presser->chunk_bytes = HOLD_STEPS * (double)STREAM_STEP_BYTES;
    presser->warm = 2 * (steps / HOLD_STEPS + 1);
    presser->single = loads_from(pressure, memory, bytes, presser->bins);
}

static void lay_out_traffic(const struct pressure *pressure, struct presser *presser,
                            uint64_t pause)
{
    unsigned char *memory = memory_of(pressure, presser);
    uint64_t bytes = HUGE_PAGE;
    while (bytes * 2 <= pressure->room)
        bytes *= 2;
    const struct inject_lines lines = {.memory = memory,
                                       .mask = bytes - (uint64_t)pressure->line_bytes,
                                       .step = (uint64_t)pressure->line_bytes,
                                       .delay = pause};
    presser->injector =
        (struct injector){.lines = lines, .apart = lines, .mix = &pressure->run->mix};
    presser->kernel = inject_run;
    presser->state = &presser->injector;
    presser->chunk = INJECT_REPEATS;
    presser->chunk_bytes = INJECT_REPEATS * inject_lines_each * pressure->line_bytes;
    presser->warm = 1;
}

int pressure_run(struct pressure *pressure, const struct pressure_level *level,
                 bool (*over)(void *argument), void *argument, struct pressed *pressed,
                 struct error *error)
{
    struct pressed_run *run = pressure->run;
    const size_t count = level->kind == PRESSURE_NONE ? 0 : pressure->count;
    const struct team_job job = {pressure->cpus, count, press, run, look};
    *run = (struct pressed_run){pressure, over, argument, count};
    inject_mix_make(&run->mix, 100, INJECT_SEQUENTIAL, (size_t)pressure->line_bytes);
    for (size_t i = 0; i < count; i++) {
        struct presser *presser = &pressure->pressers[i];
        presser->began_ns = 0;
        memset(presser->bins, 0, sizeof presser->bins);
        if (level->kind == PRESSURE_HOLD)
            lay_out_holder(pressure, presser, level->bytes / count);
        else
            lay_out_traffic(pressure, presser, level->pause);
    }
    int code = count ? team_run(pressure->team, &job, error) : 0;
    for (; !count && atomic_load(&run->phase) != OVER && code == 0; look(run))
        code = team_pause(pressure->team, os_raw_ns() + POLL_MS * UINT64_C(1000000), error);
    pressure->lost = code == ERROR_SYSTEM;
    *pressed = sum_up(pressure, level, count);
    return code;
}

/* The last presser is this CPU. */
static bool read_meanwhile(void *argument)
{
    struct presser *own = argument;
    const uint64_t until_ns = os_raw_ns() + BESIDE_MS * UINT64_C(1000000);
    for (own->began_ns = os_raw_ns(); os_raw_ns() < until_ns; own->bytes += own->chunk_bytes)
        if (own->kernel)
            own->kernel(own->state, own->chunk);
    own->ended_ns = os_raw_ns();
    return true;
}

int pressure_beside(struct pressure *pressure, const struct pressure_level *level, uint64_t pause,
                    struct pressed *pressed, struct error *error)
{
    struct presser *own = &pressure->pressers[pressure->count];
    *own = (struct presser){.kernel = NULL};
    if (pause)
        lay_out_traffic(pressure, own, pause);
    const int code = pressure_run(pressure, level, read_meanwhile, own, pressed, error);
    pressed->own = own->bytes * 1e9 / (double)(own->ended_ns - own->began_ns);
    return code;
}

/* --- the memory and the scale --- */

static void touch(void *argument, unsigned rank)
{
    struct pressure *pressure = argument;
    arena_touch_part(&pressure->arena, rank * pressure->room, pressure->room);
}

/* Loads from the shared cache against loads of lines that were taken out of all caches. */
static void find_scale(void *argument, unsigned rank)
{
    struct pressure *pressure = argument;
    struct presser *presser = &pressure->pressers[rank];
    uint64_t ticks[2];
    for (int flush = 0; flush < 2; flush++) {
        lay_out_holder(pressure, presser, pressure->scale_bytes);
        for (uint64_t i = 0; i < presser->warm; i++)
            presser->kernel(presser->state, presser->chunk);
        presser->single.flush = flush;
        ticks[flush] = median_ticks(&presser->single);
    }
    /* Apart by so much that neither is taken for the other. */
    pressure->slow_ticks = ticks[1] > ticks[0] + ticks[0] / 4 ? (ticks[0] + ticks[1]) / 2 : 0;
}

int pressure_open(struct pressure *pressure, const struct machine *machine, const int *cpus,
                  size_t count, const volatile sig_atomic_t *stop, struct error *error)
{
    *pressure = (struct pressure){.machine = machine,
                                  .cpus = cpus,
                                  .count = count,
                                  .own_bytes = own_cache_bytes(&machine->facts),
                                  .line_bytes = machine_line_bytes(machine)};
    pressure->run = calloc(1, sizeof *pressure->run);
    pressure->pressers = calloc(count + 1, sizeof *pressure->pressers);
    if (!pressure->run || !pressure->pressers)
        return error_out_of_memory(error);
    return team_create(&pressure->team, stop, error);
}

int pressure_map(struct pressure *pressure, uint64_t cache, bool shared, uint64_t most,
                 struct error *error)
{
    if (!pressure->count)
        return 0;
    const size_t count = pressure->count + 1;
    const uint64_t left = machine_memory_budget(pressure->machine) / count;
    uint64_t room = HUGE_PAGE;
    while (room * (shared ? pressure->count : 1) < 2 * cache && room * 2 <= left)
        room *= 2;
    const uint64_t holds = (most / pressure->count / HUGE_PAGE + 1) * HUGE_PAGE;
    pressure->room = (size_t)(holds > room && holds <= left ? holds : room);
    struct team_job job = {pressure->cpus, pressure->count, touch, pressure};
    int code = arena_map(&pressure->arena, pressure->room * count, PAGES_AUTO, -1, error);
    if (code == 0)
        touch(pressure, (unsigned)pressure->count);
    if (code == 0)
        code = team_run(pressure->team, &job, error);
    pressure->scale_bytes = (uint64_t)fmin(4 * pressure->own_bytes, (double)(cache / 4));
    if (code >= 0 && line_flush_possible() &&
        pressure->scale_bytes > (uint64_t)pressure->own_bytes &&
        pressure->scale_bytes <= pressure->room) {
        job.count = 1;
        job.work = find_scale;
        code = team_run(pressure->team, &job, error);
    }
    pressure->lost = code == ERROR_SYSTEM;
    return code < 0 ? code : 0;
}

void pressure_close(struct pressure *pressure)
{
    team_free(pressure->team);
    if (pressure->lost) /* a worker that did not come back may still write there */
        return;
    arena_unmap(&pressure->arena);
    free(pressure->pressers);
    free(pressure->run);
}
