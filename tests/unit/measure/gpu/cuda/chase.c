/* Chases: that each takes the way asked for, through the memory asked for, and goes on and on. */
#include "measure/gpu/cuda/bench.h"

/* No second partition of the second level: each level has one latency. */
/* Caches that 64 KiB and 1 MiB are beyond, whatever the preset has. */
#define SMALL "tiny,l1=32K,l2=256K,carve_out=0:4K:8K:16K"

static const char one_latency[] = SMALL ",l2_far_latency=0";

/* The model's latencies are whole cycles of the loads; the clock's readings come once a batch. */
static const double EXACT = 0.002;
enum { LOADS = 2048 };

static void every_path_has_its_own_latency(void **state)
{
    static const struct {
        enum gpu_path path;
        unsigned width_bits;
        size_t bytes, stride;
        double cycles;
    } cases[] = {
        {GPU_L1, 64, 8 << 10, 128, 30},          {GPU_L1, 0, 64 << 10, 128, 180},
        {GPU_L1, 64, 1 << 20, 128, 500},         {GPU_L1, 128, 8 << 10, 128, 30},
        {GPU_L1, 128, 64 << 10, 64, 180},        {GPU_L2, 64, 8 << 10, 128, 180},
        {GPU_L2, 64, 1 << 20, 128, 500},         {GPU_READ_ONLY, 64, 8 << 10, 128, 30},
        {GPU_READ_ONLY, 64, 64 << 10, 128, 180}, {GPU_UNCACHED, 64, 8 << 10, 128, 500},
        {GPU_ATOMIC, 64, 8 << 10, 128, 230},     {GPU_TEXTURE, 0, 8 << 10, 128, 43},
        {GPU_TEXTURE, 32, 1 << 20, 128, 513},    {GPU_CONSTANT, 0, 1 << 10, 64, 20},
        {GPU_CONSTANT, 32, 8 << 10, 64, 80},
    };
    struct bench bench;
    bench_open(&bench, one_latency);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = chase_of(cases[i].path, cases[i].bytes, cases[i].stride);
        work.width_bits = cases[i].width_bits;
        assert_null(gpu_cuda.refuses(bench.gpu, &work));
        assert_near(bench_cycles(&bench, &work, LOADS), cases[i].cycles, EXACT);
        work.order = GPU_STRIDED;
        assert_near(bench_cycles(&bench, &work, LOADS), cases[i].cycles, EXACT);
    }
    bench_close(&bench);
}

static void time_is_the_devices_own(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L2, 8 << 10, 128);
    bench_open(&bench, SMALL ",l2_far_latency=0,clock_mhz=2000");
    bench_prepare(&bench, &work, 1);
    bench_run(&bench, &work, LOADS);
    assert_near(bench.time.cycles / bench.time.ns, 2, 0.01);
    assert_int_equal(bench.did, LOADS);
    bench_run(&bench, &work, 1);
    assert_int_equal(bench.did, PTX_LOADS);
    bench_run(&bench, &work, PTX_LOADS + 1);
    assert_int_equal(bench.did, 2 * PTX_LOADS);
    bench_close(&bench);
}

/* Lines of either parity lie in either half, so a part of one parity has one latency, and the whole
 * ring their mean. */
static void a_part_of_a_ring_can_be_timed_alone(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L2, 128 << 10, 128);
    uint32_t timed[2][32];
    size_t count[2] = {0, 0};
    for (uint32_t i = 0; i < 128; i++) {
        const bool odd = __builtin_parity(i);
        if (count[odd] < 32)
            timed[odd][count[odd]++] = i;
    }
    bench_open(&bench, SMALL ",l2_far_latency=260");
    work.multiprocessor = 0;
    work.timed_count = 32;
    double sum = 0;
    for (int odd = 0; odd < 2; odd++) {
        work.timed = timed[odd];
        assert_null(gpu_cuda.refuses(bench.gpu, &work));
        const double cycles = bench_cycles(&bench, &work, 40);
        assert_int_equal(bench.did, 64); /* whole passes */
        assert_true(fabs(cycles / 180 - 1) < 0.02 || fabs(cycles / 260 - 1) < 0.02);
        sum += cycles;
    }
    assert_near(sum, 440, 0.02);
    work.timed_count = 31;
    assert_non_null(gpu_cuda.refuses(bench.gpu, &work));
    work.timed_count = 32;
    timed[1][0] = 1024; /* beyond the ring */
    assert_non_null(gpu_cuda.refuses(bench.gpu, &work));
    bench_close(&bench);
}

/* Of 32 KiB the model gives up to 16 to scratchpad. The next work has its own wish, or none. */
static void the_split_of_the_first_level_follows_the_work(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, 24 << 10, 128);
    bench_open(&bench, one_latency);
    work.carve_out = 100;
    assert_near(bench_cycles(&bench, &work, LOADS), 180, EXACT);
    work.carve_out = 0;
    assert_near(bench_cycles(&bench, &work, LOADS), 30, EXACT);
    work.carve_out = 100;
    assert_near(bench_cycles(&bench, &work, LOADS), 180, EXACT);
    work.carve_out = -1;
    assert_near(bench_cycles(&bench, &work, LOADS), 30, EXACT);
    bench_close(&bench);
}

static void what_cannot_be_is_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L2, 8192, 128);
    bench_open(&bench, SMALL ",devices=2,peers=0");
    work.width_bits = 32;
    assert_refuses(&bench, &work, "no loads of that width");
    work.width_bits = 0;
    work.stride = 12;
    assert_refuses(&bench, &work, "whole elements");
    work.stride = 16384;
    assert_refuses(&bench, &work, "at least one stride");
    work.stride = 128;
    work.multiprocessor = 4;
    assert_refuses(&bench, &work, "no multiprocessor of that number");
    work.multiprocessor = -1;
    work.carve_out = 101;
    assert_refuses(&bench, &work, "0 to 100 per cent");
    work.carve_out = -1;
    work.span = 8192;
    work.offset = 8;
    assert_refuses(&bench, &work, "longer span");
    work.span = work.offset = 0;
    work.home = GPU_ON_PEER;
    work.peer = 0;
    assert_refuses(&bench, &work, "another device");
    work.peer = 1;
    assert_refuses(&bench, &work, "can't reach the memory of that device");
    work = chase_of(GPU_CONSTANT, 65536, 64);
    work.offset = 4;
    assert_refuses(&bench, &work, "constant bank");
    work = chase_of(GPU_TEXTURE, 4096, 64);
    work.offset = 64;
    assert_refuses(&bench, &work, "multiples of 512");
    work = chase_of(GPU_TEXTURE, (size_t)2 << 30, 64);
    assert_refuses(&bench, &work, "no texture of that size");
    if (SIZE_MAX / 128 > UINT32_MAX) { /* else no size has that many */
        work = chase_of(GPU_L1, SIZE_MAX, 128);
        assert_refuses(&bench, &work, "that many elements");
    }
    bench_close(&bench);
}

/* A way that shares the first level finds what plain loads brought; one that has its own, or a ring
 * that nothing brought, waits for the second level. */
static void a_ring_can_be_brought_by_other_loads(void **state)
{
    static const struct {
        const char *model;
        enum gpu_path path;
        enum gpu_before before;
        double cycles;
    } cases[] = {
        {"tiny", GPU_READ_ONLY, GPU_PLAIN_LOADS, 30},
        {"tiny", GPU_READ_ONLY, GPU_NOTHING, 220},
        {"tiny", GPU_TEXTURE, GPU_PLAIN_LOADS, 43},
        {"tiny,texture_own=1", GPU_READ_ONLY, GPU_PLAIN_LOADS, 220},
        {"tiny,texture_own=1", GPU_READ_ONLY, GPU_ITSELF, 30},
    };
    struct bench bench;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = chase_of(cases[i].path, 8 << 10, 128);
        work.before = cases[i].before;
        bench_open(&bench, cases[i].model);
        assert_near(bench_cycles(&bench, &work, 640), cases[i].cycles, 0.03);
        bench_close(&bench);
    }
    struct gpu_work odd = chase_of(GPU_READ_ONLY, 15 * 128, 128);
    odd.before = GPU_NOTHING;
    bench_open(&bench, "tiny");
    assert_refuses(&bench, &odd, "whole groups of loads");
    odd = chase_of(GPU_CONSTANT, 2048, 128);
    odd.before = GPU_PLAIN_LOADS;
    assert_refuses(&bench, &odd, "no loads of that width by this path");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(every_path_has_its_own_latency, bench_restore),
        cmocka_unit_test_teardown(a_part_of_a_ring_can_be_timed_alone, bench_restore),
        cmocka_unit_test_teardown(time_is_the_devices_own, bench_restore),
        cmocka_unit_test_teardown(the_split_of_the_first_level_follows_the_work, bench_restore),
        cmocka_unit_test_teardown(what_cannot_be_is_refused, bench_restore),
        cmocka_unit_test_teardown(a_ring_can_be_brought_by_other_loads, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
