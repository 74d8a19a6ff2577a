/* Every kernel does its operation to every double, whatever the order of the arrays. */
#include "measure/kernels/stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARRAY_BYTES = 6144, DOUBLES = ARRAY_BYTES / 8, MEMORY = 1 << 16 };
static const struct stream_access ways[] = {
    {STREAM_SEQUENTIAL, 0},      {STREAM_STRIDED, 64},        {STREAM_STRIDED, 192},
    {STREAM_STRIDED, 3072},      {STREAM_RANDOM_BLOCK, 64},   {STREAM_RANDOM_BLOCK, 512},
    {STREAM_RANDOM_BLOCK, 6144}, {STREAM_RANDOM_BLOCK, 2048},
};
enum { WAYS = sizeof ways / sizeof *ways };

struct run {
    unsigned char *memory;
    struct stream stream;
    uint64_t steps;
    kernel_function *run;
};

static double *doubles(const void *array)
{
    return (double *)(uintptr_t)array;
}

static void set_up(struct run *run, const struct stream_kernel *kernel,
                   const struct stream_access *way, uint64_t seed)
{
    run->memory = aligned_alloc(4096, MEMORY);
    assert_non_null(run->memory);
    for (size_t i = 0; i < MEMORY / 8; i++)
        doubles(run->memory)[i] = -1;
    assert_true(stream_extent(kernel->loads + kernel->stores, ARRAY_BYTES) <= MEMORY);
    run->run =
        stream_lay_out(&run->stream, kernel, run->memory, ARRAY_BYTES, way, seed, &run->steps);
    assert_non_null(run->run);
    for (size_t i = 0; i < DOUBLES; i++) {
        if (kernel->loads)
            doubles(run->stream.from)[i] = (double)i;
        if (kernel->loads > 1)
            doubles(run->stream.with)[i] = (double)(1000 * i);
    }
}

static double wanted(enum stream_op op, double from, double with)
{
    switch (op) {
    case STREAM_WRITE:
    case STREAM_WRITE_NT:
        return stream_factor;
    case STREAM_COPY:
    case STREAM_COPY_NT:
        return from;
    case STREAM_SCALE:
        return stream_factor * from;
    case STREAM_ADD:
        return from + with;
    case STREAM_TRIAD:
    case STREAM_TRIAD_NT:
        return from + stream_factor * with;
    default:
        return -1;
    }
}

static void verify(const struct stream_kernel *kernel, const struct stream_access *way)
{
    struct run run;
    set_up(&run, kernel, way, 12345);
    assert_int_equal(run.steps * stream_step_bytes(kernel, way),
                     (kernel->loads + kernel->stores) * ARRAY_BYTES);
    /* In two parts, which do not end where a run does. */
    run.run(&run.stream, run.steps / 3 + 1);
    if (run.steps > run.steps / 3 + 1)
        run.run(&run.stream, run.steps - run.steps / 3 - 1);
    size_t written = 0;
    for (size_t i = 0; i < DOUBLES && kernel->stores; i++) {
        double from = (double)i, with = (double)(1000 * i);
        assert_true(doubles(run.stream.to)[i] == wanted(kernel->op, from, with));
        written++;
    }
    for (size_t i = 0; i < MEMORY / 8; i++) /* and nothing else */
        written += doubles(run.memory)[i] == -1;
    assert_int_equal(written, MEMORY / 8 - kernel->loads * DOUBLES);
    free(run.memory);
}

static void each_kernel_does_what_its_name_says(void **state)
{
    unsigned found = 0;
    for (enum stream_width width = 0; width < STREAM_WIDTHS; width++)
        for (enum stream_op op = 0; op < STREAM_OPS; op++) {
            const char *missing = NULL;
            const struct stream_kernel *kernel = stream_find(op, width, &missing);
            assert_true(!kernel == !!missing);
            if (!kernel)
                continue;
            found++;
            assert_int_equal(kernel->op, op);
            assert_int_equal(kernel->width, width);
            for (size_t way = 0; way < WAYS; way++)
                verify(kernel, &ways[way]);
        }
    assert_true(found >= 6);
}

static void what_every_processor_has_is_there(void **state)
{
    static const enum stream_op ops[] = {STREAM_READ,  STREAM_WRITE, STREAM_COPY,
                                         STREAM_SCALE, STREAM_ADD,   STREAM_TRIAD};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_non_null(stream_find(ops[i], STREAM_SCALAR, NULL));
        assert_non_null(stream_find(ops[i], stream_usual_width(), NULL));
    }
}

static void strides_come_to_the_lines_between_in_their_turn(void **state)
{
    const struct stream_kernel *kernel = stream_find(STREAM_COPY, STREAM_SCALAR, NULL);
    const struct stream_access way = {STREAM_STRIDED, 1024};
    struct run run;
    set_up(&run, kernel, &way, 1);
    run.run(&run.stream, ARRAY_BYTES / 1024);
    for (size_t i = 0; i < DOUBLES; i++) {
        bool reached = i * 8 % 1024 < STREAM_LINE_BYTES;
        assert_true(doubles(run.stream.to)[i] == (reached ? (double)i : -1));
    }
    free(run.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_does_what_its_name_says),
        cmocka_unit_test(what_every_processor_has_is_there),
        cmocka_unit_test(strides_come_to_the_lines_between_in_their_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
