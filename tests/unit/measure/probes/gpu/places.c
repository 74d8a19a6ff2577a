#include "measure/probes/gpu/bench.h"

#include "machine/machine.h"

enum { NODES = 4 };

/* Node 1 is the nearest, node 2 has no memory, node 3 may not be used unless a test says so. */
struct host {
    struct numa_facts nodes[NODES];
    struct node_place places[NODES];
    struct machine machine;
};

static void host_of(struct host *host, size_t nodes)
{
    memset(host, 0, sizeof *host);
    for (int i = 0; i < NODES; i++) {
        host->nodes[i] =
            (struct numa_facts){.id = i, .memory_bytes = i == 2 ? 0 : UINT64_C(8) << 30};
        host->places[i] = (struct node_place){.free_bytes = UINT64_C(4) << 30, .allowed = i != 3};
    }
    host->machine.facts.nodes = host->nodes;
    host->machine.facts.node_count = nodes;
    host->machine.nodes = host->places;
}

static double made_up(const struct gpu_work *work)
{
    assert_int_equal(work->action, GPU_CHASE);
    switch (work->home) {
    case GPU_ON_NODE:
        assert_int_equal(work->path, GPU_UNCACHED);
        return 2000 + 300 * work->node;
    case GPU_MANAGED_ON_HOST:
        assert_int_equal(work->path, GPU_UNCACHED);
        return 2400;
    default:
        /* Past L2, by the path that its latency is held against. */
        assert_int_equal(work->path, GPU_L2);
        assert_int_equal(work->bytes, 4 * (48 << 20));
        return work->home == GPU_MANAGED_FETCHED ? 700 : 800;
    }
}

static void a_node_that_is_full_is_left_alone(void **state)
{
    struct gpu_bench *bench = *state;
    struct host host;
    host_of(&host, 2);
    host.places[1].free_bytes = 1 << 20;
    bench->task.machine = &host.machine;
    gpu_bench_drive(bench, &gpu_places, 0, made_up);
    assert_non_null(gpu_bench_find(bench, "gpu0.node0.read"));
    assert_null(gpu_bench_find(bench, "gpu0.node1.read"));
    assert_non_null(strstr(bench->state.not_measured, "node 1: too little of its memory is free"));
}

static const char *no_managed(const struct gpu *gpu, const struct gpu_work *work)
{
    return work->home > GPU_ON_NODE ? "has no managed memory" : NULL;
}

static void a_device_without_managed_memory_says_so(void **state)
{
    struct gpu_bench *bench = *state;
    struct host host;
    host_of(&host, 2);
    bench->task.machine = &host.machine;
    bench->backend.refuses = no_managed;
    gpu_bench_drive(bench, &gpu_places, 0, made_up);
    assert_int_equal(bench->task.plan.series_count, 2);
    gpu_bench_value_is(bench, "gpu0.node1.read", "cycles", 2300, 0.002);
    assert_null(gpu_bench_find(bench, "gpu0.managed.host.latency"));
    /* Once. */
    const char *said = strstr(bench->state.not_measured, "has no managed memory");
    assert_non_null(said);
    assert_null(strstr(said + 1, "has no managed memory"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(a_node_that_is_full_is_left_alone),
        GPU_BENCH_TEST(a_device_without_managed_memory_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
