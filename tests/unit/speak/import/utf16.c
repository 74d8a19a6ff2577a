#include "speak/import/utf16.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DECODED(bytes, expected)                                                                   \
    do {                                                                                           \
        struct error error = {0};                                                                  \
        size_t length;                                                                             \
        assert_true(utf16_marked(bytes, sizeof bytes - 1));                                        \
        char *text = NULL;                                                                         \
        assert_int_equal(utf16_decode(bytes, sizeof bytes - 1, "table", &text, &length, &error),   \
                         0);                                                                       \
        assert_string_equal(text, expected);                                                       \
        assert_int_equal(length, sizeof expected - 1);                                             \
        free(text);                                                                                \
    } while (0)

#define REFUSED(bytes, said)                                                                       \
    do {                                                                                           \
        struct error error = {0};                                                                  \
        size_t length;                                                                             \
        char *text;                                                                                \
        assert_int_equal(utf16_decode(bytes, sizeof bytes - 1, "table", &text, &length, &error),   \
                         ERROR_USAGE);                                                             \
        assert_int_equal(error.code, ERROR_USAGE);                                                 \
        assert_non_null(strstr(error.text, said));                                                 \
    } while (0)

static void both_orders_are_read(void **state)
{
    (void)state;
    DECODED("\xff\xfe"
            "1\0,\0\r\0\n\0",
            "1,\r\n");
    DECODED("\xfe\xff\0"
            "1\0,",
            "1,");
    DECODED("\xff\xfe", "");
}

static void characters_of_any_length(void **state)
{
    (void)state;
    DECODED("\xff\xfe\xb1\0", "\xc2\xb1");                   /* plus-minus */
    DECODED("\xff\xfe\xac\x20", "\xe2\x82\xac");             /* euro */
    DECODED("\xfe\xff\xd8\x3d\xde\x00", "\xf0\x9f\x98\x80"); /* U+1F600 */
}

static void what_is_no_text_is_refused(void **state)
{
    (void)state;
    REFUSED("\xff\xfe"
            "1",
            "half a character");
    REFUSED("\xff\xfe"
            "1\0\0\0",
            "NUL");
    REFUSED("\xfe\xff\xd8\x3d", "surrogate");
    REFUSED("\xfe\xff\xd8\x3d\x00\x31", "surrogate");
    REFUSED("\xfe\xff\xde\x00\x00\x31", "surrogate");
}

static void other_text_has_no_mark(void **state)
{
    (void)state;
    assert_false(utf16_marked("1,2\n", 4));
    assert_false(utf16_marked("\xff", 1));
    assert_false(utf16_marked("\xef\xbb\xbf", 3));
    assert_false(utf16_marked("", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_orders_are_read),
        cmocka_unit_test(characters_of_any_length),
        cmocka_unit_test(what_is_no_text_is_refused),
        cmocka_unit_test(other_text_has_no_mark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
