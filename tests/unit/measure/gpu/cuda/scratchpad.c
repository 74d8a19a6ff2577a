/* Chases through scratchpads, which their kernels link themselves. */
#include "measure/gpu/cuda/bench.h"

static const double EXACT = 0.002;
enum { LOADS = 1024 };

static void scratchpads_have_their_latency_in_every_order(void **state)
{
    static const struct {
        enum gpu_path path;
        size_t bytes, stride;
        double cycles;
    } cases[] = {
        {GPU_SHARED, 4096, 4, 24},         {GPU_SHARED, 8192, 128, 24},
        {GPU_SHARED, 128, 128, 24},        {GPU_SHARED, 15 << 10, 12, 24},
        {GPU_SHARED_ATOMIC, 4096, 32, 41},
    };
    struct bench bench;
    (void)state;
    bench_open(&bench, "tiny");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = chase_of(cases[i].path, cases[i].bytes, cases[i].stride);
        assert_near(bench_cycles(&bench, &work, LOADS), cases[i].cycles, EXACT);
        work.order = GPU_STRIDED;
        assert_near(bench_cycles(&bench, &work, LOADS), cases[i].cycles, EXACT);
    }
    bench_close(&bench);
}

/* A warp's load takes a turn more for each further word that lies in the fullest bank. */
static void threads_that_meet_in_a_bank_take_turns(void **state)
{
    static const struct {
        const char *model;
        size_t stride;
        double cycles;
    } cases[] = {
        {"tiny,bank_turn=3", 4, 24},
        {"tiny,bank_turn=3", 8, 27},
        {"tiny,bank_turn=3", 64, 69},
        {"tiny,bank_turn=3", 128, 117},
        {"tiny,bank_turn=3", 256, 117},
        {"tiny,bank_turn=3", 132, 24},
        {"tiny,bank_turn=2,shared_banks=16", 4, 26},
        {"tiny,bank_turn=2,shared_banks=16", 64, 86},
    };
    struct bench bench;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = chase_of(GPU_SHARED_WARP, 8 << 10, cases[i].stride);
        bench_open(&bench, cases[i].model);
        assert_near(bench_cycles(&bench, &work, LOADS), cases[i].cycles, EXACT);
        bench_close(&bench);
    }
    struct gpu_work work = chase_of(GPU_SHARED_WARP, 31 * 256, 256);
    bench_open(&bench, "tiny");
    assert_refuses(&bench, &work, "a stride for each of 32 threads");
    bench_close(&bench);
}

/* More than a block has without asking. */
static void all_of_a_large_scratchpad_can_be_had(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_SHARED, 227 << 10, 256);
    (void)state;
    bench_open(&bench, "hopper");
    assert_near(bench_cycles(&bench, &work, LOADS), 29, EXACT);
    work.bytes = 228 << 10;
    assert_refuses(&bench, &work, "less scratchpad for one block");
    bench_close(&bench);
}

static void other_blocks_of_a_cluster_are_reached(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_CLUSTER, 4096, 64);
    (void)state;
    bench_open(&bench, "tiny");
    work.cluster_size = 4;
    for (work.rank = 0; work.rank < 4; work.rank++) {
        assert_near(bench_cycles(&bench, &work, LOADS), work.rank ? 150 : 24, EXACT);
        const uint64_t *seen = bench.cuda->results_host.host;
        assert_int_equal(seen[PTX_OTHER_SM] != seen[PTX_SM], work.rank != 0);
    }
    /* Where a cluster begins is the device's choice, of those that there are. */
    work.cluster_size = 2;
    work.rank = 1;
    work.multiprocessor = 2;
    assert_near(bench_cycles(&bench, &work, LOADS), 150, EXACT);
    const uint64_t *seen = bench.cuda->results_host.host;
    assert_int_equal(seen[PTX_SM], 2);
    bench_close(&bench);
}

static void clusters_that_cannot_be_are_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_CLUSTER, 4096, 64);
    (void)state;
    bench_open(&bench, "tiny");
    assert_refuses(&bench, &work, "clusters of 1 to 16");
    work.cluster_size = 17;
    assert_refuses(&bench, &work, "clusters of 1 to 16");
    work.cluster_size = work.rank = 4;
    assert_refuses(&bench, &work, "a rank within the cluster");
    work.rank = 3;
    work.stride = 4;
    assert_refuses(&bench, &work, "whole elements");
    work.stride = 64;
    work.span = 8192;
    assert_refuses(&bench, &work, "no offsets in the scratchpad");
    work.span = 0;
    bench.driver->calls.cuLaunchKernelEx = NULL;
    assert_refuses(&bench, &work, "CUDA 11.8");
    bench_close(&bench);

    bench_open(&bench, "turing");
    assert_refuses(&bench, &work, "capability 9.0");
    bench_close(&bench);
}

/* Larger than the device has: only the driver knows. */
static void a_cluster_that_is_too_large_is_the_drivers_to_refuse(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_CLUSTER, 4096, 64);
    (void)state;
    bench_open(&bench, "tiny");
    work.cluster_size = 16;
    assert_refuses(&bench, &work, "no clusters of that size");
    work.cluster_size = 2;
    assert_near(bench_cycles(&bench, &work, LOADS), 24, EXACT);
    bench_close(&bench);

    /* More than 8 need a permission of the function's. */
    bench_open(&bench, "hopper,cluster_most=16");
    work.cluster_size = 16;
    assert_null(gpu_cuda.refuses(bench.gpu, &work));
    bench_close(&bench);
    bench_open(&bench, "hopper");
    assert_refuses(&bench, &work, "no clusters of that size");
    bench_close(&bench);
}

/* A driver that can't say: the launch tells. */
static void without_an_answer_the_launch_tells(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_CLUSTER, 4096, 64);
    (void)state;
    bench_open(&bench, "tiny");
    bench.driver->calls.cuOccupancyMaxActiveClusters = NULL;
    work.cluster_size = 16;
    bench_prepare(&bench, &work, 1);
    assert_int_equal(bench_try_run(&bench, &work, LOADS), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "cuLaunchKernelEx: CUDA_ERROR_INVALID_CLUSTER_SIZE (912): this device has no "
                "clusters of that size");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(scratchpads_have_their_latency_in_every_order, bench_restore),
        cmocka_unit_test_teardown(threads_that_meet_in_a_bank_take_turns, bench_restore),
        cmocka_unit_test_teardown(all_of_a_large_scratchpad_can_be_had, bench_restore),
        cmocka_unit_test_teardown(other_blocks_of_a_cluster_are_reached, bench_restore),
        cmocka_unit_test_teardown(clusters_that_cannot_be_are_refused, bench_restore),
        cmocka_unit_test_teardown(a_cluster_that_is_too_large_is_the_drivers_to_refuse,
                                  bench_restore),
        cmocka_unit_test_teardown(without_an_answer_the_launch_tells, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
