#include "stats/false_discovery.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Benjamini and Hochberg's own example, section 3.2: of fifteen, four at 5 %. */
static void the_published_example_holds(void **state)
{
    (void)state;
    double p[] = {0.0459, 0.0001, 0.0278, 0.0004, 0.0344, 0.0019, 0.0095, 0.0201,
                  0.0298, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    assert_true(false_discovery_limit(p, 15, 0.05) == 0.0095);
}

static void nothing_is_found_among_nothing(void **state)
{
    (void)state;
    double p[] = {0.9, 0.2, 0.5, 1};
    assert_true(false_discovery_limit(p, 4, 0.05) == -1);
    assert_true(false_discovery_limit(p, 0, 0.05) == -1);
}

static void a_larger_one_carries_smaller_ones(void **state)
{
    (void)state;
    double p[] = {0.04, 0.03, 0.045, 0.05};
    assert_true(false_discovery_limit(p, 4, 0.05) == 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_published_example_holds),
        cmocka_unit_test(nothing_is_found_among_nothing),
        cmocka_unit_test(a_larger_one_carries_smaller_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
