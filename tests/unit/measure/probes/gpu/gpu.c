/* The frame of the `gpu` probe: backends, devices, experiments, and what goes wrong. */
#include "measure/probes/gpu/fake.h"

#define PLAN(fake, ...) bench_plan(&(fake)->bench, &(fake)->probe, __VA_ARGS__)

static const char *parameter(const struct fake_bench *fake, const char *name)
{
    const struct probe_result *result = &fake->bench.result;
    for (size_t i = 0; i < result->parameter_count; i++)
        if (strcmp(result->parameters[i].name, name) == 0)
            return result->parameters[i].text;
    return NULL;
}

/* --- backends --- */

static void without_any_device_it_is_skipped_with_all_reasons(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.open_fails = "no NVIDIA driver (libcuda.so.1 is not on this machine)";
    assert_int_equal(PLAN(fake, NULL), 0);
    const struct probe_result *result = &fake->bench.result;
    assert_int_equal(result->status, PROBE_SKIPPED);
    assert_string_equal(result->reason, "no NVIDIA driver (libcuda.so.1 is not on this machine); "
                                        "no OpenCL here");
    assert_int_equal(fake->bench.task.gpu_count, 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(result->status, PROBE_SKIPPED);
    assert_int_equal(result->series_count, 0);
    /* In a whole run that is a short story. */
    fake->bench.task.named = false;
    assert_int_equal(PLAN(fake, NULL), 0);
    assert_int_equal(result->status, PROBE_SKIPPED);
    assert_string_equal(result->reason, "no GPU was found; 'fathom doctor' says why");
}

static void a_backend_that_is_named_is_the_only_one_asked(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.open_fails = "no driver";
    assert_int_equal(PLAN(fake, "backend", "opencl", NULL), 0);
    assert_string_equal(fake->bench.result.reason, "no OpenCL here");
    fake_cuda.open_fails = NULL;
    assert_int_equal(PLAN(fake, "backend", "opencl", NULL), 0);
    assert_int_equal(fake->bench.result.status, PROBE_SKIPPED);
    assert_int_equal(PLAN(fake, "backend", "cuda", NULL), 0);
    assert_int_equal(fake->bench.result.status, PROBE_OK);
    assert_int_equal(fake->bench.task.gpu_count, 1);
    assert_ptr_equal(fake->bench.task.gpus, fake_cuda.facts);
}

static void a_cpu_counts_only_where_opencl_is_named(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.open_fails = "no driver";
    fake_opencl.open_fails = NULL;
    fake_add(&fake_opencl, "Fake CPU", "cpu");
    assert_int_equal(PLAN(fake, NULL), 0);
    assert_int_equal(fake->bench.result.status, PROBE_SKIPPED);
    assert_non_null(strstr(fake->bench.result.reason, "--backend opencl"));
    assert_int_equal(fake_opencl.opened, 0);
    assert_int_equal(PLAN(fake, "backend", "opencl", "sizes", "4K", NULL), 0);
    assert_int_equal(fake->bench.result.status, PROBE_OK);
    /* Beside a GPU the CPU is left out, unless it is named by its number. */
    fake_add(&fake_opencl, "Fake Arc", "gpu");
    assert_int_equal(PLAN(fake, "sizes", "4K", "what", "latency", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_non_null(fake_series(fake, "gpu1 latency", NULL, NULL));
    assert_null(fake_series(fake, "gpu0 latency", NULL, NULL));
    assert_int_equal(PLAN(fake, "sizes", "4K", "what", "latency", "device", "0", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_non_null(fake_series(fake, "gpu0 latency", NULL, NULL));
}

/* --- options --- */

static void assert_refused(struct fake_bench *fake, const char *option, const char *value,
                           const char *said)
{
    assert_int_equal(PLAN(fake, option, value, NULL), ERROR_USAGE);
    assert_non_null(strstr(fake->bench.error.text, said));
    assert_null(strchr(fake->bench.error.text, '\n'));
    assert_int_equal(fake_cuda.starts, 0);
}

static void what_there_is_not_is_refused_before_anything_starts(void **state)
{
    struct fake_bench *fake = *state;
    fake_add(&fake_cuda, "Fake GTX", "gpu");
    assert_refused(fake, "device", "2", "--device 2");
    assert_refused(fake, "device", "2", "0 (Fake RTX), 1 (Fake GTX)");
    assert_refused(fake, "device", "0,7", "--device 7");
    assert_refused(fake, "device", "first", "'first'");
    assert_refused(fake, "what", "speed", "'speed'");
    assert_refused(fake, "what", "latency,", "''");
    assert_refused(fake, "what", "latency,speed", "choose one of latency");
    assert_refused(fake, "path", "l1,l3", "choose one of l1, l2, read-only");
}

/* --- measuring --- */

static void devices_are_measured_one_after_another(void **state)
{
    struct fake_bench *fake = *state;
    fake_add(&fake_cuda, "Fake GTX", "gpu");
    fake_cuda.devices[1].hz = 1e9;
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K,1M", "order", "random", NULL), 0);
    assert_int_equal(fake_cuda.starts, 0); /* their time has not come */
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_OK);
    assert_int_equal(fake_cuda.starts, 2);
    for (int gpu = 0; gpu < 2; gpu++) {
        char name[32];
        snprintf(name, sizeof name, "gpu%d latency", gpu);
        const struct series *series = fake_series(fake, name, "l1", "random");
        assert_non_null(series);
        assert_int_equal(series->point_count, 2);
        assert_true(series->headline);
        assert_true(series_factor(series, "gpu")->number == gpu);
        assert_string_equal(series_factor(series, "what")->text, "latency");
        assert_float_equal(series->points[0].cycles.median, 32, 1e-3);
        assert_float_equal(series->points[1].cycles.median, 190, 1e-2);
        const float ns = gpu ? 190 : 95;
        assert_float_equal(series->points[1].y.median, ns, 1e-2);
        assert_true(series->points[0].y.n >= 6);
        assert_non_null(fake_series(fake, name, "l2", "random"));
        assert_non_null(fake_series(fake, name, "read-only", "random"));
        assert_null(fake_series(fake, name, "l1", "strided"));
    }
    assert_float_equal(fake_find(fake, "gpu0.clock")->value, 2e9, 1e5);
    assert_float_equal(fake_find(fake, "gpu1.clock")->value, 1e9, 1e5);
}

static void what_a_device_can_not_do_is_left_out_and_reported(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].refused = 1U << GPU_READ_ONLY;
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_OK);
    assert_null(fake_series(fake, "gpu0 latency", "read-only", NULL));
    assert_non_null(fake_series(fake, "gpu0 latency", "l2", NULL));
    assert_string_equal(parameter(fake, "not_measured"),
                        "gpu0 latency, path read-only: needs another device");
}

/* Which is no failure of its, and said once. */
static void what_it_can_not_do_at_all_is_skipped(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].refused = 1U << GPU_L2;
    assert_int_equal(PLAN(fake, "what", "latency", "path", "l2", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_SKIPPED);
    assert_string_equal(fake->bench.result.reason, "gpu0 latency, path l2: needs another device");
    assert_null(parameter(fake, "not_measured"));
}

/* --- failures --- */

static void a_device_that_does_not_start_stops_no_other(void **state)
{
    struct fake_bench *fake = *state;
    fake_add(&fake_cuda, "Fake GTX", "gpu");
    fake_cuda.devices[0].start_fails = "it is in prohibited mode: allow it with nvidia-smi -c 0";
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_PARTIAL);
    assert_string_equal(fake->bench.result.reason,
                        "gpu0: it is in prohibited mode: allow it with nvidia-smi -c 0");
    assert_null(fake_series(fake, "gpu0 latency", NULL, NULL));
    assert_non_null(fake_find(fake, "gpu1.clock"));
}

static void where_none_starts_all_has_failed(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].start_fails = "it is busy";
    assert_int_equal(PLAN(fake, NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_FAILED);
    assert_string_equal(fake->bench.result.reason, "gpu0: it is busy");
}

static void a_device_that_can_not_run_anything_fails_with_its_reason(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].run_fails = "the launch failed";
    assert_int_equal(PLAN(fake, NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_FAILED);
    assert_string_equal(fake->bench.result.reason, "gpu0: the launch failed");
    fake_cuda.devices[0].run_fails = NULL;
    fake_cuda.devices[0].no_time = true;
    assert_int_equal(PLAN(fake, NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_string_equal(fake->bench.result.reason, "gpu0: its clock does not run");
}

static void a_device_that_does_not_wake_leaves_nothing_and_stops_no_other(void **state)
{
    struct fake_bench *fake = *state;
    fake_add(&fake_cuda, "Fake GTX", "gpu");
    fake_cuda.devices[0].run_fails = "the launch failed";
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_int_equal(fake->bench.result.status, PROBE_PARTIAL);
    assert_string_equal(fake->bench.result.reason, "gpu0: the launch failed");
    assert_null(fake_series(fake, "gpu0 latency", NULL, NULL));
    assert_int_equal(fake_cuda.starts, 2);
    const struct series *series = fake_series(fake, "gpu1 latency", "l1", "random");
    assert_non_null(series);
    assert_int_equal(series->point_count, 1);
    assert_non_null(fake_find(fake, "gpu1.clock"));
}

static void one_that_fails_on_the_way_keeps_what_it_has(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].run_fails = "the device fell off the bus";
    fake_cuda.devices[0].run_fails_after = 400;
    assert_int_equal(PLAN(fake, "what", "latency", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    const struct probe_result *result = &fake->bench.result;
    assert_int_equal(result->status, PROBE_FAILED); /* every point was visited again */
    assert_non_null(strstr(result->reason, "the device fell off the bus"));
    const struct series *series = fake_series(fake, "gpu0 latency", "l1", "random");
    assert_true(series->point_count > 10);
    assert_string_equal(series->points[0].failed, "the device fell off the bus");
}

static void an_interrupted_run_has_findings_of_what_it_measured(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.stop = &fake->stop;
    fake_cuda.stop_after = 6 * 4 * 70; /* within the first curve's last rounds, or its knees */
    assert_int_equal(PLAN(fake, "what", "latency", NULL), 0);
    assert_int_equal(fake_measure(fake), ERROR_INTERRUPTED);
    assert_int_equal(fake->bench.result.status, PROBE_PARTIAL);
    assert_non_null(fake_find(fake, "gpu0.L1.latency"));
}

/* --- its condition --- */

static void clock_and_power_stand_beside_each_curve(void **state)
{
    struct fake_bench *fake = *state;
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K,8K,16K", "order", "random", NULL),
                     0);
    assert_int_equal(fake_measure(fake), 0);
    static const struct {
        const char *name, *unit;
        float value;
    } companions[] = {{"gpu0 latency: clock", "Hz", 2e9F},
                      {"gpu0 latency: memory clock", "Hz", 7e9F},
                      {"gpu0 latency: power", "W", 300}};
    for (size_t i = 0; i < sizeof companions / sizeof *companions; i++) {
        const struct series *beside = fake_series(fake, companions[i].name, "l1", "random");
        assert_non_null(beside);
        assert_string_equal(beside->y.unit, companions[i].unit);
        assert_string_equal(beside->x.unit, "B");
        assert_false(beside->headline);
        assert_int_equal(beside->point_count, 3);
        for (size_t p = 0; p < 3; p++) {
            assert_true(beside->points[p].x == 4096 << p);
            assert_float_equal(beside->points[p].y.median, companions[i].value, 1);
            assert_true(isnan(beside->points[p].cycles.median));
        }
    }
    /* What it does not report makes no series. */
    assert_null(fake_series(fake, "gpu0 latency: temperature", NULL, NULL));
    assert_true(fake_cuda.sensors >= 3);
}

/* Of a matrix there are no companions. */
static void from_where_to_where_all_moved_is_reported_of_each_device(void **state)
{
    struct fake_bench *fake = *state;
    fake_add(&fake_cuda, "Fake GTX", "gpu");
    fake_cuda.devices[1].hz = 1.5e9;
    fake_cuda.devices[1].throttled_to = SIZE_MAX;
    assert_int_equal(PLAN(fake, "what", "distance", NULL), 0);
    assert_int_equal(fake_measure(fake), 0);
    assert_null(fake_series(fake, "gpu0 L2 by line and multiprocessor: clock", NULL, NULL));
    const struct finding *first = fake_find(fake, "gpu0.condition"),
                         *second = fake_find(fake, "gpu1.condition");
    assert_non_null(first);
    assert_non_null(second);
    assert_string_equal(first->text, "while all of it was measured: clock 2 GHz, memory clock 7 "
                                     "GHz, power 300 W");
    assert_true(isnan(first->value));
    assert_string_equal(second->text,
                        "while all of it was measured: clock 1.5 GHz, memory clock 7 GHz, power "
                        "300 W; its clock was slowed by the power limit, heat (by the driver)");
    assert_false(first->flags & FLAG_BIT(FLAG_THROTTLED));
    assert_true(second->flags & FLAG_BIT(FLAG_THROTTLED));
}

static void points_whose_clock_was_slowed_are_flagged(void **state)
{
    struct fake_bench *fake = *state;
    fake_cuda.devices[0].throttled_from = 8 << 10;
    fake_cuda.devices[0].throttled_to = 16 << 10;
    assert_int_equal(PLAN(fake, "what", "latency", "sizes", "4K,8K,16K,32K", "path", "l1", "order",
                          "random", NULL),
                     0);
    assert_int_equal(fake_measure(fake), 0);
    const struct series *series = fake_series(fake, "gpu0 latency", "l1", "random");
    for (size_t i = 0; i < 4; i++)
        assert_int_equal((series->points[i].flags & FLAG_BIT(FLAG_THROTTLED)) != 0,
                         i == 1 || i == 2);
    assert_true(fake_find(fake, "gpu0.clock")->flags & FLAG_BIT(FLAG_THROTTLED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FAKE_TEST(without_any_device_it_is_skipped_with_all_reasons),
        FAKE_TEST(a_backend_that_is_named_is_the_only_one_asked),
        FAKE_TEST(a_cpu_counts_only_where_opencl_is_named),
        FAKE_TEST(what_there_is_not_is_refused_before_anything_starts),
        FAKE_TEST(devices_are_measured_one_after_another),
        FAKE_TEST(what_a_device_can_not_do_is_left_out_and_reported),
        FAKE_TEST(what_it_can_not_do_at_all_is_skipped),
        FAKE_TEST(a_device_that_does_not_start_stops_no_other),
        FAKE_TEST(where_none_starts_all_has_failed),
        FAKE_TEST(a_device_that_can_not_run_anything_fails_with_its_reason),
        FAKE_TEST(a_device_that_does_not_wake_leaves_nothing_and_stops_no_other),
        FAKE_TEST(one_that_fails_on_the_way_keeps_what_it_has),
        FAKE_TEST(an_interrupted_run_has_findings_of_what_it_measured),
        FAKE_TEST(clock_and_power_stand_beside_each_curve),
        FAKE_TEST(from_where_to_where_all_moved_is_reported_of_each_device),
        FAKE_TEST(points_whose_clock_was_slowed_are_flagged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
