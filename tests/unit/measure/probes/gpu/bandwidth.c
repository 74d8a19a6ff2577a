#include "measure/probes/gpu/bench.h"

static const double tera = 1e12;

/* What fits the second level goes at its speed, all else at the memory's. */
static double made_up(const struct gpu_work *work)
{
    if (work->path == GPU_SHARED)
        return work->traffic == GPU_READ ? 30 * tera : 28 * tera;
    if (work->each) {
        assert_int_equal(work->path, GPU_L1);
        assert_int_equal(work->bytes, 8 << 10);
        return 35 * tera;
    }
    if (work->path == GPU_NO_ALLOCATE)
        return work->bytes <= 30 << 20 ? 7.5 * tera : 3.95 * tera;
    if (work->path == GPU_L1)
        return work->bytes <= 30 << 20 ? 7 * tera : 3.8 * tera;
    if (work->bytes <= 30 << 20)
        return work->traffic == GPU_READ ? 9.7 * tera : 5 * tera;
    return work->traffic == GPU_READ    ? 3.9 * tera
           : work->traffic == GPU_WRITE ? 3.7 * tera
                                        : 3.5 * tera;
}

static void each_memory_has_its_bandwidth(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_bandwidth, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.bandwidth.read", "B/s", 3.9 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.bandwidth.write", "B/s", 3.7 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.bandwidth.copy", "B/s", 3.5 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.L2.bandwidth.read", "B/s", 9.7 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.L2.bandwidth.write", "B/s", 5 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.shared.bandwidth.read", "B/s", 30 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.shared.bandwidth.write", "B/s", 28 * tera, 0.002);
    assert_null(gpu_bench_find(bench, "gpu0.L2.bandwidth.copy"));
    gpu_bench_value_is(bench, "gpu0.bandwidth.read.plain", "B/s", 3.8 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.L2.bandwidth.read.plain", "B/s", 7 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.bandwidth.read.no_allocate", "B/s", 3.95 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.L2.bandwidth.read.no_allocate", "B/s", 7.5 * tera, 0.002);
    gpu_bench_value_is(bench, "gpu0.L1.bandwidth.read", "B/s", 35 * tera, 0.002);
}

static void a_small_memory_is_not_overfilled(void **state)
{
    struct gpu_bench *bench = *state;
    bench->facts[0].memory_bytes = 64 << 20;
    bench->facts[0].l2_bytes = 256 << 10;
    gpu_bench_begin(bench, 0);
    assert_true(gpu_bench_stage(bench, &gpu_bandwidth));
    size_t most = 0;
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct gpu_work *work = gpu_bench_work(bench, &bench->task.plan.points[i]);
        most = work->bytes > most ? work->bytes : most;
    }
    assert_int_equal(most, 8 << 20);
}

static void an_unknown_cache_has_no_bandwidth(void **state)
{
    struct gpu_bench *bench = *state;
    bench->facts[0].l2_bytes = 0;
    gpu_bench_drive(bench, &gpu_bandwidth, 0, made_up);
    assert_null(gpu_bench_find(bench, "gpu0.L2.bandwidth.read"));
    gpu_bench_value_is(bench, "gpu0.bandwidth.read", "B/s", 3.9 * tera, 0.002);
}

static const char *no_writing(const struct gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    return work->traffic != GPU_READ || work->path == GPU_SHARED ? "only reads memory" : NULL;
}

static void what_the_device_refuses_is_not_planned(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = no_writing;
    gpu_bench_drive(bench, &gpu_bandwidth, 0, made_up);
    assert_int_equal(bench->task.plan.series_count, 4); /* by each way to read */
    assert_null(gpu_bench_find(bench, "gpu0.bandwidth.write"));
    assert_null(gpu_bench_find(bench, "gpu0.shared.bandwidth.read"));
    assert_non_null(strstr(bench->state.not_measured, "scratchpad bandwidth, write"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(each_memory_has_its_bandwidth),
        GPU_BENCH_TEST(a_small_memory_is_not_overfilled),
        GPU_BENCH_TEST(an_unknown_cache_has_no_bandwidth),
        GPU_BENCH_TEST(what_the_device_refuses_is_not_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
