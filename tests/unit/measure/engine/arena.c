/* What the arena reports is what the kernel gave, whatever was asked for. */
#include "measure/engine/arena.h"

#include "document/flag.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = (4 << 20) + 12345 };

static void check_policy(enum page_policy policy)
{
    struct arena arena;
    struct error error = {0};
    int code = arena_map(&arena, BYTES, policy, -1, &error);
    if (code < 0) { /* a machine may have none of these pages, but it must say so */
        assert_int_equal(code, ERROR_IMPOSSIBLE);
        assert_true(error.text[0]);
        assert_true(policy != PAGES_AUTO && policy != PAGES_SMALL);
        arena_unmap(&arena);
        return;
    }
    assert_true(arena.bytes >= BYTES);
    assert_int_equal((uintptr_t)arena.memory % (2 << 20), 0);
    arena_touch(&arena);
    arena_verify(&arena);
    double share = arena.placement.huge_share;
    assert_true(isnan(share) || (share >= 0 && share <= 1));
    if (policy == PAGES_SMALL && !isnan(share))
        assert_true(share == 0);
    bool small = arena_flags(&arena) & FLAG_BIT(FLAG_SMALL_PAGES);
    assert_int_equal(small, policy != PAGES_SMALL && !(share >= 0.9));
    arena_unmap(&arena);
    assert_null(arena.memory);
}

static void every_policy_is_had_or_refused(void **state)
{
    (void)state;
    for (int policy = 0; policy < PAGES_COUNT; policy++)
        check_policy((enum page_policy)policy);
}

static void more_than_can_be_addressed_is_refused(void **state)
{
    (void)state;
    struct arena arena;
    struct error error = {0};
    assert_true(arena_map(&arena, SIZE_MAX - 5, PAGES_THP, -1, &error) < 0);
    assert_true(error.text[0]);
    assert_true(arena_map(&arena, SIZE_MAX / 4, PAGES_AUTO, -1, &error) < 0);
    arena_unmap(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_is_had_or_refused),
        cmocka_unit_test(more_than_can_be_addressed_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
