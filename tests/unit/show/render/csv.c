#include "capture.h"

static void an_empty_document_has_a_header_alone(void **state)
{
    (void)state;
    struct document empty = {0};
    static const char *const begins[][2] = {{"csv", "probe,finding,value,unit,"},
                                            {"csv-points", "probe,series,factors,"}};
    for (size_t i = 0; i < 2; i++) {
        char *text = capture_output(begins[i][0], &empty);
        assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
        assert_int_equal(strncmp(text, begins[i][1], strlen(begins[i][1])), 0);
        free(text);
    }
}

static void formulas_quotes_and_commas_are_defused(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probe_count = 1;
    document.probes[0].name = "=1+2";
    document.probes[0].series[0].name = "a \"b\", c";
    document.probes[0].series[0].x.name = "@x,y";
    document.probes[0].series[0].y.name = "a=b-c";
    document.probes[0].series[0].y.unit = NULL;
    document.probes[0].series[0].point_count = 1;
    char *text = capture_output("csv-points", &document);
    assert_non_null(strstr(text, "\n'=1+2,\"a \"\"b\"\", c\",pages=huge2m;order=random,\"'@x,y\",B,"
                                 "1024,,,a=b-c,,1.67"));
    free(text);
    document_free(&document);
}

/* All lines have as many cells; returns how many there are. */
static size_t assert_even(const char *text)
{
    size_t lines = 0, columns = 0;
    for (const char *c = text; *c; c++) {
        size_t commas = 0;
        for (bool quoted = false; *c && *c != '\n'; c++) {
            quoted = quoted != (*c == '"');
            commas += *c == ',' && !quoted;
        }
        columns = lines ? columns : commas;
        assert_int_equal(commas, columns);
        lines++;
    }
    return lines;
}

static void rows_have_as_many_cells_as_the_header(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    char *findings = capture_output("csv", &document);
    char *points = capture_output("csv-points", &document);
    size_t finding_rows = 1, point_rows = 1;
    assert_inert(findings);
    assert_inert(points);
    for (size_t p = 0; p < document.probe_count; p++) {
        const struct probe_result *probe = &document.probes[p];
        finding_rows += probe->finding_count ? probe->finding_count : 1;
        for (size_t s = 0; s < probe->series_count; s++)
            point_rows += probe->series[s].point_count;
    }
    assert_int_equal(assert_even(findings), finding_rows);
    assert_int_equal(assert_even(points), point_rows);
    free(findings);
    free(points);
    document_free(&document);
}

static void a_finding_has_its_kind_and_its_factors(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct factor factors[] = {{"order", "forward", NAN}, {"n", NULL, -8}};
    struct finding *finding =
        sample_finding(&document, &document.probes[1], "cores.min", "ns", 7, 0);
    finding->factors = factors;
    finding->factor_count = 2;
    finding->cpus = "0,1";
    finding->declared = 8;
    finding->kind = "good";
    finding->disturbance.longer = 0.25f;
    char *text = capture_output("csv", &document);
    assert_non_null(
        strstr(text, "\ncores,cores.min,7,ns,7,7,good,0.25,8,\"0,1\",order=forward;n=-8,,"));
    free(text);
    document_free(&document);
}

static void a_probe_that_failed_has_a_row_and_says_why(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct probe_result *probe = sample_probe(&document, "numa", "NUMA");
    probe->status = PROBE_FAILED;
    probe->reason = "no memory, none";
    char *text = capture_output("csv", &document);
    assert_non_null(strstr(text, "\nnuma,,,,,,,,,,,,,failed,\"no memory, none\",sounding,"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_document_has_a_header_alone),
        cmocka_unit_test(formulas_quotes_and_commas_are_defused),
        cmocka_unit_test(rows_have_as_many_cells_as_the_header),
        cmocka_unit_test(a_finding_has_its_kind_and_its_factors),
        cmocka_unit_test(a_probe_that_failed_has_a_row_and_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
