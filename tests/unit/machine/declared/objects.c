/* hwloc's tree as lists of objects. */
#include "machine/declared/objects.h"

#include "../recorded.h"

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
    (void)state;
    read_synthetic("pack:2 [numa(memory=1073741824)] l3:1(size=33554432) core:2 pu:2");
    const struct declared_objects *cores = objects_of("Core");
    assert_int_equal(cores->cpus_count, 4);
    assert_int_equal(cores->index_count, 4);
    assert_string_equal(cores->cpus[3], "6-7");
    assert_int_equal(cores->indexes[3], 3);
    const struct declared_objects *caches = objects_of("L3Cache");
    assert_int_equal(caches->cpus_count, 2);
    assert_int_equal(caches->size_bytes, 33554432);
    assert_int_equal(objects_of("NUMANode")->cpus_count, 2);
    assert_string_equal(objects_of("NUMANode")->cpus[1], "4-7");
    assert_int_equal(objects_of("PU")->cpus_count, 1);
    assert_string_equal(objects_of("PU")->cpus[0], "0-7");
    assert_null(objects_of("Machine"));
}

static void kinds_of_core_have_their_caches(void **state)
{
    (void)state;
    read_tree("intel-alderlake-laptop-12cpu");
    const struct declared_facts *declared = &machine.facts.declared;
    size_t first_level = 0;
    uint64_t bytes[2] = {0, 0};
    for (size_t i = 0; i < declared->object_count; i++)
        if (strcmp(declared->objects[i].type, "L1Cache") == 0 && first_level < 2)
            bytes[first_level++] = declared->objects[i].size_bytes;
    assert_int_equal(first_level, 2);
    assert_int_equal(bytes[0] + bytes[1], (48 + 32) * 1024);
    assert_int_equal(objects_of("Core")->cpus_count, 10);
}

static void a_machine_without_files_has_no_tree(void **state)
{
    (void)state;
    read_tree("no-sys");
    for (size_t i = 0; i < machine.facts.declared.object_count; i++)
        assert_true(machine.facts.declared.objects[i].cpus_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(objects_alike_are_one_entry, set_up, tear_down),
        cmocka_unit_test_setup_teardown(kinds_of_core_have_their_caches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_machine_without_files_has_no_tree, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
