/* What all CPUs of a machine share. */
#include "conclude/registry/shared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool is_shared(const struct machine_facts *machine, const char *name, const char *unit)
{
    const struct finding finding = {.name = name, .unit = unit};
    const struct finding_meaning meaning = finding_meaning(&finding);
    return finding_is_shared(machine, &meaning);
}

static void memory_and_the_way_to_it_are_shared(void **state)
{
    (void)state;
    const struct machine_facts machine = {.cores = 2, .threads = 2};
    static const struct {
        const char *name, *unit;
        bool shared;
    } cases[] = {{"L1.latency", "cycles", false},
                 {"L2.latency_ns", "ns", false},
                 {"L2.capacity", "B", false},
                 {"L3.latency", "cycles", true},
                 {"DRAM.latency", "cycles", true},
                 {"bandwidth.read.1", "B/s", true},
                 {"bandwidth.read.all", "B/s", true},
                 {"bandwidth.read.efficiency", "", true},
                 {"L1.bandwidth.read", "B/s", false},
                 {"L1.bandwidth.read.all", "B/s", true}, /* of all CPUs together */
                 {"stream.triad.1", "B/s", true},
                 {"stream.triad.all.best", "B/s", true},
                 {"loaded.knee", "B/s", true},
                 {"loaded.unloaded", "ns", true},
                 {"dtlb1.4K.entries", "", false},
                 {"gpu0.L2.latency", "cycles", false},
                 {"gpu0.DRAM.latency", "cycles", false},
                 {"bandwidth.read.1", "ns", false}, /* whatever that is */
                 {"DRAM.parallelism.rate", "B/s", true},
                 {"numa.latency.local", "ns", true},
                 {"nobody.knows", "ns", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (is_shared(&machine, cases[i].name, cases[i].unit) != cases[i].shared)
            fail_msg("%s", cases[i].name);
}

static bool is_of_all(const char *name, const char *unit)
{
    const struct finding finding = {.name = name, .unit = unit};
    const struct finding_meaning meaning = finding_meaning(&finding);
    return finding_is_of_all_cpus(&meaning);
}

static void what_all_cpus_get_together(void **state)
{
    (void)state;
    assert_true(is_of_all("bandwidth.read.all", "B/s"));
    assert_true(is_of_all("bandwidth.read.efficiency", ""));
    assert_true(is_of_all("L2.bandwidth.read.efficiency", ""));
    assert_true(is_of_all("stream.triad.all", "B/s"));
    assert_true(is_of_all("stream.triad.all.best", "B/s"));
    assert_true(is_of_all("parallelism.all.rate", "1/s"));
    assert_true(is_of_all("numa.bandwidth.remote", "B/s"));
    assert_false(is_of_all("stream.triad.1", "B/s"));
    assert_false(is_of_all("bandwidth.read.1", "B/s"));
    assert_false(is_of_all("gpu0.bandwidth.read", "B/s"));
    assert_false(is_of_all("nobody.knows", ""));
}

/* Four cores of a cluster with one second level; and two threads of a core, which are one core. */
static void a_second_level_of_several_cores_is_shared(void **state)
{
    (void)state;
    struct cache_facts caches[] = {{.level = 1, .size_bytes = 32 << 10, .shared_cpus = "0"},
                                   {.level = 2, .size_bytes = 2 << 20, .shared_cpus = "0-3"}};
    struct machine_facts machine = {.cores = 8, .threads = 8, .caches = caches, .cache_count = 2};
    assert_true(is_shared(&machine, "L2.latency", "cycles"));
    assert_false(is_shared(&machine, "L1.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 32 << 10);
    caches[0].shared_cpus = caches[1].shared_cpus = "0-1";
    machine.cores = 4;
    assert_false(is_shared(&machine, "L2.latency", "cycles"));
    assert_int_equal(own_cache_bytes(&machine), 2 << 20);
    machine.cores = 6; /* of two kinds: some have two threads */
    assert_false(is_shared(&machine, "L2.latency", "cycles"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_the_way_to_it_are_shared),
        cmocka_unit_test(what_all_cpus_get_together),
        cmocka_unit_test(a_second_level_of_several_cores_is_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
