/* A chase beside traffic: it waits in the queue that the traffic makes, and what is moved is what
 * the model's road to memory carries. */
#include "measure/gpu/cuda/bench.h"

static const char model[] = "tiny,memory=16M,l2=128K,tlb_reach=64M";

static struct gpu_work beside_of(unsigned writes, unsigned round_cycles)
{
    struct gpu_work work = chase_of(GPU_L2, 1 << 20, 128);
    work.beside = 1 << 20;
    work.writes = writes;
    work.round_cycles = round_cycles;
    return work;
}

static void traffic_makes_a_queue(void **state)
{
    struct bench bench;
    bench_open(&bench, model);
    for (unsigned writes = 0; writes <= 100; writes += 50) {
        struct gpu_work work = beside_of(writes, 1 << 20);
        assert_near(bench_cycles(&bench, &work, 256), 500, 0.2);
        work.round_cycles = 0;
        assert_true(bench_cycles(&bench, &work, 256) > 1000);
    }
    bench_close(&bench);
}

/* Three multiprocessors move 64 KiB in so many cycles; with no wait, all that the road carries. */
static void what_is_moved_is_counted(void **state)
{
    struct bench bench;
    bench_open(&bench, model);
    struct gpu_work work = beside_of(0, 8192);
    work.action = GPU_STREAM;
    bench_prepare(&bench, &work, 1);
    bench_run(&bench, &work, 8);
    assert_near((double)bench.did / bench.time.ns, 3 * 65536.0 / 8192, 0.05);
    work.round_cycles = 0;
    bench_prepare(&bench, &work, 1);
    bench_run(&bench, &work, 8);
    assert_near((double)bench.did / bench.time.ns, 60, 0.1);
    bench_close(&bench);
}

static void what_it_cannot_do(void **state)
{
    struct bench bench;
    bench_open(&bench, model);
    struct gpu_work work = beside_of(0, 0);
    work.path = GPU_L1;
    assert_refuses(&bench, &work, "past the first level");
    work = beside_of(0, 0);
    work.beside = 4096;
    assert_refuses(&bench, &work, "whole chunks");
    work = beside_of(0, 0);
    bench_fail(&bench, &work, "cuMemsetD32Async=2");
    bench_close(&bench);
    bench_open(&bench, "tiny,sms=1");
    assert_refuses(&bench, &work, "no other multiprocessor");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(traffic_makes_a_queue, bench_restore),
        cmocka_unit_test_teardown(what_is_moved_is_counted, bench_restore),
        cmocka_unit_test_teardown(what_it_cannot_do, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
