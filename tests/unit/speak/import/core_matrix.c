#include "speak/import/import.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern const struct import_format core_matrix_format;

/* Reads `text` with the option "ids" (NULL: as it is) into the document; its code. */
static int import(struct document *document, const char *text, const char *ids, const char *op,
                  struct error *error)
{
    struct settings settings = {0};
    struct import_text given = {.file = "table", .text = text, .length = strlen(text)};
    *document = (struct document){0};
    assert_int_equal(settings_add(&settings, import_options, error), 0);
    if (ids)
        assert_int_equal(settings_set(&settings, "ids", ids, error), 0);
    if (op)
        assert_int_equal(settings_set(&settings, "op", op, error), 0);
    const char *unread;
    int code = import_read(&core_matrix_format, &given, &settings, document, &unread, error);
    settings_free(&settings);
    return code;
}

/* "0>1:10 1>0:10": every point, in the order of the document. */
static void assert_points(const char *text, const char *ids, const char *expected)
{
    struct document document;
    struct error error = {0};
    char seen[1024] = "";
    if (import(&document, text, ids, NULL, &error) < 0)
        fail_msg("%s\n%s", text, error.text);
    const struct series *series = &document.probes[0].series[0];
    for (size_t i = 0; i < series->point_count; i++) {
        const struct point *point = &series->points[i];
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s%d>%d:%g", i ? " " : "",
                 point->from, point->to, (double)point->y.median);
        assert_int_equal(point->y.n, 1);
        assert_true(!(point->y.coverage > 0));
    }
    assert_string_equal(seen, expected);
    document_free(&document);
}

static void assert_refused(const char *text, const char *says)
{
    struct document document;
    struct error error = {0};
    assert_int_equal(import(&document, text, NULL, NULL, &error), ERROR_USAGE);
    if (!strstr(error.text, says) || strncmp(error.text, "table: ", 7) != 0)
        fail_msg("%s\nsays: %s", text, error.text);
    document_free(&document);
}

#define SQUARE   "0>1:10 0>2:20 1>0:11 1>2:30 2>0:21 2>1:31"
#define TRIANGLE "1>0:10 2>0:20 2>1:30"

static void squares(void **state)
{
    (void)state;
    assert_points(",10,20\n11,,30\n21,31,\n", NULL, SQUARE);
    assert_points("0,10,20\n11,0,30\n21,31,0\n", NULL, SQUARE);
    assert_points("-\t10\t20\n11\t-\t30\n21\t31\t-", NULL, SQUARE);
    assert_points("9;10;20\n11;9;30\n21;31;9\n", NULL, SQUARE); /* a diagonal says nothing */
    assert_points("\"\",\"10\", 20\n11,x,30\n21,31,nan\n", NULL, SQUARE);
    assert_points("0,10\n11,0\n", NULL, "0>1:10 1>0:11");
}

static void squares_with_ids(void **state)
{
    (void)state;
    assert_points(",0,1,2\n0,,10,20\n1,11,,30\n2,21,31,\n", NULL, SQUARE);
    assert_points("cpu,0,1,2\n0,0,10,20\n1,11,0,30\n2,21,31,0\n", NULL, SQUARE);
    assert_points("0,1,2\n,10,20\n11,,30\n21,31,\n", NULL, SQUARE);
    assert_points("cpu,4,9\n9,7,\n4,,8\n", NULL, "4>9:8 9>4:7");
    assert_points(",1,2\n1,,50\n2,51,\n", NULL, "1>2:50 2>1:51");
    /* A square without ids may begin with a rising row: then it is asked. */
    assert_refused(",10,20\n10,,50\n20,51,\n", "line 1: these may be the cores' ids or latencies");
    assert_refused("NaN,50,51\n50,NaN,52\n51,52,NaN\n", "--ids or --no-ids");
    assert_points(",10,20\n10,,50\n20,51,\n", "no", "0>1:10 0>2:20 1>0:10 1>2:50 2>0:20 2>1:51");
    assert_points(",10,20\n10,,50\n20,51,\n", "yes", "10>20:50 20>10:51");
    assert_points(",10,20\n10,-,50\n20,51,-\n", NULL, "10>20:50 20>10:51");
    assert_points("7,3,5\n3,,50\n5,51,\n", "yes", "3>5:50 5>3:51");
}

static void triangles(void **state)
{
    (void)state;
    assert_points("cpu_a cpu_b latency_ns\n0 1 10.5\n0 2 30\n1 2 31\n", NULL,
                  "0>1:10.5 0>2:30 1>2:31");
    assert_points("10\n20,30\n", NULL, TRIANGLE);
    assert_points("\n10,\n20,30,\n", NULL, TRIANGLE);
    assert_points("0\n10,0\n20,30,0\n", NULL, TRIANGLE);
    assert_points(",,\n10,,\n20,30,\n", NULL, TRIANGLE); /* as core-to-core-latency writes it */
    assert_points("0,0,0\n10,0,0\n20,30,0\n", NULL, TRIANGLE);
    assert_points(",0,1,2\n0\n1,10\n2,20,30\n", NULL, TRIANGLE);
    assert_points(",0,1,2\n1,10\n2,20,30\n", NULL, TRIANGLE);
    assert_points("10\n", NULL, "1>0:10");
    assert_points("10,20\n30\n", NULL, "0>1:10 0>2:20 1>2:30");
    assert_points("0,10,20\n0,30\n0\n", NULL, "0>1:10 0>2:20 1>2:30");
}

static void tables_by_blanks(void **state)
{
    (void)state;
    assert_points("      0     1     2\n0           10    20\n1     11          30\n"
                  "2     21    31\n",
                  NULL, SQUARE);
    assert_points("          0     1     2\n    0\n    1    10\n    2    20    30\n\n"
                  "    Min  latency: 10.0ns ±0.0 cores: (1,0)\n    Mean latency: 20.0ns\n",
                  NULL, TRIANGLE);
    assert_points(" CPU    0    1    2\n   0    0   10   20\n   1   11    0   30\n"
                  "   2   21   31    0\n",
                  NULL, SQUARE);
    assert_points("0 1 2\n0 0 10 20\n1 11 0 30\n2 21 31 0\n", NULL, SQUARE);
    assert_points("           0       1       2\n      0\n      1   10±6\n      2   20±6    30±4\n",
                  NULL, TRIANGLE);
    /* As consoles of Windows garble the sign. */
    assert_points("     0     1    2\n 0\n 1   10\xe2\x94\xac\xe2\x96\x92"
                  "6\n"
                  " 2   20\xc3\x82\xc2\xb1"
                  "6 30\n",
                  NULL, TRIANGLE);
}

#define TRIPLES "0>1:10 0>2:20 1>0:11 1>2:30"

static void triples(void **state)
{
    (void)state;
    assert_points("from,to,ns\n0,1,10\n0,2,20\n1,0,11\n1,2,30\n", NULL, TRIPLES);
    assert_points("# on a server\ncpu_a\tcpu_b\tlatency\n1\t2\t30\n0\t2\t20\n0\t1\t10\n1\t0\t11\n",
                  NULL, TRIPLES);
    assert_points("a b ns\n0 1 10.0\n0 2 20\n1 0 11\n1 2 30\n", NULL, TRIPLES);
    assert_points("0,0,0\n0,1,10\n0,2,20\n1,0,11\n1,1,0\n1,2,30\n", NULL, TRIPLES);
    assert_points("0 1 10\n0 2 20\n1 0 11\n1 2 30\n2 2 0\n", NULL, TRIPLES);
    assert_points("from,to,ns\n12,4,10\n", NULL, "12>4:10");
    /* So few without a name may be a square, with ids above or without. */
    assert_points("0,1,2\n0,10,20\n11,0,30\n21,31,0\n", NULL, SQUARE);
    assert_points("0,10,20\n11,0,30\n21,31,0\n", NULL, SQUARE);
}

static bool has_finding(const struct probe_result *probe, const char *name)
{
    for (size_t i = 0; i < probe->finding_count; i++)
        if (strcmp(probe->findings[i].name, name) == 0)
            return true;
    return false;
}

static void tables_after_one_another(void **state)
{
    (void)state;
    struct document document;
    struct error error = {0};
    static const char *const text =
        "CPU: Some Processor\n\n1) CAS latency on a single shared cache line\n\n"
        "       0     1     2\n  0\n  1   10\n  2   20    30\n\n    Min  latency: 10.0ns\n\n"
        "2) Single-writer single-reader latency on two shared cache lines\n\n"
        "       0     1     2\n  0\n  1   11\n  2   21    31\n\n    Min  latency: 11.0ns\n";
    static const char *const ops[] = {"cas", "readwrite"};
    if (import(&document, text, NULL, NULL, &error) < 0)
        fail_msg("%s", error.text);
    const struct probe_result *probe = &document.probes[0];
    assert_int_equal(document.probe_count, 1);
    assert_int_equal(probe->series_count, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(probe->series[i].point_count, 3);
        assert_string_equal(probe->series[i].factors[0].text, ops[i]);
        assert_float_equal(probe->series[i].points[0].y.median, 10 + (float)i, 1e-6F);
    }
    assert_string_equal(document.machine.cpu_model, "Some Processor");
    assert_true(has_finding(probe, "cores.cas.min"));
    assert_true(has_finding(probe, "cores.readwrite.max"));
    document_free(&document);
    assert_int_equal(import(&document, text, NULL, "cas", &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "holds 2 tables"));
    document_free(&document);
    assert_int_equal(
        import(&document, "0 1\n0 - 5\n1 5 -\n\nand\n0 1\n0 - 6\n1 6 -\n", NULL, NULL, &error), 0);
    assert_string_equal(document.probes[0].series[1].factors[0].text, "table2");
    document_free(&document);
}

static void what_surrounds_a_table_is_passed_over(void **state)
{
    (void)state;
    assert_points("\xef\xbb\xbf,10,20\r\n11,,30\r\n21,31,\r\n", NULL, SQUARE);
    assert_points("# ns\n\n,10,20\n\n11,,30\n# the last\n21,31,\n\n", NULL, SQUARE);
    assert_points("Running Core Benchmark\n Samples: 500\n Iterations: 4000\n\n"
                  "      0     1\n0           10\n1     11\n",
                  NULL, "0>1:10 1>0:11");
}

static void what_is_no_table_is_refused(void **state)
{
    (void)state;
    assert_refused("", "holds no table");
    assert_refused("# nothing\n\n", "holds no table");
    assert_refused("1,2,3\n1,2\n1,2,3\n", "line 2");
    assert_refused("1,2,3\n1,2,3\n", "line 2");
    assert_refused(",10,20\n11,,abc\n21,31,\n", "line 2: 'abc' is no latency");
    assert_refused("# x\n,10,20\n11,,-30\n21,31,\n", "line 3: -30 is negative");
    assert_refused(",10,20\n11,,1e30\n21,31,\n", "line 2: 1e30 is too large");
    assert_refused(",10,20\n11,,5±x\n21,31,\n", "line 2: '5±x' is no latency");
    assert_refused("cpu,0,1,1\n0,,1,1\n1,1,,1\n", "line 1: id 1 occurs twice");
    assert_refused("cpu,0,1\n0,,5\n0,5,\n", "line 3: id 0 has a second row");
    assert_refused("cpu,0,1\n0,,5\n7,5,\n", "line 3 begins with '7'");
    assert_refused("cpu,0,x\n0,,5\n1,5,\n", "'x' is no core's id");
    assert_refused("cpu,0,99999999999\n0,,5\n1,5,\n", "is no core's id");
    assert_refused("cpu,0,1,2\n0,,5,6\n1,5,,6\n", "1 of 3 cores have no row");
    assert_refused("cpu,0,1,2\n0,,5,6,7\n1,5,,6\n2,1,1,\n", "line 2 has 4 latencies");
    assert_refused("0 1 2\n0 5 6\n1 5 7\n1 6 7\n", "line 4: id 1 has a second row");
    assert_refused("0 1\n0 - 5\n1 5 -\n\nand\n0 1\n0 - 5\n0 5 -\n",
                   "line 8: id 0 has a second row");
    assert_refused("from,to,ns\n0,1,10\n1,0,11\n0,1,12\n", "line 4: from 0 to 1 has a second");
    assert_refused("from,to,ns\n0,1,-10\n", "line 2: -10 is negative");
    assert_refused("from,to,ns\n3,3,10\n", "a matrix of 1 cores");
    assert_refused("from,to,cycles\n0,1,10\n", "--unit cycles");
    assert_refused("from,to,GB/s\n0,1,10\n", "line 1 speaks of bandwidths");
    assert_refused(
        "GPU(row) <-> GPU(column) bandwidth (GB/s)\n   0  1\n 0  N/A  276\n 1  276  N/A\n",
        "line 1 speaks of bandwidths");
    assert_refused("cpu,0,1\n0,,\n1,,\n", "holds no latency");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(squares),
        cmocka_unit_test(squares_with_ids),
        cmocka_unit_test(triangles),
        cmocka_unit_test(tables_by_blanks),
        cmocka_unit_test(triples),
        cmocka_unit_test(tables_after_one_another),
        cmocka_unit_test(what_surrounds_a_table_is_passed_over),
        cmocka_unit_test(what_is_no_table_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
