/* src/machine/os/windows/threads.c on a system of three groups of CPUs, as no machine here has it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <windows.h>

static const DWORD counts[] = {64, 64, 20};
static GROUP_AFFINITY of_thread;

static BOOL group_affinity(HANDLE thread, GROUP_AFFINITY *affinity)
{
    *affinity = of_thread;
    return TRUE;
}

static BOOL set_group_affinity(HANDLE thread, const GROUP_AFFINITY *wanted, GROUP_AFFINITY *before)
{
    of_thread = *wanted;
    return wanted->Mask != 0 && wanted->Group < sizeof counts / sizeof *counts;
}

/* The scheduler takes the last CPU that the thread may use. */
static void current_processor(PROCESSOR_NUMBER *here)
{
    *here = (PROCESSOR_NUMBER){.Group = of_thread.Group,
                               .Number = (BYTE)(63 - __builtin_clzll(of_thread.Mask))};
}

#define GetThreadGroupAffinity         group_affinity
#define SetThreadGroupAffinity         set_group_affinity
#define GetCurrentProcessorNumberEx    current_processor
#define GetActiveProcessorGroupCount() (sizeof counts / sizeof *counts)
#define GetActiveProcessorCount(group) (counts[group])
#include "machine/os/windows/threads.c"

static void assert_may_use(const char *expected)
{
    struct cpulist cpus;
    char text[64];
    assert_int_equal(os_affinity(&cpus, NULL), 0);
    assert_string_equal(cpulist_format(&cpus, text, sizeof text), expected);
    cpulist_free(&cpus);
}

static void a_whole_group_means_all_groups(void **state)
{
    of_thread = (GROUP_AFFINITY){.Mask = ~(KAFFINITY)0, .Group = 1};
    assert_may_use("0-147");
    of_thread = (GROUP_AFFINITY){.Mask = 0xfffff, .Group = 2};
    assert_may_use("0-147");
}

static void a_mask_of_some_cpus_is_kept(void **state)
{
    of_thread = (GROUP_AFFINITY){.Mask = 0x8000000000000005, .Group = 1};
    assert_may_use("64,66,127");
}

static void each_cpu_is_pinned_in_its_group(void **state)
{
    for (int cpu = 0; cpu < 148; cpu++) {
        assert_int_equal(os_pin_thread(cpu, NULL), 0);
        assert_int_equal(of_thread.Group, cpu / 64);
        assert_true(of_thread.Mask == (KAFFINITY)1 << cpu % 64);
    }
    assert_true(os_pin_thread(192, NULL) < 0);
}

static void a_thread_stays_in_the_group_of_its_first_cpu(void **state)
{
    int ids[] = {63, 64, 65, 130};
    assert_int_equal(os_set_affinity(&(struct cpulist){.ids = ids + 1, .count = 3}, NULL), 0);
    assert_int_equal(of_thread.Group, 1);
    assert_true(of_thread.Mask == 3);
    assert_int_equal(os_set_affinity(&(struct cpulist){.ids = ids, .count = 4}, NULL), 0);
    assert_int_equal(of_thread.Group, 0);
    assert_true(of_thread.Mask == (KAFFINITY)1 << 63);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_group_means_all_groups),
        cmocka_unit_test(a_mask_of_some_cpus_is_kept),
        cmocka_unit_test(each_cpu_is_pinned_in_its_group),
        cmocka_unit_test(a_thread_stays_in_the_group_of_its_first_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
