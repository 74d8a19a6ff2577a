#include "nodes.h"

static struct node_plan with_memory(double gib)
{
    struct node_plan plan = ordinary;
    plan.memory_gib = gib;
    return plan;
}

static void machines_are_distinguished(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    struct node_plan other = ordinary, small = with_memory(128), old = ordinary;
    other.model = "Xeon";
    old.bios = "1.1";
    add_nodes(&fleet, &ordinary, 0, 6);
    add_nodes(&fleet, &other, 10, 6);
    add_nodes(&fleet, &small, 20, 6);
    add_nodes(&fleet, &old, 30, 6);
    judge_fleet(&fleet);
    assert_int_equal(fleet.group_count, 4);
    assert_int_equal(fleet.judged, 24);
    assert_int_equal(fleet.odd_count, 0);
    assert_int_not_equal(node_named(&fleet, "n000")->group, node_named(&fleet, "n010")->group);
    assert_int_not_equal(node_named(&fleet, "n000")->group, node_named(&fleet, "n020")->group);
    assert_int_not_equal(node_named(&fleet, "n000")->group, node_named(&fleet, "n030")->group);
    assert_int_equal(node_named(&fleet, "n000")->group, node_named(&fleet, "n005")->group);
    assert_string_equal(fleet.groups[node_named(&fleet, "n020")->group].name,
                        "AMD EPYC, 64 cores, 128 GiB, BIOS 1.2");
    fleet_free(&fleet);
}

/* What kernels keep of the memory is no other machine. */
static void some_pages_are_no_difference(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    for (unsigned i = 0; i < 10; i++) {
        const struct node_plan plan = with_memory(512 - 0.4 * i);
        add_nodes(&fleet, &plan, i, 1);
    }
    judge_fleet(&fleet);
    assert_int_equal(fleet.group_count, 1);
    assert_int_equal(fleet.odd_count, 0);
    fleet_free(&fleet);
}

static void a_lost_module_is_seen(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    const struct node_plan less = with_memory(448);
    add_nodes(&fleet, &ordinary, 0, 20);
    add_nodes(&fleet, &less, 20, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 1);
    const struct fleet_node *node = node_named(&fleet, "n020");
    assert_true(node->odd && node->lacks == 1u << FACT_MEMORY);
    assert_string_equal(node->cause, "missing memory");
    assert_non_null(strstr(node->reason, "448 GiB, they 512 GiB"));
    fleet_free(&fleet);
}

static void what_else_is_missing_is_seen(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    struct node_plan whole = ordinary, gpu = ordinary, core = ordinary;
    whole.gpus = 8;
    gpu.gpus = 7;
    core.gpus = 8;
    core.cores = 62;
    add_nodes(&fleet, &whole, 0, 20);
    add_nodes(&fleet, &gpu, 20, 1);
    add_nodes(&fleet, &core, 21, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 2);
    assert_string_equal(node_named(&fleet, "n020")->cause, "a missing GPU");
    assert_string_equal(node_named(&fleet, "n021")->cause, "missing cores");
    fleet_free(&fleet);
}

/* More than the others have is no fault, and half as much another product. */
static void another_product_stands_alone(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    const struct node_plan fat = with_memory(2048), half = with_memory(256);
    add_nodes(&fleet, &ordinary, 0, 20);
    add_nodes(&fleet, &fat, 20, 2);
    add_nodes(&fleet, &half, 22, 2);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 0);
    assert_int_equal(fleet.judged, 20);
    assert_int_equal(node_named(&fleet, "n020")->state, NODE_ALONE);
    assert_int_equal(node_named(&fleet, "n023")->state, NODE_ALONE);
    fleet_free(&fleet);
}

static void older_firmware_is_judged_with_the_others(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    struct node_plan old = ordinary;
    old.bios = "0.9";
    add_nodes(&fleet, &ordinary, 0, 20);
    add_nodes(&fleet, &old, 20, 1);
    old.faults[0] = (struct node_fault){"L3.capacity", 0.5};
    add_nodes(&fleet, &old, 21, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 1);
    assert_int_equal(node_named(&fleet, "n020")->state, NODE_JUDGED);
    assert_true(node_named(&fleet, "n020")->other_bios);
    assert_non_null(
        strstr(node_named(&fleet, "n021")->reason, "Its BIOS is 0.9, most of its peers' is 1.2."));
    fleet_free(&fleet);
}

static void of_a_host_the_newest_counts(void **state)
{
    (void)state;
    struct fleet fleet = {.nodes = NULL};
    struct node_plan newer = ordinary;
    newer.started = "2026-11-24T01:00:00Z";
    newer.faults[0] = (struct node_fault){"DRAM.latency_ns", 1.5};
    add_nodes(&fleet, &newer, 3, 1);
    add_nodes(&fleet, &ordinary, 0, 20);
    judge_fleet(&fleet);
    assert_int_equal(fleet.judged, 20);
    assert_int_equal(fleet.nodes[0].state, NODE_JUDGED);
    assert_int_equal(fleet.nodes[4].state, NODE_REPLACED);
    assert_int_equal(fleet.odd_count, 1);
    assert_int_equal(fleet.odd[0], 0);
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_are_distinguished),
        cmocka_unit_test(some_pages_are_no_difference),
        cmocka_unit_test(a_lost_module_is_seen),
        cmocka_unit_test(what_else_is_missing_is_seen),
        cmocka_unit_test(another_product_stands_alone),
        cmocka_unit_test(older_firmware_is_judged_with_the_others),
        cmocka_unit_test(of_a_host_the_newest_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
