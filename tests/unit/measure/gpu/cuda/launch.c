/* Launches: what they cost, and what happens when one fails or does not end. */
#include "measure/gpu/cuda/bench.h"

#include "machine/os.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static struct gpu_work empty_launch(void)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_LAUNCH;
    return work;
}

static void nothing_runs_that_was_not_prepared(void **state)
{
    struct bench bench;
    struct gpu_work work = empty_launch();
    bench_open(&bench, "tiny");
    assert_int_equal(bench_try_run(&bench, &work, 1), ERROR_IMPOSSIBLE);
    assert_line(&bench.error, "gpu0: no work is prepared");
    bench_close(&bench);
}

/* After a result that ends its context CUDA gives no other: nor does the device. */
static void assert_lost(struct bench *bench, const char *says)
{
    struct gpu_work other = empty_launch();
    assert_line(&bench->error, says);
    for (int i = 0; i < 2; i++) {
        bench->error = (struct error){0};
        assert_int_equal(gpu_cuda.prepare(bench->gpu, &other, 1, &bench->error), ERROR_IMPOSSIBLE);
        assert_line(&bench->error, says);
        bench->error = (struct error){0};
        assert_int_equal(bench_try_run(bench, &other, 1), ERROR_IMPOSSIBLE);
        assert_line(&bench->error, says);
    }
}

static void the_watchdog_of_a_display_is_named(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, 4096, 64);
    bench_open(&bench, "tiny,watchdog=0.0001");
    bench_prepare(&bench, &work, 1);
    assert_int_equal(bench_try_run(&bench, &work, 1000000), ERROR_IMPOSSIBLE);
    assert_lost(&bench, "CUDA_ERROR_LAUNCH_TIMEOUT (702): the watchdog of the display ended the");
    bench_close(&bench);
}

static void a_kernel_that_fails_ends_the_device(void **state)
{
    struct bench bench;
    struct gpu_work work = chase_of(GPU_L1, 4096, 64);
    bench_open(&bench, "tiny");
    bench_prepare(&bench, &work, 1);
    bench.cuda->job.place = 8; /* no memory of the device's is there */
    assert_int_equal(bench_try_run(&bench, &work, 100), ERROR_IMPOSSIBLE);
    assert_lost(&bench, "CUDA_ERROR_ILLEGAL_ADDRESS (700): a kernel went beyond its memory");
    bench_close(&bench);

    /* Another start is another context. */
    bench_open(&bench, "tiny");
    assert_near(bench_cycles(&bench, &work, 1000), 30, 0.01);
    bench_close(&bench);
}

/* In a process of its own: the library stays in use for good. Says what went wrong. */
static const char *meet_a_hang(const char *fault, const struct gpu_work *work, bool when_run)
{
    struct bench bench;
    static char text[sizeof bench.error.text];
    if (bench_try(&bench, "tiny", when_run ? "" : fault))
        return "it does not start";
    int code = gpu_cuda.prepare(bench.gpu, work, 1, &bench.error);
    if (when_run && code == 0) {
        setenv("FATHOM_GPU_FAULT", fault, 1);
        code = bench_try_run(&bench, work, 100);
    }
    snprintf(text, sizeof text, "%s", bench.error.text);
    if (code != ERROR_IMPOSSIBLE || !strstr(text, "gpu0: a launch still runs after "))
        return text;
    /* From here on nothing may take time. */
    uint64_t began = os_raw_ns();
    for (int i = 0; i < 3; i++) {
        struct error again = {0};
        if (gpu_cuda.prepare(bench.gpu, work, 1, &again) != ERROR_IMPOSSIBLE ||
            strcmp(again.text, text) != 0)
            return "another reason afterwards";
    }
    bench_close(&bench);
    return (double)(os_raw_ns() - began) < 4e9 ? NULL : "it blocks afterwards";
}

/* The stand-in waits for 30 s in every call that has to wait for what hangs, and the limit is 5 s;
 * so neither a slow machine nor a busy one can pass for the other. */
static void what_does_not_end_is_given_up_at_once_and_for_good(void **state)
{
    struct gpu_work chase = chase_of(GPU_L1, 4096, 64), in_span = chase, cluster = chase;
    in_span.span = 8192;
    cluster.path = GPU_CLUSTER;
    cluster.cluster_size = 2;
    const struct {
        const char *fault;
        const struct gpu_work *work;
        bool when_run;
    } cases[] = {
        {"cuLaunchKernel:1=hang", &chase, true},
        {"cuLaunchKernel:1=hang", &in_span, false}, /* the kernel that links the ring */
        {"cuLaunchKernelEx:1=hang", &cluster, true},
    };
    enum { CASES = sizeof cases / sizeof *cases };
    pid_t children[CASES];
    bench_model("tiny", "");
    for (size_t i = 0; i < CASES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            const char *wrong = meet_a_hang(cases[i].fault, cases[i].work, cases[i].when_run);
            if (wrong)
                print_error("%s\n", wrong);
            _exit(wrong != NULL);
        }
    }
    for (size_t i = 0; i < CASES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_runs_that_was_not_prepared, bench_restore),
        cmocka_unit_test_teardown(the_watchdog_of_a_display_is_named, bench_restore),
        cmocka_unit_test_teardown(a_kernel_that_fails_ends_the_device, bench_restore),
        cmocka_unit_test_teardown(what_does_not_end_is_given_up_at_once_and_for_good,
                                  bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
