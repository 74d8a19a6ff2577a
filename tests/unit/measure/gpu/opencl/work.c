/* What an OpenCL device refuses, and what is said when something goes wrong on it. */
#include "measure/gpu/opencl/device.h"

#include <time.h>

static struct gpu_work chase(void)
{
    struct gpu_work work = gpu_work_none;
    work.bytes = 4096;
    work.stride = 64;
    return work;
}

/* --- refused --- */

static void assert_refused(struct bench *bench, const struct gpu_work *work, const char *clause)
{
    const char *why_not = gpu_opencl.refuses(bench->gpu, work);
    assert_non_null(why_not);
    if (!strstr(why_not, clause))
        fail_msg("'%s' does not say '%s'", why_not, clause);
    assert_int_equal(gpu_opencl.prepare(bench->gpu, work, 1, &bench->error), ERROR_IMPOSSIBLE);
    assert_line(&bench->error, why_not);
}

static void what_opencl_can_not_choose_is_refused(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = chase();
    static const enum gpu_path caches[] = {GPU_L2, GPU_READ_ONLY, GPU_UNCACHED};
    for (int i = 0; i < 3; i++) {
        work.path = caches[i];
        assert_refused(bench, &work, "way through the caches");
    }
    work.path = GPU_CLUSTER;
    assert_refused(bench, &work, "clusters");
    work.path = GPU_SCALAR;
    assert_refused(bench, &work, "is a CPU");
    work = chase();
    work.home = GPU_ON_PEER;
    assert_refused(bench, &work, "other device");
    for (work.home = GPU_ON_NODE; work.home <= GPU_MANAGED_ON_HOST; work.home++)
        assert_refused(bench, &work, "where memory lies");
    work = chase();
    for (work.before = GPU_PLAIN_LOADS; work.before <= GPU_RIVAL; work.before++)
        assert_refused(bench, &work, "what comes before");
    work = chase();
    work.multiprocessor = 0;
    assert_refused(bench, &work, "multiprocessor");
    work = chase();
    work.carve_out = 50;
    assert_refused(bench, &work, "first-level memory");
    work = (struct gpu_work){.action = GPU_TRANSFER,
                             .direction = GPU_TO_PEER,
                             .bytes = 4096,
                             .carve_out = -1,
                             .multiprocessor = -1};
    assert_refused(bench, &work, "by way of the host");
    work.direction = GPU_TO_DEVICE;
    work.together = 3;
    assert_refused(bench, &work, "one device at a time");
    work.together = 0;
    work.action = GPU_STREAM;
    work.path = GPU_SHARED;
    assert_refused(bench, &work, "device memory");
}

static void sizes_beyond_the_device_are_refused(void **state)
{
    struct bench *bench = bench_need(state);
    const struct opencl_limits *limits = &bench->own->limits;
    struct gpu_work work = chase();
    work.path = GPU_SHARED;
    work.bytes = (size_t)limits->local_bytes + 64;
    assert_refused(bench, &work, "local memory");
    work.path = GPU_CONSTANT;
    work.bytes = (size_t)limits->constant_bytes + 64;
    assert_refused(bench, &work, "constant memory");
    work.path = GPU_L1;
    work.bytes = (size_t)limits->buffer_bytes + 64;
    assert_refused(bench, &work, "one OpenCL buffer");
    work.action = GPU_STREAM;
    assert_refused(bench, &work, "one OpenCL buffer");
    work.action = GPU_TRANSFER;
    assert_refused(bench, &work, "one OpenCL buffer");
}

static void odd_shapes_are_refused(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = chase();
    work.stride = 4;
    assert_refused(bench, &work, "at least 8 bytes");
    work = chase();
    work.bytes = 32;
    assert_refused(bench, &work, "at least one stride");
    work = chase();
    work.stride = 24;
    work.width_bits = 128;
    assert_refused(bench, &work, "multiples of the load's width");
    work = chase();
    work.width_bits = 256;
    assert_refused(bench, &work, "load width");
    work =
        (struct gpu_work){.action = GPU_STREAM, .bytes = 31, .carve_out = -1, .multiprocessor = -1};
    assert_refused(bench, &work, "at least 32 bytes");
    work.action = GPU_TRANSFER;
    work.bytes = 0;
    assert_refused(bench, &work, "at least 2 bytes");
}

static void what_is_not_prepared_is_not_run(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = chase(), launch = gpu_work_none;
    launch.action = GPU_LAUNCH;
    uint64_t did;
    struct gpu_time time;
    opencl_clear(bench->own);
    assert_int_equal(gpu_opencl.run(bench->gpu, &work, 1, &did, &time, &bench->error), ERROR_USAGE);
    bench_prepare(bench, &work);
    assert_int_equal(gpu_opencl.run(bench->gpu, &launch, 1, &did, &time, &bench->error),
                     ERROR_USAGE);
    bench_run(bench, &work, 1);
}

/* --- calls that fail --- */

static void text_that_does_not_compile_gives_the_first_line(void **state)
{
    struct bench *bench = bench_need(state);
    struct opencl_program *program = NULL;
    const char *text = "__kernel void broken(void) { no_such_thing(1 + ); }\n";
    opencl_build(bench->own, text, &program);
    const struct error *said = &bench->own->failure;
    assert_null(program);
    assert_line(said, "OpenCL's compiler refuses the kernels: ");
    assert_true(strlen(said->text) > strlen("OpenCL's compiler refuses the kernels: "));
}

/* A call that comes to nothing: OUT_OF_RESOURCES, as most drivers say when memory has run out. */
static struct opencl_memory *no_buffer(struct opencl_context *context, uint64_t flags, size_t bytes,
                                       void *host, int32_t *status)
{
    *status = OPENCL_NO_OBJECT_MEMORY;
    return NULL;
}

static struct opencl_kernel *no_kernel(struct opencl_program *program, const char *name,
                                       int32_t *status)
{
    *status = -46;
    return NULL;
}

static int32_t no_launch(struct opencl_queue *queue, struct opencl_kernel *kernel,
                         uint32_t dimensions, const size_t *offset, const size_t *items,
                         const size_t *group, uint32_t count, struct opencl_event *const *after,
                         struct opencl_event **event)
{
    return OPENCL_NO_RESOURCES;
}

static int32_t no_argument(struct opencl_kernel *kernel, uint32_t index, size_t size,
                           const void *value)
{
    return -1234;
}

static int32_t no_write(struct opencl_queue *queue, struct opencl_memory *memory, uint32_t wait,
                        size_t offset, size_t bytes, const void *from, uint32_t count,
                        struct opencl_event *const *after, struct opencl_event **event)
{
    return -36;
}

/* A command that failed has ended: it no longer touches what it was given. */
static const struct opencl_api *working_api;

static int32_t failed_event(struct opencl_event *event, uint32_t info, size_t size, void *value,
                            size_t *room)
{
    int32_t status = working_api->clGetEventInfo(event, info, size, value, room);
    if (status == OPENCL_SUCCESS && *(int32_t *)value == OPENCL_COMPLETE)
        *(int32_t *)value = OPENCL_NO_RESOURCES;
    return status;
}

static int32_t no_time(struct opencl_event *event, uint32_t info, size_t size, void *value,
                       size_t *room)
{
    return -7;
}

static int32_t always_noon(struct opencl_event *event, uint32_t info, size_t size, void *value,
                           size_t *room)
{
    *(uint64_t *)value = 12;
    return OPENCL_SUCCESS;
}

/* Preparing fails with that line, and works again when the calls do. */
static void assert_prepare_fails(struct bench *bench, const struct opencl_api *working,
                                 const struct gpu_work *work, const char *says)
{
    struct error error = {0};
    int code = gpu_opencl.prepare(bench->gpu, work, 1, &error);
    bench->driver->api = *working;
    assert_int_equal(code, ERROR_IMPOSSIBLE);
    assert_line(&error, says);
    bench_prepare(bench, work);
    bench_run(bench, work, 1);
}

static void each_call_that_fails_has_its_line(void **state)
{
    struct bench *bench = bench_need(state);
    struct opencl_api *api = &bench->driver->api;
    const struct opencl_api working = *api;
    struct gpu_work work = chase();
    working_api = &working;
    api->clCreateBuffer = no_buffer;
    assert_prepare_fails(bench, &working, &work,
                         "could not allocate 4 KiB: CL_MEM_OBJECT_ALLOCATION_FAILURE; it has too "
                         "little memory: measure a smaller working set");
    api->clCreateKernel = no_kernel;
    assert_prepare_fails(bench, &working, &work, "CL_INVALID_KERNEL_NAME");
    api->clEnqueueNDRangeKernel = no_launch;
    assert_prepare_fails(bench, &working, &work, "launch a kernel: CL_OUT_OF_RESOURCES");
    api->clSetKernelArg = no_argument;
    assert_prepare_fails(bench, &working, &work, "error -1234");
    api->clEnqueueWriteBuffer = no_write;
    assert_prepare_fails(bench, &working, &work, "copy memory: CL_INVALID_COMMAND_QUEUE");
    api->clGetEventInfo = failed_event;
    assert_prepare_fails(bench, &working, &work, "carry a command out: CL_OUT_OF_RESOURCES");
    api->clGetEventProfilingInfo = no_time;
    assert_prepare_fails(bench, &working, &work, "report a command's time: error -7");
    struct gpu_work transfer = gpu_work_none;
    transfer.action = GPU_TRANSFER;
    transfer.bytes = 4096;
    transfer.pinned = true;
    api->clEnqueueWriteBuffer = no_write;
    assert_prepare_fails(bench, &working, &transfer, "CL_INVALID_COMMAND_QUEUE");
}

static void a_copy_that_fails_on_its_way_fails_the_batch(void **state)
{
    struct bench *bench = bench_need(state);
    const struct opencl_api working = bench->driver->api;
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = GPU_BOTH_WAYS;
    work.bytes = 4096;
    bench_prepare(bench, &work);
    uint64_t did;
    struct gpu_time time;
    bench->driver->api.clEnqueueWriteBuffer = no_write;
    int code = gpu_opencl.run(bench->gpu, &work, 3, &did, &time, &bench->error);
    bench->driver->api = working;
    assert_int_equal(code, ERROR_IMPOSSIBLE);
    assert_line(&bench->error, "copy memory");
    bench_run(bench, &work, 3);
}

static void a_clock_that_stands_still_is_no_result(void **state)
{
    struct bench *bench = bench_need(state);
    const struct opencl_api working = bench->driver->api;
    struct gpu_work work = chase();
    bench_prepare(bench, &work);
    bench->driver->api.clGetEventProfilingInfo = always_noon;
    uint64_t did;
    struct gpu_time time;
    int code = gpu_opencl.run(bench->gpu, &work, 1, &did, &time, &bench->error);
    bench->driver->api = working;
    assert_int_equal(code, ERROR_IMPOSSIBLE);
    assert_line(&bench->error, "times make no sense");
}

/* --- a kernel that does not end --- */

static void wait_for_the_real_end(struct opencl_gpu *gpu)
{
    int32_t left = 1;
    while (left > OPENCL_COMPLETE) {
        nanosleep(&(struct timespec){.tv_nsec = 1000 * 1000}, NULL);
        assert_int_equal(
            gpu->api->clGetEventInfo(gpu->stuck, OPENCL_EVENT_STATUS, sizeof left, &left, NULL),
            OPENCL_SUCCESS);
    }
}

/* Fifty million dependent loads in a millisecond: no device there is. Last, because it gives the
 * device up. */
static void a_kernel_that_does_not_end_is_given_up(void **state)
{
    struct bench *bench = bench_need(state);
    struct opencl_gpu *gpu = bench->own;
    struct gpu_work work = chase();
    uint64_t did;
    struct gpu_time time;
    struct error first = {0}, then = {0};
    bench_prepare(bench, &work);
    gpu->limit_ns = 1000 * 1000;
    assert_int_equal(gpu_opencl.run(bench->gpu, &work, 50000000, &did, &time, &first),
                     ERROR_IMPOSSIBLE);
    assert_line(&first, "did not end a command within 1 ms");
    assert_non_null(gpu->stuck);
    assert_int_equal(gpu_opencl.run(bench->gpu, &work, 1, &did, &time, &then), ERROR_IMPOSSIBLE);
    assert_string_equal(then.text, first.text);
    then.text[0] = '\0';
    assert_int_equal(gpu_opencl.prepare(bench->gpu, &work, 1, &then), ERROR_IMPOSSIBLE);
    assert_string_equal(then.text, first.text);
    wait_for_the_real_end(gpu); /* so that stopping frees everything */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_opencl_can_not_choose_is_refused),
        cmocka_unit_test(sizes_beyond_the_device_are_refused),
        cmocka_unit_test(odd_shapes_are_refused),
        cmocka_unit_test(what_is_not_prepared_is_not_run),
        cmocka_unit_test(text_that_does_not_compile_gives_the_first_line),
        cmocka_unit_test(each_call_that_fails_has_its_line),
        cmocka_unit_test(a_copy_that_fails_on_its_way_fails_the_batch),
        cmocka_unit_test(a_clock_that_stands_still_is_no_result),
        cmocka_unit_test(a_kernel_that_does_not_end_is_given_up),
    };
    return cmocka_run_group_tests_name("gpu/opencl_work", tests, bench_open, bench_close);
}
