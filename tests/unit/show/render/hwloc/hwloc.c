/* The XML of a document: tests/formats/run has hwloc itself read it. */
#include "../capture.h"

#include "document/json.h"

static void read_nodes(struct document *document)
{
    struct error error = {0};
    char path[512];
    const char *source = getenv("FATHOM_SOURCE");
    snprintf(path, sizeof path, "%s/tests/data/declared/nodes.json", source ? source : ".");
    if (document_read(document, path, &error) < 0)
        fail_msg("%s", error.text);
}

static size_t count_of(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        count++;
    return count;
}

static void tree_distances_and_attributes_are_written(void **state)
{
    (void)state;
    struct document document;
    read_nodes(&document);
    char *text = capture_output("hwloc", &document);
    assert_int_equal(count_of(text, "<object type=\"PU\""), 16);
    assert_int_equal(count_of(text, "subtype=\"MeasuredCluster\""), 4);
    assert_int_equal(count_of(text, "<object type=\"NUMANode\""), 3);
    assert_int_equal(count_of(text, "<memattr_value"), 12);
    assert_int_equal(count_of(text, "<u64values"), 26);
    assert_non_null(strstr(text, "<object type=\"L1iCache\" os_index=\"3\" cpuset=\"0x00000008\""));
    assert_non_null(strstr(text, "cache_size=\"32768\" depth=\"1\" cache_linesize=\"64\" "
                                 "cache_associativity=\"8\" cache_type=\"2\""));
    assert_non_null(strstr(text, "value=\"412\" initiator_cpuset=\"0x000000ff\"/>"));
    assert_int_equal(count_of(text, "<object "), count_of(text, "</object>") + 3);
    free(text);
    document_free(&document);
}

/* One node that was not measured against itself has the DRAM of the levels. */
static void a_single_node_has_what_the_levels_say(void **state)
{
    (void)state;
    struct document document;
    static struct declared_objects objects[2];
    static const char *cpus[] = {"0-1"};
    static uint64_t numbers[] = {0};
    sample_document(&document, 2, 1);
    objects[0] = (struct declared_objects){.type = "PU", .cpus = cpus, .cpus_count = 1};
    objects[1] = (struct declared_objects){
        .type = "NUMANode", .cpus = cpus, .cpus_count = 1, .indexes = numbers, .index_count = 1};
    document.machine.declared.objects = objects;
    document.machine.declared.object_count = 2;
    sample_finding(&document, &document.probes[0], "DRAM.latency_ns", "ns", 121.4, 0.01);
    sample_finding(&document, &document.probes[0], "bandwidth.read.all", "B/s", 1048576e4, 0.01);
    document.machine.hostname = "<a&b\">";
    char *text = capture_output("hwloc", &document);
    assert_non_null(strstr(text, "name=\"Latency\" flags=\"6\">"));
    assert_non_null(strstr(text, "value=\"121\" initiator_cpuset=\"0x00000003\""));
    assert_non_null(strstr(text, "value=\"10000\" initiator_cpuset=\"0x00000003\""));
    assert_non_null(strstr(text, "value=\"&lt;a&amp;b&quot;&gt;\""));
    free(text);
    document_free(&document);
}

static void pairs_that_are_missing_cost_one_cpu(void **state)
{
    (void)state;
    struct document document;
    read_nodes(&document);
    for (size_t p = 0; p < document.probe_count; p++)
        for (size_t s = 0; s < document.probes[p].series_count; s++)
            for (size_t i = 0; i < document.probes[p].series[s].point_count; i++) {
                struct point *point = &document.probes[p].series[s].points[i];
                if (document.probes[p].series[s].matrix &&
                    ((point->from == 5 && point->to == 7) || (point->from == 7 && point->to == 5)))
                    *point = (struct point){.from = point->from, .to = point->to, .failed = "gone"};
            }
    char *text = capture_output("hwloc", &document);
    assert_non_null(strstr(text, "<distances2 type=\"PU\" nbobjs=\"15\""));
    free(text);
    document_free(&document);
}

static void hostile_documents_are_refused_or_inert(void **state)
{
    (void)state;
    struct document document;
    struct error error = {0};
    sample_hostile(&document);
    assert_int_equal(output_by_name("hwloc")->possible(&document, &error), ERROR_IMPOSSIBLE);
    document_free(&document);
    read_nodes(&document);
    document.machine.hostname = document.machine.cpu_model = document.tool.version = HOSTILE;
    for (size_t i = 0; i < document.probe_count; i++)
        for (size_t f = 0; f < document.probes[i].finding_count; f++) {
            document.probes[i].findings[f].cpus = NULL;
            document.probes[i].findings[f].text = HOSTILE;
        }
    char *text = capture_output("hwloc", &document);
    assert_inert(text);
    free(text);
    document_free(&document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_distances_and_attributes_are_written),
        cmocka_unit_test(a_single_node_has_what_the_levels_say),
        cmocka_unit_test(pairs_that_are_missing_cost_one_cpu),
        cmocka_unit_test(hostile_documents_are_refused_or_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
