#include "measure/probes/gpu/bench.h"

/* Ranks are a little further, each. */
static double made_up(const struct gpu_work *work)
{
    assert_int_equal(work->path, GPU_CLUSTER);
    assert_true(work->rank < work->cluster_size);
    return work->rank == 0 ? 33 : 180 + work->rank % 2;
}

static void other_multiprocessors_are_distinguished_from_the_own_one(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_cluster, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.cluster.latency", "cycles", 181, 0.006);
    gpu_bench_value_is(bench, "gpu0.cluster.latency_ns", "ns", 90.5, 0.006);
    gpu_bench_value_is(bench, "gpu0.cluster.own", "cycles", 33, 0.002);
    assert_non_null(strstr(gpu_bench_find(bench, "gpu0.cluster.latency")->text, "cluster of 16"));
    assert_int_equal(bench->task.plan.series_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(bench->task.plan.series[i].point_count, 2 << i);
}

static const char *at_most_8(const struct gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    return work->cluster_size > 8 ? "launches clusters of 8 at most" : NULL;
}

static void sizes_that_can_not_be_launched_are_not_planned(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = at_most_8;
    gpu_bench_drive(bench, &gpu_cluster, 0, made_up);
    assert_int_equal(bench->task.plan.series_count, 3);
    assert_non_null(strstr(gpu_bench_find(bench, "gpu0.cluster.latency")->text, "cluster of 8"));
    assert_non_null(strstr(bench->state.not_measured, "clusters of 16"));
}

/* The largest was never measured. */
static double no_time_for_16(const struct gpu_work *work)
{
    return work->cluster_size == 16 ? NAN : made_up(work);
}

static void the_largest_that_was_measured_counts(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_cluster, 0, no_time_for_16);
    assert_non_null(strstr(gpu_bench_find(bench, "gpu0.cluster.latency")->text, "cluster of 8"));
}

static void earlier_devices_have_none(void **state)
{
    static const char *const without[] = {"8.9", "7.0", NULL}, *const with[] = {"9.0", "12.1"};
    struct gpu_bench *bench = *state;
    gpu_bench_begin(bench, 0);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        bench->facts[0].capability = without[i];
        assert_non_null(strstr(gpu_cluster.refuses(&bench->here), "capability 9.0"));
    }
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        bench->facts[0].capability = with[i];
        assert_null(gpu_cluster.refuses(&bench->here));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(other_multiprocessors_are_distinguished_from_the_own_one),
        GPU_BENCH_TEST(sizes_that_can_not_be_launched_are_not_planned),
        GPU_BENCH_TEST(the_largest_that_was_measured_counts),
        GPU_BENCH_TEST(earlier_devices_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
