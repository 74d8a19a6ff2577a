/* Reading a machine: what is refused, what is live, and the questions that are asked of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../machines/tree.h"
#include "machine/machine.h"

#include "arch.h"

static struct machine machine;
static struct error error;

static int set_up(void **state)
{
    machine = (struct machine){0};
    error = (struct error){0};
    return 0;
}

static int tear_down(void **state)
{
    machine_free(&machine);
    return 0;
}

static void assert_refused(struct machine_source source, int code, const char *word)
{
    assert_int_equal(machine_read(&machine, &source, &error), code);
    assert_int_equal(error.code, code);
    assert_non_null(strstr(error.text, word));
    assert_null(machine.cpus);
    assert_null(machine.pool.blocks);
}

static void a_bad_source_is_refused_by_name(void **state)
{
    struct tree tree;
    char file[512];
    assert_true(tree_new(&tree));
    assert_true(tree_put_text(&tree, "/file", "x"));
    snprintf(file, sizeof file, "%s/file", tree.root);
    assert_refused((struct machine_source){.root = "/no/such/root"}, ERROR_USAGE, "/no/such/root");
    assert_refused((struct machine_source){.root = file}, ERROR_USAGE, file);
    assert_refused((struct machine_source){.root = ""}, ERROR_USAGE, "not a directory");
    assert_refused((struct machine_source){.root = tree.root}, ERROR_IMPOSSIBLE, tree.root);
    assert_refused((struct machine_source){.synthetic = "foo:2"}, ERROR_USAGE, "foo:2");
    assert_refused((struct machine_source){.synthetic = ""}, ERROR_USAGE, "pack:2 core:8 pu:2");
    tree_remove(&tree);
}

static void a_root_may_hold_nothing_but_a_list_of_cpus(void **state)
{
    static const char stat_file[] =
        "cpu  9 9 9\ncpu0 1 2\ncpu3 1 2\ncpu2 1 2\ncpu99999999 1\ncpuX 1\n"
        "intr 7\ncpu5 0\n";
    struct tree tree;
    char found[64];
    assert_true(tree_new(&tree));
    assert_true(tree_put_text(&tree, "/proc/stat", stat_file));
    struct machine_source source = {.root = tree.root};
    assert_int_equal(machine_read(&machine, &source, &error), 0);
    assert_string_equal(cpulist_format(&machine.allowed, found, sizeof found), "0,3,5");
    assert_false(machine.live);
    machine_free(&machine);
    tree_remove(&tree);

    assert_true(tree_new(&tree));
    assert_true(
        tree_put_text(&tree, "/proc/cpuinfo", "processor\t: 1\nx\t: y\n\nprocessor\t: 4\n"));
    source.root = tree.root;
    assert_int_equal(machine_read(&machine, &source, &error), 0);
    assert_string_equal(cpulist_format(&machine.allowed, found, sizeof found), "1,4");
    tree_remove(&tree);
}

static void this_machine_can_be_read(void **state)
{
    struct machine_source source = {NULL, NULL};
    if (machine_read(&machine, &source, &error) < 0)
        fail_msg("%s", error.text);
    assert_true(machine.live);
    assert_true(machine.cpu_count > 0);
    assert_int_equal(machine.facts.threads, machine.cpu_count);
    assert_true(machine.memory_available_bytes > 0);
    assert_true(machine.cpu_quota > 0);
    for (size_t i = 0; i < machine.allowed.count; i++)
        assert_non_null(machine_cpu(&machine, machine.allowed.ids[i]));
}

/* A root is read by changing hwloc's environment variables for a moment. */
static void the_environment_is_left_as_it_was(void **state)
{
    struct tree tree;
    assert_true(tree_unpack(&tree, "arm-altra-no-cpufreq"));
    setenv("HWLOC_XMLFILE", "/no/such/file", 1);
    setenv("HWLOC_SYNTHETIC", "core:3 pu:1", 1);
    unsetenv("HWLOC_FSROOT");
    struct machine_source source = {.root = tree.root};
    assert_int_equal(machine_read(&machine, &source, &error), 0);
    assert_int_equal(machine.facts.cores, 4);
    assert_string_equal(getenv("HWLOC_XMLFILE"), "/no/such/file");
    assert_string_equal(getenv("HWLOC_SYNTHETIC"), "core:3 pu:1");
    assert_null(getenv("HWLOC_FSROOT"));
    unsetenv("HWLOC_XMLFILE");
    unsetenv("HWLOC_SYNTHETIC");
    tree_remove(&tree);
}

static void another_machine_in_the_environment_is_not_live(void **state)
{
    setenv("HWLOC_SYNTHETIC", "core:3 pu:1", 1);
    struct machine_source source = {NULL, NULL};
    int result = machine_read(&machine, &source, &error);
    unsetenv("HWLOC_SYNTHETIC");
    assert_int_equal(result, 0);
    assert_false(machine.live);
    assert_int_equal(machine.cpu_count, 3);
    assert_int_equal(machine.allowed.count, 3);
}

static void caches_are_asked_for_by_level(void **state)
{
    struct machine_source source = {.synthetic = "pack:2 l3:1(size=8388608) l2:2(size=1048576) "
                                                 "l1d:1(size=32768) core:1 pu:2"};
    assert_int_equal(machine_read(&machine, &source, &error), 0);
    assert_int_equal(cache_of_cpu(&machine.facts, 1, 0)->size_bytes, 32768);
    assert_int_equal(cache_of_cpu(&machine.facts, 2, 0)->size_bytes, 1048576);
    assert_int_equal(cache_of_cpu(&machine.facts, 3, 0)->size_bytes, 8388608);
    assert_ptr_equal(machine_last_cache(&machine), cache_of_cpu(&machine.facts, 3, 0));
    assert_null(cache_of_cpu(&machine.facts, 4, 0));
}

static void places_are_in_the_order_of_the_list(void **state)
{
    struct machine_source source = {.synthetic = "core:3 pu:2"};
    const struct cpulist list = {(int[]){5, 99, 0}, 3};
    struct cpu_place places[3];
    assert_int_equal(machine_read(&machine, &source, &error), 0);
    machine_places(&machine, &list, places);
    assert_int_equal(places[0].id, 5);
    assert_int_equal(places[0].core, machine_cpu(&machine, 5)->core);
    assert_int_equal(places[0].sibling, machine_cpu(&machine, 5)->sibling);
    assert_int_equal(places[1].id, 99);
    assert_int_equal(places[2].id, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bad_source_is_refused_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_root_may_hold_nothing_but_a_list_of_cpus, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(this_machine_can_be_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_environment_is_left_as_it_was, set_up, tear_down),
        cmocka_unit_test_setup_teardown(another_machine_in_the_environment_is_not_live, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(caches_are_asked_for_by_level, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_are_in_the_order_of_the_list, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
