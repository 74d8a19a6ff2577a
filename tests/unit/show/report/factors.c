#include "../render/capture.h"

#include "show/report/factors.h"

static void factors_are_the_same_in_whatever_order(void **state)
{
    (void)state;
    struct factor one[] = {{"order", "forward", NAN}, {"stride", NULL, 8}, {"x", NULL, NAN}};
    struct factor other[] = {{"x", NULL, NAN}, {"stride", NULL, 8}, {"order", "forward", NAN}};
    struct series a = {.factors = one, .factor_count = 3};
    struct series b = {.factors = other, .factor_count = 3};
    assert_true(factors_same(&a, &b));
    other[1].number = 9;
    assert_false(factors_same(&a, &b));
    other[1] = (struct factor){"stride", "8", NAN};
    assert_false(factors_same(&a, &b));
    b.factor_count = 2;
    assert_false(factors_same(&a, &b));
}

static void of_many_the_first_are_looked_at_and_none_is_taken_for_another(void **state)
{
    (void)state;
    enum { MANY = FACTORS_SEEN + 36 };
    struct factor one[MANY], other[MANY];
    char names[MANY][8];
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        one[i] = other[i] = (struct factor){names[i], NULL, (double)i};
    }
    struct series a = {.factors = one, .factor_count = MANY};
    struct series b = {.factors = other, .factor_count = MANY};
    assert_int_equal(factors_seen(&a), FACTORS_SEEN);
    assert_non_null(factor_seen(&a, "f0"));
    assert_null(factor_seen(&a, names[MANY - 1]));
    assert_true(factors_same(&a, &b));
    other[MANY - 1].number = 0;
    assert_false(factors_same(&a, &b));
}

static void factors_are_named(void **state)
{
    (void)state;
    struct line line = {0};
    const struct factor factors[] = {
        {"op", "cas", NAN}, {"stride", NULL, 64}, {"share", NULL, 0.5}, {"to", NULL, 0xc0000001}};
    line_add_factors(&line, factors, 4);
    assert_string_equal(line.text, "op cas, stride 64, share 0.5, to 3221225473");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_the_same_in_whatever_order),
        cmocka_unit_test(of_many_the_first_are_looked_at_and_none_is_taken_for_another),
        cmocka_unit_test(factors_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
