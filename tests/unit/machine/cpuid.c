/* Caches by CPUID: leaves of real processors, and this one's beside what its system says. */
#include "machine/os.h"
#include "machine/parts.h"

#include "arch.h"
#include "recorded.h"

#include <stdlib.h>
#include <string.h>

static int set_up_cpus(void **state)
{
    set_up(state);
    read_synthetic("pack:1 core:16 pu:1");
    assert_int_equal(machine.facts.cache_count, 0);
    return 0;
}

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

/* Leaf 4 of a Xeon Platinum 8480+ with two threads a core: 105 MiB in 114688 sets of 15 ways. */
static void an_intel_server(void **state)
{
    struct cpuid_leaves cpus[4];
    for (int i = 0; i < 4; i++)
        cpus[i] = (struct cpuid_leaves){.cpu = i,
                                        .apic = (uint32_t)(i / 2 + i % 2 * 128),
                                        .caches = {{0xfc004121, 0x02c0003f, 0x3f, 0},
                                                   {0xfc004122, 0x01c0003f, 0x3f, 0},
                                                   {0xfc004143, 0x03c0003f, 0x7ff, 0},
                                                   {0xfc1fc163, 0x0380003f, 0x1bfff, 4}}};
    cpuid_add_caches(&machine, cpus, 4);
    assert_int_equal(machine.facts.cache_count, 4);
    assert_cache(0, 1, "data", 48, 12, "0,2");
    assert_cache(1, 1, "instruction", 32, 8, "0,2");
    assert_cache(2, 2, "unified", 2048, 16, "0,2");
    assert_cache(3, 3, "unified", 105 * 1024, 15, "0,2");
    assert_string_equal(machine.facts.caches_by, "CPUID");
    assert_int_equal(machine.cache_count, 2 * 4); /* those of both sockets */
    assert_int_equal(machine.caches[7].level, 3);
    assert_int_equal(machine.caches[7].cpus.ids[0], 1);
    assert_int_equal(machine.caches[7].cpus.ids[1], 3);
}

/* Leaves of an Alder Lake: two threads of a P core, and a cluster of four E cores with one L2. */
static void two_kinds_of_core(void **state)
{
    struct cpuid_leaves cpus[6];
    for (int i = 0; i < 2; i++)
        cpus[i] = (struct cpuid_leaves){.cpu = i,
                                        .apic = (uint32_t)i,
                                        .caches = {{0xfc004121, 0x02c0003f, 0x3f, 0},
                                                   {0xfc004122, 0x01c0003f, 0x3f, 0},
                                                   {0xfc01c143, 0x0240003f, 0x7ff, 0},
                                                   {0xfc1fc163, 0x0240003f, 0x9fff, 4}}};
    for (int i = 2; i < 6; i++)
        cpus[i] = (struct cpuid_leaves){.cpu = i,
                                        .apic = 0x48 + 2 * (uint32_t)(i - 2),
                                        .caches = {{0xfc004121, 0x01c0003f, 0x3f, 0},
                                                   {0xfc004122, 0x01c0003f, 0x7f, 0},
                                                   {0xfc01c143, 0x03c0003f, 0x7ff, 0},
                                                   {0xfc1fc163, 0x0240003f, 0x9fff, 4}}};
    cpuid_add_caches(&machine, cpus, 6);
    assert_int_equal(machine.facts.cache_count, 7);
    assert_cache(0, 1, "data", 48, 12, "0-1");
    assert_cache(1, 1, "data", 32, 8, "2");
    assert_cache(4, 2, "unified", 2048, 16, "2-5");
    assert_cache(5, 2, "unified", 1280, 10, "0-1");
    assert_cache(6, 3, "unified", 25 * 1024, 10, "0-5");
}

/* Leaf 8000_001D of an EPYC of the fifth generation in a guest of two CPUs. */
static void an_amd_guest(void **state)
{
    struct cpuid_leaves cpus[2];
    for (int i = 0; i < 2; i++)
        cpus[i] = (struct cpuid_leaves){.cpu = 4 * i,
                                        .apic = (uint32_t)i,
                                        .caches = {{0x121, 0x02c0003f, 0x3f, 0},
                                                   {0x122, 0x01c0003f, 0x3f, 0},
                                                   {0x143, 0x03c0003f, 0x3ff, 2},
                                                   {0x4163, 0x03c0003f, 0x7fff, 1}}};
    cpuid_add_caches(&machine, cpus, 2);
    assert_int_equal(machine.facts.cache_count, 4);
    assert_cache(0, 1, "data", 48, 12, "0");
    assert_cache(2, 2, "unified", 1024, 16, "0");
    assert_cache(3, 3, "unified", 32 * 1024, 16, "0,4");
    assert_int_equal(machine.cache_count, 1);
    const struct declared_facts *declared = &machine.facts.declared;
    const struct declared_objects *last = &declared->objects[declared->object_count - 1];
    assert_string_equal(last->type, "L3Cache");
    assert_string_equal(last->cpus[0], "0,4");
}

static void partitions_count_and_garbage_does_not(void **state)
{
    const struct cpuid_leaves cpu = {.cpu = 3,
                                     .caches = {{0x21, 0x01c0103f, 0x3f, 0}, /* 2 partitions */
                                                {0x44, 0x01c0003f, 0x3f, 0}, /* no such type */
                                                {0xffffffe3, 0xffffffff, 0xffffffff, 0}}};
    cpuid_add_caches(&machine, &cpu, 1);
    assert_int_equal(machine.facts.cache_count, 1);
    assert_cache(0, 1, "data", 64, 8, "3");
}

static bool lists(const struct machine_facts *facts, const struct cache_facts *cache)
{
    for (size_t i = 0; i < facts->cache_count; i++) {
        const struct cache_facts *known = &facts->caches[i];
        if (known->level == cache->level && strcmp(known->type, cache->type) == 0 &&
            known->size_bytes == cache->size_bytes && known->ways == cache->ways &&
            known->line_bytes == cache->line_bytes)
            return true;
    }
    return false;
}

/* hwloc is told of one CPU and no cache, as if the system had no folder of them. Without CPUID, or
 * a port that can pin threads, nothing is declared. */
static void this_machine_says_the_same_in_both_ways(void **state)
{
    const struct machine_source source = {0};
    struct machine by_files = {0};
    struct cpulist mask = {0};
    uint32_t registers[4];
    const bool read = machine_read(&by_files, &source, NULL) == 0;
    setenv("HWLOC_SYNTHETIC", "core:1 pu:1", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    const bool bare = machine_read(&machine, &source, NULL) == 0;
    unsetenv("HWLOC_SYNTHETIC");
    unsetenv("HWLOC_THISSYSTEM");
    const bool askable = os_affinity(&mask, NULL) == 0 && arch_cpuid(0, 0, registers);
    cpulist_free(&mask);
    const bool declared = read && by_files.facts.cache_count && !by_files.facts.caches_by;
    for (size_t i = 0; bare && askable && declared && i < machine.facts.cache_count; i++)
        assert_true(lists(&by_files.facts, &machine.facts.caches[i]));
    machine_free(&by_files);
    if (!bare)
        skip(); /* CPU 0 may not be used */
    if (!askable)
        assert_int_equal(machine.facts.cache_count, 0);
    else if (declared && machine.facts.cache_count == 0)
        skip(); /* an older AMD processor, whose kernel knows its caches from other leaves */
    assert_int_equal(machine.facts.caches_by != NULL, machine.facts.cache_count > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_intel_server, set_up_cpus, tear_down),
        cmocka_unit_test_setup_teardown(two_kinds_of_core, set_up_cpus, tear_down),
        cmocka_unit_test_setup_teardown(an_amd_guest, set_up_cpus, tear_down),
        cmocka_unit_test_setup_teardown(partitions_count_and_garbage_does_not, set_up_cpus,
                                        tear_down),
        cmocka_unit_test_setup_teardown(this_machine_says_the_same_in_both_ways, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
