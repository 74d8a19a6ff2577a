#include "measure/probes/gpu/bench.h"

/* Constant caches of 2 KiB in lines of 64 bytes, and of 32 KiB in lines of 256: a ring of more
 * lines misses all (least recently used goes first), but finds a line again that it was at a short
 * time ago. Everything else has a latency of its own. */
static double constant(const struct gpu_work *work, size_t first, size_t second)
{
    const size_t lines = work->bytes / (work->stride < 64 ? 64 : work->stride);
    const double again = work->stride < 256 ? 0.5 : 0;
    if (lines <= first / 64)
        return 21;
    return work->bytes <= second ? 105 : 105 * again + 280 * (1 - again);
}

static double made_up(const struct gpu_work *work)
{
    switch (work->path) {
    case GPU_SHARED:
        return 29;
    case GPU_SHARED_ATOMIC:
        return 64;
    case GPU_TEXTURE:
        return 39;
    case GPU_READ_ONLY:
        return 34;
    case GPU_ATOMIC:
        return 300;
    case GPU_L1:
        return work->width_bits == 32 ? 39 : work->width_bits == 64 ? 33 : 36;
    case GPU_CONSTANT:
        return constant(work, 2 << 10, 32 << 10);
    case GPU_SCALAR:
        return work->bytes <= 16 << 10 ? 52 : 210;
    default:
        fail_msg("path %d was not asked for", (int)work->path);
        return NAN;
    }
}

static void the_cache_of_scalar_loads_has_its_own_name(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_memories, 0, made_up);
    gpu_bench_value_is(bench, "gpu0.scalar.latency", "cycles", 52, 0.01);
    gpu_bench_value_is(bench, "gpu0.scalar.capacity", "B", 16 << 10, 0.05);
    assert_null(gpu_bench_find(bench, "gpu0.scalar2.latency"));
}

static const char *no_scalar_loads(const struct gpu *gpu, const struct gpu_work *work)
{
    return work->path == GPU_SCALAR ? "has none" : NULL;
}

static void a_device_without_scalar_loads_lacks_nothing(void **state)
{
    struct gpu_bench *bench = *state;
    bench->backend.refuses = no_scalar_loads;
    gpu_bench_drive(bench, &gpu_memories, 0, made_up);
    assert_null(gpu_bench_find(bench, "gpu0.scalar.latency"));
    assert_null(bench->state.not_measured);
}

/* 12 KiB, of which one word a line shows half an octave: the first cache serves 8 KiB of them. With
 * four words a line three of four loads find their line, however long the ring. */
static double small_second(const struct gpu_work *work)
{
    if (work->path != GPU_CONSTANT)
        return made_up(work);
    const double bytes = (double)work->bytes;
    if (work->bytes / work->stride <= 32)
        return 21;
    if (bytes <= 12288)
        return 105;
    return work->stride < 256 ? 105 + 130 * (1 - 12288 / bytes) : 280;
}

static void a_small_second_constant_cache_is_not_taken_for_l2(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_memories, 0, small_second);
    gpu_bench_value_is(bench, "gpu0.constant1.capacity", "B", 2 << 10, 0.05);
    gpu_bench_value_is(bench, "gpu0.constant2.latency", "cycles", 105, 0.01);
    gpu_bench_value_is(bench, "gpu0.constant2.capacity", "B", 12288, 0.05);
    gpu_bench_value_is(bench, "gpu0.constant3.latency", "cycles", 280, 0.01);
}

static double one_cache_holds_the_bank(const struct gpu_work *work)
{
    return work->path != GPU_CONSTANT ? made_up(work) : constant(work, 2 << 10, 64 << 10);
}

static void what_the_bank_does_not_outgrow_has_no_capacity(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_memories, 0, one_cache_holds_the_bank);
    gpu_bench_value_is(bench, "gpu0.constant1.capacity", "B", 2 << 10, 0.05);
    gpu_bench_value_is(bench, "gpu0.constant2.latency", "cycles", 105, 0.01);
    assert_null(gpu_bench_find(bench, "gpu0.constant2.capacity"));
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_null(strstr(bench->result.findings[i].name, "DRAM"));
}

static void a_device_without_cycles_has_times_alone(void **state)
{
    struct gpu_bench *bench = *state;
    bench->no_cycles = true;
    gpu_bench_drive(bench, &gpu_memories, 0, made_up);
    assert_null(gpu_bench_find(bench, "gpu0.shared.latency"));
    assert_null(gpu_bench_find(bench, "gpu0.constant1.latency"));
    gpu_bench_value_is(bench, "gpu0.shared.latency_ns", "ns", 14.5, 0.002);
    gpu_bench_value_is(bench, "gpu0.constant1.latency_ns", "ns", 10.5, 0.01);
}

static double no_time(const struct gpu_work *work)
{
    return NAN;
}

static void what_was_not_measured_is_not_found(void **state)
{
    struct gpu_bench *bench = *state;
    gpu_bench_drive(bench, &gpu_memories, 0, no_time);
    assert_int_equal(bench->result.finding_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        GPU_BENCH_TEST(the_cache_of_scalar_loads_has_its_own_name),
        GPU_BENCH_TEST(a_device_without_scalar_loads_lacks_nothing),
        GPU_BENCH_TEST(a_small_second_constant_cache_is_not_taken_for_l2),
        GPU_BENCH_TEST(what_the_bank_does_not_outgrow_has_no_capacity),
        GPU_BENCH_TEST(a_device_without_cycles_has_times_alone),
        GPU_BENCH_TEST(what_was_not_measured_is_not_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
