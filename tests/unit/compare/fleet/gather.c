#include "nodes.h"

static void documents_may_go(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    assert_int_equal(fleet_add(&fleet, node_document(&paper, &ordinary, 7), &error), 0);
    memset(&paper, 'x', sizeof paper);
    assert_int_equal(fleet.node_count, 1);
    assert_string_equal(fleet.nodes[0].name, "n007");
    assert_string_equal(fleet.nodes[0].file, "runs/n007.json");
    assert_int_equal(fleet.finding_count, NODE_FINDINGS);
    assert_string_equal(fleet.findings[3].like.name, "DRAM.latency");
    assert_string_equal(fleet.findings[3].like.unit, "cycles");
    assert_true(fabs(fleet.findings[3].values[0].value / 400 - 1) < 0.1);
    assert_string_equal(fleet.kinds[0].facts.machine.cpu_model, "AMD EPYC");
    fleet_free(&fleet);
}

static void one_finding_of_many_nodes_is_one(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    add_nodes(&fleet, &ordinary, 0, 300);
    assert_int_equal(fleet.finding_count, NODE_FINDINGS);
    assert_int_equal(fleet.kind_count, 1);
    for (size_t f = 0; f < NODE_FINDINGS; f++)
        assert_int_equal(fleet.findings[f].count, 300);
    fleet_free(&fleet);
}

/* Another experiment is another finding, and another unit too. */
static void experiments_are_kept_apart(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    struct factor forward = {"order", "forward", NAN};
    for (unsigned i = 0; i < 3; i++) {
        node_document(&paper, &ordinary, i);
        if (i == 1) {
            paper.findings[3].factors = &forward;
            paper.findings[3].factor_count = paper.findings[3].deviations = 1;
        }
        if (i == 2)
            paper.findings[3].unit = "ns";
        assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    }
    assert_int_equal(fleet.finding_count, NODE_FINDINGS + 2);
    assert_int_equal(fleet.findings[3].count, 1);
    assert_string_equal(fleet.findings[NODE_FINDINGS].like.factors[0].text, "forward");
    fleet_free(&fleet);
}

static void names_come_from_hosts_or_files(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    node_document(&paper, &ordinary, 4);
    paper.document.machine.hostname = NULL;
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    paper.document.file = "odd.txt";
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    assert_string_equal(fleet.nodes[0].name, "n004");
    assert_string_equal(fleet.nodes[1].name, "odd.txt");
    fleet_free(&fleet);
}

/* A document without a value is a hole with its name, and no node. */
static void what_holds_nothing_is_a_hole(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    node_document(&paper, &ordinary, 4);
    paper.document.probe_count = 0;
    assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    assert_int_equal(fleet.node_count, 0);
    assert_int_equal(fleet.hole_count, 1);
    assert_string_equal(fleet.holes[0].name, "runs/n004.json");
    fleet_free(&fleet);
}

/* One node lacks the second of three caches and numbers the third as its second; its way strides
 * are of three, so that two of them come to have one name. */
static void levels_that_get_other_numbers_leave_a_node_one_value(void **state)
{
    static const struct finding of_three[] = {{.name = "L1.capacity", .unit = "B", .value = 32e3},
                                              {.name = "L1.latency_ns", .unit = "ns", .value = 1},
                                              {.name = "L2.capacity", .unit = "B", .value = 1e6},
                                              {.name = "L2.latency_ns", .unit = "ns", .value = 4},
                                              {.name = "L3.capacity", .unit = "B", .value = 32e6},
                                              {.name = "L3.latency_ns", .unit = "ns", .value = 20}},
                                strides[] = {{.name = "L1.way_stride", .unit = "B", .value = 4e3},
                                             {.name = "L2.way_stride", .unit = "B", .value = 65e3},
                                             {.name = "L3.way_stride", .unit = "B", .value = 65e3}};
    struct fleet fleet = {.nodes = NULL};
    struct node_paper paper;
    struct error error = {0};
    for (unsigned i = 0; i < 6; i++) {
        struct finding levels[6];
        node_document(&paper, &ordinary, i);
        memcpy(levels, of_three, sizeof levels);
        if (i == 0) {
            levels[2].value = levels[4].value;
            levels[3].value = levels[5].value;
        }
        paper.probes[0].findings = levels;
        paper.probes[0].finding_count = i ? 6 : 4;
        paper.probes[1] = (struct probe_result){
            .name = "geometry", .findings = (struct finding *)strides, .finding_count = 3};
        assert_int_equal(fleet_add(&fleet, &paper.document, &error), 0);
    }
    judge_fleet(&fleet);
    for (size_t f = 0; f < fleet.finding_count; f++)
        for (size_t i = 0; i < fleet.findings[f].count; i++)
            for (size_t k = 0; k < i; k++)
                assert_true(fleet.findings[f].values[i].node != fleet.findings[f].values[k].node);
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_may_go),
        cmocka_unit_test(one_finding_of_many_nodes_is_one),
        cmocka_unit_test(experiments_are_kept_apart),
        cmocka_unit_test(names_come_from_hosts_or_files),
        cmocka_unit_test(what_holds_nothing_is_a_hole),
        cmocka_unit_test(levels_that_get_other_numbers_leave_a_node_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
