/* Declared distances between nodes, on recorded, composed and synthetic machines. */
#include "machine/parts.h"

#include "recorded.h"

static void distances_are_those_of_the_files(void **state)
{
    assert_true(tree_unpack(&tree, "intel-xeon-2socket-smt-16cpu"));
    read_below_root();
    static const unsigned wanted[3][3] = {{10, 21, 17}, {21, 10, 28}, {17, 28, 10}};
    assert_int_equal(machine.facts.node_count, 3);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            assert_int_equal(machine.nodes[i].distances[j], wanted[i][j]);
        assert_true(machine.nodes[i].allowed);
        assert_true(machine.nodes[i].free_bytes == machine.facts.nodes[i].memory_bytes);
    }
}

static void what_is_free_is_known(void **state)
{
    assert_true(tree_unpack(&tree, "amd-epyc-milan-kvm-2cpu"));
    read_below_root();
    assert_int_equal(machine.facts.node_count, 1);
    assert_int_equal(machine.nodes[0].distances[0], 10);
    assert_true(machine.nodes[0].free_bytes == UINT64_C(3926824) * 1024);
}

/* Lines that are about other nodes, or about nothing, declare nothing. */
static void damaged_lines_are_unknown(void **state)
{
    static const char *const lines[] = {"10 21\n", "10 21 17 28\n", "10 x 17\n", "", "-5 21 17"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        assert_true(tree_unpack(&tree, "intel-xeon-2socket-smt-16cpu"));
        assert_true(tree_put_text(&tree, "/sys/devices/system/node/node0/distance", lines[i]));
        read_below_root();
        for (int j = 0; j < 3; j++)
            assert_true(machine.nodes[0].distances[j] == 0 || machine.nodes[0].distances[j] < 255);
        if (i < 4)
            assert_int_equal(machine.nodes[0].distances[1], 0);
        assert_int_equal(machine.nodes[1].distances[0], 21);
        machine_free(&machine);
        tree_remove(&tree);
        tree = (struct tree){""};
    }
}

static void synthetic_nodes_declare_nothing(void **state)
{
    read_synthetic("pack:4 [numa(memory=1073741824)] core:2 pu:1");
    assert_int_equal(machine.facts.node_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(machine.nodes[i].distances[3 - i], 0);
        assert_true(machine.nodes[i].allowed);
        assert_true(machine.nodes[i].free_bytes == UINT64_C(1) << 30);
    }
}

static void without_nodes_there_is_nothing(void **state)
{
    assert_true(tree_unpack(&tree, "no-sys"));
    read_below_root();
    assert_int_equal(machine.facts.node_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(distances_are_those_of_the_files, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_free_is_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_lines_are_unknown, set_up, tear_down),
        cmocka_unit_test_setup_teardown(synthetic_nodes_declare_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_nodes_there_is_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
