#include "measure/engine/recall.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int ours, asked, others;

static int handle(void)
{
    asked++;
    return ours;
}

static void hear(int number)
{
    others++;
}

static void what_is_not_ours_goes_on_to_who_had_it_before(void **state)
{
    struct sigaction before, now, action = {.sa_handler = hear};
    sigaction(RECALL_SIGNAL, &action, &before);
    asked = others = 0;
    recall_begin(handle);
    recall_begin(handle);
    ours = 0;
    raise(RECALL_SIGNAL);
    assert_int_equal(asked, 1);
    assert_int_equal(others, 1);
    ours = 1;
    raise(RECALL_SIGNAL);
    assert_int_equal(asked, 2);
    assert_int_equal(others, 1);
    recall_end();
    raise(RECALL_SIGNAL); /* the second team is still there */
    assert_int_equal(asked, 3);
    recall_end();
    raise(RECALL_SIGNAL);
    assert_int_equal(asked, 3);
    assert_int_equal(others, 2);
    sigaction(RECALL_SIGNAL, &before, &now);
    assert_ptr_equal(now.sa_handler, hear);
}

static void what_nobody_had_is_ignored_as_before(void **state)
{
    struct sigaction now;
    ours = 0;
    asked = 0;
    recall_begin(handle);
    raise(RECALL_SIGNAL);
    assert_int_equal(asked, 1);
    recall_end();
    sigaction(RECALL_SIGNAL, NULL, &now);
    assert_true(now.sa_handler == SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_ours_goes_on_to_who_had_it_before),
        cmocka_unit_test(what_nobody_had_is_ignored_as_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
