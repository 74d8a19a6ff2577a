#include "show/render/page/page.h"

#include "document/flag.h"
#include "page.h"
#include "show/render/output.h"
#include "show/report/figure.h"

#include <math.h>

extern const struct output html_output;

typedef void put_function(FILE *, const char *text);

static void assert_put(put_function *put, const char *text, const char *expected)
{
    struct capture capture = {0};
    put(capture_begin(&capture), text);
    char *got = capture_end(&capture);
    assert_string_equal(got, expected);
    free(got);
}

static void text_is_escaped_for_content_and_attributes(void **state)
{
    assert_put(html_text, NULL, "");
    assert_put(html_text, "plain 48 KiB", "plain 48 KiB");
    assert_put(html_text, "<b>\"a\" & 'b'</b>",
               "&lt;b&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/b&gt;");
    assert_put(html_text, "&lt;", "&amp;lt;");
    assert_put(html_text, "a\x1b[31m\n\t\x7f", "a?[31m???");
    assert_put(html_text, "a\u202e\u2066\u200b\u2028\ufeff b", "a????? b");
    assert_put(html_text, "\xff\xc0\xaf<", "???&lt;");
    assert_put(html_text, "Größe 核", "Größe 核");
}

static void long_text_is_cut_between_characters(void **state)
{
    enum { COPIES = 5000 };
    char *text = malloc(2 * COPIES + 1);
    assert_non_null(text);
    text[0] = '\0';
    for (size_t i = 0; i < COPIES; i++)
        memcpy(text + 2 * i, "ö", 3);
    struct capture capture = {0};
    html_text(capture_begin(&capture), text);
    char *got = capture_end(&capture);
    assert_in_range(strlen(got), HTML_TEXT_BYTES_MAX, HTML_TEXT_BYTES_MAX + 5);
    assert_non_null(strstr(got, "ö…"));
    free(got);
    free(text);
}

static void a_command_can_be_typed_again(void **state)
{
    const char *words[] = {"fathom", "run", "-o", "a b.json", "it's", "", "--cpus=0-3"};
    const struct run_facts run = {.command = words, .command_count = 7};
    struct capture capture = {0};
    html_command(capture_begin(&capture), &run);
    char *got = capture_end(&capture);
    assert_string_equal(
        got,
        "fathom run <span class=option>-o</span> &#39;a b.json&#39; &#39;it&#39;\\&#39;&#39;s&#39; "
        "&#39;&#39; <span class=option>--cpus=0-3</span>");
    free(got);
}

static void a_page_shows_every_series_and_finding(void **state)
{
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document, &document};
    char *one = page_of(list, 1), *two = page_of(list, 2);
    size_t series = 0;
    for (size_t p = 0; p < document.probe_count; p++) {
        series += document.probes[p].series_count;
        assert_non_null(strstr(one, document.probes[p].title));
        for (size_t i = 0; i < document.probes[p].finding_count; i++)
            assert_non_null(strstr(one, document.probes[p].findings[i].name));
    }
    assert_int_equal(count_of(one, "<table class=points>"), series);
    assert_int_equal(count_of(two, "<table class=points>"), 2 * series);
    assert_int_equal(count_of(one, "<h1"), 1);
    assert_int_equal(count_of(two, "<h1"), 1);
    assert_int_equal(count_of(one, "id=differences "), 0);
    assert_int_equal(count_of(two, "id=differences "), 1);
    assert_non_null(strstr(one, "<p>What moves it.</p>"));
    free(one);
    free(two);
    document_free(&document);
}

static void no_text_of_a_document_becomes_markup(void **state)
{
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document};
    const char *evil = "</script><script>alert(1)</script>";
    char *before = page_of(list, 1);
    document.machine.hostname = document.machine.cpu_model = document.run.started = evil;
    for (size_t p = 0; p < document.probe_count; p++) {
        document.probes[p].title = document.probes[p].about = document.probes[p].reason = evil;
        for (size_t s = 0; s < document.probes[p].series_count; s++)
            document.probes[p].series[s].x.name = document.probes[p].series[s].y.unit = evil;
    }
    char *after = page_of(list, 1);
    assert_null(strstr(after, "alert(1)</script>"));
    assert_non_null(strstr(after, "&lt;script&gt;alert(1)"));
    assert_int_equal(count_of(after, "<script"), count_of(before, "<script"));
    free(before);
    free(after);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_for_content_and_attributes),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(a_command_can_be_typed_again),
        cmocka_unit_test(a_page_shows_every_series_and_finding),
        cmocka_unit_test(no_text_of_a_document_becomes_markup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
