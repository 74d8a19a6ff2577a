#include "made_up.h"

#include "base/clean.h"
#include "conclude/registry/finding.h"
#include "show/render/text/draw.h"
#include "show/report/builders.h"
#include "show/report/machine.h"

static const struct text_style plain = {.width = 80};
static const struct text_style terminal = {.width = 80, .blocks = true};

static char *print(const struct document *document)
{
    struct capture capture = {0};
    struct report report;
    assert_int_equal(report_begin(&report, &document, 1, NULL), 0);
    report_add_devices(&report, 0);
    draw_report(capture_begin(&capture), &report, 0, &plain);
    report_free(&report);
    return capture_end(&capture);
}

static void views_of_devices_are_as_before(void **state)
{
    (void)state;
    struct document document;
    struct capture capture = {0};
    read_made_up(&document);
    render_text(capture_begin(&capture), &document, &plain);
    assert_golden(capture_end(&capture), "gpu.txt");
    render_text(capture_begin(&capture), &document, &terminal);
    assert_golden(capture_end(&capture), "gpu-terminal.txt");
    document_free(&document);
}

static void a_probe_in_full_names_what_each_table_is(void **state)
{
    (void)state;
    struct document document;
    struct capture capture = {0};
    read_made_up(&document);
    render_text_probe(capture_begin(&capture), &document, &document.probes[0], &plain);
    char *text = capture_end(&capture);
    static const char *const lines[] = {
        "\ngpu0  Made-up GPU, 12 multiprocessors",
        "\ngpu  gpu0 latency (path l1, order random, stride 128)\n",
        "\ngpu  gpu0 L2 by line and multiprocessor, ns from line to multiprocessor\n",
        "\n  gpu0 scratchpad bandwidth, traffic read        32 KiB  2100",
        "\ngpu  peer copies, GB/s from device to device\n",
        "\n  gpu0.host.launch_ns                 4200 ns ",
        "\n  - not measured: gpu1 texture: it has no linear textures\n",
        "\n  device all, seed 1\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(text, lines[i]))
            fail_msg("no line begins like this: %s", lines[i]);
    assert_null(strstr(text, "temperature"));
    assert_int_equal(count_of(text, "a hit on a line of the other side"), 1); /* not twice, in ns */
    free(text);
    document_free(&document);
}

static void lines_fit_the_screen(void **state)
{
    (void)state;
    struct document document;
    read_made_up(&document);
    char *text = print(&document);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (clean_columns(line) > 80)
            fail_msg("%zu columns: %s", clean_columns(line), line);
    free(text);
    document_free(&document);
}

static void a_document_without_devices_says_nothing_of_them(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    char *text = print(&document);
    assert_string_equal(text, "");
    free(text);
    document_free(&document);
}

static void what_is_no_gpu_is_said_aloud(void **state)
{
    (void)state;
    struct gpu_facts gpu = {.name = "A", .kind = "gpu", .clock_hz = NAN};
    assert_null(gpu_warning(&gpu));
    gpu.modelled = true;
    assert_non_null(strstr(gpu_warning(&gpu), "MODELLED"));
    gpu = (struct gpu_facts){.name = "A", .kind = "cpu", .clock_hz = NAN};
    assert_non_null(strstr(gpu_warning(&gpu), "is a CPU"));

    struct document document;
    read_made_up(&document);
    document.machine.gpus[0].modelled = true;
    document.machine.gpus[1].kind = "cpu";
    char *text = print(&document);
    assert_int_equal(count_of(text, "\n    ! MODELLED: "), 1);
    assert_int_equal(count_of(text, "\n    ! this device is a CPU"), 1);
    free(text);
    document_free(&document);
}

/* "gpu0.NAME", as if another finding of the probe. */
static struct finding *add(struct document *document, const char *name, const char *unit,
                           double value)
{
    struct finding *finding = finding_add_value(&document->probes[0], &document->pool, name, unit,
                                                value, value, value, 0);
    assert_non_null(finding);
    return finding;
}

/* What OpenCL can tell without a clock in the kernel. */
static void time_serves_where_there_are_no_cycles(void **state)
{
    (void)state;
    struct document document = {0};
    sample_probe(&document, "gpu", NULL);
    add(&document, "gpu0.L1.latency_ns", "ns", 20);
    add(&document, "gpu0.cluster.latency_ns", "ns", 100);
    add(&document, "gpu0.L1.load32.latency_ns", "ns", 24)->flags = FLAG_BIT(FLAG_UNSTABLE);
    char *text = print(&document);
    assert_string_equal(text, "\ngpu0  unknown device\n"
                              "  depth         latency\n"
                              "  L1                              20.0 ns     +-0.0 %\n"
                              "  L1 by width  32 bits 24.0 ns !\n"
                              "  cluster      a load of another multiprocessor's scratchpad 100 "
                              "ns\n");
    free(text);
    document_free(&document);
}

static void a_device_that_was_not_measured_is_named_alone(void **state)
{
    (void)state;
    struct gpu_facts gpu = {.name = "Idle", .clock_hz = NAN, .backend = "opencl"};
    struct document document = {0};
    document.machine.gpus = &gpu;
    document.machine.gpu_count = 1;
    char *text = print(&document);
    assert_string_equal(text, "\ngpu0  Idle, OpenCL\n");
    free(text);
}

static void odd_devices_never_harm(void **state)
{
    (void)state;
    struct document document;
    sample_hostile(&document);
    enum { MANY = 2000 };
    for (int i = 0; i < MANY; i++) {
        char name[64];
        snprintf(name, sizeof name, "gpu%d.%s", i, i % 2 ? "L1.latency" : HOSTILE ".latency");
        struct finding *finding = add(&document, name, HOSTILE, i % 3 ? NAN : -1e308);
        finding->flags = ~0u;
    }
    struct gpu_facts gpus[3] = {{.id = 0, .clock_hz = 1e300}, {.id = 1 << 30}, {.id = 5}};
    gpus[0].name = gpus[0].backend = gpus[0].driver = gpus[0].kind = gpus[0].capability = HOSTILE;
    gpus[2].clock_hz = -INFINITY;
    gpus[2].memory_bytes = UINT64_MAX;
    document.machine.gpus = gpus;
    document.machine.gpu_count = 3;
    char *text = print(&document);
    assert_inert(text);
    assert_null(strstr(text, "\xe2\x80\xae"));
    assert_in_range(count_of(text, "\ngpu"), 3, 16);
    assert_null(strstr(text, "nan "));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_of_devices_are_as_before),
        cmocka_unit_test(a_probe_in_full_names_what_each_table_is),
        cmocka_unit_test(lines_fit_the_screen),
        cmocka_unit_test(a_document_without_devices_says_nothing_of_them),
        cmocka_unit_test(what_is_no_gpu_is_said_aloud),
        cmocka_unit_test(time_serves_where_there_are_no_cycles),
        cmocka_unit_test(a_device_that_was_not_measured_is_named_alone),
        cmocka_unit_test(odd_devices_never_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
