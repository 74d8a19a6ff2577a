/* Copies between host and OpenCL device, and launches. */
#include "measure/gpu/opencl/device.h"

enum { BYTES = 10000 };

static struct gpu_work transfer(enum gpu_direction direction, bool pinned)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_TRANSFER;
    work.direction = direction;
    work.pinned = pinned;
    work.bytes = direction == GPU_BOTH_WAYS ? 2 * BYTES : BYTES; /* half each way */
    return work;
}

static void assert_all(const unsigned char *bytes, int value)
{
    for (size_t i = 0; i < BYTES; i++)
        assert_int_equal(bytes[i], value);
}

static void assert_device_holds(struct bench *bench, struct opencl_memory *memory, int value)
{
    unsigned char *bytes = bench_bytes(bench, memory, BYTES);
    assert_all(bytes, value);
    free(bytes);
}

static void set_device(struct bench *bench, struct opencl_memory *memory, int value)
{
    unsigned char bytes[BYTES];
    memset(bytes, value, sizeof bytes);
    opencl_write(bench->own, memory, BYTES, bytes);
    bench_works(bench);
}

/* Both sides hold something else before; afterwards what was sent, and nothing else changed. */
static void check_transfer(struct bench *bench, enum gpu_direction direction, bool pinned)
{
    struct gpu_work work = transfer(direction, pinned);
    bench_prepare(bench, &work);
    struct opencl_ready *ready = &bench->own->ready;
    assert_int_equal(ready->pinned != NULL, pinned);
    memset(ready->host, 0x11, BYTES);
    set_device(bench, ready->memory, 0x22);
    if (direction == GPU_BOTH_WAYS) {
        memset(ready->host + BYTES, 0x33, BYTES);
        set_device(bench, ready->other, 0x44);
    }
    uint64_t did = bench_run(bench, &work, 40); /* more than are under way at once */
    uint64_t each = direction == GPU_BOTH_WAYS ? 2 * BYTES : BYTES;
    assert_int_equal(did % each, 0);
    assert_true(did >= 40 * each);
    int there = direction == GPU_TO_HOST ? 0x22 : 0x11;
    assert_all(ready->host, there);
    assert_device_holds(bench, ready->memory, there);
    if (direction == GPU_BOTH_WAYS) {
        assert_all(ready->host + BYTES, 0x44);
        assert_device_holds(bench, ready->other, 0x44);
    }
}

static void pinned_memory_arrives(void **state)
{
    struct bench *bench = bench_need(state);
    for (enum gpu_direction direction = GPU_TO_DEVICE; direction <= GPU_BOTH_WAYS; direction++)
        check_transfer(bench, direction, true);
}

static void pageable_memory_arrives(void **state)
{
    struct bench *bench = bench_need(state);
    for (enum gpu_direction direction = GPU_TO_DEVICE; direction <= GPU_BOTH_WAYS; direction++)
        check_transfer(bench, direction, false);
}

static void launches_are_counted(void **state)
{
    struct bench *bench = bench_need(state);
    struct gpu_work work = gpu_work_none;
    work.action = GPU_LAUNCH;
    bench_prepare(bench, &work);
    assert_true(bench_run(bench, &work, 5) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pinned_memory_arrives),
        cmocka_unit_test(pageable_memory_arrives),
        cmocka_unit_test(launches_are_counted),
    };
    return cmocka_run_group_tests_name("gpu/opencl_transfer", tests, bench_open, bench_close);
}
