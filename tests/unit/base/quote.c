#include "base/quote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct capture {
    char *text;
    size_t size;
    FILE *stream;
};

static FILE *begin(struct capture *capture)
{
    capture->stream = open_memstream(&capture->text, &capture->size);
    assert_non_null(capture->stream);
    return capture->stream;
}

static void assert_captured(struct capture *capture, const char *expected)
{
    assert_int_equal(fclose(capture->stream), 0);
    assert_string_equal(capture->text, expected);
    free(capture->text);
}

static void assert_csv(const char *text, const char *expected)
{
    struct capture capture;
    csv_print(begin(&capture), text);
    assert_captured(&capture, expected);
}

static void assert_json(const char *text, const char *expected)
{
    struct capture capture;
    json_print(begin(&capture), text);
    assert_captured(&capture, expected);
}

static void a_csv_cell_is_quoted_where_it_has_to_be(void **state)
{
    assert_csv(NULL, "");
    assert_csv("plain text", "plain text");
    assert_csv("a,b", "\"a,b\"");
    assert_csv("say \"a\"", "\"say \"\"a\"\"\"");
    assert_csv("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0");
    assert_csv("-1,", "\"'-1,\"");
    assert_csv("two\nlines\x1b", "two?lines?");
}

static void json_escapes_what_would_end_a_string(void **state)
{
    assert_json(NULL, "\"\"");
    assert_json("a \"b\" \\ </script>&'", "\"a \\\"b\\\" \\\\ </script>&'\"");
    assert_json("\x1b[2J\xff µ", "\"?[2J? µ\"");
    char escape[JSON_ESCAPE];
    assert_string_equal(json_escape('\n', escape), "\\n");
    assert_string_equal(json_escape(1, escape), "\\u0001");
    assert_null(json_escape(0xe9, escape));
    assert_string_equal(json_escape(0x7f, escape), "\\u007f");
    assert_string_equal(json_escape(0x9b, escape), "\\u009b");
    assert_string_equal(json_escape(0x202e, escape), "\\u202e");
    assert_string_equal(json_escape(0xe0001, escape), "\\udb40\\udc01");
    assert_null(json_escape(0x1f41f, escape));
    assert_null(json_escape(-1, escape));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_csv_cell_is_quoted_where_it_has_to_be),
        cmocka_unit_test(json_escapes_what_would_end_a_string),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
