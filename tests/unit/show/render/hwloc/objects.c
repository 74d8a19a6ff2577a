/* hwloc's tree from lists of objects: what nests, what is found to be declared, and what is
 * damaged.
 */
#include "show/render/hwloc/objects.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ENTRIES = 8, SETS = 8, FINDINGS = 8 };

struct bench {
    struct declared_objects entries[ENTRIES];
    const char *sets[ENTRIES][SETS];
    uint64_t numbers[SETS];
    struct numa_facts nodes[2];
    struct finding findings[FINDINGS];
    struct probe_result probe;
    struct document document;
    struct objects objects;
    struct error error;
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

static int build(struct bench *bench)
{
    return objects_build(&bench->objects, &bench->document, &bench->error);
}

/* The tree as a text, each object before those in it: "Machine[Package[...]]". */
static void tell(const struct objects *objects, long at, char *text, size_t size)
{
    const struct object *object = &objects->list[at];
    const size_t length = strlen(text);
    char cpus[32];
    snprintf(text + length, size - length, "%s %s%s", object->type,
             cpulist_format(&object->cpus, cpus, sizeof cpus), object->child >= 0 ? "[" : "");
    for (long child = object->child; child >= 0; child = objects->list[child].next) {
        tell(objects, child, text, size);
        if (objects->list[child].next >= 0)
            strcat(text, ", ");
    }
    if (object->child >= 0)
        strcat(text, "]");
}

static void assert_tree(struct bench *bench, const char *wanted)
{
    char text[1024] = "";
    if (build(bench) < 0)
        fail_msg("%s", bench->error.text);
    tell(&bench->objects, OBJECT_ROOT, text, sizeof text);
    assert_string_equal(text, wanted);
}

static void objects_nest_as_their_cpus_do(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    ADD(&bench, "Core", "6-7", "0-1", "2-3", "4-5");
    ADD(&bench, "Unheard-of", "0-99");
    assert_tree(&bench, "Machine 0-7[Package 0-7[L3Cache 0-3[Core 0-1[PU 0, PU 1], "
                        "Core 2-3[PU 2, PU 3]], L3Cache 4-7[Core 4-5[PU 4, PU 5], "
                        "Core 6-7[PU 6, PU 7]]]]");
    assert_int_equal(bench.objects.node_count, 1);
    assert_int_equal(bench.objects.nodes[0].bytes, 5 << 20);
    /* As hwloc has it: at the package, and not at the machine. */
    assert_string_equal(bench.objects.list[bench.objects.nodes[0].at].type, "Package");
    objects_free(&bench.objects);
}

static void clusters_that_are_not_declared_are_groups(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    add_cluster(&bench, "0-1");
    add_cluster(&bench, "2-3");
    add_cluster(&bench, "4-7"); /* a cache */
    add_cluster(&bench, "0-7"); /* the machine */
    add_cluster(&bench, "3-4"); /* across two caches */
    add_cluster(&bench, "5");
    assert_tree(&bench, "Machine 0-7[Package 0-7[L3Cache 0-3[Group 0-1[PU 0, PU 1], "
                        "Group 2-3[PU 2, PU 3]], L3Cache 4-7[PU 4, PU 5, PU 6, PU 7]]]");
    assert_int_equal(bench.objects.clusters_taken, 2);
    assert_int_equal(bench.objects.clusters_left, 1);
    objects_free(&bench.objects);
}

static void nodes_without_an_object_get_a_group(void **state)
{
    (void)state;
    struct bench bench;
    fill(&bench);
    bench.document.machine.declared.object_count = 3; /* without the node of all */
    ADD(&bench, "NUMANode", "0-1", "", "4-7");
    add_cluster(&bench, "0-1"); /* which is declared, by the node */
    assert_tree(&bench, "Machine 0-7[Package 0-7[L3Cache 0-3[Group 0-1[PU 0, PU 1], PU 2, PU 3], "
                        "L3Cache 4-7[PU 4, PU 5, PU 6, PU 7]]]");
    assert_int_equal(bench.objects.clusters_taken, 0);
    const struct objects *objects = &bench.objects;
    assert_string_equal(objects->list[objects->nodes[0].at].type, "Group");
    assert_int_equal(objects->list[objects->nodes[0].at].origin, OBJECT_MEMORY);
    assert_int_equal(objects->nodes[1].at, OBJECT_ROOT);
    assert_int_equal(objects->nodes[1].bytes, 7 << 20);
    assert_string_equal(objects->list[objects->nodes[2].at].type, "L3Cache");
    objects_free(&bench.objects);
}

static void a_document_without_a_tree_is_refused(void **state)
{
    (void)state;
    struct bench bench = {.document = {.probe_count = 0}};
    assert_int_equal(build(&bench), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(bench.error.text, "does not hold hwloc's tree"));
    objects_free(&bench.objects);
}

static void damaged_trees_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *type, *set, *again, *why;
    } wrong[] = {
        {"Core", "3-4", NULL, "do not nest"},  {"Core", "0-1", "1-2", "do not nest"},
        {"Core", "0-1", "0-1", "do not nest"}, {"Core", "6-9", NULL, "do not nest"},
        {"Core", "", NULL, "no CPU"},          {"Core", "x", NULL, "a list of CPUs is none"},
        {"Core", "0-99999", NULL, "too many"}, {"Group", "0-1048576:3", NULL, "too many"},
    };
    struct bench bench;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fill(&bench);
        ADD(&bench, wrong[i].type, wrong[i].set, wrong[i].again);
        assert_int_equal(build(&bench), ERROR_USAGE);
        assert_non_null(strstr(bench.error.text, "is damaged"));
        if (!strstr(bench.error.text, wrong[i].why))
            fail_msg("%s: %s", wrong[i].why, bench.error.text);
        objects_free(&bench.objects);
    }
    fill(&bench);
    ADD(&bench, "PU", "0-7", "8");
    bench.entries[2].cpus_count = 0;
    assert_int_equal(build(&bench), ERROR_USAGE);
    objects_free(&bench.objects);
    fill(&bench);
    bench.numbers[0] = UINT64_MAX;
    assert_int_equal(build(&bench), ERROR_USAGE);
    assert_non_null(strstr(bench.error.text, "a node has no number"));
    objects_free(&bench.objects);
}

/* A million CPUs in a few bytes, a thousand times. */
static void short_texts_of_many_cpus_end_soon(void **state)
{
    (void)state;
    static const char *sets[1 << 14];
    struct bench bench;
    fill(&bench);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        sets[i] = "0-16000";
    bench.entries[0].cpus = sets;
    bench.entries[0].cpus_count = sizeof sets / sizeof *sets;
    assert_int_equal(build(&bench), ERROR_USAGE);
    assert_non_null(strstr(bench.error.text, "too many CPUs"));
    objects_free(&bench.objects);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_nest_as_their_cpus_do),
        cmocka_unit_test(clusters_that_are_not_declared_are_groups),
        cmocka_unit_test(nodes_without_an_object_get_a_group),
        cmocka_unit_test(a_document_without_a_tree_is_refused),
        cmocka_unit_test(damaged_trees_are_refused),
        cmocka_unit_test(short_texts_of_many_cpus_end_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
