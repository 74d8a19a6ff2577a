/* What would spoil a measurement, each with its remedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../../machines/tree.h"
#include "machine/clock.h"
#include "machine/conditions.h"

#include <math.h>

static struct tree tree;
static struct machine machine;
static struct conditions conditions;
static struct checks checks;
static struct pool pool;

static int set_up(void **state)
{
    tree = (struct tree){""};
    machine = (struct machine){0};
    conditions = (struct conditions){0};
    pool = (struct pool){0};
    return 0;
}

static int tear_down(void **state)
{
    machine_free(&machine);
    pool_free(&pool);
    if (*tree.root)
        tree_remove(&tree);
    return 0;
}

static void look(const struct machine_source *source)
{
    struct error error = {0};
    machine_free(&machine);
    if (machine_read(&machine, source, &error) < 0 ||
        conditions_read(&machine, source, &pool, &conditions, &checks, &error) < 0)
        fail_msg("%s", error.text);
    size_t remarks = 0;
    for (size_t i = 0; i < checks.count; i++) {
        const struct remark *remark = &checks.list[i].remark;
        const bool fine = checks.list[i].weight == REMARK_FINE;
        assert_non_null(remark->what);
        assert_true((remark->why == NULL) == fine);
        assert_true((remark->remedy == NULL) == fine);
        /* Each says one thing. */
        assert_true(fine || (!strstr(remark->what, ": ") && !strstr(remark->why, ": ") &&
                             !strstr(remark->remedy, ": ")));
        remarks += !fine && !checks.list[i].past;
    }
    assert_int_equal(conditions.remark_count, remarks);
}

static void look_again(void)
{
    struct machine_source source = {.root = tree.root};
    look(&source);
}

static void look_at(const char *name)
{
    assert_true(tree_unpack(&tree, name));
    look_again();
}

static const struct checked *find(const char *subject)
{
    for (size_t i = 0; i < checks.count; i++)
        if (strcmp(checks.list[i].subject, subject) == 0)
            return &checks.list[i];
    return NULL;
}

/* A part of what was found or of why it matters, and of the remedy. */
static void assert_remark(const char *subject, enum remark_weight weight, const char *part,
                          const char *remedy_part)
{
    const struct checked *checked = find(subject);
    if (!checked)
        fail_msg("no remark on %s", subject);
    const struct remark *remark = &checked->remark;
    assert_int_equal(checked->weight, weight);
    if (!strstr(remark->what, part) && !(remark->why && strstr(remark->why, part)))
        fail_msg("'%s' does not say '%s'", remark->what, part);
    if (remedy_part && (!remark->remedy || !strstr(remark->remedy, remedy_part)))
        fail_msg("'%s' does not say '%s'", remark->remedy ? remark->remedy : "", remedy_part);
}

static void put(const char *path, const char *text)
{
    assert_true(tree_put_text(&tree, path, text));
}

static void isolated_cpus_are_named(void **state)
{
    assert_true(tree_unpack(&tree, "container-cgroup-v2"));
    put("/sys/devices/system/cpu/isolated", "3-5,20\n"); /* 3 may be used, there is no 20 */
    look_again();
    assert_remark("affinity", REMARK_KNOW, "4-5 are isolated", "taskset -c 4-5");
    put("/sys/devices/system/cpu/isolated", "\n");
    look_again();
    assert_remark("affinity", REMARK_KNOW, "only 3 of 8 CPUs may be used (2-3,6)", "widen");
}

static void an_emulator_spoils_every_time(void **state)
{
    assert_true(tree_unpack(&tree, "no-sys"));
    assert_true(tree_put_text(&tree, "/proc/cpuinfo",
                              "processor : 0\nmodel name : QEMU TCG CPU version 2.5+\n"));
    look_again();
    assert_remark("virtual machine", REMARK_SPOILS, "emulated (QEMU TCG)", "KVM");
}

static void load_weighs_by_the_number_of_cpus(void **state)
{
    assert_true(tree_unpack(&tree, "intel-xeon-2socket-smt-16cpu"));
    put("/proc/loadavg", "1.50 0.1 0.1 2/300 99\n");
    look_again();
    assert_remark("load", REMARK_KNOW, "1.50 on 16 CPUs", "stop other work");
    put("/proc/loadavg", "7.00 0.1 0.1 2/300 99\n");
    look_again();
    assert_remark("load", REMARK_SPOILS, "7.00 on 16 CPUs", "stop other work");
}

static void switches_are_read_both_ways(void **state)
{
    assert_true(tree_unpack(&tree, "container-cgroup-v1"));
    look_again();
    assert_string_equal(conditions.turbo, "on");
    assert_remark("turbo", REMARK_KNOW, "on", "cpufreq/boost");
    put("/sys/devices/system/cpu/cpufreq/boost", "0\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n");
    put("/sys/kernel/mm/transparent_hugepage/defrag",
        "always defer defer+madvise madvise [never]\n");
    put("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "512\n");
    put("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "500\n");
    look_again();
    assert_string_equal(conditions.turbo, "off");
    assert_string_equal(conditions.thp, "always");
    assert_remark("huge pages", REMARK_KNOW, "not to be fragmented", "defrag");
    assert_remark("reserved pages", REMARK_FINE, "500 of 512", NULL);
}

/* A program knows only for trees of its own architecture what their lists should hold. */
static void the_kernel_may_speak_against_the_counter(void **state)
{
    const char *const source = ARCH_CLOCK_SOURCE;
    const char *const list = "/sys/devices/system/clocksource/clocksource0/available_clocksource";
    assert_true(tree_unpack(&tree, "intel-xeon-2socket-smt-16cpu"));
    put("/proc/sys/kernel/arch", ARCH_NAME "\n");
    look_again();
    assert_null(find("counter")); /* no list: no remark */
    put(list, "tsc hpet acpi_pm\n");
    look_again();
    assert_null(find("counter"));
    put(list, "hpet acpi_pm\n");
    look_again();
    if (source) {
        assert_remark("counter", REMARK_KNOW, "(" ARCH_COUNTER_NAME ")", "dmesg");
        assert_remark("counter", REMARK_KNOW, "one-way", "clocksource=");
    } else {
        assert_null(find("counter"));
    }
    put("/proc/sys/kernel/arch", "another\n");
    look_again();
    assert_null(find("counter"));
}

static void what_is_not_fine_is_kept_in_its_parts(void **state)
{
    look_at("intel-alderlake-laptop-12cpu");
    bool found = false;
    for (size_t i = 0; i < conditions.remark_count; i++) {
        const struct remark *remark = &conditions.remarks[i];
        if (strcmp(remark->what, "1024 MiB are swapped out") != 0)
            continue;
        found = true;
        assert_non_null(strstr(remark->why, "memory is short"));
        assert_string_equal(remark->remedy, "stop the programs that fill the memory, then swapoff "
                                            "-a and swapon -a");
    }
    assert_true(found);
}

static void a_synthetic_machine_has_no_conditions(void **state)
{
    struct machine_source source = {.synthetic = "pack:1 core:4 pu:2"};
    look(&source);
    assert_string_equal(conditions.affinity, "0-7");
    assert_string_equal(conditions.smt, "on");
    assert_null(conditions.governor);
    assert_null(conditions.thp);
    assert_true(isnan(conditions.load1));
    assert_null(find("load"));
    assert_null(find("virtual machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(isolated_cpus_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_emulator_spoils_every_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(load_weighs_by_the_number_of_cpus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(switches_are_read_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_kernel_may_speak_against_the_counter, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_fine_is_kept_in_its_parts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_synthetic_machine_has_no_conditions, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
