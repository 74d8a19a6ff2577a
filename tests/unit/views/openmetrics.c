#include "capture.h"

static char *print(const struct document *document)
{
    struct capture capture = {0};
    view_openmetrics(capture_begin(&capture), document);
    return capture_end(&capture);
}

static void the_sample_is_printed_as_before(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 3, 1);
    assert_golden(print(&document), "openmetrics.txt");
    document_free(&document);
}

static void an_empty_document_ends_as_it_must(void **state)
{
    (void)state;
    struct document empty = {.run.elapsed_s = NAN};
    char *text = print(&empty);
    assert_string_equal(text + strlen(text) - 6, "# EOF\n");
    assert_null(strstr(text, "nan"));
    free(text);
}

static void labels_are_escaped_and_inert(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].findings[0].name = "a\"b\\c\nd\x1b[2J";
    document.probes[0].findings[1].name = document.probes[0].findings[2].name;
    document.probes[0].findings[1].cpus = document.probes[0].findings[2].cpus;
    char *text = print(&document);
    assert_non_null(strstr(text, "finding=\"a\\\"b\\\\c?d?[2J\""));
    assert_null(strchr(text, '\x1b'));
    free(text);
    document_free(&document);
}

static void a_sample_is_given_once(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].findings[2].name = document.probes[0].findings[0].name;
    char *text = print(&document);
    char *first = strstr(text, "fathom_finding_cycles{finding=\"L1.latency\"");
    assert_non_null(first);
    assert_null(strstr(first + 1, "fathom_finding_cycles{finding=\"L1.latency\""));
    free(text);
    document_free(&document);
}

static void devices_can_be_joined_with_their_findings(void **state)
{
    (void)state;
    struct document document;
    struct gpu_facts gpus[] = {{.id = 1, .name = "A\"", .backend = "cuda", .modelled = true},
                               {.id = 1, .name = "twice"}};
    sample_document(&document, 2, 1);
    document.machine.gpus = gpus;
    document.machine.gpu_count = 2;
    document.probes[0].findings[0].name = "gpu1.L1.latency";
    char *text = print(&document);
    assert_non_null(strstr(text, "\nfathom_gpu_info{gpu=\"1\",name=\"A\\\"\",backend=\"cuda\","
                                 "driver=\"\",kind=\"\",modelled=\"yes\"} 1\n"));
    assert_null(strstr(text, "twice"));
    assert_non_null(strstr(text, "{finding=\"gpu1.L1.latency\",probe=\"latency\",gpu=\"1\"} 5\n"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_is_printed_as_before),
        cmocka_unit_test(an_empty_document_ends_as_it_must),
        cmocka_unit_test(labels_are_escaped_and_inert),
        cmocka_unit_test(a_sample_is_given_once),
        cmocka_unit_test(devices_can_be_joined_with_their_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
