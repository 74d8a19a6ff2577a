#include "capture.h"
#include "document/json.h"

#include <setjmp.h>

static const struct text_style plain = {.width = 80};
static const struct text_style terminal = {.width = 80, .blocks = true};
static const struct text_style coloured = {.width = 80, .blocks = true, .colour = true};

static char *summary(const struct document *document, const struct text_style *style)
{
    return capture_text(document, NULL, style);
}

static char *probe(const struct document *document, size_t index, const struct text_style *style)
{
    return capture_text(document, &document->probes[index], style);
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static size_t widest_line(const char *text)
{
    size_t widest = 0, columns = 0;
    for (; *text; text++) {
        columns = *text == '\n' ? 0 : columns + (((unsigned char)*text & 0xc0) != 0x80);
        widest = columns > widest ? columns : widest;
    }
    return widest;
}

/* Those of a file or a pipe are in tests/golden. */
static void views_in_colours_are_as_before(void **state)
{
    struct document document;
    sample_document(&document, 2, 8);
    assert_golden(summary(&document, &coloured), "summary-coloured.txt");
    assert_golden(probe(&document, 1, &coloured), "cores-coloured.txt");
    document_free(&document);
}

static void a_summary_fits_a_screen(void **state)
{
    struct document document;
    for (int cpus = 2; cpus <= 128; cpus *= 4) {
        sample_document(&document, cpus, 8);
        char *text = summary(&document, &terminal);
        assert_in_range(count_lines(text), 20, 40);
        assert_in_range(widest_line(text), 60, 80);
        free(text);
        document_free(&document);
    }
}

/* Each number in turn, and all at once, absent or out of all bounds. */
static void odd_numbers_never_harm(void **state)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, 5e-324, 1e-10, 3};
    const struct summary nothing = summary_of_nothing();
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
        for (size_t stride = 1; stride < 4; stride++) {
            struct document document;
            sample_document(&document, 3, 2);
            for (size_t p = 0; p < 2; p++)
                for (size_t i = 0; i < document.probes[p].series[0].point_count; i += stride) {
                    struct point *point = &document.probes[p].series[0].points[i];
                    point->x = stride == 2 ? odd[o] : point->x;
                    point->y = isnan(odd[o]) ? nothing : sample_summary(odd[o], 0.5);
                    point->cycles = (struct estimate){point->y.median, point->y.low, point->y.high};
                }
            for (size_t f = 0; f < document.probes[0].finding_count; f += stride)
                document.probes[0].findings[f].value = document.probes[0].findings[f].declared =
                    odd[o];
            char *texts[] = {summary(&document, &terminal), summary(&document, &plain),
                             probe(&document, 0, &coloured), probe(&document, 1, &terminal)};
            for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
                if (strstr(texts[i], "nan ") || strstr(texts[i], "inf "))
                    fail_msg("%g, view %zu:\n%s", odd[o], i, texts[i]);
                free(texts[i]);
            }
            document_free(&document);
        }
}

static void hostile_texts_are_inert(void **state)
{
    struct document document;
    sample_hostile(&document);
    char *texts[] = {summary(&document, &terminal), summary(&document, &plain),
                     probe(&document, 0, &terminal), probe(&document, 1, &plain)};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_inert(texts[i]);
        assert_null(strstr(texts[i], "\xe2\x80\xae"));
        assert_null(strstr(texts[i], "\xc2\x9b"));
        free(texts[i]);
    }
    document_free(&document);
}

static void an_empty_document_can_be_shown(void **state)
{
    struct document document = {.run.complete = true};
    const struct text_style none = {0};
    char *text = summary(&document, &none);
    assert_non_null(strstr(text, "fathom"));
    free(text);
    struct probe_result *empty = sample_probe(&document, "empty", NULL);
    sample_series(&document, empty, "curve", 0);
    sample_series(&document, empty, "matrix", 0)->matrix = true;
    text = probe(&document, 0, &coloured);
    assert_non_null(strstr(text, "othing was measured"));
    free(text);
    text = summary(&document, &terminal);
    assert_non_null(strstr(text, "othing was measured"));
    free(text);
    document_free(&document);
}

static void assert_all_fits(const struct document *document)
{
    static const int widths[] = {40, 63, 80, 200};
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
        for (int kind = 0; kind < 3; kind++) {
            const struct text_style style = {
                .width = widths[w], .blocks = kind > 0, .colour = kind > 1};
            char *text = summary(document, &style);
            assert_fits(text, (size_t)widths[w]);
            free(text);
            for (size_t p = 0; p < document->probe_count; p++) {
                text = probe(document, p, &style);
                assert_fits(text, (size_t)widths[w]);
                free(text);
            }
        }
}

static void no_line_is_wider_than_the_style(void **state)
{
    static const char *const files[] = {"cli/sample.json", "data/gpu/made-up.json",
                                        "data/findings/experiments.json",
                                        "data/findings/foreign.json"};
    struct document document;
    for (int cpus = 1; cpus <= 64; cpus *= 8) {
        sample_document(&document, cpus, 8);
        assert_all_fits(&document);
        document_free(&document);
    }
    sample_hostile(&document);
    assert_all_fits(&document);
    document_free(&document);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        const char *source = getenv("FATHOM_SOURCE");
        snprintf(path, sizeof path, "%s/tests/%s", source ? source : ".", files[i]);
        assert_int_equal(document_read(&document, path, NULL), 0);
        assert_all_fits(&document);
        document_free(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_in_colours_are_as_before),
        cmocka_unit_test(a_summary_fits_a_screen),
        cmocka_unit_test(odd_numbers_never_harm),
        cmocka_unit_test(hostile_texts_are_inert),
        cmocka_unit_test(an_empty_document_can_be_shown),
        cmocka_unit_test(no_line_is_wider_than_the_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
