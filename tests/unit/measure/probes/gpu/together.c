#include "measure/probes/gpu/bench.h"

static const double giga = 1e9;
static unsigned devices_of_bench[GPU_BENCH_DEVICES] = {0, 1, 3};

static int bits(uint64_t set)
{
    int count = 0;
    for (; set; set &= set - 1)
        count++;
    return count;
}

/* 25 GB/s alone; together 36 to all devices, twice as much back, and half as much again both ways.
 */
static double made_up(const struct gpu_work *work)
{
    const double back = work->direction == GPU_TO_HOST     ? 2
                        : work->direction == GPU_BOTH_WAYS ? 1.5
                                                           : 1;
    assert_int_equal(work->action, GPU_TRANSFER);
    assert_true(work->pinned);
    return bits(work->together) == 1 ? 25 * giga : 36 * giga * back / bits(work->together);
}

static void with(struct gpu_bench *bench, size_t count)
{
    bench->devices = GPU_BENCH_DEVICES;
    bench->state.devices = devices_of_bench;
    bench->state.device_count = count;
}

static void what_is_left_is_reported_of_each_direction(void **state)
{
    struct gpu_bench *bench = *state;
    with(bench, 3);
    gpu_bench_drive(bench, &gpu_together, 1, made_up);
    gpu_bench_value_is(bench, "gpu1.together.to_device", "B/s", 12 * giga, 0.002);
    gpu_bench_value_is(bench, "gpu1.together.to_device.share", "", 12.0 / 25, 0.002);
    gpu_bench_value_is(bench, "gpu1.together.to_host", "B/s", 24 * giga, 0.002);
    gpu_bench_value_is(bench, "gpu1.together.to_host.share", "", 24.0 / 25, 0.002);
    gpu_bench_value_is(bench, "gpu1.together.both_ways", "B/s", 18 * giga, 0.002);
    gpu_bench_value_is(bench, "gpu1.together.both_ways.share", "", 18.0 / 25, 0.002);
    assert_string_equal(gpu_bench_find(bench, "gpu1.together.to_device")->text,
                        "copies of 32 MiB while 2 others did the same");
    assert_string_equal(gpu_bench_find(bench, "gpu1.together.both_ways")->text,
                        "copies of 32 MiB each way, their sum, while 2 others did the same");
}

static void one_device_has_nobody_beside_it(void **state)
{
    struct gpu_bench *bench = *state;
    with(bench, 1);
    gpu_bench_begin(bench, 0);
    assert_string_equal(gpu_together.refuses(&bench->here),
                        "needs a second device that is measured");
    with(bench, 2);
    assert_null(gpu_together.refuses(&bench->here));
}

static void the_smallest_memory_decides_the_size(void **state)
{
    struct gpu_bench *bench = *state;
    with(bench, 2);
    bench->facts[1].memory_bytes = 64 << 20;
    bench->facts[2].memory_bytes = 1 << 20; /* not measured */
    gpu_bench_begin(bench, 0);
    assert_true(gpu_bench_stage(bench, &gpu_together));
    assert_int_equal(gpu_bench_work(bench, &bench->task.plan.points[0])->bytes, 8 << 20);
}

static double never_alone(const struct gpu_work *work)
{
    return bits(work->together) == 1 ? NAN : made_up(work);
}

static double always_alone(const struct gpu_work *work)
{
    return bits(work->together) > 1 ? NAN : made_up(work);
}

static void from_one_of_both_no_share_is_concluded(void **state)
{
    struct gpu_bench *bench = *state;
    with(bench, 2);
    gpu_bench_drive(bench, &gpu_together, 0, never_alone);
    gpu_bench_value_is(bench, "gpu0.together.to_device", "B/s", 18 * giga, 0.002);
    assert_null(gpu_bench_find(bench, "gpu0.together.to_device.share"));
    bench->task.plan.series_count = 0;
    bench->result.finding_count = 0;
    gpu_bench_drive(bench, &gpu_together, 0, always_alone);
    assert_int_equal(bench->result.finding_count, 0);
}

static const char *no_copies_back(const struct gpu *gpu, const struct gpu_work *work)
{
    (void)gpu;
    return work->direction == GPU_TO_HOST ? "has no such copies" : NULL;
}

static void what_the_device_refuses_is_not_planned(void **state)
{
    struct gpu_bench *bench = *state;
    with(bench, 2);
    bench->backend.refuses = no_copies_back;
    gpu_bench_drive(bench, &gpu_together, 0, made_up);
    assert_int_equal(bench->task.plan.series_count, 2);
    assert_non_null(strstr(bench->state.not_measured, "copies at once, to_host: has no such"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(what_is_left_is_reported_of_each_direction),
        GPU_BENCH_TEST(one_device_has_nobody_beside_it),
        GPU_BENCH_TEST(the_smallest_memory_decides_the_size),
        GPU_BENCH_TEST(from_one_of_both_no_share_is_concluded),
        GPU_BENCH_TEST(what_the_device_refuses_is_not_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
