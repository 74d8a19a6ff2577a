/* Memory on a node of the host, and managed memory: that it lies where it was asked for. */
#include "measure/gpu/cuda/bench.h"

/* Of the modelled device `tiny`: a load from the host, what another node adds, memory, L2. */
static const double host_cycles = 1200, node_cycles = 400, dram_cycles = 500;

static struct gpu_work reads_of(enum gpu_home home, int node)
{
    struct gpu_work work = chase_of(GPU_UNCACHED, 64 << 10, 128);
    work.home = home;
    work.node = node;
    return work;
}

static void each_node_is_as_far_as_it_is(void **state)
{
    struct bench bench;
    (void)state;
    bench_open(&bench, "tiny,nodes=3,node=1,node_latency=400");
    struct gpu_work other = chase_of(GPU_L1, 4096, 128);
    bench_prepare(&bench, &other, 1);
    const unsigned long long before = bench_held(&bench);
    for (int node = 0; node < 3; node++) {
        const struct gpu_work work = reads_of(GPU_ON_NODE, node);
        assert_near(bench_cycles(&bench, &work, 1024), host_cycles + (node == 1 ? 0 : node_cycles),
                    0.01);
        assert_true(bench.cuda->job.memory[0].registered);
    }
    bench_prepare(&bench, &other, 1);
    assert_int_equal(bench_held(&bench), before);
    bench_close(&bench);
}

static void a_node_that_is_not_there_is_refused_when_it_is_asked_for(void **state)
{
    struct bench bench;
    const struct gpu_work work = reads_of(GPU_ON_NODE, 2);
    (void)state;
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
    (void)state;
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

static unsigned fetches, advices;
static int (*prefetch_by_driver)(uint64_t, size_t, int, void *);
static int (*advise_by_driver)(uint64_t, size_t, int, int);

static int count_prefetch(uint64_t address, size_t bytes, int device, void *stream)
{
    fetches++;
    return prefetch_by_driver(address, bytes, device, stream);
}

static int count_advice(uint64_t address, size_t bytes, int advice, int device)
{
    advices++;
    return advise_by_driver(address, bytes, advice, device);
}

static void managed_memory_is_where_it_was_sent_or_first_touched(void **state)
{
    static const struct {
        enum gpu_home home;
        double cycles;
        unsigned fetches, advices;
    } cases[] = {
        {GPU_MANAGED_FETCHED, dram_cycles, 1, 0},
        {GPU_MANAGED_TOUCHED, dram_cycles, 0, 0},
        {GPU_MANAGED_ON_HOST, host_cycles, 1, 2},
    };
    struct bench bench;
    (void)state;
    bench_open(&bench, "tiny");
    prefetch_by_driver = bench.driver->calls.cuMemPrefetchAsync;
    advise_by_driver = bench.driver->calls.cuMemAdvise;
    bench.driver->calls.cuMemPrefetchAsync = count_prefetch;
    bench.driver->calls.cuMemAdvise = count_advice;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct gpu_work work = reads_of(cases[i].home, 0);
        fetches = advices = 0;
        assert_near(bench_cycles(&bench, &work, 1024), cases[i].cycles, 0.01);
        /* It stays there. */
        bench_run(&bench, &work, 1024);
        assert_near(bench.time.cycles / (double)bench.did, cases[i].cycles, 0.01);
        assert_int_equal(fetches, cases[i].fetches);
        assert_int_equal(advices, cases[i].advices);
    }
    bench_close(&bench);
}

static void what_a_driver_or_a_device_lacks_is_said(void **state)
{
    struct bench bench;
    const struct gpu_work managed = reads_of(GPU_MANAGED_TOUCHED, 0),
                          node = reads_of(GPU_ON_NODE, 0);
    (void)state;
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
    (void)state;
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
        cmocka_unit_test_teardown(each_node_is_as_far_as_it_is, bench_restore),
        cmocka_unit_test_teardown(a_node_that_is_not_there_is_refused_when_it_is_asked_for,
                                  bench_restore),
        cmocka_unit_test_teardown(memory_that_pinning_moves_is_used_as_it_is_or_refused,
                                  bench_restore),
        cmocka_unit_test_teardown(managed_memory_is_where_it_was_sent_or_first_touched,
                                  bench_restore),
        cmocka_unit_test_teardown(what_a_driver_or_a_device_lacks_is_said, bench_restore),
        cmocka_unit_test_teardown(a_failure_leaves_nothing_behind, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
