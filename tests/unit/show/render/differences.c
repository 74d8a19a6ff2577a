#include "show/render/differences.h"
#include "capture.h"

enum written { TEXT, CSV, JSON };

static char *print(const struct document *a, const struct document *b, enum written form)
{
    struct differences differences;
    struct capture capture = {0};
    FILE *out = capture_begin(&capture);
    assert_int_equal(differences_find(&differences, a, b, NAN, NULL), 0);
    save_function *const write[] = {[TEXT] = render_differences_text,
                                    [CSV] = render_differences_csv,
                                    [JSON] = render_differences_json};
    const struct compared compared = {&differences, {.width = 200}};
    assert_int_equal(write[form](&compared, out, NULL), 0);
    differences_free(&differences);
    return capture_end(&capture);
}

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, part)); at += strlen(part))
        count++;
    return count;
}

static void a_value_without_an_interval_says_so(void **state)
{
    struct document a, b;
    sample_document(&a, 2, 1);
    sample_document(&b, 2, 1);
    sample_finding(&a, &a.probes[0], "core.temperature", "C", 50, 0);
    sample_finding(&b, &b.probes[0], "core.temperature", "C", 50, 0);
    a.probes[0].findings[a.probes[0].finding_count - 1].name = "noise.share";
    b.probes[0].findings[b.probes[0].finding_count - 1] =
        (struct finding){.name = "noise.share", .unit = "%", .value = 90, .low = NAN, .high = NAN};
    a.probes[0].findings[a.probes[0].finding_count - 1].unit = "%";
    char *text = print(&a, &b, TEXT), *json = print(&a, &b, JSON);
    assert_int_equal(count_of(text, "(no interval)"), 1);
    assert_null(strstr(json, "nan"));
    free(text);
    free(json);
    document_free(&a);
    document_free(&b);
}

static void hostile_texts_stay_inert(void **state)
{
    struct document a, b;
    sample_hostile(&a);
    sample_document(&b, 4, 2);
    for (size_t p = 0; p < b.probe_count; p++)
        b.probes[p].name = a.probes[p].name;
    for (size_t s = 0; s < a.probes[0].series_count; s++) {
        a.probes[0].series[s].factor_count = 1; /* two of one name would be no pair */
        a.probes[0].series[s].y.unit = "ns";    /* what nobody knows is not compared */
        b.probes[0].series[s] = a.probes[0].series[s];
    }
    for (enum written form = TEXT; form <= JSON; form++) {
        char *text = print(&a, &b, form);
        assert_inert(text);
        assert_null(strstr(text, "\xe2\x80\xae"));
        free(text);
    }
    document_free(&a);
    document_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_without_an_interval_says_so),
        cmocka_unit_test(hostile_texts_stay_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
