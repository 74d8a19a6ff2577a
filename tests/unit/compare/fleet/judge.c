#include "nodes.h"

static void like_nodes_are_alike(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    add_nodes(&fleet, &ordinary, 0, 100);
    judge_fleet(&fleet);
    assert_int_equal(fleet.judged, 100);
    assert_int_equal(fleet.compared, 100 * NODE_FINDINGS);
    assert_int_equal(fleet.odd_count, 0);
    fleet_free(&fleet);
}

static void the_odd_one_is_named_with_its_value(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"bandwidth.read.all", 2.0 / 3};
    add_nodes(&fleet, &ordinary, 0, 9);
    add_nodes(&fleet, &slow, 9, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 1);
    const struct fleet_node *node = &fleet.nodes[fleet.odd[0]];
    assert_string_equal(node->name, "n009");
    assert_string_equal(node->leading->like.name, "bandwidth.read.all");
    assert_true(fabs(node->leads->ratio + 1.0 / 3) < 0.05);
    assert_true(node->leads->distance < -5);
    fleet_free(&fleet);
}

/* What is less than matters to anybody is not named, however sure it is. */
static void small_differences_are_not_reported(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan slow = ordinary;
    slow.faults[0] = (struct node_fault){"L1.latency", 1.02};
    add_nodes(&fleet, &ordinary, 0, 50);
    add_nodes(&fleet, &slow, 50, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 0);
    fleet_free(&fleet);
}

static void a_doubtful_value_accuses_nobody(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    add_nodes(&fleet, &ordinary, 0, 20);
    node_document(&paper, &ordinary, 20);
    paper.findings[3].value *= 1.5;
    paper.findings[3].low = 300;
    paper.findings[3].high = 900;
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 0);
    fleet_free(&fleet);
}

static void those_farthest_away_come_first(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan some = ordinary, more = ordinary, less = ordinary;
    some.faults[0] = (struct node_fault){"DRAM.latency", 1.2};
    more.faults[0] = (struct node_fault){"DRAM.latency", 1.6};
    less.memory_gib = 448;
    add_nodes(&fleet, &ordinary, 0, 30);
    add_nodes(&fleet, &some, 30, 1);
    add_nodes(&fleet, &more, 31, 1);
    add_nodes(&fleet, &less, 32, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 3);
    assert_string_equal(fleet.nodes[fleet.odd[0]].name, "n032");
    assert_string_equal(fleet.nodes[fleet.odd[1]].name, "n031");
    assert_string_equal(fleet.nodes[fleet.odd[2]].name, "n030");
    fleet_free(&fleet);
}

/* Trials that voted tell one node of many; one whose trials allow for both tells nothing. */
static void one_node_of_half_the_ways_is_named(void **state)
{
    for (unsigned nodes = 20; nodes <= 500; nodes += 480) {
        struct fleet fleet = {.nodes = NULL};
        struct error error = {0};
        for (unsigned i = 0; i < nodes; i++) {
            struct node_paper paper;
            node_document(&paper, &ordinary, i);
            const double ways = i == 7 || i == 8 ? 6 : 12;
            paper.findings[3] = (struct finding){.name = "L1.ways",
                                                 .unit = "",
                                                 .value = ways,
                                                 .low = ways,
                                                 .high = i == 8 ? 12 : ways,
                                                 .declared = NAN};
            assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
        }
        judge_fleet(&fleet);
        assert_int_equal(fleet.odd_count, 1);
        assert_int_equal(fleet.odd[0], 7);
        assert_string_equal(fleet.nodes[7].leading->like.name, "L1.ways");
        fleet_free(&fleet);
    }
}

static void values_that_are_zero_are_borne(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    for (unsigned i = 0; i < 12; i++) {
        node_document(&paper, &ordinary, i);
        paper.findings[3].value = i == 4 ? -1 : 0;
        paper.findings[3].low = paper.findings[3].high = NAN;
        assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    }
    judge_fleet(&fleet);
    assert_int_equal(fleet.odd_count, 0);
    fleet_free(&fleet);
}

static void few_nodes_are_refused(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct error error = {0};
    assert_int_equal(fleet_judge(&fleet, &usual_rules, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "there is no document"));
    fleet_free(&fleet);
    add_nodes(&fleet, &ordinary, 0, PEERS_FEWEST - 1);
    assert_int_equal(fleet_judge(&fleet, &usual_rules, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "no 5 nodes are alike (4 documents of 4 nodes in 1 group"));
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_nodes_are_alike),
        cmocka_unit_test(the_odd_one_is_named_with_its_value),
        cmocka_unit_test(small_differences_are_not_reported),
        cmocka_unit_test(a_doubtful_value_accuses_nobody),
        cmocka_unit_test(those_farthest_away_come_first),
        cmocka_unit_test(one_node_of_half_the_ways_is_named),
        cmocka_unit_test(values_that_are_zero_are_borne),
        cmocka_unit_test(few_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
