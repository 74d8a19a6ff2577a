/* Limits of control groups at any place of the path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../machines/tree.h"
#include "machine/cgroup.h"

#include <math.h>

#define TOP "/sys/fs/cgroup"

static const uint64_t mib = 1 << 20;
static struct tree tree;
static struct pool pool;
static struct cgroup_limits limits;

static int set_up(void **state)
{
    limits = (struct cgroup_limits){0};
    return tree_new(&tree) ? 0 : -1;
}

static int tear_down(void **state)
{
    pool_free(&pool);
    tree_remove(&tree);
    return 0;
}

static void put(const char *path, const char *text)
{
    assert_true(tree_put_text(&tree, path, text));
}

static void use_v2(const char *group)
{
    char line[256];
    snprintf(line, sizeof line, "0::%s\n", group);
    put("/proc/self/cgroup", line);
    put("/proc/self/mountinfo", "22 1 8:1 / / rw - ext4 /dev/sda rw\n"
                                "30 23 0:26 / " TOP " rw,nosuid shared:4 - cgroup2 cgroup2 rw\n");
}

static void assert_unlimited(void)
{
    assert_true(limits.huge_bytes[CGROUP_HUGE_2M] == UINT64_MAX);
    assert_true(limits.huge_bytes[CGROUP_HUGE_1G] == UINT64_MAX);
    assert_true(limits.memory_bytes == UINT64_MAX);
    assert_true(isinf(limits.cpu_quota));
    assert_false(limits.cpus_known);
}

static void assert_cpus(const char *expected)
{
    char found[64];
    assert_true(limits.cpus_known);
    assert_string_equal(cpulist_format(&limits.cpus, found, sizeof found), expected);
}

static void no_files_are_no_limits(void **state)
{
    cgroup_read(&limits, &pool, tree.root);
    assert_unlimited();
    use_v2("/a/b");
    cgroup_read(&limits, &pool, tree.root);
    assert_unlimited();
}

static void the_smallest_limit_may_stand_in_the_middle(void **state)
{
    use_v2("/a/b/c");
    put(TOP "/a/memory.max", "1073741824\n");
    put(TOP "/a/b/memory.max", "209715200\n");
    put(TOP "/a/b/memory.current", "104857600\n");
    put(TOP "/a/b/c/memory.max", "536870912\n");
    put(TOP "/a/b/cpu.max", "50000 100000\n");
    put(TOP "/a/b/c/cpu.max", "max 100000\n");
    put(TOP "/a/cpu.max", "400000 100000\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_int_equal(limits.memory_bytes, 100 * mib);
    assert_true(limits.cpu_quota == 0.5);
}

static void memory_high_counts_and_full_is_nothing(void **state)
{
    use_v2("/a");
    put(TOP "/a/memory.max", "max\n");
    put(TOP "/a/memory.high", "2097152\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_int_equal(limits.memory_bytes, 2 * mib);
    put(TOP "/a/memory.current", "4194304\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_int_equal(limits.memory_bytes, 0);
}

static void reserved_huge_pages_have_limits_of_their_own(void **state)
{
    use_v2("/a/b");
    put(TOP "/a/hugetlb.2MB.max", "67108864\n");
    put(TOP "/a/hugetlb.2MB.current", "4194304\n");
    put(TOP "/a/b/hugetlb.2MB.max", "max\n");
    put(TOP "/a/b/hugetlb.1GB.max", "0\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_true(limits.huge_bytes[CGROUP_HUGE_2M] == 60 * mib);
    assert_true(limits.huge_bytes[CGROUP_HUGE_1G] == 0);
    assert_true(limits.memory_bytes == UINT64_MAX);
}

static void sets_of_cpus_are_narrowed_along_the_path(void **state)
{
    use_v2("/a/b");
    put(TOP "/cpuset.cpus.effective", "0-7\n");
    put(TOP "/a/cpuset.cpus.effective", "2-5\n");
    put(TOP "/a/b/cpuset.cpus.effective", "4-6\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_cpus("4-5");
}

static void version_1_has_a_mount_per_controller(void **state)
{
    put("/proc/self/cgroup", "12:cpuset:/job\n11:cpu,cpuacct:/job/step\n3:memory:/job\n"
                             "2:name=systemd:/x\n1:hugetlb:/job\n");
    put("/proc/self/mountinfo",
        "33 32 0:28 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
        "34 32 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "35 32 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "36 32 0:31 / /sys/fs/cgroup/hugetlb rw - cgroup cgroup rw,hugetlb\n");
    put(TOP "/hugetlb/job/hugetlb.2MB.limit_in_bytes", "8388608\n");
    put(TOP "/hugetlb/job/hugetlb.2MB.usage_in_bytes", "2097152\n");
    put(TOP "/cpu,cpuacct/job/cpu.cfs_quota_us", "250000\n");
    put(TOP "/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    put(TOP "/cpu,cpuacct/job/step/cpu.cfs_quota_us", "-1\n");
    put(TOP "/cpu,cpuacct/job/step/cpu.cfs_period_us", "100000\n");
    put(TOP "/cpuset/job/cpuset.cpus", "1,3\n");
    put(TOP "/memory/job/memory.limit_in_bytes", "4194304\n");
    put(TOP "/memory/job/memory.usage_in_bytes", "3145728\n");
    put(TOP "/memory/memory.limit_in_bytes", "9223372036854771712\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_true(limits.cpu_quota == 2.5);
    assert_cpus("1,3");
    assert_int_equal(limits.memory_bytes, mib);
    assert_int_equal(limits.huge_bytes[CGROUP_HUGE_2M], 6 * mib);
}

static void a_mount_may_begin_below_the_top(void **state)
{
    put("/proc/self/cgroup", "4:memory:/docker/id/inner\n");
    put("/proc/self/mountinfo",
        "35 32 0:30 /docker/id /sys/fs/cgroup/my\\040memory rw - cgroup cgroup rw,memory\n");
    put(TOP "/my memory/memory.limit_in_bytes", "4194304\n");
    put(TOP "/my memory/inner/memory.limit_in_bytes", "2097152\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_int_equal(limits.memory_bytes, 2 * mib);
}

static void limits_above_the_mount_are_known_to_version_1(void **state)
{
    put("/proc/self/cgroup", "4:memory:/elsewhere\n");
    put("/proc/self/mountinfo",
        "35 32 0:30 /docker/id /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    put(TOP "/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put(TOP "/memory/memory.stat", "hierarchical_memory_limit 1048576\n");
    cgroup_read(&limits, &pool, tree.root);
    assert_int_equal(limits.memory_bytes, mib);
}

static void garbage_limits_nothing(void **state)
{
    static const char *const groups[] = {
        "", "0", "0::", "::::", "0::relative", "0::/../../..", "x:y:z\n\n\n:"};
    static const char *const mounts[] = {"",
                                         " - ",
                                         " - cgroup2 x y",
                                         "1 2 3 4 5 - cgroup2 c rw",
                                         "1 2 3 / \\ - cgroup2 c rw",
                                         "1 2 3 / \\7 - cgroup2 c rw"};
    put("/memory.max", "x");
    put(TOP "/memory.max", "-1");
    put(TOP "/cpu.max", "0 0");
    put(TOP "/cpuset.cpus.effective", "7-3");
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        for (size_t j = 0; j < sizeof mounts / sizeof *mounts; j++) {
            put("/proc/self/cgroup", groups[i]);
            put("/proc/self/mountinfo", mounts[j]);
            cgroup_read(&limits, &pool, tree.root);
            assert_unlimited();
        }
    use_v2("/");
    cgroup_read(&limits, &pool, tree.root);
    assert_unlimited();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_files_are_no_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_smallest_limit_may_stand_in_the_middle, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(memory_high_counts_and_full_is_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reserved_huge_pages_have_limits_of_their_own, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(sets_of_cpus_are_narrowed_along_the_path, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(version_1_has_a_mount_per_controller, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_mount_may_begin_below_the_top, set_up, tear_down),
        cmocka_unit_test_setup_teardown(limits_above_the_mount_are_known_to_version_1, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(garbage_limits_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
