#include "measure/kernels/mix.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = 256 * 1024 };

/* A turn loads and stores some parts, and goes on where the last one stopped. */
static void turns_alternate_and_go_on(void **state)
{
    const struct stream_access in_order = {STREAM_SEQUENTIAL, 0};
    const struct stream_kernel *store = stream_find(STREAM_WRITE, STREAM_SCALAR, NULL),
                               *load = stream_find(STREAM_READ, STREAM_SCALAR, NULL);
    unsigned char *from = aligned_alloc(4096, 2 * BYTES), *to = from + BYTES;
    const uint64_t part = MIX_PART_BYTES / STREAM_STEP_BYTES;
    struct mix mix = {.load_steps = part, .store_steps = part};
    uint64_t steps;
    assert_true(store && load && from);
    memset(from, 0, 2 * BYTES);
    mix.load = stream_lay_out(&mix.from, load, from, BYTES, &in_order, 1, &steps);
    mix.store = stream_lay_out(&mix.to, store, to, BYTES, &in_order, 1, &steps);
    mix_run(&mix, 2);
    for (size_t i = 0; i < BYTES; i += 8) {
        double value;
        memcpy(&value, to + i, sizeof value);
        assert_true(value == (i < 2 * (size_t)MIX_PART_BYTES ? stream_factor : 0));
    }
    mix_run(&mix, 2);
    double last;
    memcpy(&last, to + BYTES - 8, sizeof last);
    assert_true(last == stream_factor);
    for (size_t i = 0; i < BYTES; i++) /* what is read stays as it is */
        assert_int_equal(from[i], 0);
    free(from);
}

static void a_mix_without_stores_or_without_loads_runs(void **state)
{
    const struct stream_access in_order = {STREAM_SEQUENTIAL, 0};
    const struct stream_kernel *store = stream_find(STREAM_WRITE, STREAM_SCALAR, NULL);
    unsigned char *to = aligned_alloc(4096, BYTES);
    struct mix mix = {.store_steps = 3};
    uint64_t steps;
    double value;
    assert_non_null(to);
    memset(to, 0, BYTES);
    mix.store = stream_lay_out(&mix.to, store, to, BYTES, &in_order, 1, &steps);
    mix_run(&mix, 1);
    memcpy(&value, to + 3 * STREAM_STEP_BYTES - 8, sizeof value);
    assert_true(value == stream_factor);
    memcpy(&value, to + 3 * STREAM_STEP_BYTES, sizeof value);
    assert_true(value == 0);
    free(to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns_alternate_and_go_on),
        cmocka_unit_test(a_mix_without_stores_or_without_loads_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
