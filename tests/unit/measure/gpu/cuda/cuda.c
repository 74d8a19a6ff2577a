/* The NVIDIA driver and its devices: what is there, and what is said where it is not. */
#include "measure/gpu/cuda/bench.h"

static void assert_no_library(const char *path, const char *says)
{
    struct bench bench;
    setenv("FATHOM_LIBCUDA", path, 1);
    assert_int_equal(bench_list(&bench), ERROR_IMPOSSIBLE);
    assert_null(bench.library);
    assert_int_equal(bench.count, 0);
    assert_line(&bench.error, says);
    bench_close(&bench);
}

static void a_library_that_is_not_there_is_named(void **state)
{
    assert_no_library("/nowhere/libcuda.so.1",
                      "FATHOM_LIBCUDA=/nowhere/libcuda.so.1 does not load");
}

static void a_library_that_is_no_driver_lacks_its_first_call(void **state)
{
    if (!getenv("FATHOM_CUDA_MODEL"))
        skip();
    /* Any library will do that was built for this machine. */
    Dl_info info;
    assert_int_not_equal(dladdr((void *)(uintptr_t)_assert_true, &info), 0);
    assert_no_library(info.dli_fname, "lacks cuInit");
}

static void what_an_old_driver_lacks_is_reported(void **state)
{
    const char *old = getenv("FATHOM_CUDA_OLD");
    if (!old)
        skip();
    assert_no_library(old, "the NVIDIA driver is too old: it lacks cu");
}

static void without_a_driver_the_line_names_it_and_the_variable(void **state)
{
    struct bench bench;
    unsetenv("FATHOM_LIBCUDA");
    if (bench_list(&bench) == 0) {
        bench_close(&bench);
        print_message("# this machine has a driver\n");
        skip();
    }
    assert_int_equal(bench.error.code, ERROR_IMPOSSIBLE);
    /* Where there is a driver without a device, it says so itself. */
    assert_true(strstr(bench.error.text, "FATHOM_LIBCUDA") ||
                strstr(bench.error.text, "the NVIDIA driver"));
    bench_close(&bench);
}

static void facts_are_the_drivers(void **state)
{
    struct bench bench;
    bench_open(&bench, "hopper,devices=2");
    assert_int_equal(bench.count, 2);
    for (int i = 0; i < 2; i++) {
        const struct gpu_facts *facts = &bench.facts[i];
        assert_int_equal(facts->id, i);
        assert_string_equal(facts->name, "modelled GPU (hopper)");
        assert_string_equal(facts->backend, "cuda");
        assert_string_equal(facts->driver, "CUDA 12.4");
        assert_string_equal(facts->kind, "gpu");
        assert_string_equal(facts->capability, "9.0");
        assert_true(facts->modelled);
        assert_int_equal(facts->multiprocessors, 132);
        assert_near(facts->clock_hz, 1.755e9, 1e-9);
        assert_near(facts->memory_clock_hz, 1.593e9, 1e-9);
        assert_true(facts->memory_bus_bits > 0);
        assert_int_equal(facts->memory_bytes, UINT64_C(80) << 30);
        assert_int_equal(facts->l2_bytes, 50 << 20);
        assert_int_equal(facts->first_level_bytes, 256 << 10);
        assert_int_equal(facts->scratchpad_bytes, 228 << 10);
        assert_int_equal(facts->constant_bytes, 64 << 10);
    }
    bench_close(&bench);
}

/* A driver that does not know an attribute is no failure; what it does not report is unknown. */
static void facts_that_are_not_reported_are_unknown(void **state)
{
    struct bench bench;
    assert_int_equal(bench_try(&bench, "tiny", "cuDeviceGetAttribute=1"), ERROR_IMPOSSIBLE);
    assert_non_null(bench.library);
    assert_true(isnan(bench.facts[0].clock_hz));
    assert_true(isnan(bench.facts[0].memory_clock_hz));
    assert_int_equal(bench.facts[0].multiprocessors, 0);
    assert_int_equal(bench.facts[0].l2_bytes, 0);
    assert_int_equal(bench.facts[0].first_level_bytes, 0);
    assert_line(&bench.error, "its capability is 0.0");
    bench_close(&bench);
}

static void a_driver_that_does_not_start_says_why(void **state)
{
    static const struct {
        const char *fault, *says;
    } cases[] = {
        {"cuInit=100", "CUDA_ERROR_NO_DEVICE (100): no NVIDIA device can be seen"},
        {"cuInit=802", "CUDA_ERROR_SYSTEM_NOT_READY (802): the system is not ready: start nvidia-"},
        {"cuInit=803",
         "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH (803): the library and the loaded kernel "},
        {"cuInit=804", "COMPAT_NOT_SUPPORTED_ON_DEVICE (804): a forward-compatibility library"},
        {"cuInit=34", "CUDA_ERROR_STUB_LIBRARY (34): this is the toolkit's stub"},
        {"cuInit=999", "CUDA_ERROR_UNKNOWN (999): the driver does not say why: look at dmesg"},
        {"cuInit=4242",
         "an error without a name (4242): look at dmesg and at the driver's version"},
        {"cuInit=803,cuGetErrorName=1", "an error without a name (803): the library and the"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        assert_int_equal(bench_try(&bench, "tiny", cases[i].fault), ERROR_IMPOSSIBLE);
        assert_null(bench.library);
        assert_line(&bench.error, cases[i].says);
        assert_says(bench.error.text, "the NVIDIA driver does not start: cuInit: ");
        bench_close(&bench);
    }
}

static void a_driver_without_devices_says_so(void **state)
{
    struct bench bench;
    assert_int_equal(bench_try(&bench, "tiny,devices=0", ""), ERROR_IMPOSSIBLE);
    assert_null(bench.library);
    assert_line(&bench.error, "CUDA_VISIBLE_DEVICES");
    bench_close(&bench);
}

/* Known without a context: so the doctor can tell. */
static void what_may_not_be_used_is_known_before_it_is_started(void **state)
{
    static const struct {
        const char *model, *fault, *says;
    } cases[] = {
        {"tiny,compute_mode=2", "", "gpu0: computing is prohibited on it"},
        {"tiny,capability=35", "", "its capability is 3.5, and fathom needs 5.0"},
        /* CUDA's order need not be that of nvidia-smi; the place on the bus is the same. */
        {"tiny,compute_mode=2", "", "nvidia-smi -i 0000:10:00.0 -c DEFAULT"},
        {"tiny,compute_mode=2", "cuDeviceGetPCIBusId=1", "nvidia-smi -i 0 -c DEFAULT"},
    };
    struct bench bench;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench_model(cases[i].model, cases[i].fault);
        assert_int_equal(bench_list(&bench), 0);
        assert_int_equal(gpu_cuda.usable(bench.library, 0, &bench.error), ERROR_IMPOSSIBLE);
        assert_line(&bench.error, cases[i].says);
        bench_close(&bench);
    }
    bench_model("tiny,compute_mode=3", "");
    assert_int_equal(bench_list(&bench), 0);
    assert_int_equal(gpu_cuda.usable(bench.library, 0, &bench.error), 0);
    bench_close(&bench);
}

static void assert_not_started(const char *model, const char *fault, const char *says)
{
    struct bench bench;
    assert_int_equal(bench_try(&bench, model, fault), ERROR_IMPOSSIBLE);
    assert_non_null(bench.library);
    assert_null(bench.gpu);
    assert_line(&bench.error, says);
    bench_close(&bench);
}

static void a_device_that_may_not_be_used_says_why(void **state)
{
    assert_not_started("tiny,compute_mode=2", "",
                       "gpu0: computing is prohibited on it: nvidia-smi -i 0000:10:00.0 -c");
    assert_not_started("tiny,compute_mode=3", "cuDevicePrimaryCtxRetain=46",
                       "CUDA_ERROR_DEVICE_UNAVAILABLE (46): the device is busy or unavailable: "
                       "another program has it for itself");
    assert_not_started("tiny,compute_mode=3", "cuDevicePrimaryCtxRetain=46", "in exclusive mode");
    assert_not_started("tiny,capability=35", "", "its capability is 3.5, and fathom needs 5.0");
}

static void a_text_that_is_refused_is_explained_by_the_compiler(void **state)
{
    assert_not_started("tiny", "cuModuleLoadDataEx=222",
                       "CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): the driver is too old");
    assert_not_started("tiny", "cuModuleLoadDataEx=221", "install libnvidia-ptxjitcompiler");
}

/* Uncached loads cost what the model's memory does. */
static void every_capability_gets_a_text_that_loads_and_runs(void **state)
{
    static const struct {
        const char *model;
        double cycles;
    } cases[] = {
        {"tiny,capability=50,cluster_most=1", 500},
        {"tiny,capability=61,cluster_most=1", 500},
        {"volta", 400},
        {"turing", 436},
        {"ampere", 560},
        {"hopper", 660},
        {"tiny,capability=121", 500},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench bench;
        struct gpu_work work = chase_of(GPU_UNCACHED, 4096, 128);
        bench_open(&bench, cases[i].model);
        assert_near(bench_cycles(&bench, &work, 1024), cases[i].cycles, 0.01);
        bench_close(&bench);
    }
}

/* A second start finds all that the first one had; two devices work side by side. */
static void devices_are_started_and_stopped_as_often_as_wanted(void **state)
{
    struct bench bench;
    struct gpu *other;
    struct gpu_work work = chase_of(GPU_L1, 4096, 128);
    bench_open(&bench, "tiny,devices=2");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(gpu_cuda.start(bench.library, 1, &other, &bench.error), 0);
        assert_near(bench_cycles(&bench, &work, 512), 30, 0.01);
        assert_int_equal(gpu_cuda.prepare(other, &work, 1, &bench.error), 0);
        assert_int_equal(gpu_cuda.run(other, &work, 512, &bench.did, &bench.time, &bench.error), 0);
        assert_near(bench.time.cycles / (double)bench.did, 30, 0.01);
        gpu_cuda.stop(other);
    }
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_that_is_not_there_is_named),
        cmocka_unit_test(a_library_that_is_no_driver_lacks_its_first_call),
        cmocka_unit_test(what_an_old_driver_lacks_is_reported),
        cmocka_unit_test(without_a_driver_the_line_names_it_and_the_variable),
        cmocka_unit_test_teardown(facts_are_the_drivers, bench_restore),
        cmocka_unit_test_teardown(facts_that_are_not_reported_are_unknown, bench_restore),
        cmocka_unit_test_teardown(a_driver_that_does_not_start_says_why, bench_restore),
        cmocka_unit_test_teardown(a_driver_without_devices_says_so, bench_restore),
        cmocka_unit_test_teardown(what_may_not_be_used_is_known_before_it_is_started,
                                  bench_restore),
        cmocka_unit_test_teardown(a_device_that_may_not_be_used_says_why, bench_restore),
        cmocka_unit_test_teardown(a_text_that_is_refused_is_explained_by_the_compiler,
                                  bench_restore),
        cmocka_unit_test_teardown(every_capability_gets_a_text_that_loads_and_runs, bench_restore),
        cmocka_unit_test_teardown(devices_are_started_and_stopped_as_often_as_wanted,
                                  bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
