#include "show/render/fleet/fleet.h"

#include "compare/fleet/nodes.h"

static void rename_node(struct fleet *fleet, size_t node, const char *name)
{
    fleet->nodes[node].name = name;
}

static void names_are_safe_and_their_own(void **state)
{
    static const char *const hosts[] = {"n017",     "a/b",  "a_b", "../../etc",    "", ".hidden",
                                        "a\" onx=", "a--0", "a/b", "rack-1.node_2"};
    enum { HOSTS = sizeof hosts / sizeof *hosts };
    struct fleet fleet = {.nodes = NULL};
    char names[HOSTS][FLEET_PAGE_NAME];
    add_nodes(&fleet, &ordinary, 0, HOSTS);
    for (size_t i = 0; i < HOSTS; i++) {
        rename_node(&fleet, i, hosts[i]);
        fleet_page_name(&fleet, i, names[i]);
        assert_int_equal(strspn(names[i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789._-"),
                         strlen(names[i]));
        assert_true(names[i][0] != '.');
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(names[i], names[j]);
    }
    assert_string_equal(names[0], "n017.html");
    assert_string_equal(names[9], "rack-1.node_2.html");
    fleet_free(&fleet);
}

static void odd_nodes_come_first(void **state)
{
    struct fleet fleet = {.nodes = NULL};
    struct node_plan slow = ordinary;
    size_t rows[FLEET_ROWS_MOST];
    slow.faults[0] = (struct node_fault){"DRAM.latency", 1.5};
    add_nodes(&fleet, &ordinary, 0, 400);
    add_nodes(&fleet, &slow, 777, 1);
    judge_fleet(&fleet);
    assert_int_equal(fleet_page_rows(&fleet, rows), FLEET_ROWS_MOST);
    assert_string_equal(fleet.nodes[rows[0]].name, "n777");
    assert_string_equal(fleet.nodes[rows[1]].name, "n000");
    assert_string_equal(fleet.nodes[rows[FLEET_ROWS_MOST - 1]].name, "n254");
    fleet_free(&fleet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_safe_and_their_own),
        cmocka_unit_test(odd_nodes_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
