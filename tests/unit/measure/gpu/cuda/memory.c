/* Memory of devices and the host: what is held, what is given back, and what is said when there is
 * no more. */
#include "measure/gpu/cuda/bench.h"

static void too_much_is_refused_with_both_amounts(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    bench_open(&bench, "tiny");
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): 200 MiB asked for, ");
    assert_says(bench.error.text, " MiB free: end other programs");
    /* The next one that fits is done. */
    work.bytes = 1 << 20;
    work.stride = 128;
    assert_near(bench_cycles(&bench, &work, 1024), 500, 0.01);
    bench_close(&bench);
}

static void too_much_of_a_peer_names_the_peer(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    bench_open(&bench, "tiny,devices=2");
    work.home = GPU_ON_PEER;
    work.peer = 1;
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu1: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): 200 MiB asked for, ");
    bench_close(&bench);
}

static void too_much_pinned_memory_says_how_to_have_more(void **state)
{
    struct bench bench;
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.bytes = 1 << 20;
    work.pinned = true;
    bench_open(&bench, "tiny");
    setenv("FATHOM_GPU_FAULT", "cuMemHostAlloc=2", 1);
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu0: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): the host can't pin 1 MiB");
    bench_close(&bench);
}

/* Where even that can't be known. */
static void an_unknown_rest_is_called_unknown(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    bench_open(&bench, "tiny");
    setenv("FATHOM_GPU_FAULT", "cuMemGetInfo=999", 1);
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "200 MiB asked for, an unknown amount free");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(too_much_is_refused_with_both_amounts, bench_restore),
        cmocka_unit_test_teardown(too_much_of_a_peer_names_the_peer, bench_restore),
        cmocka_unit_test_teardown(too_much_pinned_memory_says_how_to_have_more, bench_restore),
        cmocka_unit_test_teardown(an_unknown_rest_is_called_unknown, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
