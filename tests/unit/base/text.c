#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void texts_are_the_same_letter_by_letter(void **state)
{
    (void)state;
    char copy[] = "huge2m";
    assert_true(text_same(copy, "huge2m"));
    assert_false(text_same(copy, "huge2M"));
    assert_false(text_same(copy, "huge2"));
    assert_false(text_same("huge2", copy));
}

static void a_text_that_is_not_there_is_empty(void **state)
{
    (void)state;
    assert_true(text_same(NULL, NULL));
    assert_true(text_same(NULL, ""));
    assert_true(text_same("", NULL));
    assert_false(text_same(NULL, "ns"));
    assert_false(text_same("ns", NULL));
}

static void an_ending_may_be_all_or_nothing(void **state)
{
    (void)state;
    assert_true(text_ends_with("L2.disagreement", ".disagreement"));
    assert_true(text_ends_with(".disagreement", ".disagreement"));
    assert_true(text_ends_with("L2", ""));
    assert_true(text_ends_with("", ""));
    assert_false(text_ends_with("disagreement", ".disagreement"));
    assert_false(text_ends_with("", "s"));
    assert_false(text_ends_with("L2.disagreements", ".disagreement"));
}

static void half_a_character_goes_and_a_whole_one_stays(void **state)
{
    (void)state;
    static const char *const characters[] = {"a", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};
    for (size_t i = 0; i < 4; i++)
        for (size_t cut = 0; cut <= strlen(characters[i]); cut++) {
            char text[16] = "b";
            strncat(text, characters[i], cut);
            text_drop_half(text);
            assert_int_equal(strlen(text), cut == strlen(characters[i]) ? 1 + cut : 1);
        }
    char empty[] = "", bytes[] = "\x80\x80";
    text_drop_half(empty);
    text_drop_half(bytes);
    assert_string_equal(bytes, "\x80\x80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_the_same_letter_by_letter),
        cmocka_unit_test(a_text_that_is_not_there_is_empty),
        cmocka_unit_test(an_ending_may_be_all_or_nothing),
        cmocka_unit_test(half_a_character_goes_and_a_whole_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
