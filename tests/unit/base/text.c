#include "base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void half_a_character_goes_and_a_whole_one_stays(void **state)
{
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
        cmocka_unit_test(half_a_character_goes_and_a_whole_one_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
