#include "measure/probes/cores/topology_groups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Reads an hwloc synthetic description, keeps the CPUs of a list (NULL: all), and writes what is
 * declared as "siblings 0-1; node 0-3; ..." */
static void describe(const char *synthetic, const char *cpus, char *text, size_t size)
{
    static const char *const names[] = {[DECLARED_SIBLINGS] = "siblings",
                                        [DECLARED_CACHE] = "cache",
                                        [DECLARED_NODE] = "node",
                                        [DECLARED_PACKAGE] = "package",
                                        [DECLARED_CORES] = "cores"};
    struct machine machine = {0};
    struct declared declared;
    struct cpulist list = {0};
    struct pool pool = {0};
    struct error error;
    assert_int_equal(
        machine_read(&machine, &(struct machine_source){.synthetic = synthetic}, &error), 0);
    if (cpus)
        assert_int_equal(cpulist_parse(cpus, &list, &error), 0);
    assert_int_equal(declared_read(&declared, &machine, cpus ? &list : NULL, &pool, &error), 0);
    *text = '\0';
    for (size_t i = 0; i < declared.count; i++) {
        const struct declared_group *group = &declared.groups[i];
        char ids[128];
        size_t used = strlen(text);
        assert_true(group->name && *group->name);
        snprintf(text + used, size - used, "%s%s %s", i ? "; " : "", names[group->kind],
                 cpulist_format(&group->cpus, ids, sizeof ids));
    }
    cpulist_free(&list);
    pool_free(&pool);
    machine_free(&machine);
}

static void assert_declared(const char *synthetic, const char *cpus, const char *expected)
{
    char text[1024];
    describe(synthetic, cpus, text, sizeof text);
    assert_string_equal(text, expected);
}

static void threads_caches_packages_and_nodes(void **state)
{
    (void)state;
    assert_declared("pack:2 numa:1 l2:1 core:2 pu:2", NULL,
                    "siblings 0-1; siblings 2-3; siblings 4-5; siblings 6-7; package 0-3; "
                    "package 4-7; cache 0-3; cache 4-7; node 0-3; node 4-7");
}

static void only_chosen_cpus_count(void **state)
{
    (void)state;
    assert_declared(
        "pack:2 numa:1 l2:1 core:2 pu:2", "0,2-3,5,7",
        "siblings 2-3; package 0,2-3; package 5,7; cache 0,2-3; cache 5,7; node 0,2-3; node 5,7");
}

static void a_group_of_all_says_nothing(void **state)
{
    (void)state;
    assert_declared("pack:1 core:4 pu:1", NULL, "");
    assert_declared("pack:2 core:2 pu:1", "0-1", "");
}

static void labels_tell_core_thread_and_node(void **state)
{
    (void)state;
    struct machine machine = {0};
    struct pool pool = {0};
    struct error error;
    const struct machine_source two = {.synthetic = "pack:2 numa:1 core:1 pu:2"};
    assert_int_equal(machine_read(&machine, &two, &error), 0);
    assert_string_equal(declared_labels(&machine, &machine.allowed, &pool),
                        "0=c0.0n0 1=c0.1n0 2=c1.0n1 3=c1.1n1");
    machine_free(&machine);
    const struct machine_source plain = {.synthetic = "pack:1 core:3 pu:1"};
    machine = (struct machine){0};
    assert_int_equal(machine_read(&machine, &plain, &error), 0);
    assert_null(declared_labels(&machine, &machine.allowed, &pool));
    machine_free(&machine);
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_caches_packages_and_nodes),
        cmocka_unit_test(only_chosen_cpus_count),
        cmocka_unit_test(a_group_of_all_says_nothing),
        cmocka_unit_test(labels_tell_core_thread_and_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
