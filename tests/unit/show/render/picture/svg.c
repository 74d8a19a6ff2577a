#include "show/render/picture/picture.h"

#include "made_up.h"

#include <math.h>

static char *picture_of(const struct document *document, const char *chart)
{
    struct capture capture = {0};
    struct error error = {0};
    const struct output_content content = {.documents = &document, .count = 1, .chart = chart};
    if (output_render(output_by_name("svg"), capture_begin(&capture), &content, &error) < 0)
        fail_msg("%s", error.text);
    return capture_end(&capture);
}

/* The document's picture has each value of its matrix as a text, and one cell for each. */
static void a_matrix_has_its_numbers(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 4, 4);
    const struct series *series = NULL;
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t s = 0; s < document.probes[p].series_count && !series; s++)
            series = document.probes[p].series[s].matrix ? &document.probes[p].series[s] : NULL;
    assert_non_null(series);
    char *picture = picture_of(&document, "cores");
    size_t values = 0;
    float largest = 0;
    for (size_t i = 0; i < series->point_count; i++)
        largest = fmaxf(largest, series->points[i].y.median);
    for (size_t i = 0; i < series->point_count; i++) {
        char number[64];
        if (!isfinite(series->points[i].y.median))
            continue;
        values++;
        snprintf(number, sizeof number, ">%.*f</text>", largest >= 100 ? 0 : 1,
                 (double)series->points[i].y.median);
        if (!strstr(picture, number))
            fail_msg("%s is missing", number);
    }
    assert_true(values > 6);
    assert_int_equal(count_of(picture, "<g><rect"), values);
    free(picture);
    document_free(&document);
}

/* Of the y values that the path of the only line goes through, the greatest value stands highest,
 * and the level's value is written. */
static void a_curve_rises_where_its_values_do(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 4, 2);
    char *picture = picture_of(&document, "latency");
    const char *line = strstr(picture, "stroke-linejoin=\"round\" d=\"M");
    double x, y, first = 0, last = 0, before = -1;
    int used;
    assert_non_null(line);
    line = strstr(line, "d=\"M") + 4;
    for (size_t i = 0; sscanf(line, "%lf %lf%n", &x, &y, &used) == 2; i++) {
        assert_true(x > before);
        before = x;
        first = i ? first : y; /* y grows downwards */
        last = y;
        line += used + 1;
    }
    assert_true(last < first);
    free(picture);
    document_free(&document);
}

static void a_hostile_document_is_inert(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    char *picture = picture_of(&document, NULL);
    assert_inert(picture);
    assert_null(strstr(picture, "<script"));
    assert_null(strstr(picture, "nan"));
    assert_null(strstr(picture, "inf"));
    free(picture);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_has_its_numbers),
        cmocka_unit_test(a_curve_rises_where_its_values_do),
        cmocka_unit_test(a_hostile_document_is_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
