/* What a child does is its own. */
#include "machine/child.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static bool counts(void *of)
{
    int *count = of;
    return ++*count == 1;
}

static bool aborts(void *of)
{
    (void)of;
    abort();
}

static void what_goes_well_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    int count = 0;
    assert_true(child_try(counts, &count));
    assert_int_equal(count, 0);
}

static void what_says_no_or_dies_is_reported(void **state)
{
    (void)state;
    int count = 1;
    assert_false(child_try(counts, &count));
    assert_int_equal(count, 1);
    assert_false(child_try(aborts, NULL));
}

/* As under a shell's `trap '' CHLD`: the kernel then keeps no status. */
static void nobody_waits_for_a_status(void **state)
{
    (void)state;
    int count = 0;
    signal(SIGCHLD, SIG_IGN);
    assert_true(child_try(counts, &count));
    assert_false(child_try(aborts, NULL));
    signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_well_is_reported_and_leaves_nothing),
        cmocka_unit_test(what_says_no_or_dies_is_reported),
        cmocka_unit_test(nobody_waits_for_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
