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
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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

static size_t place_of(const char *page, const char *what)
{
    const char *at = strstr(page, what);
    if (!at)
        fail_msg("the page has no %s", what);
    return (size_t)(at - page);
}

static void what_matters_comes_first(void **state)
{
    (void)state;
    struct document document = {0};
    sample_document(&document, 4, 2);
    const struct document *list[] = {&document};
    static const char *const order[] = {"<h1",
                                        "<dl class=grades",
                                        "<figure id=picture-0",
                                        "<section class=sheet",
                                        "<figure class=machine",
                                        "<section class=know",
                                        "<details class=probe id=probe-0",
                                        "<details class=probe id=method"};
    char *page = page_of(list, 1);
    for (size_t i = 1; i < sizeof order / sizeof *order; i++)
        if (place_of(page, order[i - 1]) >= place_of(page, order[i]))
            fail_msg("%s stands behind %s", order[i - 1], order[i]);
    assert_int_equal(count_of(page, "<figure id=picture-0"), 1);
    free(page);
    document.machine = (struct machine_facts){0};
    page = page_of(list, 1);
    assert_null(strstr(page, "<figure class=machine"));
    assert_null(strstr(page, "class=\"box"));
    free(page);
    document_free(&document);
}

static void no_text_of_a_document_becomes_markup(void **state)
{
    (void)state;
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

/* The figures whose axes are so called: below their claims, or alone. */
static size_t titles_of(const char *page, const char *title)
{
    char below[256], alone[256];
    snprintf(below, sizeof below, "<small>%s</small></figcaption>", title);
    snprintf(alone, sizeof alone, "-title>%s</figcaption>", title);
    return count_of(page, below) + count_of(page, alone);
}

static void curves_of_a_device_share_figures_that_say_what_they_are(void **state)
{
    (void)state;
    struct document document;
    read_made_up(&document);
    const struct document *list[] = {&document};
    char *page = page_of(list, 1);
    static const char *const titles[] = {
        "gpu0: latency by working set",
        "gpu0 beside latency: clock by working set",
        ("gpu0 scratchpad, scratchpad atomics, texture, read-only path and 5 more: latency by "
         "working set"),
        "gpu0 constant memory: latency by working set",
        "gpu0 bandwidth, scratchpad bandwidth: bandwidth by working set",
        "gpu0 host copies: bandwidth by size",
        "gpu0 cluster: latency by rank",
        "gpu1: latency by working set",
        "latency from line to multiprocessor: gpu0 L2 by line and multiprocessor, line_bytes 128",
        "latency from device to device: peer latency",
    };
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++)
        if (titles_of(page, titles[i]) < 1)
            fail_msg("%zu figures are called: %s", titles_of(page, titles[i]), titles[i]);
    free(page);
    document_free(&document);
}

/* What a page of one probe has to be known for is what its text says, and no summary of it. */
static void a_page_of_one_probe_has_the_notes_of_its_text(void **state)
{
    (void)state;
    struct document document;
    read_made_up(&document);
    struct probe_result *probe = &document.probes[0];
    for (size_t i = 0; i < 3; i++)
        probe->series[0].points[i].flags |= FLAG_BIT(FLAG_UNSTABLE);
    probe->findings[0].flags |= FLAG_BIT(FLAG_UNSTABLE);
    const struct document *list[] = {&document};
    for (int alone = 0; alone < 2; alone++) {
        const struct output_content content = {
            .documents = list, .count = 1, .probe = alone ? probe : NULL};
        struct capture capture = {0};
        struct error error;
        struct report report;
        size_t notes = 0;
        assert_int_equal(output_render(&html_output, capture_begin(&capture), &content, &error), 0);
        char *page = capture_end(&capture);
        if (alone)
            report_build_probe(&report, &test_pool, list, probe);
        else
            report_build(&report, &test_pool, list, 1, NULL, true);
        for (size_t i = 0; i < report.count; i++)
            if (report.list[i].kind == BLOCK_NOTE && report.list[i].note.whom) {
                char whom[256];
                snprintf(whom, sizeof whom, "<span class=whom>%s</span>", report.list[i].note.whom);
                assert_non_null(strstr(page, whom));
                notes++;
            }
        assert_in_range(notes, 1, 9);
        assert_int_equal(!strstr(page, "3 of 358 gpu points"), !alone);
        pool_free(&test_pool);
        free(page);
    }
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_for_content_and_attributes),
        cmocka_unit_test(long_text_is_cut_between_characters),
        cmocka_unit_test(a_command_can_be_typed_again),
        cmocka_unit_test(a_page_shows_every_series_and_finding),
        cmocka_unit_test(what_matters_comes_first),
        cmocka_unit_test(no_text_of_a_document_becomes_markup),
        cmocka_unit_test(curves_of_a_device_share_figures_that_say_what_they_are),
        cmocka_unit_test(a_page_of_one_probe_has_the_notes_of_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
