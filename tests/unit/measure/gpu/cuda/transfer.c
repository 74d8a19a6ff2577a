/* Copies between host, device and peers. */
#include "measure/gpu/cuda/bench.h"

static struct gpu_work transfer_of(enum gpu_direction direction, bool pinned, size_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = direction;
    work.pinned = pinned;
    work.bytes = bytes;
    work.peer = 1;
    return work;
}

/* Nanoseconds of one copy in the model: a start of 2 us, and 10^9 bytes a second. */
static double copy_ns(size_t bytes, double gb_s)
{
    return 2000 + (double)bytes / gb_s;
}

static void copies_take_what_the_model_says(void **state)
{
    const size_t bytes = 1 << 20;
    const struct {
        enum gpu_direction direction;
        bool pinned;
        double ns;
    } cases[] = {
        {GPU_TO_DEVICE, true, copy_ns(bytes, 10)},
        {GPU_TO_HOST, true, copy_ns(bytes, 10)},
        {GPU_TO_DEVICE, false, copy_ns(bytes, 5)},
        {GPU_TO_HOST, false, copy_ns(bytes, 5)},
        {GPU_TO_PEER, false, copy_ns(bytes, 20)},
        /* Half in each direction, side by side. */
        {GPU_BOTH_WAYS, true, copy_ns(bytes / 2, 10)},
    };
    struct bench bench;
    bench_open(&bench, "tiny,devices=2");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct gpu_work work = transfer_of(cases[i].direction, cases[i].pinned, bytes);
        bench_prepare(&bench, &work, 1);
        bench_run(&bench, &work, 5);
        assert_int_equal(bench.did, 5 * bytes);
        assert_near(bench.time.ns, 5 * cases[i].ns, 0.02);
        assert_true(isnan(bench.time.cycles));
    }
    bench_close(&bench);
}

static void a_peer_that_is_not_reached_is_copied_to_through_the_host(void **state)
{
    struct bench bench;
    struct gpu_work work = transfer_of(GPU_TO_PEER, false, 1 << 20);
    bench_open(&bench, "tiny,devices=2,peers=0");
    bench_prepare(&bench, &work, 1);
    bench_run(&bench, &work, 2);
    assert_near(bench.time.ns, 2 * copy_ns(1 << 20, 5), 0.02);
    bench_close(&bench);
}

static void what_cannot_be_is_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = transfer_of(GPU_TO_PEER, false, 4096);
    bench_open(&bench, "tiny");
    assert_refuses(&bench, &work, "needs another device");
    work.peer = -1;
    assert_refuses(&bench, &work, "needs another device");
    work = transfer_of(GPU_TO_DEVICE, false, 1);
    assert_refuses(&bench, &work, "at least 2 bytes");
    work = transfer_of(GPU_BOTH_WAYS, false, 4096);
    assert_refuses(&bench, &work, "needs pinned memory");
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(copies_take_what_the_model_says, bench_restore),
        cmocka_unit_test_teardown(a_peer_that_is_not_reached_is_copied_to_through_the_host,
                                  bench_restore),
        cmocka_unit_test_teardown(what_cannot_be_is_refused, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
