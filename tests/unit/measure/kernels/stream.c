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
    (void)state;
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
    (void)state;
    static const enum stream_op ops[] = {STREAM_READ,  STREAM_WRITE, STREAM_COPY,
                                         STREAM_SCALE, STREAM_ADD,   STREAM_TRIAD};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        assert_non_null(stream_find(ops[i], STREAM_SCALAR, NULL));
        assert_non_null(stream_find(ops[i], stream_widest(), NULL));
    }
}

/* Random order is a permutation, and another one for another seed. */
static void random_blocks_are_each_visited_once(void **state)
{
    (void)state;
    const struct stream_kernel *kernel = stream_find(STREAM_READ, STREAM_SCALAR, NULL);
    const struct stream_access way = {STREAM_RANDOM_BLOCK, 256};
    enum { BLOCKS = ARRAY_BYTES / 256 };
    uint64_t orders[2][BLOCKS];
    for (uint64_t seed = 0; seed < 2; seed++) {
        struct run run;
        bool seen[BLOCKS] = {false};
        set_up(&run, kernel, &way, 77 + 1000 * seed);
        assert_int_equal(run.steps, BLOCKS);
        for (size_t i = 0; i < BLOCKS; i++) {
            run.run(&run.stream, 1);
            assert_true(run.stream.run < BLOCKS && !seen[run.stream.run]);
            seen[run.stream.run] = true;
            orders[seed][i] = run.stream.run;
        }
        free(run.memory);
    }
    assert_memory_not_equal(orders[0], orders[1], sizeof orders[0]);
    bool in_turn = true;
    for (size_t i = 1; i < BLOCKS; i++)
        in_turn = in_turn && orders[0][i] == orders[0][i - 1] + 1;
    assert_false(in_turn);
}

static void strides_come_to_the_lines_between_in_their_turn(void **state)
{
    (void)state;
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

static void arrays_do_not_meet_in_the_same_bits_of_an_address(void **state)
{
    (void)state;
    const struct stream_kernel *kernel = stream_find(STREAM_TRIAD, STREAM_SCALAR, NULL);
    struct run run;
    set_up(&run, kernel, &ways[0], 1);
    const uintptr_t at[] = {(uintptr_t)run.stream.to, (uintptr_t)run.stream.from,
                            (uintptr_t)run.stream.with};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(at[i] % STREAM_LINE_BYTES, 0);
        for (int j = 0; j < i; j++) {
            uintptr_t apart = (at[i] - at[j]) % 4096;
            assert_true(apart >= 1024 && apart <= 4096 - 1024);
            assert_true(at[i] - at[j] >= ARRAY_BYTES);
        }
    }
    free(run.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kernel_does_what_its_name_says),
        cmocka_unit_test(what_every_processor_has_is_there),
        cmocka_unit_test(random_blocks_are_each_visited_once),
        cmocka_unit_test(strides_come_to_the_lines_between_in_their_turn),
        cmocka_unit_test(arrays_do_not_meet_in_the_same_bits_of_an_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
