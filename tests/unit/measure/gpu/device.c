/* Works of a GPU as the engine's device: what a repeat is, and what no backend may tell. */
#include "measure/gpu/device.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* What the backend was asked for, and what it says. */
static struct {
    struct gpu_work prepared;
    uint64_t seed, repeats, more; /* operations that it does beyond those asked for */
    double operation_ns, operation_cycles;
    uint64_t operations_a_repeat;
    int64_t lacks;
    bool fails;
} backend;

static int prepare(struct gpu *gpu, const struct gpu_work *work, uint64_t seed, struct error *error)
{
    (void)gpu;
    (void)error;
    backend.prepared = *work;
    backend.seed = seed;
    return 0;
}

static int run(struct gpu *gpu, const struct gpu_work *work, uint64_t repeats, uint64_t *did,
               struct gpu_time *time, struct error *error)
{
    (void)gpu;
    (void)work;
    backend.repeats = repeats;
    *did = repeats * backend.operations_a_repeat + backend.more - (uint64_t)backend.lacks;
    *time = (struct gpu_time){backend.operation_ns * (double)*did,
                              backend.operation_cycles * (double)*did};
    return backend.fails ? error_set(error, ERROR_IMPOSSIBLE, "the launch failed") : 0;
}

static const struct gpu_backend fake = {.name = "fake", .prepare = prepare, .run = run};

static struct gpu_work works[] = {
    {.action = GPU_CHASE, .path = GPU_L2, .bytes = 4096, .stride = 64},
    {.action = GPU_STREAM, .bytes = 1000},
    {.action = GPU_LAUNCH},
};

static struct gpu_device begin(void)
{
    memset(&backend, 0, sizeof backend);
    backend.operation_ns = 2;
    backend.operation_cycles = 3;
    backend.operations_a_repeat = 1;
    struct gpu_device device = {.works = works, .work_count = 3};
    gpu_device_begin(&device, &fake, NULL, &(struct gpu_facts){.clock_hz = 2e9});
    return device;
}

/* The time of `repeats` repeats of a work; NAN where it fails. */
static double measure(struct gpu_device *gpu, uint64_t work, uint64_t repeats, double *operations,
                      double *hz, struct error *error)
{
    struct device_time took = {.ns = NAN};
    gpu->device.self = gpu;
    assert_int_equal(gpu->device.prepare(gpu, work, 7, operations, error), 0);
    const int code = gpu->device.measure(gpu, repeats, &took, error);
    *hz = took.core_hz;
    return code < 0 ? NAN : took.ns;
}

static void a_repeat_is_loads_bytes_or_a_launch(void **state)
{
    static const struct {
        double operations;
        uint64_t repeats, operations_a_repeat; /* the backend's */
    } cases[] = {{64, 640, 1}, {1000, 10, 1000}, {1, 10, 1}};
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        struct gpu_device gpu = begin();
        double operations, hz;
        backend.operations_a_repeat = cases[i].operations_a_repeat;
        const double ns = measure(&gpu, i, 10, &operations, &hz, NULL);
        assert_true(operations == cases[i].operations);
        assert_int_equal(backend.repeats, cases[i].repeats);
        assert_int_equal(backend.prepared.action, works[i].action);
        assert_int_equal(backend.seed, 7);
        assert_true(fabs(ns - 10 * operations * 2) < 1e-6);
        assert_float_equal(hz, 1.5e9, 1);
    }
}

static void what_is_rounded_up_is_not_counted_twice(void **state)
{
    (void)state;
    struct gpu_device gpu = begin();
    double operations, hz;
    backend.more = 100000;
    assert_float_equal(measure(&gpu, 0, 10, &operations, &hz, NULL), 1280, 1e-6);
    assert_float_equal(hz, 1.5e9, 1);
    struct device_time took;
    assert_int_equal(gpu.device.measure(&gpu, 10, &took, NULL), 0);
    assert_float_equal(took.ns, 1280, 1e-6);
    assert_float_equal(took.worked_ns, 2 * (640 + 100000), 1e-6);
}

static void what_can_not_be_is_an_error(void **state)
{
    (void)state;
    double operations, hz;
    struct error error = {0};
    struct gpu_device gpu = begin();
    backend.lacks = 1;
    assert_true(isnan(measure(&gpu, 0, 10, &operations, &hz, &error)));
    assert_non_null(strstr(error.text, "did 639 of 640 operations"));
    gpu = begin();
    backend.operation_ns = -1;
    assert_true(isnan(measure(&gpu, 0, 10, &operations, &hz, &error)));
    gpu = begin();
    backend.operation_ns = 0;
    assert_true(measure(&gpu, 0, 10, &operations, &hz, NULL) == 0); /* too few to tell */
    assert_true(isnan(hz));
    assert_true(isnan(measure(&gpu, 0, UINT64_C(1) << 30, &operations, &hz, &error)));
    assert_string_equal(error.text, "its clock stands still");
    gpu = begin();
    backend.fails = true;
    assert_true(isnan(measure(&gpu, 0, 10, &operations, &hz, &error)));
    assert_string_equal(error.text, "the launch failed");
}

static void it_wakes_by_a_chase_that_every_backend_can_do(void **state)
{
    (void)state;
    struct gpu_device gpu = begin();
    double operations, hz;
    assert_true(gpu.device.asleep);
    measure(&gpu, gpu.device.wake_work, 10, &operations, &hz, NULL);
    assert_int_equal(backend.prepared.action, GPU_CHASE);
    assert_int_equal(backend.prepared.path, GPU_L1);
    assert_int_equal(backend.prepared.carve_out, -1);
    assert_true(operations == 64);
    assert_int_equal(gpu.device.flags, 0);
    assert_true(gpu.device.full_hz == 2e9);
    gpu_device_begin(&gpu, &fake, NULL, &(struct gpu_facts){.modelled = true});
    assert_int_equal(gpu.device.flags, FLAG_BIT(FLAG_MODELLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeat_is_loads_bytes_or_a_launch),
        cmocka_unit_test(what_is_rounded_up_is_not_counted_twice),
        cmocka_unit_test(what_can_not_be_is_an_error),
        cmocka_unit_test(it_wakes_by_a_chase_that_every_backend_can_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
