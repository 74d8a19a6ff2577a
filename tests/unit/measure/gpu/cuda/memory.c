/* Memory of devices and the host: what is held, what is given back, and what is said when there is
 * no more. */
#include "measure/gpu/cuda/bench.h"

static struct gpu_work nothing(void)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_LAUNCH;
    return work;
}

static void too_much_is_refused_with_both_amounts(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    (void)state;
    bench_open(&bench, "tiny");
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu0: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): 200 MiB asked for, ");
    assert_says(bench.error.text, " MiB free: end other programs");
    /* The next one that fits is done. */
    work.bytes = 1 << 20;
    work.stride = 128;
    assert_near(bench_cycles(&bench, &work, 1024), 500, 0.01);
    bench_close(&bench);
}

static void too_much_of_a_peer_names_the_peer(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    (void)state;
    bench_open(&bench, "tiny,devices=2");
    work.home = GPU_ON_PEER;
    work.peer = 1;
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu1: cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): 200 MiB asked for, ");
    bench_close(&bench);
}

static void too_much_pinned_memory_says_how_to_have_more(void **state)
{
    struct bench bench;
    struct gpu_work work = gpu_work_none;
    (void)state;
    work.action = GPU_TRANSFER;
    work.bytes = 1 << 20;
    work.pinned = true;
    bench_open(&bench, "tiny");
    setenv("FATHOM_GPU_FAULT", "cuMemHostAlloc=2", 1);
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error,
                "gpu0: cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2): the host can't pin 1 MiB");
    bench_close(&bench);
}

/* Where even that can't be known. */
static void an_unknown_rest_is_called_unknown(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, (size_t)200 << 20, 1 << 20);
    (void)state;
    bench_open(&bench, "tiny");
    setenv("FATHOM_GPU_FAULT", "cuMemGetInfo=999", 1);
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "200 MiB asked for, an unknown amount free");
    bench_close(&bench);
}

static unsigned pinnings;
static int (*pin_by_driver)(void **, size_t, unsigned);

static int count_pinning(void **memory, size_t bytes, unsigned flags)
{
    pinnings++;
    return pin_by_driver(memory, bytes, flags);
}

/* Pinning takes longer than most works, so what was pinned goes from one to the next. */
static void pinned_memory_goes_from_work_to_work(void **state)
{
    struct bench bench;
    struct gpu_work copy = gpu_work_none;
    (void)state;
    bench_open(&bench, "tiny");
    pinnings = 0;
    pin_by_driver = bench.driver->calls.cuMemHostAlloc;
    bench.driver->calls.cuMemHostAlloc = count_pinning;
    copy.action = GPU_TRANSFER;
    copy.pinned = true;
    for (int i = 0; i < 40; i++) {
        struct gpu_work work = chase_of(GPU_L2, (size_t)(1 + i % 5) << 16, 128);
        assert_near(bench_cycles(&bench, &work, 1024), 220, 0.1);
        copy.bytes = (size_t)(1 + i % 7) << 18;
        bench_prepare(&bench, &copy, 1);
        bench_run(&bench, &copy, 1);
        work.home = GPU_ON_HOST;
        work.path = GPU_UNCACHED;
        assert_near(bench_cycles(&bench, &work, 64), 1200, 0.1);
    }
    if (pinnings > 16)
        fail_msg("%u allocations of pinned memory for 120 works", pinnings);
    bench_close(&bench);
}

static void a_work_takes_the_place_of_the_one_before(void **state)
{
    struct bench bench;
    struct gpu_work none = nothing(), work;
    (void)state;
    bench_open(&bench, "tiny,devices=2");
    bench_prepare(&bench, &none, 1);
    size_t before = bench_free_bytes(&bench);
    for (int i = 0; i < 12; i++) {
        if (i % 2) {
            work = chase_of(i % 3 ? GPU_L1 : GPU_TEXTURE, (size_t)20 << 20, 4096);
        } else {
            work = gpu_work_none;
            work.action = i % 4 ? GPU_STREAM : GPU_TRANSFER;
            work.bytes = 1 << 20;
            work.direction = i % 3 ? GPU_TO_HOST : GPU_TO_PEER;
            work.peer = 1;
        }
        bench_prepare(&bench, &work, 1);
        bench_run(&bench, &work, 1);
    }
    bench_prepare(&bench, &none, 1);
    assert_int_equal(bench_free_bytes(&bench), before);
    bench_close(&bench);
}

/* Each span has its memory, and keeps it while others are used. */
static void works_of_a_span_share_its_memory(void **state)
{
    static const size_t spans[] = {1 << 20, 2 << 20};
    struct bench bench;
    uint64_t base[2] = {0, 0};
    (void)state;
    bench_open(&bench, "tiny");
    for (int i = 0; i < 6; i++) {
        struct gpu_work work = chase_of(GPU_L2, 4096, 128);
        work.span = spans[i % 2];
        work.offset = (size_t)i * 4096;
        bench_prepare(&bench, &work, 1);
        uint64_t at = bench.cuda->job.base - work.offset;
        if (i < 2)
            base[i] = at;
        assert_int_equal(at, base[i % 2]);
        bench_run(&bench, &work, 256);
    }
    assert_true(base[0] != base[1]);
    bench_close(&bench);
}

/* Spans are kept only as long as nothing else needs their memory. */
static void spans_give_way(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L2, 4096, 128);
    (void)state;
    bench_open(&bench, "tiny");
    work.span = (size_t)80 << 20;
    bench_prepare(&bench, &work, 1);
    assert_non_null(bench.cuda->spans);
    work = chase_of(GPU_L2, (size_t)80 << 20, 1 << 16);
    bench_prepare(&bench, &work, 1);
    assert_null(bench.cuda->spans);
    bench_run(&bench, &work, 256);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(too_much_is_refused_with_both_amounts, bench_restore),
        cmocka_unit_test_teardown(too_much_of_a_peer_names_the_peer, bench_restore),
        cmocka_unit_test_teardown(too_much_pinned_memory_says_how_to_have_more, bench_restore),
        cmocka_unit_test_teardown(an_unknown_rest_is_called_unknown, bench_restore),
        cmocka_unit_test_teardown(pinned_memory_goes_from_work_to_work, bench_restore),
        cmocka_unit_test_teardown(a_work_takes_the_place_of_the_one_before, bench_restore),
        cmocka_unit_test_teardown(works_of_a_span_share_its_memory, bench_restore),
        cmocka_unit_test_teardown(spans_give_way, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
