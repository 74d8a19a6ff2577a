/* The XML of a document: tests/formats/run has hwloc itself read it. */
#include "capture.h"

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
    assert_int_equal(possible("hwloc", &document, &error), ERROR_IMPOSSIBLE);
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

/* --- which object is in which --- */

enum { ENTRIES = 8, SETS = 8, FINDINGS = 8 };

struct bench {
    struct declared_objects entries[ENTRIES];
    const char *sets[ENTRIES][SETS];
    uint64_t numbers[SETS];
    struct numa_facts nodes[2];
    struct finding findings[FINDINGS];
    struct probe_result probe;
    struct document document;
};

/* One type's sets; NULL ends them. */
static void add(struct bench *bench, const char *type, const char *const *sets)
{
    struct declared_facts *declared = &bench->document.machine.declared;
    const size_t at = declared->object_count++;
    size_t count = 0;
    for (; sets[count]; count++)
        bench->sets[at][count] = sets[count];
    bench->entries[at] = (struct declared_objects){.type = type,
                                                   .cpus = bench->sets[at],
                                                   .cpus_count = count,
                                                   .indexes = bench->numbers,
                                                   .index_count = count};
}
#define ADD(bench, type, ...) add(bench, type, (const char *const[]){__VA_ARGS__, NULL})

/* Eight CPUs in a package, with caches of four, and a node of them all. */
static void fill(struct bench *bench)
{
    *bench = (struct bench){.nodes = {{0, "0-7", 5 << 20}, {1, "", 7 << 20}}};
    for (uint64_t i = 0; i < SETS; i++)
        bench->numbers[i] = i;
    bench->document.machine.declared.objects = bench->entries;
    bench->document.machine.nodes = bench->nodes;
    bench->document.machine.node_count = 2;
    bench->probe = (struct probe_result){.name = "cores", .findings = bench->findings};
    bench->document.probes = &bench->probe;
    bench->document.probe_count = 1;
    ADD(bench, "L3Cache", "4-7", "0-3");
    ADD(bench, "Package", "0-7");
    ADD(bench, "PU", "0-7");
    ADD(bench, "NUMANode", "0-7");
}

static void add_cluster(struct bench *bench, const char *cpus)
{
    bench->findings[bench->probe.finding_count++] =
        (struct finding){.name = "cluster", .unit = "ns", .value = 20, .cpus = cpus};
}

/* The objects but for CPUs, each before those in it, with the last digits of their sets and a star
 * for each node: "Machine ff[Package ff*]". */
static char *outline(const struct document *document)
{
    struct capture capture = {0};
    char *text = capture_output("hwloc", document);
    FILE *out = capture_begin(&capture);
    bool skip = false;
    for (const char *at = text; (at = strchr(at, '<')) != NULL; at++) {
        char type[16], set[16];
        if (sscanf(at, "<object type=\"%15[^\"]\"", type) == 1) {
            const char *cpus = strstr(at, " cpuset=\"0x");
            skip = strcmp(type, "PU") == 0;
            assert_int_equal(sscanf(cpus, " cpuset=\"0x000000%15[^\"]", set), 1);
            if (strcmp(type, "NUMANode") == 0)
                fputc('*', out);
            else if (!skip)
                fprintf(out, "[%s %s", type, set);
        } else if (strncmp(at, "</object>", strlen("</object>")) == 0) {
            fputs(skip ? "" : "]", out);
            skip = false;
        }
    }
    free(text);
    return capture_end(&capture);
}

static void assert_outline(struct bench *bench, const char *wanted)
{
    char *text = outline(&bench->document);
    assert_string_equal(text, wanted);
    free(text);
}

static void objects_nest_as_their_cpus_do(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    ADD(&bench, "Core", "6-7", "0-1", "2-3", "4-5");
    ADD(&bench, "Unheard-of", "0-99");
    /* As hwloc has it the node is at the package, and not at the machine. */
    assert_outline(&bench, "[Machine ff[Package ff*[L3Cache 0f[Core 03][Core 0c]]"
                           "[L3Cache f0[Core 30][Core c0]]]]");
    fill(&bench);
    add_cluster(&bench, "0-1");
    add_cluster(&bench, "2-3");
    add_cluster(&bench, "4-7"); /* a cache */
    add_cluster(&bench, "0-7"); /* the machine */
    add_cluster(&bench, "3-4"); /* across two caches */
    add_cluster(&bench, "5");
    assert_outline(&bench, "[Machine ff[Package ff*[L3Cache 0f[Group 03][Group 0c]][L3Cache f0]]]");
    fill(&bench);
    bench.document.machine.declared.object_count = 3; /* without the node of all */
    ADD(&bench, "NUMANode", "0-1", "", "4-7");
    add_cluster(&bench, "0-1"); /* which is declared, by the node */
    assert_outline(&bench, "[Machine ff*[Package ff[L3Cache 0f[Group 03*]][L3Cache f0*]]]");
}

static void assert_refused(const struct bench *bench, int code, const char *why)
{
    struct error error = {0};
    assert_int_equal(possible("hwloc", &bench->document, &error), code);
    if (!strstr(error.text, why))
        fail_msg("%s: %s", why, error.text);
}

static void damaged_trees_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type, *set, *again, *why;
    } wrong[] = {
        {"Core", "3-4", NULL, "do not nest"},  {"Core", "0-1", "1-2", "do not nest"},
        {"Core", "0-1", "0-1", "do not nest"}, {"Core", "6-9", NULL, "do not nest"},
        {"Core", "", NULL, "no CPU"},          {"Core", "x", NULL, "a list of CPUs cannot be read"},
        {"Core", "0-99999", NULL, "too many"}, {"Group", "0-1048576:3", NULL, "too many"},
    };
    static const char *sets[1 << 14];
    struct bench bench = {.document = {.probe_count = 0}};
    assert_refused(&bench, ERROR_IMPOSSIBLE, "does not hold hwloc's tree");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fill(&bench);
        ADD(&bench, wrong[i].type, wrong[i].set, wrong[i].again);
        assert_refused(&bench, ERROR_USAGE, wrong[i].why);
    }
    fill(&bench);
    bench.entries[2].cpus_count = 0;
    assert_refused(&bench, ERROR_USAGE, "is damaged: its CPUs are not one list");
    fill(&bench);
    bench.numbers[0] = UINT64_MAX;
    assert_refused(&bench, ERROR_USAGE, "a node has no number");
    /* A million CPUs in a few bytes, a thousand times. */
    fill(&bench);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        sets[i] = "0-16000";
    bench.entries[0].cpus = sets;
    bench.entries[0].cpus_count = sizeof sets / sizeof *sets;
    assert_refused(&bench, ERROR_USAGE, "too many CPUs");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_node_has_what_the_levels_say),
        cmocka_unit_test(pairs_that_are_missing_cost_one_cpu),
        cmocka_unit_test(hostile_documents_are_refused_or_inert),
        cmocka_unit_test(objects_nest_as_their_cpus_do),
        cmocka_unit_test(damaged_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
