/*
 * Every call of the driver fails once, at every place where it is made: on a tour through all kinds
 * of work, the stand-in gives a result in its place. What has to come of it is one line that names
 * call and result, a device that does what is asked of it next, and nothing that is held.
 */
#include "measure/gpu/cuda/bench.h"

#include <stdio.h>

enum { NOT_SUPPORTED = 801, LAUNCH_FAILED = 719 };

static struct gpu_work transfer(enum gpu_direction direction, bool pinned)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = direction;
    work.pinned = pinned;
    work.bytes = 4096;
    work.peer = 1;
    return work;
}

/* All kinds, as small as they can be. */
static size_t all_works(struct gpu_work *works)
{
    size_t count = 0;
    works[count++] = chase_of(GPU_L1, 1024, 128);
    works[count++] = chase_of(GPU_TEXTURE, 1024, 128);
    works[count++] = chase_of(GPU_CONSTANT, 1024, 64);
    works[count] = chase_of(GPU_L2, 1024, 128);
    works[count++].home = GPU_ON_HOST;
    works[count] = chase_of(GPU_L2, 1024, 128);
    works[count].peer = 1;
    works[count++].home = GPU_ON_PEER;
    for (enum gpu_home home = GPU_ON_NODE; home <= GPU_MANAGED_ON_HOST; home++) {
        works[count] = chase_of(GPU_L2, 1024, 128);
        works[count++].home = home;
    }
    works[count] = chase_of(GPU_L1, 4096, 128);
    works[count++].before = GPU_RIVAL;
    works[count++] = chase_of(GPU_SHARED, 1024, 128);
    works[count] = chase_of(GPU_CLUSTER, 1024, 128);
    works[count++].cluster_size = 2;
    works[count] = gpu_work_none;
    works[count].action = GPU_STREAM;
    works[count++].bytes = 8192;
    works[count++] = transfer(GPU_BOTH_WAYS, true);
    works[count++] = transfer(GPU_TO_HOST, false);
    works[count++] = transfer(GPU_TO_PEER, false);
    works[count] = transfer(GPU_TO_DEVICE, true);
    works[count++].together = 3;
    works[count] = gpu_work_none;
    works[count++].action = GPU_LAUNCH;
    return count;
}

enum { MOST_WORKS = 24 };

struct tour {
    unsigned failures;  /* steps that failed: opening, starting, works */
    unsigned done;      /* works that were done */
    struct error first; /* of the failures */
    bool leaks;
};

static void note_failure(struct tour *tour, const struct bench *bench, int code)
{
    if (code == 0)
        return;
    assert_int_equal(code, bench->error.code);
    if (!tour->failures++)
        tour->first = bench->error;
}

static void do_works(struct tour *tour, struct bench *bench)
{
    struct gpu_work works[MOST_WORKS], none = gpu_work_none;
    size_t count = all_works(works), before = bench_free_bytes(bench);
    for (size_t i = 0; i < count; i++) {
        int code = gpu_cuda.prepare(bench->gpu, &works[i], i, &bench->error);
        if (code == 0)
            code = bench_try_run(bench, &works[i], 1);
        note_failure(tour, bench, code);
        tour->done += code == 0;
    }
    /* Nothing has to be held after this; a device that is lost holds on until it is stopped. */
    none.action = GPU_LAUNCH;
    if (gpu_cuda.prepare(bench->gpu, &none, 1, &bench->error) == 0)
        tour->leaks = before && bench_free_bytes(bench) != before;
}

static struct tour go_on_tour(const char *fault)
{
    struct bench bench;
    struct tour tour = {0};
    bench_model("tiny,devices=2", fault);
    int code = bench_list(&bench);
    note_failure(&tour, &bench, code);
    if (code == 0) {
        code = gpu_cuda.start(bench.library, 0, &bench.gpu, &bench.error);
        note_failure(&tour, &bench, code);
    }
    if (code == 0)
        do_works(&tour, &bench);
    bench_close(&bench);
    return tour;
}

static unsigned all_done(void)
{
    struct gpu_work works[MOST_WORKS];
    return (unsigned)all_works(works);
}

static void a_tour_without_faults_does_everything(void **state)
{
    struct tour tour = go_on_tour("");
    if (tour.failures)
        fail_msg("%s", tour.first.text);
    assert_int_equal(tour.done, all_done());
    assert_false(tour.leaks);
}

enum manner {
    REPORTED,
    CLEANING, /* gives something back: its failure is nobody's business */
    OPTIONAL, /* only helps to say or to know more */
};

static const struct {
    const char *call;
    enum manner manner;
} calls[] = {
    {"cuInit", REPORTED},
    {"cuGetErrorName", OPTIONAL},
    {"cuDriverGetVersion", REPORTED},
    {"cuDeviceGetCount", REPORTED},
    {"cuDeviceGet", REPORTED},
    {"cuDeviceGetName", REPORTED},
    {"cuDeviceGetAttribute", REPORTED},
    {"cuDeviceTotalMem", REPORTED},
    {"cuDeviceCanAccessPeer", REPORTED},
    {"cuDevicePrimaryCtxRetain", REPORTED},
    {"cuDevicePrimaryCtxRelease", CLEANING},
    {"cuCtxSetCurrent", REPORTED},
    {"cuCtxEnablePeerAccess", REPORTED},
    {"cuModuleLoadDataEx", REPORTED},
    {"cuModuleUnload", CLEANING},
    {"cuModuleGetFunction", REPORTED},
    {"cuModuleGetGlobal", REPORTED},
    {"cuFuncSetAttribute", REPORTED},
    {"cuOccupancyMaxActiveBlocksPerMultiprocessor", REPORTED},
    {"cuMemGetInfo", OPTIONAL},
    {"cuMemAlloc", REPORTED},
    {"cuMemFree", CLEANING},
    {"cuMemHostAlloc", REPORTED},
    {"cuMemFreeHost", CLEANING},
    {"cuMemHostGetDevicePointer", REPORTED},
    {"cuMemsetD32Async", REPORTED},
    {"cuMemcpyHtoDAsync", REPORTED},
    {"cuMemcpyDtoHAsync", REPORTED},
    {"cuMemcpyPeerAsync", REPORTED},
    {"cuStreamCreate", REPORTED},
    {"cuStreamDestroy", CLEANING},
    {"cuStreamQuery", REPORTED},
    {"cuStreamWaitEvent", REPORTED},
    {"cuEventCreate", REPORTED},
    {"cuEventDestroy", CLEANING},
    {"cuEventRecord", REPORTED},
    {"cuEventQuery", REPORTED},
    {"cuEventElapsedTime", REPORTED},
    {"cuLaunchKernel", REPORTED},
    {"cuTexObjectCreate", REPORTED},
    {"cuTexObjectDestroy", CLEANING},
    {"cuLaunchKernelEx", REPORTED},
    {"cuOccupancyMaxActiveClusters", OPTIONAL},
    {"cuDeviceGetPCIBusId", OPTIONAL},
    {"cuMemHostRegister", REPORTED},
    {"cuMemHostUnregister", CLEANING},
    {"cuMemAllocManaged", REPORTED},
    {"cuMemPrefetchAsync", REPORTED},
    {"cuMemAdvise", REPORTED},
};

/* The table above has them all. */
static void every_call_is_in_the_table(void **state)
{
    static const char *const names[] = {
#define NAME(result, name, ...) #name,
        CUDA_CALLS(NAME) CUDA_OPTIONAL_CALLS(NAME)
#undef NAME
    };
    assert_int_equal(sizeof names / sizeof *names, sizeof calls / sizeof *calls);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(names[i], calls[i].call);
}

/* Made also where its failure is nobody's business: while something is given back, or where the
 * next call will tell. */
static bool may_pass(const char *call)
{
    return strcmp(call, "cuDeviceCanAccessPeer") == 0 || strcmp(call, "cuCtxSetCurrent") == 0 ||
           strcmp(call, "cuModuleGetFunction") == 0;
}

/* As many in a row that pass: there are no more of those calls on a tour. */
enum { LAST_TO_PASS = 30 };

static void assert_reported(const char *call, const char *fault, const struct tour *tour,
                            int result)
{
    char number[16], named[80];
    snprintf(number, sizeof number, " (%d): ", result);
    snprintf(named, sizeof named, "%s: ", call);
    assert_int_equal(tour->first.code, ERROR_IMPOSSIBLE);
    if (!strstr(tour->first.text, named) || !strstr(tour->first.text, number) ||
        !strstr(tour->first.text, "CUDA_ERROR_"))
        fail_msg("%s: '%s'", fault, tour->first.text);
    assert_null(strchr(tour->first.text, '\n'));
}

/* The nth call fails; then the next, until there is none more to fail. */
static unsigned fail_each(const char *call, enum manner manner)
{
    unsigned reported = 0, passed = 0;
    for (unsigned nth = 1;; nth++) {
        char fault[96];
        snprintf(fault, sizeof fault, "%s:%u=%d", call, nth, NOT_SUPPORTED);
        struct tour tour = go_on_tour(fault);
        if (manner != REPORTED)
            assert_int_equal(tour.failures, 0);
        if (tour.failures == 0) {
            assert_int_equal(tour.done, all_done());
            if (manner != REPORTED || !may_pass(call) || ++passed > LAST_TO_PASS)
                return reported;
            continue;
        }
        reported++;
        passed = 0;
        /* Of opening and starting nothing follows; of all other steps one failed, and no more. */
        assert_int_equal(tour.failures, 1);
        assert_true(tour.done == 0 || tour.done == all_done() - 1);
        if (tour.leaks)
            fail_msg("%s: memory is held", fault);
        assert_reported(call, fault, &tour, NOT_SUPPORTED);
    }
}

static void every_call_that_fails_is_one_line_and_leaves_nothing(void **state)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        unsigned reported = fail_each(calls[i].call, calls[i].manner);
        if ((reported == 0) == (calls[i].manner == REPORTED))
            fail_msg("%s: failed %u times", calls[i].call, reported);
    }
}

/* From the first on. What is given back then fails too, and nothing may come of that. */
static void calls_that_fail_for_good_do_no_harm(void **state)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        char fault[96];
        snprintf(fault, sizeof fault, "%s=%d", calls[i].call, NOT_SUPPORTED);
        struct tour tour = go_on_tour(fault);
        assert_int_equal(tour.failures == 0, calls[i].manner != REPORTED);
    }
}

/* What ends the context: from the first failure on all works fail with its line. */
static void a_result_that_ends_the_context_is_the_reason_ever_after(void **state)
{
    for (unsigned nth = 1; nth <= 5; nth++) {
        char fault[96];
        snprintf(fault, sizeof fault, "cuLaunchKernel:%u=%d", nth * 3, LAUNCH_FAILED);
        struct tour tour = go_on_tour(fault);
        assert_reported("cuLaunchKernel", fault, &tour, LAUNCH_FAILED);
        assert_true(tour.failures > 1);
        assert_int_equal(tour.failures + tour.done, all_done());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_tour_without_faults_does_everything, bench_restore),
        cmocka_unit_test(every_call_is_in_the_table),
        cmocka_unit_test_teardown(every_call_that_fails_is_one_line_and_leaves_nothing,
                                  bench_restore),
        cmocka_unit_test_teardown(calls_that_fail_for_good_do_no_harm, bench_restore),
        cmocka_unit_test_teardown(a_result_that_ends_the_context_is_the_reason_ever_after,
                                  bench_restore),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
