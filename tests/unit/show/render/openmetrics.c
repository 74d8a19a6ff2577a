#include "capture.h"

static char *print(const struct document *document)
{
    return capture_output("openmetrics", document);
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

static struct finding *add(struct document *document, const char *name, const char *unit)
{
    struct finding *finding = sample_finding(document, &document->probes[0], name, unit, 7, 0);
    finding->low = finding->high = NAN;
    return finding;
}

static void unlike_units_share_no_family(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    add(&document, "a", "op/s");
    add(&document, "b", "1/s");
    add(&document, "c", "misses");
    add(&document, "d", "furlongs\n");
    add(&document, "e", "");
    char *text = print(&document);
    assert_non_null(strstr(text, "\nfathom_finding_operations_per_second{finding=\"a\","));
    assert_non_null(strstr(text, "# UNIT fathom_finding_per_second per_second\n"));
    assert_non_null(strstr(text, "\nfathom_finding_per_second{finding=\"b\","));
    assert_non_null(strstr(text, "\nfathom_finding_misses{finding=\"c\","));
    assert_non_null(strstr(text,
                           "\nfathom_finding{finding=\"d\",probe=\"latency\",unit=\"furlongs?\"} "
                           "7\n"));
    assert_non_null(strstr(text, "\nfathom_finding{finding=\"e\",probe=\"latency\"} 7\n"));
    free(text);
    document_free(&document);
}

static void an_experiment_is_named_by_labels_that_are_valid_and_differ(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct factor factors[] = {{"order", "for\"ward\n", NAN},
                               {"finding", "x", NAN},
                               {"a b", NULL, 1},
                               {"a-b", NULL, 2},
                               {"9", NULL, 3},
                               {"factor_finding", NULL, 4},
                               {"factor3_a_b", NULL, 5},
                               {"__name__", "y", NAN},
                               {"standard", "z", NAN}};
    struct finding *finding = add(&document, "L2.latency", "cycles");
    finding->factors = factors;
    finding->factor_count = 9;
    finding->deviations = 8;
    char *text = print(&document);
    const char *sample =
        strstr(text, "\nfathom_finding_cycles{finding=\"L2.latency\",probe=\"latency\",");
    assert_non_null(strstr(text, "\nfathom_finding_cycles{finding=\"L2.latency\",probe=\"latency\","
                                 "factor3_a_b=\"1\",factor4_a_b=\"2\",factor6_factor_finding=\"4\","
                                 "factor7_factor3_a_b=\"5\",factor_9=\"3\",factor___name__=\"y\","
                                 "factor_finding=\"x\",order=\"for\\\"ward?\"} 7\n"));
    assert_non_null(sample);
    assert_null(strstr(text, "\"z\""));
    free(text);
    document_free(&document);
}

/* In whatever order its factors stand. */
static void an_experiment_is_given_once(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    struct factor one[] = {{"order", "forward", NAN}, {"stride", NULL, 8}};
    struct factor other[] = {{"stride", "8", NAN}, {"order", "forward", NAN}};
    struct factor third[] = {{"order", "backward", NAN}};
    struct {
        struct factor *factors;
        size_t count;
    } list[] = {{one, 2}, {other, 2}, {third, 1}};
    for (size_t i = 0; i < 3; i++) {
        struct finding *finding = add(&document, "some", "ns");
        finding->factors = list[i].factors;
        finding->factor_count = finding->deviations = list[i].count;
    }
    char *text = print(&document);
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, "\nfathom_finding_seconds{finding=\"some\""));
         at++)
        count++;
    assert_int_equal(count, 2);
    free(text);
    document_free(&document);
}

static void a_probe_that_failed_is_seen(void **state)
{
    (void)state;
    struct document document;
    sample_document(&document, 2, 1);
    document.probes[0].status = PROBE_FAILED;
    sample_probe(&document, "latency", "again"); /* whose lines would be the first one's again */
    char *text = print(&document);
    assert_non_null(strstr(text, "\nfathom_probe_status{probe=\"latency\",status=\"ok\"} 0\n"));
    assert_non_null(strstr(text, "\nfathom_probe_status{probe=\"latency\",status=\"failed\"} 1\n"));
    assert_non_null(strstr(text, "\nfathom_probe_status{probe=\"cores\",status=\"ok\"} 1\n"));
    const char *first = strstr(text, "{probe=\"latency\",status=\"ok\"}");
    assert_null(strstr(first + 1, "{probe=\"latency\",status=\"ok\"}"));
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_document_ends_as_it_must),
        cmocka_unit_test(labels_are_escaped_and_inert),
        cmocka_unit_test(a_sample_is_given_once),
        cmocka_unit_test(devices_can_be_joined_with_their_findings),
        cmocka_unit_test(unlike_units_share_no_family),
        cmocka_unit_test(an_experiment_is_named_by_labels_that_are_valid_and_differ),
        cmocka_unit_test(an_experiment_is_given_once),
        cmocka_unit_test(a_probe_that_failed_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
