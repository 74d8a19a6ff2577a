/* What hwloc makes of recorded, composed and synthetic machines. */
#include "machine/parts.h"

#include "recorded.h"
#include "stats/sample.h"

static void assert_cache(size_t index, int level, const char *type, uint64_t kib, unsigned ways,
                         const char *shared)
{
    assert_true(index < machine.facts.cache_count);
    const struct cache_facts *cache = &machine.facts.caches[index];
    assert_int_equal(cache->level, level);
    assert_string_equal(cache->type, type);
    assert_int_equal(cache->size_bytes, kib * 1024);
    assert_int_equal(cache->ways, ways);
    assert_int_equal(cache->line_bytes, 64);
    assert_string_equal(cache->shared_cpus, shared);
}

static void assert_place(int id, int core, int sibling, int package, int node)
{
    const struct cpu_place *cpu = machine_cpu(&machine, id);
    assert_non_null(cpu);
    assert_int_equal(cpu->core, core);
    assert_int_equal(cpu->sibling, sibling);
    assert_int_equal(cpu->package, package);
    assert_int_equal(cpu->node, node);
}

static void assert_node(size_t index, int id, const char *cpus, uint64_t gib)
{
    assert_true(index < machine.facts.node_count);
    assert_int_equal(machine.facts.nodes[index].id, id);
    assert_string_equal(machine.facts.nodes[index].cpus, cpus);
    assert_int_equal(machine.facts.nodes[index].memory_bytes, gib << 30);
}

static void two_sockets_with_siblings_far_apart(void **state)
{
    read_tree("intel-xeon-2socket-smt-16cpu");
    assert_int_equal(machine.facts.cores, 8);
    assert_int_equal(machine.facts.threads, 16);
    assert_int_equal(machine.cpu_count, 16);
    assert_place(0, 0, 0, 0, 0);
    assert_place(8, 0, 1, 0, 0);
    assert_place(4, 4, 0, 1, 1);
    assert_place(15, 7, 1, 1, 1);
    assert_int_equal(machine.facts.cache_count, 4);
    assert_cache(2, 2, "unified", 1024, 16, "0,8");
    assert_cache(3, 3, "unified", 16896, 11, "0-3,8-11");
}

static void every_shared_cache_is_listed(void **state)
{
    char cpus[64];
    size_t of_level[4] = {0};
    read_tree("intel-xeon-2socket-smt-16cpu");
    for (size_t i = 0; i < machine.cache_count; i++) {
        assert_in_range(machine.caches[i].level, 1, 3);
        assert_true(i == 0 || machine.caches[i].level >= machine.caches[i - 1].level);
        of_level[machine.caches[i].level]++;
    }
    assert_int_equal(of_level[1], 2 * 8); /* of data and of instructions */
    assert_int_equal(of_level[2], 8);
    assert_int_equal(of_level[3], 2);
    const struct cpulist *last = &machine.caches[machine.cache_count - 1].cpus;
    assert_string_equal(cpulist_format(last, cpus, sizeof cpus), "4-7,12-15");
}

static void two_kinds_of_core(void **state)
{
    read_tree("intel-alderlake-laptop-12cpu");
    assert_int_equal(machine.facts.cores, 10);
    assert_int_equal(machine.facts.threads, 12);
    assert_int_equal(machine.facts.kind_count, 2);
    assert_string_equal(machine.facts.kinds[0].name, "efficiency");
    assert_string_equal(machine.facts.kinds[0].cpus, "4-11");
    assert_string_equal(machine.facts.kinds[1].name, "performance");
    assert_string_equal(machine.facts.kinds[1].cpus, "0-3");
    assert_int_equal(machine_cpu(&machine, 3)->kind, 1);
    assert_int_equal(machine_cpu(&machine, 4)->kind, 0);
    assert_int_equal(machine.facts.cache_count, 7);
    assert_cache(0, 1, "data", 48, 12, "0-1");
    assert_cache(1, 1, "data", 32, 8, "4");
    assert_cache(4, 2, "unified", 2048, 16, "4-7");
    assert_cache(5, 2, "unified", 1280, 10, "0-1");
    assert_int_equal(cache_of_cpu(&machine.facts, 1, 0)->size_bytes, 48 * 1024);
}

/* hwloc has a level for the whole cores and another for the half one, and counts both from 0. */
static void cores_at_two_depths_are_counted_once(void **state)
{
    read_tree("qemu-half-cores-offline");
    assert_int_equal(machine.facts.threads, 5);
    assert_int_equal(machine.facts.cores, 3);
    assert_place(0, 0, 0, 0, 0);
    assert_place(2, 1, 0, 0, 0);
    assert_place(3, 1, 1, 0, 0);
    assert_place(6, 2, 0, 0, 1);
    assert_place(7, 2, 1, 0, 1);
}

/* hwloc 2.9 ends its process where there is a folder of nodes without a node. */
static void what_hwloc_refuses_ends_nothing(void **state)
{
    assert_true(tree_unpack(&tree, "no-sys"));
    assert_true(tree_put(&tree, "/sys/devices/system/cpu/cpu0/topology/package_cpus", "ff\n", 3));
    assert_true(tree_put(&tree, "/sys/devices/system/node/has_cpu", "0\n", 2));
    read_below_root();
    assert_true(machine.cpu_count > 0);
}

static void damaged_caches_are_left_out(void **state)
{
    read_tree("garbage");
    assert_int_equal(machine.cpu_count, 8);
    for (size_t i = 0; i < machine.facts.cache_count; i++) {
        assert_in_range(machine.facts.caches[i].size_bytes, 1024, 4096 * 1024);
        assert_in_range(machine.facts.caches[i].line_bytes, 0, 64);
    }
    assert_int_equal(cache_of_cpu(&machine.facts, 1, 0)->size_bytes, 32 * 1024);
    assert_int_equal(machine_line_bytes(&machine), 64);
}

static void a_machine_of_2048_cpus(void **state)
{
    read_synthetic("pack:8 [numa(memory=4294967296)] l3:2 l2:64 l1d:1 core:1 pu:2");
    assert_int_equal(machine.cpu_count, 2048);
    assert_int_equal(machine.facts.cores, 1024);
    assert_int_equal(machine.allowed.count, 2048);
    assert_place(2047, 1023, 1, 7, 7);
    assert_node(7, 7, "1792-2047", 4);
    assert_string_equal(machine_last_cache(&machine)->shared_cpus, "0-127");
    assert_int_equal(machine.memory_available_bytes, (uint64_t)32 << 30);
    assert_int_equal(machine_memory_budget(&machine), (uint64_t)16 << 30);
    assert_null(machine_cpu(&machine, 2048));
}

static void synthetic_cpus_may_be_numbered_anyhow(void **state)
{
    read_synthetic("pack:2 core:4 pu:2(indexes=core:pu)");
    for (int id = 0; id < 16; id++)
        assert_int_equal(machine.cpus[id].id, id);
    machine_free(&machine);
    /* More than the C library's sets hold, 1024; hwloc's time grows with the square. */
    const int cores = sample_each() == 1 ? 3000 : 1100;
    char many[32];
    snprintf(many, sizeof many, "core:%d pu:1", cores);
    read_synthetic(many);
    assert_int_equal(machine.facts.threads, cores);
    assert_int_equal(machine.cpus[cores - 1].core, cores - 1);
}

static const struct declared_objects *objects_of(const char *type)
{
    const struct declared_facts *declared = &machine.facts.declared;
    for (size_t i = 0; i < declared->object_count; i++)
        if (strcmp(declared->objects[i].type, type) == 0)
            return &declared->objects[i];
    return NULL;
}

static void objects_alike_are_one_entry(void **state)
{
    read_synthetic("pack:2 [numa(memory=1073741824)] l3:1(size=33554432) core:2 pu:2");
    const struct declared_objects *cores = objects_of("Core");
    assert_int_equal(cores->cpus_count, 4);
    assert_int_equal(cores->index_count, 4);
    assert_string_equal(cores->cpus[3], "6-7");
    assert_int_equal(cores->indexes[3], 3);
    assert_int_equal(objects_of("L3Cache")->cpus_count, 2);
    assert_int_equal(objects_of("L3Cache")->size_bytes, 33554432);
    assert_string_equal(objects_of("NUMANode")->cpus[1], "4-7");
    assert_int_equal(objects_of("PU")->cpus_count, 1);
    assert_string_equal(objects_of("PU")->cpus[0], "0-7");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(two_sockets_with_siblings_far_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_shared_cache_is_listed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(two_kinds_of_core, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cores_at_two_depths_are_counted_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_hwloc_refuses_ends_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_caches_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_machine_of_2048_cpus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(synthetic_cpus_may_be_numbered_anyhow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(objects_alike_are_one_entry, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
