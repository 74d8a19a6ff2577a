/* Copies of several devices at once. */
#include "measure/gpu/cuda/bench.h"

#include <limits.h>

enum { BYTES = 1 << 20, REPEATS = 40 };

static struct gpu_work together_of(enum gpu_direction direction, uint64_t devices)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = direction;
    work.pinned = true;
    work.bytes = BYTES;
    work.together = devices;
    return work;
}

/* 10^9 bytes a second. */
static double rate_of(struct bench *bench, const struct gpu_work *work)
{
    bench_prepare(bench, work, 1);
    bench_run(bench, work, REPEATS);
    assert_int_equal(bench->did, REPEATS * BYTES);
    return (double)bench->did / bench->time.ns;
}

static void devices_share_what_the_host_gives(void **state)
{
    static const struct {
        uint64_t devices;
        double rate;
    } cases[] = {{1, 10}, {5, 6}, {7, 4}};
    struct bench bench;
    bench_open(&bench, "tiny,devices=3,host_bandwidth=12,copy_us=0");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum gpu_direction direction = GPU_TO_DEVICE; direction <= GPU_TO_HOST; direction++) {
            const struct gpu_work work = together_of(direction, cases[i].devices);
            assert_near(rate_of(&bench, &work), cases[i].rate, 0.02);
        }
    bench_close(&bench);
}

static unsigned queries, done_first;
static int (*query_by_driver)(void *);

/* The first few say that another device was done before this one. */
static int early_query(void *event)
{
    return queries++ < done_first ? 0 : query_by_driver(event);
}

static void who_is_done_first_copies_more(void **state)
{
    struct bench bench;
    const struct gpu_work work = together_of(GPU_TO_DEVICE, 3);
    bench_open(&bench, "tiny,devices=2,host_bandwidth=12,copy_us=0");
    bench_prepare(&bench, &work, 1);
    query_by_driver = bench.driver->calls.cuEventQuery;
    bench.driver->calls.cuEventQuery = early_query;
    queries = 0;
    done_first = 2;
    bench_run(&bench, &work, 8);
    assert_int_equal(queries, 3); /* with 2, 4 and 8 times as many copies */
    assert_near((double)bench.did / bench.time.ns, 6, 0.02);
    done_first = UINT_MAX;
    assert_int_equal(bench_try_run(&bench, &work, 8), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "gpu0: another device copied 16 times as much and was done first");
    bench_close(&bench);
}

/* As in a container that may not bind memory. */
static void memory_that_can_not_be_bound_is_taken_where_it_comes(void **state)
{
    struct bench bench;
    const struct gpu_work work = together_of(GPU_TO_DEVICE, 3);
    bench_open(&bench, "tiny,devices=2,nodes=1,node=1,copy_us=0");
    assert_near(rate_of(&bench, &work), 10, 0.02);
    bench_close(&bench);
}

static int on_another_node(const void *memory)
{
    return 0;
}

static void memory_that_comes_from_elsewhere_is_not_taken(void **state)
{
    struct bench bench;
    const struct gpu_work work = together_of(GPU_TO_DEVICE, 3);
    bench_open(&bench, "tiny,devices=2,nodes=1,node=1");
    bench.driver->model_host.node_of = on_another_node;
    assert_int_equal(gpu_cuda.prepare(bench.gpu, &work, 1, &bench.error), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "can't be bound to node 1, which is near to the device, and comes "
                              "from node 0");
    bench_close(&bench);
}

static void what_makes_no_sense_is_refused(void **state)
{
    struct bench bench;
    struct gpu_work work = together_of(GPU_TO_PEER, 3);
    bench_open(&bench, "tiny,devices=2");
    work.peer = 1;
    assert_refuses(&bench, &work, "between device and host");
    work = together_of(GPU_BOTH_WAYS, 3);
    work.bytes = 1;
    assert_refuses(&bench, &work, "at least 2 bytes");
    work = together_of(GPU_TO_HOST, 2);
    assert_refuses(&bench, &work, "one of those that copy");
    work = together_of(GPU_TO_HOST, 5);
    assert_refuses(&bench, &work, "needs another device");
    bench_close(&bench);
}

static void a_failure_leaves_nothing_behind(void **state)
{
    struct bench bench;
    static const enum gpu_direction directions[] = {GPU_TO_DEVICE, GPU_BOTH_WAYS};
    static const char *const faults[] = {"cuMemHostRegister:2=2", "cuStreamCreate=2",
                                         "cuStreamCreate:2=2", "cuMemcpyHtoDAsync:5=999"};
    for (size_t d = 0; d < sizeof directions / sizeof *directions; d++)
        for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
            const struct gpu_work work = together_of(directions[d], 3);
            bench_open(&bench, "tiny,devices=2");
            bench_fail(&bench, &work, faults[i]);
            bench_close(&bench);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(devices_share_what_the_host_gives, bench_restore),
        cmocka_unit_test_teardown(who_is_done_first_copies_more, bench_restore),
        cmocka_unit_test_teardown(memory_that_can_not_be_bound_is_taken_where_it_comes,
                                  bench_restore),
        cmocka_unit_test_teardown(memory_that_comes_from_elsewhere_is_not_taken, bench_restore),
        cmocka_unit_test_teardown(what_makes_no_sense_is_refused, bench_restore),
        cmocka_unit_test_teardown(a_failure_leaves_nothing_behind, bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
