#include "nodes.h"

static struct node_plan with_memory(double gib)
{
    struct node_plan plan = ordinary;
    plan.memory_gib = gib;
    return plan;
}

static void machines_are_distinguished(void **state)
{
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

/* More than the others have is no fault, but another product; half as much is one that lost it. */
static void another_product_stands_alone(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    const struct node_plan fat = with_memory(2048), half = with_memory(256);
    add_nodes(&fleet, &ordinary, 0, 20);
    add_nodes(&fleet, &fat, 20, 2);
    add_nodes(&fleet, &half, 22, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 1);
    assert_int_equal(fleet.judged, 21);
    assert_int_equal(node_named(&fleet, "n020")->state, NODE_ALONE);
    assert_string_equal(node_named(&fleet, "n022")->cause, "missing memory");
    fleet_free(&fleet);
}

static void older_firmware_is_judged_with_the_others(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan old = ordinary;
    old.bios = "0.9";
    add_nodes(&fleet, &ordinary, 0, 20);
    add_nodes(&fleet, &old, 20, 1);
    old.faults[0] = (struct node_fault){"L3.capacity", 0.5};
    add_nodes(&fleet, &old, 21, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 2);
    assert_int_equal(node_named(&fleet, "n020")->state, NODE_JUDGED);
    assert_string_equal(node_named(&fleet, "n020")->cause, "another setup");
    assert_non_null(
        strstr(node_named(&fleet, "n021")->reason, "Its BIOS is 0.9, most of its peers' is 1.2."));
    fleet_free(&fleet);
}

/* The first document's value counts as any other, and one that is shared is no fault. */
static void one_node_of_another_kernel_is_told(void **state)
{
    for (unsigned at = 0; at < 20; at += 19)
        for (unsigned others = 1; others <= PEERS_FEWEST; others += PEERS_FEWEST - 1) {
            struct fleet fleet = {.nodes = NULL};
            struct error error = {0};
            for (unsigned i = 0; i < 20; i++) {
                struct node_paper paper;
                const bool other = at ? i + others > at : i < others;
                node_document(&paper, &ordinary, i);
                paper.document.machine.kernel = other ? "6.18.2" : "6.12.1";
                assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
            }
            judge_fleet(&fleet);
            assert_int_equal(fleet.odd_count, others == 1 ? 1 : 0);
            if (others == 1) {
                assert_int_equal(fleet.odd[0], at);
                assert_string_equal(fleet.nodes[at].reason,
                                    "Its kernel is 6.18.2, most of its peers' is 6.12.1.");
            }
            fleet_free(&fleet);
        }
}

/* Each is compared with itself, whatever its peers do. */
static void a_node_that_became_slower_than_it_was_is_named(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan before = ordinary, now = ordinary, slower = ordinary;
    before.started = "2026-11-16T01:00:00Z";
    slower.faults[0] = (struct node_fault){"DRAM.latency_ns", 1.5};
    now.faults[0] = (struct node_fault){"DRAM.latency_ns", 0.6};
    add_nodes(&fleet, &slower, 0, 1);
    add_nodes(&fleet, &now, 1, 2);
    fleet.of_last_time = true;
    add_nodes(&fleet, &before, 0, 5);
    judge_fleet(&fleet); /* three nodes are too few to have peers */
    assert_int_equal(fleet.odd_count, 1);
    assert_int_equal(fleet.odd[0], 0);
    assert_string_equal(fleet.nodes[0].cause, "slower than before");
    assert_non_null(
        strstr(fleet.nodes[0].reason, "Since 2026-11-16T01:00:00Z its DRAM.latency_ns changed"));
    fleet_free(&fleet);
}

static void of_a_host_the_newest_counts(void **state)
{
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
        cmocka_unit_test(one_node_of_another_kernel_is_told),
        cmocka_unit_test(a_node_that_became_slower_than_it_was_is_named),
        cmocka_unit_test(of_a_host_the_newest_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
