#include "document/json_text.h"

#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Reads the text between quotes, at once and byte by byte, which has to give the same. NULL, or
 * what is wrong with its byte `good`. */
static const char *check(const char *text, size_t *good)
{
    const char *wrong = NULL;
    char quoted[100];
    size_t size = (size_t)snprintf(quoted, sizeof quoted, "\"%s\"", text);
    for (size_t room = 1; room <= 64; room *= 64) {
        struct json_input input;
        const char *bytes;
        size_t length;
        FILE *stream = fmemopen(quoted, size, "rb");
        assert_non_null(stream);
        json_input_begin(&input, stream, room);
        assert_int_equal(json_peek(&input), '"');
        int code = json_pass_text(&input, &bytes, &length);
        assert_int_equal(code, input.wrong ? ERROR_USAGE : 0);
        size_t at =
            (size_t)(input.passed + (uint64_t)(input.at - input.bytes)) - (code < 0 ? 1 : 2);
        if (room > 1) {
            assert_ptr_equal(wrong, input.wrong);
            assert_int_equal(at, *good);
        }
        wrong = input.wrong;
        *good = at;
        json_input_end(&input);
        fclose(stream);
    }
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

static void what_it_may_not_is_reported_where_it_stands(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
        size_t good;
    } texts[] = {
        {"ab\\u0000", "u0000", 7},      {"\\ud800", "half", 6},
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

/* All pairs of bytes alone and before one or two more, against the reader of code points. */
static void no_bytes_pass_that_make_no_characters(void **state)
{
    (void)state;
    for (unsigned first = 0x80; first < 0x100; first++)
        for (unsigned second = 0x80; second < 0x100; second++)
            for (size_t more = 0; more <= 2; more++) {
                char text[5] = {(char)first, (char)second};
                const char *cursor = text;
                size_t good;
                int code;
                memset(text + 2, 0x80, more);
                while ((code = utf8_next(&cursor)) > 0)
                    ;
                assert_int_equal(!check(text, &good), code == 0);
            }
}

static void escapes_become_what_they_stand_for(void **state)
{
    (void)state;
    static const struct {
        const char *text, *is;
    } texts[] = {
        {"\"\"", ""},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"a\\u0041z\"", "aAz"},
        {"\"\\u007f\\u0080\\u07FF\\u0800\\uffff\"", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
        {"\"\\ud800\\udc00\\uDBFF\\uDFFF\"", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
        {"\"\\ud83d\\ude00\xe2\x82\xac\"", "\xf0\x9f\x98\x80\xe2\x82\xac"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t room = 1; room < 40; room++) {
            struct json_input input;
            const char *bytes;
            size_t length;
            FILE *stream = fmemopen((char *)(uintptr_t)texts[i].text, strlen(texts[i].text), "rb");
            assert_non_null(stream);
            json_input_begin(&input, stream, room);
            json_peek(&input);
            assert_int_equal(json_pass_text(&input, &bytes, &length), 0);
            assert_int_equal(length, strlen(texts[i].is));
            assert_memory_equal(bytes, texts[i].is, length);
            assert_int_equal(json_peek(&input), ERROR_USAGE);
            json_input_end(&input);
            fclose(stream);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_text_may_hold_passes),
        cmocka_unit_test(what_it_may_not_is_reported_where_it_stands),
        cmocka_unit_test(no_bytes_pass_that_make_no_characters),
        cmocka_unit_test(escapes_become_what_they_stand_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
