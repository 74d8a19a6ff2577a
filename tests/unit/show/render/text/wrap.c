#include "capture.h"

#include "show/render/parts.h"

static const struct text_style narrow = {.width = 40};

static void assert_wrapped(size_t indent, const char *text, const char *expected)
{
    struct capture capture = {0};
    struct line line = {0};
    line_add(&line, "%s", text);
    line_print_wrapped(capture_begin(&capture), &narrow, indent, &line);
    char *wrapped = capture_end(&capture);
    assert_string_equal(wrapped, expected);
    free(wrapped);
}

static void lines_wrap_between_words(void **state)
{
    (void)state;
    assert_wrapped(4, "", "\n");
    assert_wrapped(4, "short", "short\n");
    assert_wrapped(4, "twelve words that are together longer than a narrow line",
                   "twelve words that are together\n    longer than a narrow line\n");
    assert_wrapped(4, "one-word-that-is-longer-than-the-whole-line-and-is-broken then",
                   "one-word-that-is-longer-than-the-who\n    le-line-and-is-broken then\n");
    assert_wrapped(4, "and 10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42",
                   "and\n    10,12,14,16,18,20,22,24,26,28,30,32,\n    34,36,38,40,42\n");
    assert_wrapped(40, "no room is left here", "\nno room is left here\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_wrap_between_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
