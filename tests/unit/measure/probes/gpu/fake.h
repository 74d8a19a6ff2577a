/*
 * GPUs that are made up: a backend whose devices have caches by a table, and a bench that carries
 * the whole probe out on them. Time is the stand-in's, so nothing waits and no clock matters.
 */
#ifndef FATHOM_TESTS_PROBES_GPU_FAKE_H
#define FATHOM_TESTS_PROBES_GPU_FAKE_H

#include "support.h"

#include "document/flag.h"
#include "measure/engine/engine.h"
#include "measure/probes/gpu/gpu.h"
#include "measure/run/stages.h"

#include <math.h>
#include <stdio.h>

extern const struct probe gpu_probe;

enum { FAKE_DEVICES_MOST = 3 };

struct fake_device {
    uint64_t l1, l2; /* bytes */
    double l1_cycles, l2_cycles, dram_cycles, hz;
    bool no_cycles;                      /* it tells ns alone */
    bool no_time;                        /* its clock does not run */
    const char *start_fails, *run_fails; /* NULL: it doesn't */
    unsigned run_fails_after;            /* batches */
    unsigned refused;                    /* paths, as bits */
    uint64_t chunk;                      /* operations at once: others are rounded up */
    size_t throttled_from, throttled_to; /* working sets in which its clock is slowed */
};

/* All of a fake backend, and what was done to it. */
struct fake {
    struct gpu_facts facts[FAKE_DEVICES_MOST];
    struct fake_device devices[FAKE_DEVICES_MOST];
    size_t count;
    const char *open_fails;
    int opened, started, runs, sensors; /* opened and started: less what was closed and stopped */
    unsigned starts;
    size_t prepared;             /* working set of the last work */
    volatile sig_atomic_t *stop; /* set after that many runs */
    int stop_after;
};

/* Of the backend that is asked for; tests run one after another. */
static struct fake fake_cuda, fake_opencl;

struct gpu_library {
    struct fake *fake;
};

struct gpu {
    struct fake *fake;
    struct fake_device *device;
    unsigned batches;
};

static struct gpu_library fake_libraries[2];
static struct gpu fake_gpu;

static int fake_open(struct fake *fake, struct gpu_library *library, struct gpu_library **opened,
                     struct gpu_facts **facts, size_t *count, struct error *error)
{
    if (fake->open_fails)
        return error_set(error, ERROR_IMPOSSIBLE, "%s", fake->open_fails);
    fake->opened++;
    library->fake = fake;
    *opened = library;
    *facts = fake->facts;
    *count = fake->count;
    return 0;
}

static int fake_open_cuda(struct gpu_library **library, struct pool *pool, struct gpu_facts **facts,
                          size_t *count, struct error *error)
{
    return fake_open(&fake_cuda, &fake_libraries[0], library, facts, count, error);
}

static int fake_open_opencl(struct gpu_library **library, struct pool *pool,
                            struct gpu_facts **facts, size_t *count, struct error *error)
{
    return fake_open(&fake_opencl, &fake_libraries[1], library, facts, count, error);
}

static void fake_close(struct gpu_library *library)
{
    if (library)
        library->fake->opened--;
}

static int fake_start(struct gpu_library *library, size_t index, struct gpu **gpu,
                      struct error *error)
{
    struct fake_device *device = &library->fake->devices[index];
    assert_int_equal(library->fake->started, 0); /* one at a time */
    if (device->start_fails)
        return error_set(error, ERROR_IMPOSSIBLE, "%s", device->start_fails);
    library->fake->started++;
    library->fake->starts++;
    fake_gpu = (struct gpu){library->fake, device, 0};
    *gpu = &fake_gpu;
    return 0;
}

static void fake_stop(struct gpu *gpu)
{
    if (gpu)
        gpu->fake->started--;
}

static const char *fake_refuses(const struct gpu *gpu, const struct gpu_work *work)
{
    return gpu->device->refused >> work->path & 1 ? "needs another device" : NULL;
}

static int fake_prepare(struct gpu *gpu, const struct gpu_work *work, uint64_t seed,
                        struct error *error)
{
    gpu->fake->prepared = work->bytes;
    return 0;
}

/* What of a chase misses a cache: nothing while it fits, everything from a third more on. */
static double fake_misses(double bytes, double capacity)
{
    return fmin(1, fmax(0, (bytes / capacity - 1) * 3));
}

static double fake_cycles(const struct gpu *gpu, const struct gpu_work *work)
{
    const struct fake_device *device = gpu->device;
    const struct gpu_facts *facts = &gpu->fake->facts[device - gpu->fake->devices];
    double l1 = (double)device->l1;
    if (work->carve_out >= 0)
        l1 = (double)facts->first_level_bytes -
             work->carve_out / 100.0 * (double)facts->scratchpad_bytes;
    const double bytes = (double)work->bytes;
    const double past_l1 = work->path == GPU_L2 ? 1 : fake_misses(bytes, l1);
    const double past_l2 = fake_misses(bytes, (double)device->l2);
    return device->l1_cycles + past_l1 * (device->l2_cycles - device->l1_cycles) +
           past_l2 * (device->dram_cycles - device->l2_cycles);
}

static int fake_run(struct gpu *gpu, const struct gpu_work *work, uint64_t repeats, uint64_t *did,
                    struct gpu_time *time, struct error *error)
{
    struct fake *fake = gpu->fake;
    const struct fake_device *device = gpu->device;
    assert_int_equal(fake->started, 1);
    if (++fake->runs == fake->stop_after)
        *fake->stop = 1;
    if (device->run_fails && gpu->batches++ >= device->run_fails_after)
        return error_set(error, ERROR_IMPOSSIBLE, "%s", device->run_fails);
    *did = (repeats + device->chunk - 1) / device->chunk * device->chunk;
    const double cycles = fake_cycles(gpu, work) * (double)*did;
    *time = (struct gpu_time){device->no_time ? 0 : cycles / device->hz * 1e9,
                              device->no_cycles ? NAN : cycles};
    return 0;
}

static void fake_read_sensors(struct gpu *gpu, struct gpu_sensors *sensors)
{
    const size_t bytes = gpu->fake->prepared;
    gpu->fake->sensors++;
    sensors->clock_hz = gpu->device->hz;
    sensors->memory_clock_hz = 7e9;
    sensors->power_w = 300;
    if (bytes >= gpu->device->throttled_from && bytes <= gpu->device->throttled_to)
        sensors->throttle = 0x24; /* the power limit, and heat by the driver's word */
}

static const struct gpu_backend fake_cuda_backend = {.name = "cuda",
                                                     .title = "the NVIDIA driver",
                                                     .open = fake_open_cuda,
                                                     .close = fake_close,
                                                     .start = fake_start,
                                                     .stop = fake_stop,
                                                     .refuses = fake_refuses,
                                                     .prepare = fake_prepare,
                                                     .run = fake_run,
                                                     .read_sensors = fake_read_sensors};
static const struct gpu_backend fake_opencl_backend = {.name = "opencl",
                                                       .title = "OpenCL",
                                                       .open = fake_open_opencl,
                                                       .close = fake_close,
                                                       .start = fake_start,
                                                       .stop = fake_stop,
                                                       .refuses = fake_refuses,
                                                       .prepare = fake_prepare,
                                                       .run = fake_run};
static const struct gpu_backend *const fake_backends[] = {&fake_cuda_backend, &fake_opencl_backend,
                                                          NULL};

static void fake_plan(struct probe_task *task)
{
    gpu_plan_with(task, fake_backends);
}

/* A Turing-like device: L1 64 KiB of 96, L2 4 MiB, 1 GiB. */
static void fake_add(struct fake *fake, const char *name, const char *kind)
{
    const size_t i = fake->count++;
    fake->facts[i] = (struct gpu_facts){.id = (int)i,
                                        .name = name,
                                        .backend = fake == &fake_cuda ? "cuda" : "opencl",
                                        .kind = kind,
                                        .capability = fake == &fake_cuda ? "7.5" : NULL,
                                        .multiprocessors = 46,
                                        .memory_bytes = 1 << 30,
                                        .l2_bytes = 4 << 20,
                                        .first_level_bytes = 96 << 10,
                                        .scratchpad_bytes = 64 << 10};
    fake->devices[i] = (struct fake_device){.l1 = 64 << 10,
                                            .l2 = 4 << 20,
                                            .l1_cycles = 32,
                                            .l2_cycles = 190,
                                            .dram_cycles = 440,
                                            .hz = 2e9,
                                            .chunk = 100};
}

/* The probe as it is, but with these backends. */
struct fake_bench {
    struct bench bench;
    struct probe probe;
    struct clock clock;
    struct timing_model model; /* whose time it is */
    struct engine engine;
    struct stage_outcome outcome;
    volatile sig_atomic_t stop;
};

static int fake_set_up(void **state)
{
    static struct fake_bench fake;
    void *bench;
    bench_set_up(&bench);
    fake = (struct fake_bench){.bench = *(struct bench *)bench, .probe = gpu_probe};
    struct machine *machine = &fake.bench.machine; /* which points into the bench */
    machine->cpus = fake.bench.places;
    machine->allowed.ids = fake.bench.allowed;
    machine->facts.caches = fake.bench.caches;
    machine->facts.nodes = &fake.bench.node;
    fake.probe.plan = fake_plan;
    fake.bench.task.named = true;
    fake.engine =
        (struct engine){.machine = machine, .clock = &fake.clock, .seed = 7, .model = &fake.model};
    assert_int_equal(team_create(&fake.engine.team, &fake.stop, NULL), 0);
    fake_cuda = fake_opencl = (struct fake){0};
    fake_add(&fake_cuda, "Fake RTX", "gpu");
    fake_opencl.open_fails = "no OpenCL here";
    *state = &fake;
    return 0;
}

/* Whatever came of it, nothing is left open. */
static int fake_tear_down(void **state)
{
    struct fake_bench *fake = *state;
    void *bench = &fake->bench;
    bench_tear_down(&bench);
    team_free(fake->engine.team);
    return fake_cuda.opened || fake_cuda.started || fake_opencl.opened || fake_opencl.started;
}

#define FAKE_TEST(test) cmocka_unit_test_setup_teardown(test, fake_set_up, fake_tear_down)

/* Carries out what was planned. */
static int fake_measure(struct fake_bench *fake)
{
    const int code =
        stages_measure(&fake->bench.task, &fake->engine, 1e6, &fake->outcome, &fake->bench.error);
    if (code == 0)
        again_analyse(&fake->bench.task);
    return code;
}

static inline const struct finding *fake_find(const struct fake_bench *fake, const char *name)
{
    const struct probe_result *result = &fake->bench.result;
    for (size_t i = 0; i < result->finding_count; i++)
        if (strcmp(result->findings[i].name, name) == 0)
            return &result->findings[i];
    return NULL;
}

/* The series of that name and (NULL: any) that path and order. */
static inline const struct series *fake_series(const struct fake_bench *fake, const char *name,
                                               const char *path, const char *order)
{
    const struct probe_result *result = &fake->bench.result;
    for (size_t i = 0; i < result->series_count; i++) {
        const struct series *series = &result->series[i];
        const struct factor *own_path = series_factor(series, "path"),
                            *own_order = series_factor(series, "order");
        if (strcmp(series->name, name) == 0 &&
            (!path || (own_path && strcmp(own_path->text, path) == 0)) &&
            (!order || (own_order && strcmp(own_order->text, order) == 0)))
            return series;
    }
    return NULL;
}

#endif
