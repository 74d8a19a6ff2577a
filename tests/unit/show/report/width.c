/* What neighbours took is shown beside what the hardware does alone, where the two differ. */
#include "../render/capture.h"
#include "show/render/text/draw.h"
#include "show/report/builders.h"
#include "show/report/details.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static char *drawn(const struct document *document, bool rates)
{
    struct report report;
    struct capture capture;
    const struct document *list[] = {document};
    const struct probe_result *cores = &document->probes[1];
    assert_int_equal(report_begin(&report, list, 1, NULL), 0);
    if (rates)
        assert_true(report_add_rates(&report, 0, -1));
    else
        report_add_matrix(&report, 0, cores, &cores->series[0], true);
    draw_report(capture_begin(&capture), &report, 0, &(struct text_style){.width = 90});
    report_free(&report);
    return capture_end(&capture);
}

static void add(struct document *document, struct probe_result *probe, const char *name,
                double found, double quiet)
{
    struct finding *finding = sample_finding(document, probe, name, "B/s", found, 0.01);
    finding->quiet = (struct quiet){(float)quiet, (float)(0.99 * quiet), (float)(1.01 * quiet)};
}

static void a_disturbed_bandwidth_is_shown_as_quiet_and_as_found(void **state)
{
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        struct document document;
        sample_document(&document, 2, 1);
        struct probe_result *probe = sample_probe(&document, "bandwidth", "Bandwidth");
        add(&document, probe, "bandwidth.read.1", 40e9, 40e9);
        add(&document, probe, "bandwidth.read.all", 60e9, disturbed ? 80e9 : 60e9);
        char *text = drawn(&document, true);
        assert_int_equal(strstr(text, "as found") != NULL, disturbed);
        assert_int_equal(strstr(text, "80.0 GB/s") != NULL, disturbed);
        assert_int_equal(strstr(text, "-, -25 %") != NULL, disturbed);
        assert_non_null(strstr(text, "40.0 GB/s"));
        free(text);
        document_free(&document);
    }
}

static void disturbed_hand_offs_have_a_quiet_mean(void **state)
{
    (void)state;
    for (int disturbed = 0; disturbed < 2; disturbed++) {
        struct document document;
        sample_document(&document, 2, 1);
        struct series *series = &document.probes[1].series[0];
        for (size_t i = 0; i < series->point_count; i++) {
            const float quiet = series->points[i].y.median * (disturbed ? 0.8F : 1);
            series->points[i].quiet = (struct quiet){quiet, quiet * 0.99F, quiet * 1.01F};
        }
        char *text = drawn(&document, false);
        assert_int_equal(strstr(text, "Quiet mean") != NULL, disturbed);
        assert_int_equal(strstr(text, "(as found +25 %)") != NULL, disturbed);
        free(text);
        document_free(&document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_disturbed_bandwidth_is_shown_as_quiet_and_as_found),
        cmocka_unit_test(disturbed_hand_offs_have_a_quiet_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
