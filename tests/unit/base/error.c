#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void long_text_is_cut(void **state)
{
    struct error error;
    char text[2 * sizeof error.text];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    error_set(&error, ERROR_USAGE, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_memory_equal(error.text, text, sizeof error.text - 1);
}

static void control_characters_are_made_harmless(void **state)
{
    struct error error;
    error_set(&error, ERROR_USAGE, "%s", "a\x1b[31m\r\n\t\x7f z");
    assert_string_equal(error.text, "a?[31m???? z");
    error_set(&error, ERROR_USAGE, "%s",
              "\xc2\x9b"
              "31m");
    assert_string_equal(error.text, "?31m");
    /* U+202E turns the direction of text; then a byte that is not UTF-8. */
    error_set(&error, ERROR_USAGE, "%s", "a\xe2\x80\xaez\xff");
    assert_string_equal(error.text, "a?z?");
}

static void letters_of_every_script_stay(void **state)
{
    struct error error;
    const char *text = "m\xc3\xa9moire \xe6\xb7\xb1 \xc2\xb5s \xf0\x9f\x90\x9f";
    error_set(&error, ERROR_USAGE, "%s", text);
    assert_string_equal(error.text, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_text_is_cut),
        cmocka_unit_test(control_characters_are_made_harmless),
        cmocka_unit_test(letters_of_every_script_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
