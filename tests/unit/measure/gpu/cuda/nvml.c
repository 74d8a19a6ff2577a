/* NVML: what it tells beside the driver, and that nothing is missing without it. */
#include "measure/gpu/cuda/bench.h"

static void with_nvml(struct bench *bench, const char *model, const char *fault)
{
    bench_model(model, fault);
    setenv("FATHOM_LIBNVML", getenv("FATHOM_CUDA_MODEL"), 1);
    if (bench_list(bench) || gpu_cuda.start(bench->library, 0, &bench->gpu, &bench->error))
        fail_msg("%s", bench->error.text);
}

static const char model[] = "tiny,clock_mhz=1234,memory_mhz=5678,power_w=90.5,temperature_c=61";

static void senses_are_nvmls(void **state)
{
    struct bench bench;
    struct gpu_sensors sensors;
    with_nvml(&bench, model, "");
    gpu_cuda.read_sensors(bench.gpu, &sensors);
    assert_near(sensors.clock_hz, 1234e6, 1e-9);
    assert_near(sensors.memory_clock_hz, 5678e6, 1e-9);
    assert_near(sensors.power_w, 90.5, 1e-9);
    assert_near(sensors.temperature_c, 61, 1e-9);
    assert_int_equal(sensors.throttle, 0);
    bench_close(&bench);
}

static void the_driver_is_named_by_its_own_version(void **state)
{
    struct bench bench;
    with_nvml(&bench, "tiny", "");
    assert_string_equal(bench.facts[0].driver, "modelled 12.4 (CUDA 12.4)");
    bench_close(&bench);
}

/* An idle link is slow, and this process is none of the others. */
static void facts_beside_the_drivers_are_nvmls(void **state)
{
    struct bench bench;
    with_nvml(&bench, "tiny,node=3,link_generation=5,link_lanes=8,ecc=1,others=2", "");
    const struct gpu_facts *facts = &bench.facts[0];
    assert_string_equal(facts->uuid, "GPU-00000000-0000-0000-0000-000000000000");
    assert_string_equal(facts->bus, "0000:10:00.0");
    assert_string_equal(facts->link, "PCIe 1.0 x8");
    assert_string_equal(facts->link_most, "PCIe 5.0 x8");
    assert_string_equal(facts->ecc, "on");
    assert_string_equal(facts->mig, "off");
    assert_true(facts->host_node == 3 && facts->other_processes == 2);
    gpu_cuda.read_facts(bench.gpu, &bench.pool, &bench.facts[0]);
    assert_string_equal(facts->link, "PCIe 5.0 x8");
    assert_true(facts->other_processes == 2);
    bench_close(&bench);
    with_nvml(&bench, "tiny",
              "nvmlDeviceGetUUID=3,nvmlDeviceGetCurrPcieLinkWidth=3,"
              "nvmlDeviceGetEccMode=3,nvmlDeviceGetComputeRunningProcesses_v3=3");
    assert_null(bench.facts[0].uuid);
    assert_null(bench.facts[0].link);
    assert_null(bench.facts[0].ecc);
    assert_true(isnan(bench.facts[0].other_processes));
    bench_close(&bench);
}

/* nvmlClocksThrottleReasons: being idle (0x1), and clocks that were asked for (0x2, 0x100), slow
 * nothing down that should be faster. */
static void only_what_slows_the_clock_is_throttling(void **state)
{
    static const struct {
        const char *model;
        uint64_t throttle;
    } cases[] = {
        {"tiny,throttle=0x1", 0},     {"tiny,throttle=0x102", 0},    {"tiny,throttle=0x4", 4},
        {"tiny,throttle=0x48", 0x48}, {"tiny,throttle=0x1a3", 0xa0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        struct gpu_sensors sensors;
        with_nvml(&bench, cases[i].model, "");
        gpu_cuda.read_sensors(bench.gpu, &sensors);
        assert_int_equal(sensors.throttle, cases[i].throttle);
        bench_close(&bench);
    }
}

static void assert_senses_nothing(struct bench *bench)
{
    struct gpu_sensors sensors = {1, 1, 1, 1, 1};
    gpu_cuda.read_sensors(bench->gpu, &sensors);
    assert_true(isnan(sensors.clock_hz) && isnan(sensors.memory_clock_hz));
    assert_true(isnan(sensors.power_w) && isnan(sensors.temperature_c));
    assert_int_equal(sensors.throttle, 0);
}

/* A model is not asked about through the real library, if there is one. */
static void without_nvml_nothing_is_sensed(void **state)
{
    struct bench bench;
    bench_open(&bench, "tiny");
    assert_senses_nothing(&bench);
    assert_string_equal(bench.facts[0].driver, "CUDA 12.4");
    bench_close(&bench);
}

static void an_nvml_that_fails_is_none(void **state)
{
    static const char *const faults[] = {"nvmlInit=999", "nvmlDeviceGetHandleByPciBusId=6",
                                         "cuDeviceGetPCIBusId=1"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct bench bench;
        with_nvml(&bench, model, faults[i]);
        assert_senses_nothing(&bench);
        bench_close(&bench);
    }
}

static void a_file_that_is_no_nvml_is_none(void **state)
{
    static const char *const paths[] = {"/dev/null", "/nowhere", ""};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct bench bench;
        bench_model("tiny", "");
        setenv("FATHOM_LIBNVML", paths[i], 1);
        assert_int_equal(bench_list(&bench), 0);
        assert_null(bench.driver->nvml);
        bench_close(&bench);
    }
    setenv("FATHOM_LIBNVML", getenv("FATHOM_CUDA_OLD"), 1);
    assert_null(nvml_open(true));
}

/* One call that is missing takes no other with it. */
static void a_library_that_lacks_calls_tells_the_rest(void **state)
{
    struct bench bench;
    struct gpu_sensors sensors;
    bench_model(model, "");
    setenv("FATHOM_LIBNVML", getenv("FATHOM_FAKE_NVML"), 1);
    assert_int_equal(bench_list(&bench), 0);
    assert_non_null(bench.driver->nvml);
    assert_string_equal(bench.facts[0].driver, "CUDA 12.4");
    assert_int_equal(gpu_cuda.start(bench.library, 0, &bench.gpu, &bench.error), 0);
    gpu_cuda.read_sensors(bench.gpu, &sensors);
    assert_near(sensors.power_w, 77, 1e-9);
    assert_true(isnan(sensors.clock_hz) && isnan(sensors.memory_clock_hz));
    assert_true(isnan(sensors.temperature_c));
    assert_int_equal(sensors.throttle, 0);
    bench_close(&bench);
}

/* Each call that fails leaves its own out. */
static void what_nvml_does_not_tell_is_unknown(void **state)
{
    static const char *const faults[] = {
        "nvmlDeviceGetClockInfo=3",     "nvmlDeviceGetPowerUsage=3",
        "nvmlDeviceGetTemperature=3",   "nvmlDeviceGetCurrentClocksThrottleReasons=3",
        "nvmlSystemGetDriverVersion=3",
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct bench bench;
        struct gpu_sensors sensors;
        with_nvml(&bench, "tiny,throttle=4", faults[i]);
        gpu_cuda.read_sensors(bench.gpu, &sensors);
        assert_int_equal(isnan(sensors.clock_hz), i == 0);
        assert_int_equal(isnan(sensors.memory_clock_hz), i == 0);
        assert_int_equal(isnan(sensors.power_w), i == 1);
        assert_int_equal(isnan(sensors.temperature_c), i == 2);
        assert_int_equal(sensors.throttle, i == 3 ? 0 : 4);
        assert_int_equal(strcmp(bench.facts[0].driver, "CUDA 12.4") == 0, i == 4);
        bench_close(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(facts_beside_the_drivers_are_nvmls, bench_restore),
        cmocka_unit_test_teardown(senses_are_nvmls, bench_restore),
        cmocka_unit_test_teardown(the_driver_is_named_by_its_own_version, bench_restore),
        cmocka_unit_test_teardown(only_what_slows_the_clock_is_throttling, bench_restore),
        cmocka_unit_test_teardown(without_nvml_nothing_is_sensed, bench_restore),
        cmocka_unit_test_teardown(an_nvml_that_fails_is_none, bench_restore),
        cmocka_unit_test_teardown(a_file_that_is_no_nvml_is_none, bench_restore),
        cmocka_unit_test_teardown(a_library_that_lacks_calls_tells_the_rest, bench_restore),
        cmocka_unit_test_teardown(what_nvml_does_not_tell_is_unknown, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
