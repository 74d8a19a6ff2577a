/* Every way copies or fills exactly the bytes of a call, place after place. */
#include "measure/kernels/copy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 4096, LINE = 64, BEFORE = 0x5a };

struct memory {
    _Alignas(64) unsigned char to[BYTES], from[BYTES];
};

static void fill(struct memory *memory)
{
    memset(memory->to, BEFORE, BYTES);
    for (size_t i = 0; i < BYTES; i++)
        memory->from[i] = (unsigned char)(i * 7 + 1);
}

/* Bytes at [at, at + bytes) were written by a call, from those of the source. */
static void assert_written(enum copy_method method, const struct memory *memory, size_t at,
                           size_t bytes, size_t from)
{
    if (!copy_only_fills(method)) {
        assert_memory_equal(memory->to + at, memory->from + from, bytes);
        return;
    }
    unsigned kept = 0;
    for (size_t i = 0; i < bytes; i++)
        kept += memory->to[at + i] == BEFORE;
    assert_int_equal(kept, 0);
}

static void assert_kept(const struct memory *memory, size_t at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(memory->to[at + i], BEFORE);
}

static void exactly_the_bytes_of_a_call_are_written(void **state)
{
    static const size_t sizes[] = {1, 63, 256, 300, 1024};
    struct memory *memory = aligned_alloc(LINE, sizeof *memory);
    assert_non_null(memory);
    for (int method = 0; method < COPY_METHODS; method++) {
        const char *missing = NULL;
        kernel_function *run = copy_find((enum copy_method)method, &missing);
        if (!run) {
            assert_true(strlen(missing) > 10);
            continue;
        }
        const bool any = copy_takes_any((enum copy_method)method);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const size_t bytes = sizes[i], off = any ? 3 : 0;
            if (!any && bytes % COPY_STEP_BYTES)
                continue;
            fill(memory);
            struct copy copy = {.to = memory->to + LINE + off,
                                .from = memory->from + off,
                                .bytes = bytes,
                                .places = 1};
            run(&copy, 2);
            assert_kept(memory, 0, LINE + off);
            assert_written((enum copy_method)method, memory, LINE + off, bytes, off);
            assert_kept(memory, LINE + off + bytes, BYTES - LINE - off - bytes);
        }
    }
    free(memory);
}

static void places_are_gone_through_in_turn(void **state)
{
    enum { EACH = 512, PLACES = 4, CALL = 256 };
    struct memory *memory = aligned_alloc(LINE, sizeof *memory);
    assert_non_null(memory);
    for (int method = 0; method < COPY_METHODS; method++) {
        const char *missing;
        kernel_function *run = copy_find((enum copy_method)method, &missing);
        if (!run)
            continue;
        fill(memory);
        struct copy copy = {.to = memory->to,
                            .from = memory->from,
                            .bytes = CALL,
                            .places = PLACES,
                            .place_bytes = EACH,
                            .place = 2};
        run(&copy, 1);
        assert_int_equal(copy.place, 3);
        assert_written((enum copy_method)method, memory, 2 * EACH, CALL, 2 * EACH);
        assert_kept(memory, 0, 2 * EACH);
        assert_kept(memory, 2 * EACH + CALL, BYTES - 2 * EACH - CALL);
        run(&copy, 2); /* goes on, around the end */
        assert_int_equal(copy.place, 1);
        assert_written((enum copy_method)method, memory, 0, CALL, 0);
        assert_kept(memory, EACH, EACH);
    }
    free(memory);
}

static void bytes_are_counted_as_streams_count_them(void **state)
{
    assert_int_equal(copy_counted(COPY_MEMCPY, 100), 200);
    assert_int_equal(copy_counted(COPY_PAST, 100), 200);
    assert_int_equal(copy_counted(COPY_SET, 100), 100);
    assert_int_equal(copy_counted(COPY_SET_PAST, 100), 100);
    for (int method = 0; method < COPY_METHODS; method++)
        assert_non_null(copy_method_names[method]);
    assert_null(copy_method_names[COPY_METHODS]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_the_bytes_of_a_call_are_written),
        cmocka_unit_test(places_are_gone_through_in_turn),
        cmocka_unit_test(bytes_are_counted_as_streams_count_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
