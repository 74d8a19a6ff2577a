#include "capture.h"

#include "show/render/text/draw.h"
#include "show/report/builders.h"

static void add(struct document *document, const char *name, const char *unit, double value,
                unsigned flags)
{
    struct finding *finding = sample_finding(document, &document->probes[0], name, unit, value, 0);
    finding->flags = flags;
}

static char *print(const struct document *document)
{
    struct capture capture = {0};
    struct report report;
    assert_int_equal(report_begin(&report, &document, 1, NULL), 0);
    report_add_width(&report, 0);
    draw_report(capture_begin(&capture), &report, 0, &(struct text_style){.width = 80});
    report_free(&report);
    return capture_end(&capture);
}

static void roads_and_flight_are_reported(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    add(&document, "bandwidth.read.1", "B/s", 14.8e9, 0);
    add(&document, "bandwidth.read.all", "B/s", 24.6e9, FLAG_BIT(FLAG_TOO_FEW));
    add(&document, "bandwidth.triad.1", "B/s", 19.1e9, 0);
    add(&document, "bandwidth.triad.efficiency", "", 0.9, 0);
    add(&document, "bandwidth.strided.read.1", "B/s", 1e9, 0);
    add(&document, "DRAM.parallelism", "misses", 13, 0);
    add(&document, "DRAM.parallelism.ns", "ns", 9.3, 0);
    add(&document, "loaded.unloaded", "ns", 121, 0);
    add(&document, "loaded.saturated", "ns", 180, 0);
    add(&document, "loaded.bandwidth", "B/s", 17.7e9, 0);
    char *text = print(&document);
    assert_string_equal(text,
                        "\nwidth              1 CPU     all CPUs   (DRAM)\n"
                        "  read         14.8 GB/s    24.6 GB/s !\n"
                        "  triad        19.1 GB/s\n"
                        "  13.0 misses of DRAM in flight, 9.30 ns each; a load takes 121 ns alone, "
                        "180 ns\n"
                        "  beside 17.7 GB/s of traffic\n");
    free(text);
    document_free(&document);
}

static void what_was_not_measured_is_not_reported(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    char *text = print(&document);
    assert_string_equal(text, "");
    free(text);
    add(&document, "bandwidth.read.1", "B/s", NAN, 0);
    add(&document, "DRAM.parallelism", "misses", 13, FLAG_BIT(FLAG_UNSTABLE));
    text = print(&document);
    assert_non_null(strstr(text, "  13.0 misses of DRAM in flight !\n"));
    free(text);
    document_free(&document);
}

static void every_experiment_has_a_line_of_its_own(void **state)
{
    (void)state;
    struct document document;
    struct factor stride[] = {{"stride", NULL, 256}}, small[] = {{"pages", "small", NAN}};
    sample_document(&document, 2, 1);
    add(&document, "bandwidth.read.1", "B/s", 3e9, 0);
    struct probe_result *probe = &document.probes[0];
    probe->findings[probe->finding_count - 1].factors = stride;
    probe->findings[probe->finding_count - 1].factor_count = 1;
    probe->findings[probe->finding_count - 1].deviations = 1;
    add(&document, "bandwidth.read.1", "B/s", 14.8e9, 0);
    add(&document, "bandwidth.write.all", "B/s", 9e9, 0);
    add(&document, "bandwidth.copy.1", "furlongs", 7, 0);
    add(&document, "DRAM.parallelism", "misses", 13, 0);
    add(&document, "DRAM.parallelism", "misses", 9, 0);
    probe->findings[probe->finding_count - 1].factors = small;
    probe->findings[probe->finding_count - 1].factor_count = 1;
    probe->findings[probe->finding_count - 1].deviations = 1;
    char *text = print(&document);
    assert_string_equal(text, "\nwidth              1 CPU     all CPUs   (DRAM)\n"
                              "  read         14.8 GB/s\n"
                              "  write                     9.00 GB/s\n"
                              "  read         3.00 GB/s  stride 256\n"
                              "  13.0 misses of DRAM in flight\n"
                              "  9.00 misses of DRAM in flight (pages small)\n");
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roads_and_flight_are_reported),
        cmocka_unit_test(what_was_not_measured_is_not_reported),
        cmocka_unit_test(every_experiment_has_a_line_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
