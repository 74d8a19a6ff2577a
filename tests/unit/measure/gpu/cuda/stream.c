/* Streams: that they move what they say, as fast as the model's roads are wide. */
#include "measure/gpu/cuda/bench.h"

static struct gpu_work stream_of(enum gpu_traffic traffic, enum gpu_path path, size_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_STREAM;
    work.traffic = traffic;
    work.path = path;
    work.bytes = bytes;
    return work;
}

static double rate(struct bench *bench, const struct gpu_work *work, uint64_t repeats)
{
    bench_prepare(bench, work, 1);
    bench_run(bench, work, repeats);
    return (double)bench->did / bench->time.ns;
}

/* 10^9 bytes a second; the model's ramp at a launch's begin and end costs a little. */
static void roads_are_as_wide_as_they_are(void **state)
{
    struct bench bench;
    bench_open(&bench, "tiny");
    for (enum gpu_traffic traffic = GPU_READ; traffic <= GPU_COPY; traffic++) {
        struct gpu_work work = stream_of(traffic, GPU_L2, 2 << 20);
        assert_near(rate(&bench, &work, 2), 60, 0.03);
        assert_int_equal(bench.did, 2 * work.bytes);
        assert_near(bench.time.cycles / bench.time.ns, 1, 0.01);
        work.bytes = 128 << 10;
        assert_near(rate(&bench, &work, 20), 150, 0.05);
        assert_int_equal(bench.did, 20 * work.bytes);
        /* 64 bytes a cycle in each of four multiprocessors, of 1 GHz. */
        work = stream_of(traffic, GPU_SHARED, 8 << 10);
        assert_near(rate(&bench, &work, 60), 256, 0.05);
        assert_int_equal(bench.did % (60 * work.bytes), 0);
    }
    /* From the first level as from the scratchpad, which are one memory; but for the first pass. */
    struct gpu_work near = stream_of(GPU_READ, GPU_L1, 8 << 10);
    near.each = true;
    assert_near(rate(&bench, &near, 200), 256, 0.05);
    assert_int_equal(bench.did % (200 * near.bytes), 0);
    bench_close(&bench);
}

/* What can't be divided by a block's round is left out, and not counted. */
static void odd_sizes_are_rounded_and_reported(void **state)
{
    static const struct {
        enum gpu_traffic traffic;
        size_t bytes, moved;
    } cases[] = {
        {GPU_READ, 100000, 98304}, {GPU_COPY, 100000, 65536}, {GPU_READ, 8192, 8192},
        {GPU_WRITE, 4096, 4096},   {GPU_COPY, 8192, 8192},    {GPU_READ, 20000, 16384},
    };
    struct bench bench;
    bench_open(&bench, "tiny");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = stream_of(cases[i].traffic, GPU_L2, cases[i].bytes);
        bench_prepare(&bench, &work, 1);
        bench_run(&bench, &work, 3);
        assert_int_equal(bench.did, 3 * cases[i].moved);
    }
    bench_close(&bench);
}

/* Loads that the first level does not keep, for devices that know them. */
static void loads_that_are_not_kept_go_past_the_first_level(void **state)
{
    struct bench bench;
    struct gpu_work work = stream_of(GPU_READ, GPU_NO_ALLOCATE, 128 << 10);
    bench_open(&bench, "tiny,capability=90");
    assert_near(rate(&bench, &work, 20), 150, 0.05);
    work.bytes = 2 << 20;
    assert_near(rate(&bench, &work, 2), 60, 0.03);
    bench_close(&bench);
    for (size_t i = 0; i < 2; i++) {
        bench_open(&bench, i ? "tiny,capability=89" : "tiny,capability=70");
        assert_near(rate(&bench, &work, 2), 60, 0.03);
        bench_close(&bench);
    }
    bench_open(&bench, "tiny,capability=61");
    assert_refuses(&bench, &work, "needs capability 7.0");
    bench_close(&bench);
}

static void what_cannot_be_is_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = stream_of(GPU_READ, GPU_L2, 4095);
    bench_open(&bench, "tiny");
    assert_refuses(&bench, &work, "copies at least 8 KiB");
    work = stream_of(GPU_COPY, GPU_L2, 8191);
    assert_refuses(&bench, &work, "copies at least 8 KiB");
    work.bytes = 64 << 10;
    work.multiprocessor = 1;
    assert_refuses(&bench, &work, "all multiprocessors");
    work.multiprocessor = -1;
    work.span = 128 << 10;
    work.offset = 8;
    assert_refuses(&bench, &work, "multiples of 16");
    work = stream_of(GPU_WRITE, GPU_L1, 64 << 10);
    work.each = true;
    assert_refuses(&bench, &work, "no streams by this path");
    work = stream_of(GPU_READ, GPU_SHARED, 64 << 10);
    assert_refuses(&bench, &work, "less scratchpad");
    bench_close(&bench);
}

/* A scratchpad that one block may have, but not beside that many threads. */
static void a_block_that_does_not_fit_is_reported(void **state)
{
    struct bench bench;
    struct gpu_work work = stream_of(GPU_READ, GPU_L2, 64 << 10);
    bench_open(&bench, "tiny,threads_per_sm=128");
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "not one block of 256 threads");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(roads_are_as_wide_as_they_are, bench_restore),
        cmocka_unit_test_teardown(loads_that_are_not_kept_go_past_the_first_level, bench_restore),
        cmocka_unit_test_teardown(odd_sizes_are_rounded_and_reported, bench_restore),
        cmocka_unit_test_teardown(what_cannot_be_is_refused, bench_restore),
        cmocka_unit_test_teardown(a_block_that_does_not_fit_is_reported, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
