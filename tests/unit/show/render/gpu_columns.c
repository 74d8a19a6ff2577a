#include "capture.h"

#include <math.h>

enum { POINTS = 3 };

static struct point points[POINTS];
static struct factor factors[2] = {{"gpu", NULL, 0}, {"path", "l1", 0}};
static struct series series[3];
static struct probe_result probe;
static struct document document;

/* One curve of three points at 1.995 GHz. */
static int set_up(void **state)
{
    (void)state;
    static const double sizes[POINTS] = {8, 28672, 5767168};
    static const float cycles[POINTS] = {32.04F, 92, 439.98F};
    for (int i = 0; i < POINTS; i++)
        points[i] = (struct point){.x = sizes[i],
                                   .y = {.median = cycles[i] / 1.995F, .n = 6},
                                   .cycles = {cycles[i], cycles[i], cycles[i]}};
    series[0] = (struct series){.name = "gpu0 latency",
                                .factors = factors,
                                .factor_count = 2,
                                .headline = true,
                                .x = {"working set", "B"},
                                .y = {"latency", "ns"},
                                .points = points,
                                .point_count = POINTS};
    series[1] = series[2] = series[0];
    series[1].name = "gpu1 latency";
    series[1].headline = false;
    series[2].y.unit = "W";
    probe = (struct probe_result){.name = "gpu", .series = series, .series_count = 3};
    document = (struct document){.probes = &probe, .probe_count = 1};
    return 0;
}

static char *print(void)
{
    assert_int_equal(possible("gpu-columns", &document, NULL), 0);
    return capture_output("gpu-columns", &document);
}

static const char one_curve[] = "MHz            B           KB          CPI\n"
                                "1995            8            0         32.0\n"
                                "1995        28672           28         92.0\n"
                                "1995      5767168         5632        440.0\n";

static void without_a_headline_the_first_curve_is_shown(void **state)
{
    (void)state;
    series[0].headline = false;
    char *text = print();
    assert_string_equal(text, one_curve);
    free(text);
}

static void several_headlines_stand_below_their_names(void **state)
{
    (void)state;
    series[1].headline = true;
    series[1].point_count = 1;
    char *text = print();
    char expected[1024];
    snprintf(expected, sizeof expected,
             "# gpu0 latency, path l1\n%s\n# gpu1 latency, path l1\n"
             "MHz            B           KB          CPI\n"
             "1995            8            0         32.0\n",
             one_curve);
    assert_string_equal(text, expected);
    free(text);
}

static void points_without_a_value_have_no_row(void **state)
{
    (void)state;
    points[0].failed = "the launch failed";
    points[0].y.median = NAN;
    points[1].cycles.median = NAN;
    char *text = print();
    assert_null(strstr(text, " 8 "));
    assert_null(strstr(text, "28672"));
    assert_non_null(strstr(text, "5767168"));
    free(text);
}

static void assert_none(const char *said)
{
    struct error error = {0};
    assert_int_equal(possible("gpu-columns", &document, &error), ERROR_USAGE);
    char *text = capture_output("gpu-columns", &document);
    assert_string_equal(text, "");
    free(text);
    assert_non_null(strstr(error.text, said));
    assert_null(strchr(error.text, '\n'));
}

static void a_document_without_such_a_curve_is_refused(void **state)
{
    (void)state;
    for (int i = 0; i < POINTS; i++)
        points[i].cycles.median = NAN; /* a device that tells ns alone */
    assert_none("this document has none");
    series[0].matrix = series[1].matrix = true;
    assert_none("this document has none");
    assert_int_equal(set_up(NULL), 0);
    series[0].name = series[1].name = "gpu0 constant memory";
    assert_none("this document has none");
    probe.status = PROBE_SKIPPED;
    probe.reason = "no NVIDIA driver\nhere";
    assert_none("cycles: no NVIDIA driver");
    probe.name = "latency"; /* a CPU's */
    assert_none("this document has none");
    document.probe_count = 0;
    assert_none("this document has none");
}

static void the_worst_document_is_printed_inert(void **state)
{
    (void)state;
    factors[1].text = HOSTILE;
    series[1].headline = true;
    points[1].x = 1e300;
    points[2].y.median = 1e-40F;
    char *text = print();
    assert_inert(text);
    assert_non_null(strstr(text, "# gpu0 latency, path "));
    free(text);
    factors[1].text = "l1";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_a_headline_the_first_curve_is_shown, set_up),
        cmocka_unit_test_setup(several_headlines_stand_below_their_names, set_up),
        cmocka_unit_test_setup(points_without_a_value_have_no_row, set_up),
        cmocka_unit_test_setup(a_document_without_such_a_curve_is_refused, set_up),
        cmocka_unit_test_setup(the_worst_document_is_printed_inert, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
