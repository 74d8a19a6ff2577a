#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void code_points_are_read_and_passed(void **state)
{
    const char *cursor = "a\xc3\xa9\xe2\x94\x8a\xf0\x9f\x90\x9f";
    assert_int_equal(utf8_next(&cursor), 'a');
    assert_int_equal(utf8_next(&cursor), 0xe9);
    assert_int_equal(utf8_next(&cursor), 0x250a);
    assert_int_equal(utf8_next(&cursor), 0x1f41f);
    assert_int_equal(utf8_next(&cursor), 0);
    assert_int_equal(utf8_next(&cursor), 0);
}

static void a_broken_byte_is_passed_alone(void **state)
{
    static const char *const broken[] = {
        "\x80z",            /* continuation without a start */
        "\xc0z",            /* never starts anything */
        "\xc3z",            /* cut off by another character */
        "\xc3",             /* cut off by the end */
        "\xe2\x94",         /* the same, later */
        "\xf0\x9f\x90z",    /* and later still */
        "\xc1\xbf",         /* overlong */
        "\xe0\x80\x80",     /* overlong */
        "\xf0\x80\x80\x80", /* overlong */
        "\xed\xa0\x80",     /* a surrogate */
        "\xf4\x90\x80\x80", /* above U+10FFFF */
        "\xff\xfe",
    };
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        const char *cursor = broken[i];
        assert_int_equal(utf8_next(&cursor), -1);
        assert_ptr_equal(cursor, broken[i] + 1);
    }
}

static void every_length_is_written_as_it_is_read(void **state)
{
    static const int codes[] = {'a', 0x7f, 0x80, 0xb1, 0x7ff, 0x800, 0xffff, 0x10000, 0x10ffff};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        char text[8] = "";
        const size_t length = utf8_put(text, codes[i]);
        const char *cursor = text;
        assert_int_equal(utf8_next(&cursor), codes[i]);
        assert_int_equal(cursor - text, length);
        assert_int_equal(utf8_count(text, length), 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length_is_written_as_it_is_read),
        cmocka_unit_test(code_points_are_read_and_passed),
        cmocka_unit_test(a_broken_byte_is_passed_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
