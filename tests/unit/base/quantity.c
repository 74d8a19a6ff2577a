#include "base/quantity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_a_unit_has_a_dimension_and_a_side(void **state)
{
    assert_int_equal(quantity_of("ns")->dimension, DIMENSION_TIME);
    assert_int_equal(quantity_of("ns")->worse, SIDE_MORE);
    assert_int_equal(quantity_of("B/s")->worse, SIDE_LESS);
    assert_int_equal(quantity_of("op/s")->worse, SIDE_LESS);
    assert_int_equal(quantity_of("Hz")->worse, SIDE_NEITHER);
    assert_int_equal(quantity_of(NULL)->dimension, DIMENSION_NUMBER);
    assert_true(quantity_is("B", DIMENSION_SIZE));
    assert_false(quantity_is("furlongs", DIMENSION_SIZE));
}

static void test_other_tools_units_are_known_by_nobody(void **state)
{
    assert_null(quantity_of("furlongs"));
    assert_null(quantity_of("NS"));
    assert_null(quantity_of("ns "));
}

static void test_only_the_same_known_unit_compares(void **state)
{
    assert_true(quantity_comparable("ns", "ns"));
    assert_true(quantity_comparable("", NULL));
    assert_false(quantity_comparable("ns", "us"));
    assert_false(quantity_comparable("furlongs", "furlongs"));
}

/* Two units with the same metric name would form one family, and readers would add them up. */
static void test_units_of_one_metric_measure_the_same(void **state)
{
    for (unsigned i = 0; quantity_at(i); i++) {
        assert_ptr_equal(quantity_of(quantity_at(i)->unit), quantity_at(i));
        assert_int_not_equal(quantity_at(i)->worse, SIDE_OF_UNIT);
        for (unsigned j = 0; j < i; j++)
            if (strcmp(quantity_at(i)->metric, quantity_at(j)->metric) == 0)
                assert_int_equal(quantity_at(i)->dimension, quantity_at(j)->dimension);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_unit_has_a_dimension_and_a_side),
        cmocka_unit_test(test_other_tools_units_are_known_by_nobody),
        cmocka_unit_test(test_only_the_same_known_unit_compares),
        cmocka_unit_test(test_units_of_one_metric_measure_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
