#include "nodes.h"

/* What the fault is called in a fleet of 40. */
static void is_called(const char *cause, const char *word, const struct node_fault *faults,
                      size_t count)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan plan = ordinary;
    for (size_t i = 0; i < count; i++)
        plan.faults[i] = faults[i];
    add_nodes(&fleet, &ordinary, 0, 39);
    add_nodes(&fleet, &plan, 39, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 1);
    const struct fleet_node *node = &fleet.nodes[fleet.odd[0]];
    assert_string_equal(node->name, "n039");
    assert_string_equal(node->cause, cause);
    if (!strstr(node->reason, word))
        fail_msg("'%s' does not say '%s'", node->reason, word);
    fleet_free(&fleet);
}

static void a_channel(void **state)
{
    const struct node_fault faults[] = {{"bandwidth.read.all", 2.0 / 3}};
    is_called("a memory channel", "about 2/3 is left", faults, 1);
}

static void heat(void **state)
{
    const struct node_fault faults[] = {{"core.clock", 0.9}, {"L1.latency_ns", 1.11}};
    is_called("power or cooling", "10 %", faults, 2);
    is_called("power or cooling", "L1 takes longer by 11 %", faults + 1, 1);
}

static void a_partition(void **state)
{
    const struct node_fault faults[] = {{"L3.capacity", 0.5}};
    is_called("a partitioned or shared cache", "resctrl", faults, 1);
}

static void far_memory(void **state)
{
    const struct node_fault faults[] = {
        {"DRAM.latency", 1.6}, {"DRAM.latency_ns", 1.6}, {"bandwidth.read.all", 0.6}};
    is_called("memory of another NUMA node", "numactl", faults, 3);
}

static void slow_memory(void **state)
{
    const struct node_fault faults[] = {
        {"DRAM.latency", 1.15}, {"DRAM.latency_ns", 1.15}, {"bandwidth.read.all", 0.9}};
    is_called("slower memory", "another speed", faults, 3);
}

static void nothing_that_is_known(void **state)
{
    const struct node_fault faults[] = {{"bandwidth.read.all", 1.3}};
    is_called("no known pattern", "fathom diff", faults, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_channel),   cmocka_unit_test(heat),
        cmocka_unit_test(a_partition), cmocka_unit_test(far_memory),
        cmocka_unit_test(slow_memory), cmocka_unit_test(nothing_that_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
