#include "show/report/figure.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void plain_figures_have_three_digits(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {1.6666, "1.67"}, {9.996, "10.0"},  {15.96, "16.0"},  {99.96, "100"},    {121.4, "121"},
        {999.6, "1000"},  {12345, "12345"}, {0, "0.00"},      {-5.0, "-5.00"},   {0.0123, "0.0123"},
        {NAN, "-"},       {INFINITY, "-"},  {-INFINITY, "-"}, {1e300, "1e+300"}, {1e-300, "1e-300"},
    };
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(figure_plain(cases[i].value, text), cases[i].text);
}

static void values_have_a_unit_of_the_right_size(void **state)
{
    (void)state;
    char text[UNIT_TEXT];
    assert_string_equal(figure_valued(49152, "B", text), "48 KiB");
    assert_string_equal(figure_valued(14.8e9, "B/s", text), "14.8 GB/s");
    assert_string_equal(figure_valued(2.993e9, "Hz", text), "2.99 GHz");
    assert_string_equal(figure_valued(2.25e8, "1/s", text), "225 M/s");
    assert_string_equal(figure_valued(121, "ns", text), "121 ns");
    assert_string_equal(figure_valued(1511877, "ns", text), "1.51 ms");
    assert_string_equal(figure_valued(999.6, "ns", text), "1.00 us");
    assert_string_equal(figure_valued(46.5, "us", text), "46.5 us");
    assert_string_equal(figure_valued(121, NULL, text), "121");
    assert_string_equal(figure_valued(NAN, "B", text), "-");
    assert_string_equal(figure_valued(-1, "B", text), "-1.00");
    assert_string_equal(figure_valued(1e300, "B", text), "1e+300");
}

static void half_widths_are_percents(void **state)
{
    (void)state;
    char text[UNIT_TEXT];
    assert_string_equal(figure_percent(100, 94, 106, text), "6.0");
    assert_string_equal(figure_percent(100, 88, 112, text), "12");
    assert_string_equal(figure_percent(100, 99.98, 100.02, text), "0.02");
    assert_string_equal(figure_percent(100, 100, 100, text), "0.0");
    assert_string_equal(figure_percent(1, 0, 1000, text), ">999");
    assert_string_equal(figure_percent(0, -1, 1, text), "-");
    assert_string_equal(figure_percent(NAN, 1, 1, text), "-");
    assert_string_equal(figure_percent(1, NAN, 1, text), "-");
}

static void axes_have_short_sizes(void **state)
{
    (void)state;
    char text[UNIT_TEXT];
    assert_string_equal(figure_short_size(512, text), "512");
    assert_string_equal(figure_short_size(49152, text), "48K");
    assert_string_equal(figure_short_size(1.5 * 1048576, text), "1.50M");
    assert_string_equal(figure_short_size(1073741824, text), "1G");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_figures_have_three_digits),
        cmocka_unit_test(values_have_a_unit_of_the_right_size),
        cmocka_unit_test(half_widths_are_percents),
        cmocka_unit_test(axes_have_short_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
