#include "capture.h"

static char *print(const struct document *document)
{
    return capture_output("csv", document);
}

static void an_empty_document_has_a_header_alone(void **state)
{
    (void)state;
    struct document empty = {0};
    char *text = print(&empty);
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    assert_int_equal(strncmp(text, "probe,series,factors,", 21), 0);
    free(text);
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
    char *text = print(&document);
    assert_non_null(strstr(text, "\n'=1+2,\"a \"\"b\"\", c\",pages=huge2m;order=random,\"'@x,y\",B,"
                                 "1024,,,a=b-c,,1.67"));
    assert_non_null(strstr(text, ",started,pages,order\n"));
    free(text);
    document_free(&document);
}

/* How many lines there are. */
static size_t assert_even(const char *text, size_t columns)
{
    size_t lines = 0;
    for (const char *c = text; *c; c++) {
        size_t commas = 0;
        for (bool quoted = false; *c && *c != '\n'; c++) {
            quoted = quoted != (*c == '"');
            commas += *c == ',' && !quoted;
        }
        assert_int_equal(commas + 1, columns);
        lines++;
    }
    return lines;
}

enum { FIXED = 37 };

static void rows_have_as_many_cells_as_the_header(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    char *text = print(&document);
    size_t rows = 1;
    assert_inert(text);
    for (size_t p = 0; p < document.probe_count; p++) {
        rows += 1 + document.probes[p].finding_count;
        for (size_t s = 0; s < document.probes[p].series_count; s++)
            rows += document.probes[p].series[s].point_count;
    }
    /* Of the series all factors have one name; a finding has two. */
    assert_int_equal(assert_even(text, FIXED + 3), rows);
    free(text);
    document_free(&document);
}

static void a_factor_has_a_column_of_its_own(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct factor factors[] = {{"order", "forward", NAN}, {"n", NULL, -8}, {"factor_n", "x", NAN}};
    struct finding *finding =
        sample_finding(&document, &document.probes[1], "cores.min", "ns", 7, 0);
    finding->factors = factors;
    finding->factor_count = 3;
    finding->cpus = "0,1";
    finding->declared = 8;
    char *text = print(&document);
    assert_even(text, FIXED + 7);
    assert_non_null(
        strstr(text, ",run,started,pages,order,op,home,writers,factor_n,factor_factor_n\n"));
    assert_non_null(strstr(text, "\ncores,,order=forward;n=-8;factor_n=x,,,,,,,ns,7,7,7,"));
    assert_non_null(strstr(text, ",finding,cores.min,8,\"0,1\",ok,"));
    assert_non_null(strstr(text, ",,forward,,,,-8,x\n"));
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
    char *text = print(&document);
    assert_non_null(strstr(text, "\nnuma,,,,,,,,,,,,,,,,,,,,,,,,,,,\"no memory, none\",,probe,,,,"
                                 "failed,sounding,"));
    free(text);
    document_free(&document);
}

/* Ten thousand findings with a factor of their own each would be a hundred million cells. */
static void columns_are_no_more_than_rows_can_hold(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    struct document document;
    sample_document(&document, 2, 1);
    struct factor *factors = calloc(MANY, sizeof *factors);
    char(*names)[16] = calloc(MANY, sizeof *names);
    assert_true(factors && names);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        factors[i] = (struct factor){names[i], NULL, 1};
        struct finding *finding =
            sample_finding(&document, &document.probes[0], "some", "ns", 7, 0);
        finding->factors = &factors[i];
        finding->factor_count = 1;
    }
    char *text = print(&document);
    assert_true(strlen(text) < (size_t)MANY * 3000);
    assert_non_null(strstr(text, "\nlatency,,f9999=1,")); /* what has no column stands here */
    free(text);
    free(names);
    free(factors);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_document_has_a_header_alone),
        cmocka_unit_test(formulas_quotes_and_commas_are_defused),
        cmocka_unit_test(rows_have_as_many_cells_as_the_header),
        cmocka_unit_test(a_factor_has_a_column_of_its_own),
        cmocka_unit_test(a_probe_that_failed_has_a_row_and_says_why),
        cmocka_unit_test(columns_are_no_more_than_rows_can_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
