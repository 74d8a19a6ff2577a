/* The forwarded value is the one that a store and a load through memory give. */
#include "measure/kernels/forward.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct outcome {
    uint64_t value; /* the last that was loaded */
    uint64_t words[2];
};

static struct outcome run(enum forwarding which, uint64_t first, uint64_t second)
{
    _Alignas(16) uint64_t memory[2] = {first, second};
    struct forward forward = {memory, memory};
    struct outcome outcome = {forward_kernels[which](&forward, 3), {0, 0}};
    memcpy(outcome.words, memory, sizeof memory);
    return outcome;
}

static void what_is_loaded_was_stored(void **state)
{
    static const enum forwarding whole[] = {FORWARD_SAME, FORWARD_NAMED, FORWARD_NARROW};
    assert_true(forward_steps > 0);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        struct outcome outcome = run(whole[i], UINT64_MAX, 5);
        assert_int_equal(outcome.value, 0); /* the chain begins with a zero */
        assert_int_equal(outcome.words[0], 0);
        assert_int_equal(outcome.words[1], 5);
    }
}

/* Half of the eight bytes was never stored: with either byte order the load sees both halves. */
static void a_wide_load_sees_what_was_there_before(void **state)
{
    const uint64_t before = UINT64_C(0x1111111111111111);
    struct outcome outcome = run(FORWARD_WIDE, before, 5);
    uint32_t halves[2], seen[2];
    memcpy(halves, outcome.words, sizeof halves);
    memcpy(seen, &outcome.value, sizeof seen);
    assert_int_equal(seen[1], 0x11111111);
    assert_int_equal(halves[1], 0x11111111);
    assert_int_equal(seen[0], halves[0]);
    assert_int_equal(outcome.words[1], 5);
}

static void an_overlapping_load_reaches_beyond_the_store(void **state)
{
    if (!forward_kernels[FORWARD_OVERLAP])
        skip();
    struct outcome outcome = run(FORWARD_OVERLAP, 7, UINT64_C(0x2222222200000003));
    uint32_t seen[2];
    memcpy(seen, &outcome.value, sizeof seen);
    assert_int_equal(seen[1], 3); /* the first half of the second word, which nothing stores to */
    assert_int_equal(outcome.words[1], UINT64_C(0x2222222200000003));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_loaded_was_stored),
        cmocka_unit_test(a_wide_load_sees_what_was_there_before),
        cmocka_unit_test(an_overlapping_load_reaches_beyond_the_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
