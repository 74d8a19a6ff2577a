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

static void pairs_that_are_missing_cost_one_cpu(void **state)
{
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

static void assert_refused(const struct bench *bench, int code, const char *why)
{
    struct error error = {0};
    assert_int_equal(possible("hwloc", &bench->document, &error), code);
    if (!strstr(error.text, why))
        fail_msg("%s: %s", why, error.text);
}

static void damaged_trees_are_refused(void **state)
{
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
        cmocka_unit_test(pairs_that_are_missing_cost_one_cpu),
        cmocka_unit_test(hostile_documents_are_refused_or_inert),
        cmocka_unit_test(damaged_trees_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
