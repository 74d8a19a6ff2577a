/* Chases through scratchpads, which their kernels link themselves. */
#include "measure/gpu/cuda/bench.h"

static const double EXACT = 0.002;
enum { LOADS = 1024 };

/* More than a block has without asking. */
static void all_of_a_large_scratchpad_can_be_had(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_SHARED, 227 << 10, 256);
    bench_open(&bench, "hopper");
    assert_near(bench_cycles(&bench, &work, LOADS), 29, EXACT);
    work.bytes = 228 << 10;
    assert_refuses(&bench, &work, "less scratchpad for one block");
    bench_close(&bench);
}

static void clusters_that_cannot_be_are_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_CLUSTER, 4096, 64);
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
        cmocka_unit_test_teardown(all_of_a_large_scratchpad_can_be_had, bench_restore),
        cmocka_unit_test_teardown(clusters_that_cannot_be_are_refused, bench_restore),
        cmocka_unit_test_teardown(a_cluster_that_is_too_large_is_the_drivers_to_refuse,
                                  bench_restore),
        cmocka_unit_test_teardown(without_an_answer_the_launch_tells, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
