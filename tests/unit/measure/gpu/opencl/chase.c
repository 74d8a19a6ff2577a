/* Rings on an OpenCL device: read back and followed on the host as the device follows them. */
#include "measure/gpu/opencl/device.h"

/* Where a walk of a number of loads through the ring leads, and that a round visits all and comes
 * back. Elements are `unit` bytes wide. */
struct mirror {
    unsigned char *memory;
    size_t unit, count;
};

static uint64_t load(const struct mirror *mirror, uint64_t at)
{
    uint32_t half = 0;
    uint64_t whole = 0;
    const unsigned char *from = mirror->memory + at * mirror->unit;
    if (mirror->unit == sizeof half)
        memcpy(&half, from, sizeof half);
    else
        memcpy(&whole, from, sizeof whole);
    return whole + half;
}

static uint64_t walk(const struct mirror *mirror, uint64_t at, uint64_t loads)
{
    while (loads-- > 0)
        at = load(mirror, at);
    return at;
}

static struct mirror mirror_make(struct bench *bench, const struct gpu_work *work, size_t unit)
{
    size_t bytes = work->span ? work->span : work->offset + work->bytes;
    return (struct mirror){
        .memory = bench_bytes(bench, bench->own->ready.memory, bytes),
        .unit = unit,
        .count = work->bytes / work->stride,
    };
}

static void assert_visits_each_once(const struct mirror *mirror, const struct gpu_work *work)
{
    uint64_t first = work->offset / mirror->unit, at = first;
    size_t step = work->stride / mirror->unit;
    for (size_t i = 0; i < mirror->count; i++) {
        assert_true(at >= first && (at - first) % step == 0);
        assert_true((at - first) / step < mirror->count);
        assert_true(i == 0 || at != first); /* not back before the end */
        at = load(mirror, at);
    }
    assert_int_equal(at, first);
}

static void assert_follows(struct bench *bench, const struct mirror *mirror, uint64_t groups)
{
    struct gpu_time time = {0, 0};
    uint64_t before = bench->own->ready.at;
    opencl_follow(bench->own, groups, &time);
    bench_works(bench);
    assert_int_equal(bench->own->ready.at, walk(mirror, before, groups * OPENCL_LOADS));
}

/* Prepared, looked at, followed by some groups and once round, and timed. */
static void check_ring(struct bench *bench, const struct gpu_work *work, size_t unit)
{
    bench_prepare(bench, work);
    struct mirror mirror = mirror_make(bench, work, unit);
    assert_visits_each_once(&mirror, work);
    assert_follows(bench, &mirror, 1);
    assert_follows(bench, &mirror, 7);
    uint64_t at = bench->own->ready.at;
    assert_follows(bench, &mirror, mirror.count); /* rounds: a whole one for each of 16 loads */
    assert_int_equal(bench->own->ready.at, at);
    uint64_t did = bench_run(bench, work, 1000);
    assert_true(did >= 1000 && did % OPENCL_LOADS == 0);
    at = bench->own->ready.at;
    assert_follows(bench, &mirror, 3); /* and it still stands in the ring */
    free(mirror.memory);
}

static void each_path_follows_its_ring(void **state)
{
    struct bench *bench = bench_need(state);
    static const struct {
        enum gpu_path path;
        unsigned width_bits;
        size_t unit;
    } ways[] = {
        {GPU_L1, 0, 8},     {GPU_L1, 32, 4},      {GPU_L1, 64, 8},    {GPU_L1, 128, 16},
        {GPU_ATOMIC, 0, 4}, {GPU_CONSTANT, 0, 8}, {GPU_SHARED, 0, 8}, {GPU_SHARED_ATOMIC, 0, 4},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct gpu_work work = gpu_work_none;
        work.action = GPU_CHASE;
        work.path = ways[i].path;
        work.width_bits = ways[i].width_bits;
        work.bytes = 100 * 32; /* no power of two */
        work.stride = 32;
        check_ring(bench, &work, ways[i].unit);
    }
}

static void textures_are_followed_where_there_are_images(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = gpu_work_none;
    work.path = GPU_TEXTURE;
    work.bytes = 8192;
    work.stride = 64;
    const char *why_not = gpu_opencl.refuses(bench->gpu, &work);
    if (why_not) {
        print_message("# the device %s\n", why_not);
        skip();
    }
    check_ring(bench, &work, 4);
}

static void strides_go_up_and_come_back(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = gpu_work_none;
    work.order = GPU_STRIDED;
    work.bytes = 4096;
    work.stride = 8;
    bench_prepare(bench, &work);
    struct mirror mirror = mirror_make(bench, &work, 8);
    for (uint64_t i = 0; i < 512; i++)
        assert_int_equal(load(&mirror, i), (i + 1) % 512);
    free(mirror.memory);
    check_ring(bench, &work, 8);
}

static void ticks_are_cycles_only_at_a_clock_s_rate(void **state)
{
    (void)state; /* needs no device */
    struct opencl_limits limits = {.clock_hz = 2e9};
    assert_true(opencl_cycles(&limits, 2000, 1000) == 2000);
    assert_true(opencl_cycles(&limits, 500, 1000) == 500);
    assert_true(isnan(opencl_cycles(&limits, 100, 1000))); /* a timer of 100 MHz */
    assert_true(isnan(opencl_cycles(&limits, 3000, 1000)));
    assert_true(isnan(opencl_cycles(&limits, 2000, 0)));
    assert_true(isnan(opencl_cycles(&limits, -2000, 1000)));
    assert_true(isnan(opencl_cycles(&limits, (double)NAN, 1000)));
    assert_true(isnan(opencl_cycles(&(struct opencl_limits){.clock_hz = 0}, 2000, 1000)));
    limits.is_cpu = true;
    assert_true(isnan(opencl_cycles(&limits, 2000, 1000)));
}

/* A clock as cl_khr_kernel_clock has it, whose every reading is a thousand after the last; it keeps
 * the time in a word of `out` that the kernels leave alone. */
static const char clock_text[] = "#undef __opencl_c_kernel_clock_scope_sub_group\n"
                                 "#undef __opencl_c_kernel_clock_scope_work_group\n"
                                 "#define __opencl_c_kernel_clock_scope_device 1\n"
                                 "#define clock_read_device() (out[3] += 1000)\n";

/* Last: it takes the kernels' place. */
static void a_kernel_reads_the_clock_that_a_device_offers(void **state)
{
    struct bench *bench = bench_need(state);
    struct opencl_gpu *gpu = bench->own;
    size_t bytes = sizeof clock_text + strlen(opencl_text);
    char *text = malloc(bytes);
    assert_non_null(text);
    strcpy(stpcpy(text, clock_text), opencl_text);
    struct opencl_program *program = NULL;
    gpu->limits.has_clock = true;
    opencl_build(gpu, text, &program);
    free(text);
    if (!opencl_works(gpu)) {
        gpu->limits.has_clock = false;
        print_message("# older than OpenCL C 3.0: %s\n", gpu->failure.text);
        skip();
    }
    gpu->api->clReleaseProgram(gpu->program);
    gpu->program = program;
    struct gpu_work work = gpu_work_none;
    work.bytes = 4096;
    work.stride = 64;
    check_ring(bench, &work, 8);
    struct gpu_time time = {0, 0};
    opencl_follow(gpu, 3, &time);
    bench_works(bench);
    assert_true(time.cycles == 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_path_follows_its_ring),
        cmocka_unit_test(textures_are_followed_where_there_are_images),
        cmocka_unit_test(strides_go_up_and_come_back),
        cmocka_unit_test(ticks_are_cycles_only_at_a_clock_s_rate),
        cmocka_unit_test(a_kernel_reads_the_clock_that_a_device_offers),
    };
    return cmocka_run_group_tests_name("gpu/opencl_chase", tests, bench_open, bench_close);
}
