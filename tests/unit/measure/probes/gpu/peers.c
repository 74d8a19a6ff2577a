#include "measure/probes/gpu/bench.h"

static double made_up(const struct gpu_work *work)
{
    if (work->action == GPU_CHASE) {
        assert_int_equal(work->home, GPU_ON_PEER);
        return 1000 + 100 * work->peer;
    }
    if (work->action == GPU_STREAM) {
        assert_true(work->home == GPU_ON_PEER && work->traffic == GPU_READ);
        return 9e10 * (1 + work->peer);
    }
    assert_int_equal(work->direction, GPU_TO_PEER);
    return 1e11 * (1 + work->peer);
}

static void a_row_is_measured_by_each_device(void **state)
{
    struct gpu_bench *bench = *state;
    bench->devices = 3;
    for (unsigned device = 0; device < 3; device++)
        gpu_bench_drive(bench, &gpu_peers, device, made_up);
    assert_int_equal(bench->task.plan.series_count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct series *series = &bench->task.plan.series[i];
        bool seen[3][3] = {{false}};
        assert_true(series->matrix);
        assert_int_equal(series->point_count, 6);
        for (size_t j = 0; j < series->point_count; j++) {
            const struct point *point = &series->points[j];
            assert_true(point->from != point->to && !seen[point->from][point->to]);
            seen[point->from][point->to] = true;
        }
    }
}

static void every_pair_has_a_latency_and_a_bandwidth(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_peers, 0, made_up);
    gpu_bench_drive(bench, &gpu_peers, 1, made_up);
    gpu_bench_value_is(bench, "gpu0.peer1.latency", "cycles", 1100, 0.002);
    gpu_bench_value_is(bench, "gpu0.peer1.latency_ns", "ns", 550, 0.002);
    gpu_bench_value_is(bench, "gpu0.peer1.copy", "B/s", 2e11, 0.002);
    gpu_bench_value_is(bench, "gpu1.peer0.latency", "cycles", 1000, 0.002);
    gpu_bench_value_is(bench, "gpu1.peer0.copy", "B/s", 1e11, 0.002);
    gpu_bench_value_is(bench, "gpu0.peer1.read", "B/s", 1.8e11, 0.002);
    assert_int_equal(bench->result.finding_count, 8);
}

static const char *no_access(const struct gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    return work->action != GPU_TRANSFER ? "can't reach that device's memory" : NULL;
}

static void copies_remain_where_nothing_can_be_reached(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = no_access;
    gpu_bench_drive(bench, &gpu_peers, 0, made_up);
    assert_null(gpu_bench_find(bench, "gpu0.peer1.latency"));
    gpu_bench_value_is(bench, "gpu0.peer1.copy", "B/s", 2e11, 0.002);
    assert_non_null(strstr(bench->state.not_measured, "peer latency to gpu1: can't reach"));
    assert_int_equal(bench->task.plan.series_count, 1);
}

static void one_device_alone_has_no_peers(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_begin(bench, 0);
    assert_null(gpu_peers.refuses(&bench->here));
    bench->devices = 1;
    gpu_bench_begin(bench, 0);
    assert_non_null(strstr(gpu_peers.refuses(&bench->here), "second device"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(a_row_is_measured_by_each_device),
        GPU_BENCH_TEST(every_pair_has_a_latency_and_a_bandwidth),
        GPU_BENCH_TEST(copies_remain_where_nothing_can_be_reached),
        GPU_BENCH_TEST(one_device_alone_has_no_peers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
