/* Memory on a node of the host, and managed memory: that it lies where it was asked for. */
#include "measure/gpu/cuda/bench.h"

/* Of the modelled device `tiny`: a load from the host, and from memory. */
static const double host_cycles = 1200, dram_cycles = 500;

static struct gpu_work reads_of(enum gpu_home home, int node)
{
    struct gpu_work work = chase_of(GPU_UNCACHED, 64 << 10, 128);
    work.home = home;
    work.node = node;
    return work;
}

static void a_node_that_is_not_there_is_refused_when_it_is_asked_for(void **state)
{
    struct bench bench;
    const struct gpu_work work = reads_of(GPU_ON_NODE, 2);
    bench_open(&bench, "tiny,nodes=2");
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_says(bench.error.text, "no node 2");
    bench_close(&bench);
}

/* As Linux does with memory of a device that is a node (Grace): pinning moves it away. */
static void memory_that_pinning_moves_is_used_as_it_is_or_refused(void **state)
{
    struct bench bench;
    const struct gpu_work work = reads_of(GPU_ON_NODE, 1);
    bench_open(&bench, "tiny,nodes=2,own_node=1,pageable=1");
    assert_near(bench_cycles(&bench, &work, 1024), dram_cycles, 0.01);
    assert_false(bench.cuda->job.memory[0].registered);
    bench_close(&bench);
    bench_open(&bench, "tiny,nodes=2,own_node=1");
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu0: memory bound to node 1 was moved to node 0 when it was pinned");
    bench_close(&bench);
}

static void what_a_driver_or_a_device_lacks_is_said(void **state)
{
    struct bench bench;
    const struct gpu_work managed = reads_of(GPU_MANAGED_TOUCHED, 0),
                          node = reads_of(GPU_ON_NODE, 0);
    bench_open(&bench, "tiny,managed=0");
    assert_refuses(&bench, &managed, "has no managed memory");
    bench.driver->calls.cuMemPrefetchAsync = NULL;
    assert_refuses(&bench, &managed, "CUDA 8.0");
    bench.driver->calls.cuMemHostRegister = NULL;
    assert_refuses(&bench, &node, "pins memory where it lies");
    bench_close(&bench);
}

static void a_failure_leaves_nothing_behind(void **state)
{
    struct bench bench;
    const struct gpu_work managed = reads_of(GPU_MANAGED_ON_HOST, 0),
                          node = reads_of(GPU_ON_NODE, 0);
    bench_open(&bench, "tiny");
    bench_fail(&bench, &node, "cuMemHostRegister=801");
    assert_line(&bench.error, "cuMemHostRegister");
    bench_fail(&bench, &managed, "cuMemAdvise=801");
    assert_line(&bench.error, "cuMemAdvise");
    assert_near(bench_cycles(&bench, &node, 1024), host_cycles, 0.01);
    assert_near(bench_cycles(&bench, &managed, 1024), host_cycles, 0.01);
    bench_fail(&bench, &node, "cuMemHostRegister=2");
    assert_line(&bench.error, "the host can't pin 64 KiB where it lies: raise the limit");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_node_that_is_not_there_is_refused_when_it_is_asked_for,
                                  bench_restore),
        cmocka_unit_test_teardown(memory_that_pinning_moves_is_used_as_it_is_or_refused,
                                  bench_restore),
        cmocka_unit_test_teardown(what_a_driver_or_a_device_lacks_is_said, bench_restore),
        cmocka_unit_test_teardown(a_failure_leaves_nothing_behind, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
