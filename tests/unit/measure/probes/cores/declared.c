#include "conclude/clusters/clusters.h"
#include "measure/probes/cores/cores.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What an hwloc synthetic description declares of the CPUs of a list (NULL: all), without the
 * names.
 */
static void assert_declared(const char *synthetic, const char *cpus, const char *expected)
{
    struct machine machine = {0};
    struct pool pool = {0};
    struct cpulist list = {0};
    struct declared declared;
    struct error error;
    char text[1024] = "";
    assert_int_equal(
        machine_read(&machine, &(struct machine_source){.synthetic = synthetic}, &error), 0);
    if (cpus)
        assert_int_equal(cpulist_read(cpus, &list, &pool, &error), 0);
    const struct cpulist *of = cpus ? &list : &machine.allowed;
    const char *said = cores_declared(&machine, of->ids, of->count, &pool);
    cores_declared_parse(&declared, said, &pool);
    for (size_t i = 0; i < declared.count; i++) {
        char ids[128];
        const size_t used = strlen(text);
        assert_true(*declared.groups[i].name);
        snprintf(text + used, sizeof text - used, "%s%d %s", i ? "; " : "", declared.groups[i].kind,
                 cpulist_format(&declared.groups[i].cpus, ids, sizeof ids));
    }
    assert_string_equal(text, expected);
    assert_int_equal(strcmp(said, "none") == 0, !*expected);
    pool_free(&pool);
    machine_free(&machine);
}

static void threads_caches_packages_and_nodes(void **state)
{
    assert_declared("pack:2 numa:1 l2:1 core:2 pu:2", NULL,
                    "0 0-1; 0 2-3; 0 4-5; 0 6-7; 3 0-3; "
                    "3 4-7; 1 0-3; 1 4-7; 2 0-3; 2 4-7");
}

static void only_chosen_cpus_count(void **state)
{
    assert_declared("pack:2 numa:1 l2:1 core:2 pu:2", "0,2-3,5,7",
                    "0 2-3; 3 0,2-3; 3 5,7; 1 0,2-3; 1 5,7; 2 0,2-3; 2 5,7");
}

static void a_group_of_all_says_nothing(void **state)
{
    assert_declared("pack:1 core:4 pu:1", NULL, "");
    assert_declared("pack:2 core:2 pu:1", "0-1", "");
}

static void labels_tell_core_thread_and_node(void **state)
{
    struct machine machine = {0};
    struct pool pool = {0};
    struct error error;
    const struct machine_source two = {.synthetic = "pack:2 numa:1 core:1 pu:2"};
    assert_int_equal(machine_read(&machine, &two, &error), 0);
    assert_string_equal(cores_labels(&machine, &machine.allowed, &pool),
                        "0=c0.0n0 1=c0.1n0 2=c1.0n1 3=c1.1n1");
    machine_free(&machine);
    const struct machine_source plain = {.synthetic = "pack:1 core:3 pu:1"};
    machine = (struct machine){0};
    assert_int_equal(machine_read(&machine, &plain, &error), 0);
    assert_null(cores_labels(&machine, &machine.allowed, &pool));
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
