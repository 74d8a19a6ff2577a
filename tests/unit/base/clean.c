#include "base/clean.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_clean(const char *text, const char *expected)
{
    char clean[CLEAN_TEXT];
    assert_string_equal(clean_text(text, clean, sizeof clean), expected);
}

static void harmless_text_stays(void **state)
{
    assert_clean(NULL, "");
    assert_clean("", "");
    assert_clean("Xeon (\xc3\xa9) \xe2\x94\x8a \xf0\x9f\x90\x9f %s",
                 "Xeon (\xc3\xa9) \xe2\x94\x8a \xf0\x9f\x90\x9f %s");
}

static void what_moves_hides_or_turns_becomes_a_question_mark(void **state)
{
    assert_clean("a\x1b[31mb", "a?[31mb");
    assert_clean("a\nb\tc\rd\be\x7f", "a?b?c?d?e?");
    assert_clean("a\xc2\x9b[m", "a?[m"); /* CSI in one C1 character */
    assert_clean("a\xe2\x80\xae"
                 "b\xe2\x81\xa6"
                 "c",
                 "a?b?c"); /* U+202E, U+2066 */
    assert_clean("a\xe2\x80\x8b"
                 "b\xef\xbb\xbf",
                 "a?b?");                    /* U+200B, U+FEFF */
    assert_clean("a\xf3\xa0\x81\x81", "a?"); /* a tag character */
    assert_clean("a\xff\xc3z", "a??z");
}

static void text_is_cut_between_characters(void **state)
{
    char clean[4];
    assert_string_equal(clean_text("abcdef", clean, sizeof clean), "abc");
    assert_string_equal(clean_text("ab\xc3\xa9", clean, sizeof clean), "ab");
    assert_string_equal(clean_text("a\xc3\xa9z", clean, sizeof clean), "a\xc3\xa9");
    assert_string_equal(clean_text("a", clean, 1), "");
}

static void columns_are_characters(void **state)
{
    assert_int_equal(clean_columns(""), 0);
    assert_int_equal(clean_columns("a\xc3\xa9\xe2\x94\x8a"), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmless_text_stays),
        cmocka_unit_test(what_moves_hides_or_turns_becomes_a_question_mark),
        cmocka_unit_test(text_is_cut_between_characters),
        cmocka_unit_test(columns_are_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
