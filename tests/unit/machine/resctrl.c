/* The control group that this process is in, and what it may use. */
#include "machine/parts.h"

#include "recorded.h"

#include <math.h>

static void put(const char *path, const char *text)
{
    assert_true(tree_put_text(&tree, path, text));
}

/* An Intel machine of two CPUs with two caches, code and data apart, and a group that has the CPUs
 * `cpus`. */
static void read_with(const char *groups, const char *cpus)
{
    if (!*tree.root)
        assert_true(tree_new(&tree));
    machine_free(&machine);
    put("/proc/stat", "cpu 1\ncpu0 1\ncpu1 1\n");
    put("/proc/cpuinfo", "vendor_id\t: GenuineIntel\n");
    put("/sys/fs/resctrl/schemata", "    MB:0=100;1=100\nL3DATA:0=7ff;1=7ff\nL3CODE:0=7ff;1=7ff\n");
    put("/sys/fs/resctrl/info/L3DATA/cbm_mask", "7ff\n");
    put("/sys/fs/resctrl/batch/schemata", "MB:0= 30;1=100\nL3DATA:0=3;1=7ff\nL9:0=1\n");
    put("/sys/fs/resctrl/batch/cpus_list", cpus);
    put("/proc/self/cpu_resctrl_groups", groups);
    read_below_root();
}

static void a_group_has_its_shares(void **state)
{
    read_with("res:batch\nmon:/\n", "\n");
    const struct declared_facts *declared = &machine.facts.declared;
    assert_string_equal(declared->share_group, "batch");
    assert_int_equal(declared->share_count, 3); /* "= 30" is no number, and L9 no cache */
    assert_string_equal(declared->shares[0].resource, "MB");
    assert_int_equal(declared->shares[0].domain, 1);
    assert_true(declared->shares[0].percent == 100);
    assert_string_equal(declared->shares[1].resource, "L3DATA");
    assert_int_equal(declared->shares[1].ways, 2);
    assert_int_equal(declared->shares[1].of_ways, 11);
    assert_true(isnan(declared->shares[1].percent));
}

/* Tasks of the default group take on a CPU that CPU's group. */
static void a_group_of_all_cpus_is_the_process_s(void **state)
{
    read_with("res:/\nmon:/\n", "0-1\n");
    assert_string_equal(machine.facts.declared.share_group, "batch");
    read_with("res:/\nmon:/\n", "\n");
    assert_string_equal(machine.facts.declared.share_group, "/");
    assert_int_equal(machine.facts.declared.share_count, 6);
    read_with("res:/\nmon:/\n", "0\n"); /* some CPUs are in one, others in another */
    assert_null(machine.facts.declared.share_group);
    assert_int_equal(machine.facts.declared.share_count, 0);
}

static void without_resctrl_there_is_none(void **state)
{
    assert_true(tree_new(&tree));
    put("/proc/stat", "cpu 1\ncpu0 1\n");
    read_below_root();
    assert_null(machine.facts.declared.share_group);
}

static void no_name_leads_elsewhere(void **state)
{
    read_with("res:../../etc\nmon:/\n", "\n");
    assert_null(machine.facts.declared.share_group);
    read_with("res:..\nmon:/\n", "\n");
    assert_null(machine.facts.declared.share_group);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_group_has_its_shares, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_group_of_all_cpus_is_the_process_s, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_resctrl_there_is_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_name_leads_elsewhere, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
