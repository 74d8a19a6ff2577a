#include "measure/probes/gpu/bench.h"

static const double giga = 1e9;

/* A copy takes 8 us and then its bytes over the link, what the multiprocessors move 20 GB/s or 18;
 * the device's loads 2400 cycles, a launch as many as 6 us have. */
static double made_up(const struct gpu_work *work)
{
    if (work->action == GPU_CHASE)
        return 2400;
    if (work->action == GPU_LAUNCH)
        return 6000e-9 * gpu_bench_hz;
    if (work->action == GPU_STREAM) {
        assert_int_equal(work->home, GPU_ON_HOST);
        return work->traffic == GPU_READ ? 20 * giga : 18 * giga;
    }
    assert_int_equal(work->action, GPU_TRANSFER);
    double link = work->pinned ? 25 * giga : 6 * giga;
    link *= work->direction == GPU_BOTH_WAYS ? 1.8 : work->direction == GPU_TO_HOST ? 0.9 : 1;
    return (double)work->bytes / (8e-6 + (double)work->bytes / link);
}

static double large(double link)
{
    return (64 << 20) / (8e-6 + (64 << 20) / link);
}

static double large_both(double link)
{
    return (128 << 20) / (8e-6 + (128 << 20) / link);
}

static void copies_are_reported_by_their_largest(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_host, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.host.to_device.pinned", "B/s", large(25 * giga), 0.002);
    gpu_bench_value_is(bench, "gpu0.host.to_host.pinned", "B/s", large(22.5 * giga), 0.002);
    gpu_bench_value_is(bench, "gpu0.host.both_ways.pinned", "B/s", large_both(45 * giga), 0.002);
    gpu_bench_value_is(bench, "gpu0.host.to_device.pageable", "B/s", large(6 * giga), 0.002);
    gpu_bench_value_is(bench, "gpu0.host.to_host.pageable", "B/s", large(5.4 * giga), 0.002);
    gpu_bench_value_is(bench, "gpu0.host.both_ways.pageable", "B/s", large_both(10.8 * giga),
                       0.002);
    gpu_bench_value_is(bench, "gpu0.host.to_device.mapped", "B/s", 20 * giga, 0.002);
    gpu_bench_value_is(bench, "gpu0.host.to_host.mapped", "B/s", 18 * giga, 0.002);
}

static void loads_and_launches_have_a_latency(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_host, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.host.read_ns", "ns", 1200, 0.002);
    gpu_bench_value_is(bench, "gpu0.host.read", "cycles", 2400, 0.002);
    gpu_bench_value_is(bench, "gpu0.host.launch_ns", "ns", 6000, 0.002);
}

static const char *only_launches(const struct gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    return work->action != GPU_LAUNCH ? "shares the host's memory" : NULL;
}

static void what_the_device_refuses_is_not_planned(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = only_launches;
    bench->no_cycles = true;
    gpu_bench_drive(bench, &gpu_host, 0, made_up);
    assert_int_equal(bench->task.plan.series_count, 1);
    assert_int_equal(bench->result.finding_count, 1);
    gpu_bench_value_is(bench, "gpu0.host.launch_ns", "ns", 6000, 0.002);
    assert_non_null(strstr(bench->state.not_measured, "copies to_device, pinned"));
    assert_non_null(strstr(bench->state.not_measured, "host reads"));
}

static double only_small(const struct gpu_work *work)
{
    return work->bytes < 64 << 20 ? made_up(work) : NAN;
}

static void without_the_largest_copy_there_is_no_finding(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_host, 0, only_small);
    assert_null(gpu_bench_find(bench, "gpu0.host.to_device.pinned"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(copies_are_reported_by_their_largest),
        GPU_BENCH_TEST(loads_and_launches_have_a_latency),
        GPU_BENCH_TEST(what_the_device_refuses_is_not_planned),
        GPU_BENCH_TEST(without_the_largest_copy_there_is_no_finding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
