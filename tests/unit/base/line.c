#include "base/line.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void a_line_is_cut_at_its_end(void **state)
{
    struct line line = {0};
    for (int i = 0; i < 1000; i++) {
        line_add(&line, "%s", "0123456789");
        line_add_clean(&line, "\xe2\x94\x8a");
    }
    assert_true(line.length < sizeof line.text);
    assert_int_equal(strlen(line.text), line.length);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_cut_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
