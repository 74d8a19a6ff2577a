#include "result/json_text.h"

#include "result/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* All at once, and byte by byte: the same. */
static const char *check(const char *text, size_t *good)
{
    struct json_check whole = {0}, single = {0};
    size_t size = strlen(text), at = 0, one = 1;
    const char *wrong = json_check(&whole, (const unsigned char *)text, size, good), *again = NULL;
    while (at < size && !again) {
        again = json_check(&single, (const unsigned char *)text + at, 1, &one);
        at += one;
    }
    assert_ptr_equal(wrong, again);
    assert_int_equal(at, *good);
    return wrong;
}

static void what_a_text_may_hold_passes(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        "plain",
                                        "\\n\\\\\\\"\\/",
                                        "\\u0001\\u00e9\\uFFFF",
                                        "\\ud800\\udc00",
                                        "\\uDBFF\\uDFFF!",
                                        "\\\\u0000",
                                        "\\\\ud800",
                                        "\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80",
                                        "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t good;
        assert_null(check(texts[i], &good));
        assert_int_equal(good, strlen(texts[i]));
    }
}

static void what_it_may_not_is_told_where_it_stands(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        size_t good;
    } texts[] = {
        {"ab\\u0000", "u0000", 7},      {"\\ud800", NULL, 6},
        {"\\ud800x", "half", 6},        {"\\udc00", "half", 5},
        {"\\ud800\\n", "half", 7},      {"\\ud800\\ud800", "half", 11},
        {"\\ud800\\u0041", "half", 11}, {"\\ud800\\\\", "half", 7},
        {"\xff", "UTF-8", 0},           {"a\xc1\xbf", "UTF-8", 1},
        {"\xe0\x9f\xbf", "UTF-8", 1},   {"\xed\xa0\x80", "UTF-8", 1},
        {"\xf0\x8f\xbf", "UTF-8", 1},   {"\xf4\x90\x80", "UTF-8", 1},
        {"\xf5\x80", "UTF-8", 0},       {"\xc3(", "UTF-8", 1},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t good;
        const char *wrong = check(texts[i].text, &good);
        assert_int_equal(wrong != NULL, texts[i].says != NULL);
        assert_true(!wrong || strstr(wrong, texts[i].says) != NULL);
        assert_int_equal(good, texts[i].good);
    }
}

/* Of two and three bytes, against the reader of code points. */
static void no_first_bytes_pass_that_begin_no_character(void **state)
{
    (void)state;
    for (unsigned first = 0x80; first < 0x100; first++)
        for (unsigned second = 0x80; second < 0x100; second++) {
            char text[] = {(char)first, (char)second, (char)0x80, (char)0x80, 0};
            const char *cursor = text;
            size_t good;
            bool passes = first >= 0xc0 && !check(text, &good) && second < 0xc0;
            assert_int_equal(passes, utf8_next(&cursor) > 0);
        }
}

static void a_position_counts_characters_and_lines(void **state)
{
    (void)state;
    struct json_position position = {0};
    static const char text[] = "a\xc3\xa9\n\n\xe2\x82\xac ";
    json_position_advance(&position, (const unsigned char *)text, 3);
    assert_int_equal(position.line, 0);
    assert_int_equal(position.column, 2);
    json_position_advance(&position, (const unsigned char *)text + 3, sizeof text - 4);
    assert_int_equal(position.line, 2);
    assert_int_equal(position.column, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_text_may_hold_passes),
        cmocka_unit_test(what_it_may_not_is_told_where_it_stands),
        cmocka_unit_test(no_first_bytes_pass_that_begin_no_character),
        cmocka_unit_test(a_position_counts_characters_and_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
