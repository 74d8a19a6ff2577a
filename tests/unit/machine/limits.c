/* What may be used of recorded machines, by their files, and of this one, by its mask. */
#include "machine/parts.h"

#include "machine/os.h"
#include "recorded.h"

#include <math.h>

static void assert_limits(const char *cpus, uint64_t mib, double quota)
{
    char found[64];
    assert_string_equal(cpulist_format(&machine.allowed, found, sizeof found), cpus);
    assert_int_equal(machine.memory_available_bytes, mib << 20);
    assert_int_equal(machine_memory_budget(&machine), mib << 19);
    if (isinf(quota))
        assert_true(isinf(machine.cpu_quota));
    else
        assert_true(machine.cpu_quota == quota);
}

static void the_mask_alone_narrows_too(void **state)
{
    read_tree("intel-xeon-2socket-smt-16cpu");
    machine_free(&machine);
    assert_true(tree_put_text(&tree, "/proc/self/status", "Cpus_allowed_list:\t3,11-40\n"));
    struct machine_source source = {.root = tree.root};
    assert_int_equal(machine_read(&machine, &source, NULL), 0);
    assert_limits("3,11-15", 440 * 1024, INFINITY);
}

static void an_old_kernel_has_no_estimate_of_free_memory(void **state)
{
    assert_true(tree_new(&tree));
    assert_int_equal(limits_memory_free(tree.root), 0);
    assert_true(tree_put_text(&tree, "/proc/meminfo", "MemTotal: 8 kB\nMemFree: 3 kB\n"));
    assert_int_equal(limits_memory_free(tree.root), 3 * 1024);
    assert_true(tree_put_text(&tree, "/proc/meminfo", "MemTotal: 8 kB\nMemAvailable: 9 kB\n"));
    assert_int_equal(limits_memory_free(tree.root), 8 * 1024);
}

/* Unknown is not zero: a machine that says nothing about its memory can still be measured. */
static void memory_that_is_unknown_is_not_none(void **state)
{
    read_tree("no-sys");
    machine_free(&machine);
    assert_true(tree_put_text(&tree, "/proc/meminfo", ""));
    struct machine_source source = {.root = tree.root};
    assert_int_equal(machine_read(&machine, &source, NULL), 0);
    assert_int_equal(machine.facts.memory_bytes, 0);
    assert_int_equal(machine_memory_budget(&machine), (uint64_t)512 << 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_mask_alone_narrows_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_old_kernel_has_no_estimate_of_free_memory, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(memory_that_is_unknown_is_not_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
