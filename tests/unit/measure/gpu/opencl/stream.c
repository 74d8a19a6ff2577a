/* Streams on an OpenCL device: what they read, wrote and copied. */
#include "measure/gpu/opencl/device.h"

enum { ELEMENT_BYTES = 16 };

static struct gpu_work stream(enum gpu_traffic traffic, enum gpu_home home, size_t bytes)
{
    struct gpu_work work = gpu_work_none;
    work.action = GPU_STREAM;
    work.traffic = traffic;
    work.home = home;
    work.bytes = bytes;
    return work;
}

static void flow(struct bench *bench, uint64_t repeats)
{
    assert_true(opencl_flow(bench->own, repeats) >= 0);
    bench_works(bench);
}

static void fill(struct bench *bench, struct opencl_memory *memory, uint64_t *words, size_t count)
{
    opencl_write(bench->own, memory, count * sizeof *words, words);
    bench_works(bench);
}

static void check_read(struct bench *bench, enum gpu_home home)
{
    enum { WORDS = 2 * 1001 };
    struct gpu_work work = stream(GPU_READ, home, WORDS * sizeof(uint64_t));
    bench_prepare(bench, &work);
    uint64_t words[WORDS], expected = 0;
    for (uint64_t i = 0; i < WORDS; i++)
        expected += words[i] = i * i + 1;
    fill(bench, bench->own->ready.memory, words, WORDS);
    flow(bench, 3);
    size_t items = bench->own->limits.items;
    uint64_t *sums = bench_bytes(bench, bench->own->out, items * sizeof *sums), sum = 0;
    for (size_t i = 0; i < items; i++)
        sum += sums[i];
    free(sums);
    assert_int_equal(sum, 3 * expected);
}

static void reading_reads_every_byte_each_time(void **state)
{
    struct bench *bench = bench_need(state);
    check_read(bench, GPU_ON_DEVICE);
    check_read(bench, GPU_ON_HOST);
}

static void writing_writes_every_byte(void **state)
{
    struct bench *bench = bench_need(state);
    enum { WORDS = 2 * 777 };
    struct gpu_work work = stream(GPU_WRITE, GPU_ON_DEVICE, WORDS * sizeof(uint64_t));
    bench_prepare(bench, &work);
    uint64_t words[WORDS];
    memset(words, 0xff, sizeof words);
    fill(bench, bench->own->ready.memory, words, WORDS);
    flow(bench, 5);
    uint64_t *now = bench_bytes(bench, bench->own->ready.memory, sizeof words);
    for (size_t i = 0; i < WORDS; i += 2) {
        assert_int_equal(now[i], i / 2); /* the element's place, ... */
        assert_true(now[i + 1] < 5);     /* ... and the repeat that came last */
    }
    free(now);
}

static void copying_copies_half_to_the_other_half(void **state)
{
    struct bench *bench = bench_need(state);
    enum { WORDS = 2 * 600 };
    struct gpu_work work = stream(GPU_COPY, GPU_ON_DEVICE, 2 * WORDS * sizeof(uint64_t));
    bench_prepare(bench, &work);
    uint64_t words[WORDS];
    for (uint64_t i = 0; i < WORDS; i++)
        words[i] = ~i;
    fill(bench, bench->own->ready.memory, words, WORDS);
    flow(bench, 1);
    uint64_t *copy = bench_bytes(bench, bench->own->ready.other, sizeof words);
    assert_memory_equal(copy, words, sizeof words);
    free(copy);
}

static void bytes_are_counted_read_and_written(void **state)
{
    struct bench *bench = bench_need(state);
    for (enum gpu_traffic traffic = GPU_READ; traffic <= GPU_COPY; traffic++)
        for (enum gpu_home home = GPU_ON_DEVICE; home <= GPU_ON_HOST; home++) {
            struct gpu_work work = stream(traffic, home, 1 << 20);
            bench_prepare(bench, &work);
            uint64_t did = bench_run(bench, &work, 3);
            assert_true(did >= (uint64_t)3 << 20);
            assert_int_equal(did % (1 << 20), 0);
        }
    struct gpu_work odd = stream(GPU_COPY, GPU_ON_DEVICE, 3 * 2 * ELEMENT_BYTES + 31);
    bench_prepare(bench, &odd); /* what is no whole element is left out, and not counted */
    assert_int_equal(bench_run(bench, &odd, 1) % (3 * 2 * ELEMENT_BYTES), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_reads_every_byte_each_time),
        cmocka_unit_test(writing_writes_every_byte),
        cmocka_unit_test(copying_copies_half_to_the_other_half),
        cmocka_unit_test(bytes_are_counted_read_and_written),
    };
    return cmocka_run_group_tests_name("gpu/opencl_stream", tests, bench_open, bench_close);
}
