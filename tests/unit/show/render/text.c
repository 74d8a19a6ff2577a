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

/* The document with all of its notes. */
static char *whole(const struct document *document, const struct text_style *style)
{
    struct capture capture = {0};
    const struct output_content content = {
        .documents = &document, .count = 1, .points = true, .style = *style};
    assert_int_equal(output_render(output_by_name("text"), capture_begin(&capture), &content, NULL),
                     0);
    return capture_end(&capture);
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
    (void)state;
    struct document document;
    sample_document(&document, 2, 8);
    assert_golden(summary(&document, &coloured), "summary-coloured.txt");
    assert_golden(probe(&document, 1, &coloured), "cores-coloured.txt");
    document_free(&document);
}

static void a_summary_fits_a_screen(void **state)
{
    (void)state;
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

static void every_flag_is_explained_once(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    for (int flag = 0; flag < FLAG_COUNT; flag++)
        document.probes[0].series[0].points[flag].flags = FLAG_BIT(flag);
    const struct text_style wide = {.width = 1000};
    char *text = whole(&document, &wide);
    for (int flag = 0; flag < FLAG_COUNT; flag++) {
        const char *remedy = strstr(text, flag_texts[flag].remedy);
        assert_non_null(strstr(text, flag_texts[flag].meaning));
        assert_non_null(remedy);
        assert_null(strstr(remedy + 1, flag_texts[flag].remedy));
    }
    free(text);
    document_free(&document);
}

static void series_of_one_heading_are_distinguished_by_name(void **state)
{
    (void)state;
    struct point points[9] = {{.x = 1, .y = {.n = 6}}};
    for (int i = 0; i < 9; i++)
        points[i] = (struct point){.x = i + 1, .y = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 6}};
    struct factor level = {"level", "DRAM", 0};
    struct series series[4];
    for (int i = 0; i < 4; i++)
        series[i] = (struct series){.name = i == 0   ? "rate by all"
                                            : i == 1 ? "chains"
                                            : i == 2 ? "rate by each"
                                                     : "wide", /* what the title names */
                                    .factors = &level,
                                    .factor_count = 1,
                                    .x = {"threads", ""},
                                    .y = {"rate", i == 1 ? "ns" : "1/s"},
                                    .points = points,
                                    .point_count = 9};
    struct probe_result result = {
        .name = "wide", .title = "Loads", .series = series, .series_count = 4};
    struct document document = {.probes = &result, .probe_count = 1};
    char *text = probe(&document, 0, &plain);
    assert_non_null(strstr(text, "\nwide  Loads: rate by all (level DRAM)\n"));
    assert_non_null(strstr(text, "\nwide  Loads (level DRAM)\n"));
    assert_non_null(strstr(text, "\nwide  Loads: rate by each (level DRAM)\n"));
    assert_null(strstr(text, "Loads: wide"));
    free(text);
}

static void a_hypervisor_is_reported_once(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    const char *why = flag_texts[FLAG_VIRTUAL_MACHINE].why;
    const struct text_style wide = {.width = 1000};
    document.probes[1].findings[0].flags = FLAG_BIT(FLAG_VIRTUAL_MACHINE);
    char *text = whole(&document, &wide);
    assert_non_null(strstr(text, why));
    free(text);
    document.conditions.remarks[0] =
        (struct remark){"a virtual machine (KVM)", "its CPUs move", "measure on the host"};
    text = whole(&document, &wide);
    assert_null(strstr(text, why));
    assert_non_null(strstr(text, "(KVM): its CPUs move; measure on the host"));
    free(text);
    document_free(&document);
}

/* Each number in turn, and all at once, absent or out of all bounds. */
static void odd_numbers_never_harm(void **state)
{
    (void)state;
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
    (void)state;
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

/* What was measured side by side and what of it alone are two matrices of one operation. */
static void a_check_is_named_and_its_gaps_are_none(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 6, 8);
    struct probe_result *cores = &document.probes[1];
    const struct series matrix = cores->series[0];
    struct series *check = sample_series(&document, cores, "hand-off alone", 3);
    check->matrix = true;
    check->y = matrix.y;
    check->factors = matrix.factors;
    check->factor_count = matrix.factor_count;
    for (int i = 0; i < 3; i++) {
        check->points[i] = matrix.points[i];
        check->points[i].from = i;
        check->points[i].to = i + 3;
    }
    char *text = probe(&document, 1, &plain), *first = strstr(text, cores->title);
    assert_non_null(first);
    const char *second = strstr(first + 1, cores->title);
    assert_non_null(second);
    second += strlen(cores->title);
    assert_true(strncmp(second, ": hand-off alone, ns from row to column", 39) == 0);
    assert_non_null(strstr(second, "some of the pairs, measured again"));
    assert_null(strstr(second, "could not be measured"));
    free(text);
    document_free(&document);
}

static void an_empty_document_can_be_shown(void **state)
{
    (void)state;
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
    (void)state;
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
        cmocka_unit_test(every_flag_is_explained_once),
        cmocka_unit_test(series_of_one_heading_are_distinguished_by_name),
        cmocka_unit_test(a_hypervisor_is_reported_once),
        cmocka_unit_test(odd_numbers_never_harm),
        cmocka_unit_test(hostile_texts_are_inert),
        cmocka_unit_test(a_check_is_named_and_its_gaps_are_none),
        cmocka_unit_test(an_empty_document_can_be_shown),
        cmocka_unit_test(no_line_is_wider_than_the_style),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
