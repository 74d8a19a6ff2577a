#include "conclude/registry/factors.h"
#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void factors_are_the_same_in_whatever_order(void **state)
{
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
    struct line line = {0};
    const struct factor factors[] = {
        {"op", "cas", NAN}, {"stride", NULL, 64}, {"share", NULL, 0.5}, {"to", NULL, 0xc0000001}};
    line_add_factors(&line, factors, 4);
    assert_string_equal(line.text, "op cas, stride 64, share 0.5, to 3221225473");
}

static void what_is_reported_is_inert_and_nothing_else(void **state)
{
    struct line line = {0}, brackets = {0};
    struct factor factors[] = {{"order\n", "\x1b[2Jx", NAN}, {"stride", NULL, 8}};
    struct finding finding = {.factors = factors, .factor_count = 2, .deviations = 1};
    line_add_experiment(&line, &finding);
    assert_string_equal(line.text, "order? ?[2Jx");
    line_add(&brackets, "L2.latency");
    line_add_in_brackets(&brackets, &finding);
    assert_string_equal(brackets.text, "L2.latency (order? ?[2Jx)");
    finding.deviations = 0;
    line_add_in_brackets(&brackets, &finding);
    assert_string_equal(brackets.text, "L2.latency (order? ?[2Jx)");
}

static void what_was_set_is_shown_to_the_last_digit(void **state)
{
    static const struct {
        double number;
        const char *text;
    } cases[] = {
        {64, "64"},
        {0.5, "0.5"},
        {-1, "-1"},
        {1073741824, "1073741824"},
        {3221225473, "3221225473"},
        {0x1p53, "9007199254740992"},
        {1e300, "1e+300"},
        {NAN, "-"},
    };
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(factor_format(cases[i].number, text), cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_the_same_in_whatever_order),
        cmocka_unit_test(of_many_the_first_are_looked_at_and_none_is_taken_for_another),
        cmocka_unit_test(factors_are_named),
        cmocka_unit_test(what_is_reported_is_inert_and_nothing_else),
        cmocka_unit_test(what_was_set_is_shown_to_the_last_digit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
