#include "machine/interruptions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "../../machines/tree.h"

static const char interrupts[] =
    "           CPU0       CPU2       CPU7       \n"
    " 24:          1         20        300  IO-APIC   5-edge      ACPI:Ged\n"
    " 36:          0    3617537          7 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0\n"
    "LOC:        100        200        300   Local timer interrupts\n"
    "ERR:          4\n";
static const char softirqs[] = "                    CPU0       CPU2       CPU7\n"
                               "       TIMER:         11         12         13\n";

static void set_up(struct tree *tree, const char *first, const char *second)
{
    assert_true(tree_new(tree));
    if (first)
        assert_true(tree_put_text(tree, "/proc/interrupts", first));
    if (second)
        assert_true(tree_put_text(tree, "/proc/softirqs", second));
}

static void counts_are_those_of_the_cpus_asked_for(void **state)
{
    struct tree tree;
    struct pool pool = {0};
    int ids[] = {7, 2};
    const struct cpulist cpus = {ids, 2};
    struct interruptions read;
    set_up(&tree, interrupts, softirqs);
    assert_int_equal(interruptions_read(&read, tree.root, &cpus, &pool, NULL), 0);
    assert_int_equal(read.interrupts.count, 4);
    const struct interruption_source *list = read.interrupts.list;
    assert_string_equal(list[0].name, "ACPI:Ged");
    assert_int_equal(list[0].counts[0], 300);
    assert_int_equal(list[0].counts[1], 20);
    assert_string_equal(list[1].name, "virtio1-req.0");
    assert_int_equal(list[1].counts[1], 3617537);
    assert_string_equal(list[2].name, "LOC");
    assert_string_equal(list[2].says, "Local timer interrupts");
    assert_int_equal(list[2].counts[0], 300);
    assert_string_equal(list[3].name, "ERR"); /* the machine's, of no CPU that was asked for */
    assert_int_equal(list[3].counts[0] + list[3].counts[1], 0);
    assert_int_equal(read.softirqs.count, 1);
    assert_string_equal(read.softirqs.list[0].name, "TIMER");
    assert_int_equal(read.softirqs.list[0].counts[0], 13);
    pool_free(&pool);
    tree_remove(&tree);
}

static void a_system_that_does_not_tell_has_no_sources(void **state)
{
    static const char *const garbage[] = {NULL,
                                          "",
                                          "\n",
                                          "nothing of that kind\n",
                                          "CPU\n1: 2",
                                          "  CPU0 CPUx\n",
                                          "CPU99999999999999999999\nx",
                                          ":\n:\n:"};
    int id = 0;
    const struct cpulist cpus = {&id, 1};
    for (size_t i = 0; i < sizeof garbage / sizeof *garbage; i++) {
        struct tree tree;
        struct pool pool = {0};
        struct interruptions read;
        set_up(&tree, garbage[i], garbage[i]);
        assert_int_equal(interruptions_read(&read, tree.root, &cpus, &pool, NULL), 0);
        for (size_t s = 0; s < read.interrupts.count; s++)
            assert_int_equal(read.interrupts.list[s].counts[0], 0);
        pool_free(&pool);
        tree_remove(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_cpus_asked_for),
        cmocka_unit_test(a_system_that_does_not_tell_has_no_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
