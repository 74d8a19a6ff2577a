#include "document/json_input.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct json_input begin(const char *text, size_t room)
{
    struct json_input input;
    FILE *stream = fmemopen((char *)(uintptr_t)text, strlen(text), "rb");
    assert_non_null(stream);
    json_input_begin(&input, stream, room);
    return input;
}

static void end(struct json_input *input)
{
    fclose(input->stream);
    json_input_end(input);
}

static void every_byte_comes_once_whatever_is_read_at_a_time(void **state)
{
    (void)state;
    static const char text[] = "What is read\nin pieces is read whole.";
    for (size_t room = 1; room < 50; room++) {
        struct json_input input = begin(text, room);
        assert_false(json_input_is_empty(&input));
        for (size_t i = 0; text[i]; i++, input.at++)
            assert_int_equal(json_peek(&input), text[i]);
        assert_int_equal(json_peek(&input), ERROR_USAGE);
        assert_int_equal(json_peek(&input), ERROR_USAGE);
        assert_false(json_input_is_empty(&input));
        assert_int_equal(json_input_position(&input).column, strlen(text));
        end(&input);
    }
}

static void a_token_stays_together(void **state)
{
    (void)state;
    static const char text[] = "........a token that is long........";
    for (size_t room = 1; room < 50; room++) {
        struct json_input input = begin(text, room);
        for (size_t i = 0; text[i] == '.'; i++, input.at++)
            json_peek(&input);
        json_peek(&input);
        input.token = input.at;
        while (json_peek(&input) != '.')
            input.at++;
        assert_int_equal(input.at - input.token, strlen("a token that is long"));
        assert_memory_equal(input.token, "a token that is long", strlen("a token that is long"));
        end(&input);
    }
}

static void a_nul_is_a_byte_like_any_other(void **state)
{
    (void)state;
    struct json_input input;
    char text[] = {'a', 0, 'b'};
    FILE *stream = fmemopen(text, sizeof text, "rb");
    assert_non_null(stream);
    json_input_begin(&input, stream, 2);
    for (size_t i = 0; i < sizeof text; i++, input.at++)
        assert_int_equal(json_peek(&input), text[i]);
    assert_int_equal(json_peek(&input), ERROR_USAGE);
    end(&input);
}

static void a_position_counts_characters_and_lines(void **state)
{
    (void)state;
    for (size_t room = 1; room < 9; room++) {
        struct json_input input = begin(" \t\r \n\n  x", room);
        assert_int_equal(json_peek_past_blanks(&input), 'x');
        assert_int_equal(json_input_position(&input).line, 2);
        assert_int_equal(json_input_position(&input).column, 2);
        end(&input);
    }
}

static void nothing_is_empty(void **state)
{
    (void)state;
    struct json_input input;
    FILE *stream = fopen("/dev/null", "rb");
    assert_non_null(stream);
    json_input_begin(&input, stream, 16);
    assert_int_equal(json_peek_past_blanks(&input), ERROR_USAGE);
    assert_true(json_input_is_empty(&input));
    assert_int_equal(json_input_position(&input).column, 0);
    end(&input);
}

/* A folder can be opened and not be read. */
static void what_cannot_be_read_is_no_end(void **state)
{
    (void)state;
    struct json_input input;
    FILE *stream = fopen("/", "rb");
    if (!stream)
        skip();
    json_input_begin(&input, stream, 16);
    assert_int_equal(json_peek(&input), ERROR_SYSTEM);
    assert_int_equal(json_peek(&input), ERROR_SYSTEM);
    assert_true(input.failure != 0);
    end(&input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_comes_once_whatever_is_read_at_a_time),
        cmocka_unit_test(a_token_stays_together),
        cmocka_unit_test(a_nul_is_a_byte_like_any_other),
        cmocka_unit_test(a_position_counts_characters_and_lines),
        cmocka_unit_test(nothing_is_empty),
        cmocka_unit_test(what_cannot_be_read_is_no_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
