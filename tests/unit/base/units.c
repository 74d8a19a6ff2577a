#include "base/units.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void sizes_are_binary(void **state)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } cases[] = {{"1", 1},
                 {"4096", 4096},
                 {"16K", 16384},
                 {"16k", 16384},
                 {"16KB", 16384},
                 {"16KiB", 16384},
                 {"16kib", 16384},
                 {"5 K", 5120},
                 {"2 GiB", UINT64_C(2) << 30},
                 {"1.5M", 1572864},
                 {"0.5K", 512},
                 {"0.0009765625K", 1},
                 {"3T", UINT64_C(3) << 40},
                 {"1P", UINT64_C(1) << 50},
                 {"1e", UINT64_C(1) << 60},
                 {"4E", UINT64_C(1) << 62},
                 {"512B", 512},
                 {"512 b", 512},
                 {"4611686018427387904", UINT64_C(1) << 62},
                 {"007", 7}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        uint64_t bytes = 0;
        assert_int_equal(size_parse(cases[i].text, &bytes, NULL), 0);
        assert_true(bytes == cases[i].bytes);
    }
}

static void what_is_no_size_is_refused_with_a_remedy(void **state)
{
    static const char *const bad[] = {
        "",       " ",     "64X",   "0",    "0K",     "0.0",  "-1",    "+1",   "-0",
        "9e99G",  "1e3",   "1.5",   "0.3K", "1..5K",  "1.5.", ".5K",   "K",    "KiB",
        " 5",     "5 ",    "5 \t",  "5\tK", "1 0K",   "5KK",  "5KiBs", "5iB",  "5Bi",
        "5K ",    "5,000", "inf",   "nan",  "0x1000", "1_0",  "5E",    "4.1E", "100E",
        "5\xc2K", "\xff",  "5\xff", "4E1",  "K5",     "5-",   "4K-8K", "1/2K"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        uint64_t bytes = 77;
        struct error error = {0};
        assert_int_equal(size_parse(bad[i], &bytes, &error), ERROR_USAGE);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_int_equal(bytes, 77);
        assert_non_null(strstr(error.text, "16K"));
    }
    assert_int_equal(size_parse("99999999999999999999", &(uint64_t){0}, NULL), ERROR_USAGE);
    assert_int_equal(
        size_parse("99999999999999999999999999999999999999999999999999", &(uint64_t){0}, NULL),
        ERROR_USAGE);
    struct error error = {0};
    size_parse("64X", &(uint64_t){0}, &error);
    assert_string_equal(error.text, "size '64X': write a whole number of bytes, from 1, like 512, "
                                    "16K, 1.5M or 2G");
}

static void numbers_are_decimal(void **state)
{
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"12", 12}, {"0.5", 0.5}, {"-3", -3},     {"+3", 3},   {"1e3", 1000}, {".5", 0.5},
                 {"5.", 5},  {"0", 0},     {"1E-2", 0.01}, {"-0.0", 0}, {"007", 7}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        double value = 77;
        assert_int_equal(number_parse(cases[i].text, &value, NULL), 0);
        assert_true(value == cases[i].value);
    }
}

static void what_is_no_number_is_refused_with_a_remedy(void **state)
{
    static const char *const bad[] = {"",    " ",    "x",      "1x",  "1 ",   " 1",
                                      "1,5", "--1",  "1-",     "e",   "1e",   ".",
                                      "-",   "1..5", "inf",    "nan", "0x1",  "1e999",
                                      "1%",  "10s",  "-1e999", "1 2", "\xff", "INFINITY"};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        double value;
        struct error error = {0};
        assert_int_equal(number_parse(bad[i], &value, &error), ERROR_USAGE);
        assert_non_null(strstr(error.text, bad[i][0] == '\xff' ? "0.5" : bad[i]));
        assert_non_null(strstr(error.text, "write it like 12 or 0.5"));
    }
}

static void sizes_are_written_exactly_where_they_are_whole(void **state)
{
    static const struct {
        double bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1, "1 B"},
                 {1023, "1023 B"},
                 {1024, "1 KiB"},
                 {1000, "1000 B"},
                 {49152, "48 KiB"},
                 {1023 * 1024, "1023 KiB"},
                 {2.5 * 1048576, "2.50 MiB"},
                 {0x1p30 - 1, "1.00 GiB"},
                 {1010.5 * 1024, "1010 KiB"},
                 {0x1p62, "4 EiB"},
                 {0x1p72, "4096 EiB"}};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(size_format(cases[i].bytes, text), cases[i].text);
}

static void exact_sizes_lose_no_digit(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *text;
    } cases[] = {{0, "0 B"},
                 {1, "1 B"},
                 {1536, "1536 B"},
                 {16 << 20, "16 MiB"},
                 {(16 << 20) + 1, "16777217 B"},
                 {1025 << 10, "1025 KiB"},
                 {UINT64_C(3) << 60, "3 EiB"},
                 {UINT64_MAX, "18446744073709551615 B"}};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(size_exact_format(cases[i].bytes, text), cases[i].text);
}

static void figures_have_the_digits_asked_for(void **state)
{
    static const struct {
        double value;
        int digits;
        const char *text;
    } cases[] = {
        {0, 3, "0.00"},           {1.6666, 3, "1.67"}, {9.996, 3, "10.0"},  {0.9996, 3, "1.00"},
        {99.96, 3, "100"},        {999.6, 3, "1000"},  {12345, 3, "12345"}, {-9.996, 3, "-10.0"},
        {0.00123, 2, "0.0012"},   {5, 1, "5"},         {NAN, 3, "-"},       {INFINITY, 3, "-"},
        {1e-20, 3, "0.000000000"}};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(figure_format(cases[i].value, cases[i].digits, text), cases[i].text);
}

static void frequencies_have_three_digits(void **state)
{
    char text[UNIT_TEXT];
    assert_string_equal(hertz_format(2.993e9, text), "2.99 GHz");
    assert_string_equal(hertz_format(9.996e9, text), "10.0 GHz");
    assert_string_equal(hertz_format(24e6, text), "24.0 MHz");
    assert_string_equal(hertz_format(32768, text), "32.8 kHz");
    assert_string_equal(hertz_format(50, text), "50.0 Hz");
    assert_string_equal(hertz_format(5e15, text), "5000 THz");
}

static void durations_carry_into_the_larger_unit(void **state)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, "0 ms"},          {0.85, "850 ms"},       {0.9994, "999 ms"},
                 {0.9996, "1.0 s"},    {9.94, "9.9 s"},        {9.96, "10 s"},
                 {12, "12 s"},         {119.4, "119 s"},       {119.6, "2 min 0 s"},
                 {179.7, "3 min 0 s"}, {200, "3 min 20 s"},    {599.4, "9 min 59 s"},
                 {601, "10 min"},      {7199.4, "120 min"},    {7199.6, "2 h 0 min"},
                 {7200, "2 h 0 min"},  {10799.9, "3 h 0 min"}, {-1, "-"},
                 {NAN, "-"},           {INFINITY, "-"}};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_string_equal(duration_format(cases[i].seconds, text), cases[i].text);
}

/* Any finite number must stay within the buffer; the sanitizers watch. */
static void absurd_numbers_stay_in_their_buffer(void **state)
{
    static const double absurd[] = {1e300, -1e300, 5e-324, 1.7976931348623157e308, -0.0};
    char text[UNIT_TEXT];
    for (size_t i = 0; i < LENGTH(absurd); i++) {
        assert_in_range(strlen(size_format(absurd[i], text)), 1, UNIT_TEXT - 1);
        assert_in_range(strlen(hertz_format(absurd[i], text)), 1, UNIT_TEXT - 1);
        assert_in_range(strlen(duration_format(absurd[i], text)), 1, UNIT_TEXT - 1);
        assert_in_range(strlen(figure_format(absurd[i], 3, text)), 1, UNIT_TEXT - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_binary),
        cmocka_unit_test(what_is_no_size_is_refused_with_a_remedy),
        cmocka_unit_test(numbers_are_decimal),
        cmocka_unit_test(what_is_no_number_is_refused_with_a_remedy),
        cmocka_unit_test(sizes_are_written_exactly_where_they_are_whole),
        cmocka_unit_test(exact_sizes_lose_no_digit),
        cmocka_unit_test(figures_have_the_digits_asked_for),
        cmocka_unit_test(frequencies_have_three_digits),
        cmocka_unit_test(durations_carry_into_the_larger_unit),
        cmocka_unit_test(absurd_numbers_stay_in_their_buffer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
