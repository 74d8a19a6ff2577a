#include "show/report/boxes/boxes.h"

#include "../render/made_up.h"

#include <math.h>

enum { GIB = 30, MIB = 20, KIB = 10 };

static void add(struct line *line, const char *name, const struct cell *cell)
{
    if (cell->form != FORM_TEXT)
        line_add(line, " %s %g", name, cell->value);
}

/* One line a box, indented by its depth: name, details, number, what was measured. */
static char *tree_of(const struct document *document, size_t *left_out)
{
    struct report report;
    struct boxes boxes;
    struct pool pool = {0};
    struct capture capture = {0};
    FILE *out = capture_begin(&capture);
    report_begin(&report, &pool, &document, 1);
    boxes_build(&boxes, &report, 0, &pool);
    for (size_t i = 0; i < boxes.count; i++) {
        const struct box *box = &boxes.list[i];
        struct line line = {0};
        line_add(&line, "%*s%s", 2 * (int)box->depth, "", box->name.text);
        line_add(&line, "%s%s", box->details.length ? ": " : "", box->details.text);
        if (box->count > 1)
            line_add(&line, " x %zu", box->count);
        add(&line, "cycles", &box->cycles);
        add(&line, "ns", &box->ns);
        add(&line, "room", &box->capacity);
        add(&line, box->kernel ? box->kernel : "bytes", &box->one);
        add(&line, "all", &box->all);
        add(&line, "nearest", &box->nearest);
        add(&line, "farthest", &box->farthest);
        add(&line, "remote", &box->remote_ns);
        fprintf(out, "%s\n", line.text);
    }
    if (left_out)
        *left_out = boxes.left_out;
    pool_free(&pool);
    return capture_end(&capture);
}

static void assert_tree(const struct document *document, const char *expected)
{
    char *tree = tree_of(document, NULL);
    assert_string_equal(tree, expected);
    free(tree);
}

static struct cache_facts cache(int level, const char *type, uint64_t bytes, const char *cpus)
{
    return (struct cache_facts){
        .level = level, .type = type, .size_bytes = bytes, .shared_cpus = cpus};
}

static void nodes_that_are_alike_are_one_box(void **state)
{
    struct cpu_kind_facts kind = {"kind0", "0-1023"};
    struct cache_facts caches[] = {
        cache(1, "data", 32 << KIB, "0,512"), cache(1, "instruction", 32 << KIB, "0,512"),
        cache(2, "unified", 1 << MIB, "0,512"), cache(3, "unified", 32 << MIB, "0-7,512-519")};
    struct numa_facts nodes[65];
    char cpus[64][32];
    for (int i = 0; i < 64; i++) {
        snprintf(cpus[i], sizeof cpus[i], "%d-%d,%d-%d", 8 * i, 8 * i + 7, 512 + 8 * i,
                 519 + 8 * i);
        nodes[i] = (struct numa_facts){i, cpus[i], ((uint64_t)64 << GIB) - ((uint64_t)i << MIB)};
    }
    nodes[64] = (struct numa_facts){64, "", (uint64_t)128 << GIB};
    struct document document = {.machine = {.cores = 512,
                                            .threads = 1024,
                                            .kinds = &kind,
                                            .kind_count = 1,
                                            .caches = caches,
                                            .cache_count = 4,
                                            .nodes = nodes,
                                            .node_count = 65}};
    assert_tree(&document, "nodes 0-63: 64 GiB of DRAM, 16 CPUs each x 64\n"
                           "  L3: 32 MiB\n"
                           "    L2: 1 MiB x 8\n"
                           "      L1: 32 KiB\n"
                           "        core: 2 threads\n"
                           "node 64: 128 GiB of DRAM, no CPUs\n");
}

static struct finding found(const char *name, const char *unit, double value)
{
    return (struct finding){
        .name = name, .unit = unit, .value = value, .low = NAN, .high = NAN, .declared = NAN};
}

static void each_box_has_what_was_measured_in_it(void **state)
{
    struct cache_facts caches[] = {cache(1, "data", 32 << KIB, "0"),
                                   cache(2, "unified", 1 << MIB, "0")};
    struct numa_facts nodes[] = {{0, "0-3", (uint64_t)8 << GIB}, {1, "4-7", (uint64_t)8 << GIB}};
    struct factor read = {.name = "kernel", .text = "read"},
                  copy = {.name = "kernel", .text = "copy"};
    struct finding findings[] = {
        found("L1.latency", "cycles", 4),
        found("L1.latency_ns", "ns", 1),
        found("L1.capacity", "B", 31e3),
        found("L3.latency", "cycles", 40),
        found("DRAM.latency_ns", "ns", 90),
        found("L1.bandwidth.read", "B/s", 4e11),
        found("L1.bandwidth.copy.all", "B/s", 7e11),
        found("bandwidth.read.1", "B/s", 4e10),
        found("bandwidth.read.all", "B/s", 8e10),
        found("cores.cas.min", "ns", 20),
        found("cores.cas.max", "ns", 120),
        found("numa.latency.remote", "ns", 140),
        found("bandwidth.copy.1", "B/s", 3e10),
    };
    for (size_t i = 0; i < sizeof findings / sizeof *findings; i++)
        if (strstr(findings[i].name, "bandwidth.")) {
            findings[i].factors = strstr(findings[i].name, "copy") ? &copy : &read;
            findings[i].factor_count = 1;
        }
    struct probe_result probe = {.name = "latency",
                                 .findings = findings,
                                 .finding_count = sizeof findings / sizeof *findings};
    struct document document = {.machine = {.cores = 8,
                                            .threads = 8,
                                            .caches = caches,
                                            .cache_count = 2,
                                            .nodes = nodes,
                                            .node_count = 2},
                                .probes = &probe,
                                .probe_count = 1};
    assert_tree(&document, "nodes 0-1: 8 GiB of DRAM, 4 CPUs each x 2 ns 90 read 4e+10 all 8e+10 "
                           "remote 140\n"
                           "  L3: not declared: which CPUs share it is unknown cycles 40\n"
                           "  L2: 1 MiB x 4\n"
                           "    L1: 32 KiB cycles 4 ns 1 room 31000 read 4e+11\n"
                           "      core nearest 20 farthest 120\n");
    document.machine = (struct machine_facts){.cores = 2, .threads = 2};
    assert_tree(&document, "DRAM ns 90 read 4e+10 all 8e+10 remote 140\n"
                           "  L3: not declared: which CPUs share it is unknown cycles 40\n"
                           "  L1: not declared: which CPUs share it is unknown cycles 4 ns 1 room "
                           "31000 read 4e+11\n"
                           "  core x 2 nearest 20 farthest 120\n");
}

/* What two kinds of core share is around both; a cache that they have alike is declared once. */
static void kinds_of_core_stand_side_by_side(void **state)
{
    struct cpu_kind_facts kinds[] = {
        {"low-power", "12-13"}, {"efficiency", "4-11"}, {"performance", "0-3"}};
    struct cache_facts caches[] = {
        cache(1, "data", 48 << KIB, "0-1"), cache(1, "data", 32 << KIB, "4"),
        cache(2, "unified", 2 << MIB, "0-1"), cache(3, "unified", 24 << MIB, "0-11")};
    struct factor slow = {.name = "core", .text = "efficiency"};
    struct finding findings[] = {found("L1.latency", "cycles", 5),
                                 found("L1.latency", "cycles", 3)};
    findings[1].factors = &slow;
    findings[1].factor_count = findings[1].deviations = 1;
    struct probe_result probe = {.name = "latency", .findings = findings, .finding_count = 2};
    struct document document = {.machine = {.cores = 12,
                                            .threads = 14,
                                            .kinds = kinds,
                                            .kind_count = 3,
                                            .caches = caches,
                                            .cache_count = 4,
                                            .memory_bytes = (uint64_t)32 << GIB},
                                .probes = &probe,
                                .probe_count = 1};
    assert_tree(&document, "DRAM: 32 GiB\n"
                           "  L3: 24 MiB\n"
                           "    performance cores: 4 CPUs\n"
                           "      L2: 2 MiB x 2\n"
                           "        L1: 48 KiB cycles 5\n"
                           "          core: 2 threads\n"
                           "    efficiency cores: 8 CPUs\n"
                           "      L2: 2 MiB x 4\n"
                           "        L1: 32 KiB x 2 cycles 3\n"
                           "          core\n"
                           "  low-power cores: 2 CPUs\n"
                           "    L2: 2 MiB\n"
                           "      core\n");
}

static void a_document_that_names_no_machine_has_no_boxes(void **state)
{
    struct finding findings[] = {found("L1.latency", "cycles", 4)};
    struct probe_result probe = {.name = "latency", .findings = findings, .finding_count = 1};
    const struct document document = {.probes = &probe, .probe_count = 1};
    assert_tree(&document, "");
}

static void odd_machines_have_few_boxes(void **state)
{
    enum { MANY = 3000 };
    struct numa_facts *nodes = calloc(MANY, sizeof *nodes);
    struct cache_facts *caches = calloc(MANY, sizeof *caches);
    struct cpu_kind_facts *kinds = calloc(MANY, sizeof *kinds);
    assert_true(nodes && caches && kinds);
    for (int i = 0; i < MANY; i++) {
        nodes[i] = (struct numa_facts){i, i % 2 ? "0-1000000" : "x", (uint64_t)1 << i % 60};
        caches[i] =
            cache(i - 5, i % 3 ? "unified" : NULL, (uint64_t)i, i % 5 ? "0-999999" : HOSTILE);
        kinds[i] = (struct cpu_kind_facts){i % 2 ? HOSTILE : NULL, i % 2 ? "0-500000" : NULL};
    }
    struct document document = {.machine = {.cores = 4000000000u,
                                            .threads = 1,
                                            .nodes = nodes,
                                            .node_count = MANY,
                                            .caches = caches,
                                            .cache_count = MANY,
                                            .kinds = kinds,
                                            .kind_count = MANY}};
    size_t left_out;
    char *tree = tree_of(&document, &left_out);
    assert_in_range(count_of(tree, "\n"), 1, 1000);
    assert_in_range(left_out, MANY / 2, MANY);
    free(tree);
    free(nodes);
    free(caches);
    free(kinds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_that_are_alike_are_one_box),
        cmocka_unit_test(each_box_has_what_was_measured_in_it),
        cmocka_unit_test(kinds_of_core_stand_side_by_side),
        cmocka_unit_test(a_document_that_names_no_machine_has_no_boxes),
        cmocka_unit_test(odd_machines_have_few_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
