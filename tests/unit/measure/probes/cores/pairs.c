#include "support.h"

extern const struct probe cores_probe;

static const char *not_measured(const struct bench *bench)
{
    for (size_t i = 0; i < bench->result.parameter_count; i++)
        if (strcmp(bench->result.parameters[i].name, "not_measured") == 0)
            return bench->result.parameters[i].text;
    return NULL;
}

static void without_two_pairs_that_share_no_core_nothing_is_side_by_side(void **state)
{
    struct bench *bench = *state;
    static const char *const cpus[] = {"0-1", "0-2", "1-4", "0-4"};
    bench->places[1].core = bench->places[2].core = 0; /* 0 1 2, 3, 4 */
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(
            bench_plan(bench, &cores_probe, "parallel", NULL, "bias", "1", "cpus", cpus[i], NULL),
            0);
        assert_null(bench->task.plan.groups);
        assert_non_null(strstr(not_measured(bench), "no two pairs"));
    }
    bench->places[2].core = 2; /* 0 1, 2, 3, 4 */
    for (size_t i = 2; i < 4; i++) {
        assert_int_equal(bench_plan(bench, &cores_probe, "parallel", NULL, "cpus", cpus[i], NULL),
                         0);
        assert_non_null(bench->task.plan.groups);
        assert_null(not_measured(bench));
    }
}

/* Nodes 0 and 4: CPUs 0 to 2, and 3 and 4. */
static void put_on_two_nodes(struct bench *bench, struct numa_facts nodes[2])
{
    nodes[0] = (struct numa_facts){0, "0-2", 1 << 30};
    nodes[1] = (struct numa_facts){4, "3-5", 1 << 30};
    bench->machine.facts.nodes = nodes;
    bench->machine.facts.node_count = 2;
    for (int i = 3; i < BENCH_CPUS; i++)
        bench->places[i].node = 4;
}

static void each_home_has_a_plan_of_its_own(void **state)
{
    struct bench *bench = *state;
    struct numa_facts nodes[2];
    struct stage_outcome outcome = {.placement = {.node = 0}};
    put_on_two_nodes(bench, nodes);
    assert_int_equal(bench_plan(bench, &cores_probe, "home", "second", "op", "cas", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->node, 0);
    assert_int_equal(plan->touch_cpu, 0);
    assert_int_equal(plan->point_count, 3 * 4);
    for (size_t i = 0; i < plan->point_count; i++)
        assert_true(plan->points[i].to < 3);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, NULL), 1);
    assert_int_equal(plan->node, 4);
    assert_int_equal(plan->touch_cpu, 3);
    assert_int_equal(plan->point_count, 2 * 4);
    for (size_t i = 0; i < plan->point_count; i++)
        assert_true(plan->points[i].to >= 3);
    assert_int_equal(probe_next(&bench->task, &outcome, 2, NULL), 0);
    assert_int_equal(bench_plan(bench, &cores_probe, "home", "node:4", NULL), 0);
    assert_int_equal(plan->node, 4);
    assert_int_equal(plan->point_count, 5 * 4);
}

static void each_home_is_checked(void **state)
{
    struct bench *bench = *state;
    struct numa_facts nodes[2];
    struct stage_outcome outcome = {.placement = {.node = 0}};
    put_on_two_nodes(bench, nodes);
    assert_int_equal(
        bench_plan(bench, &cores_probe, "home", "second", "op", "cas", "parallel", NULL, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    for (unsigned home = 0; home < 2; home++) {
        assert_non_null(plan->groups);
        assert_int_equal(plan->node, 4 * home);
        assert_int_equal(plan->point_count, home ? 2 * 4 : 3 * 4);
        assert_int_equal(probe_next(&bench->task, &outcome, 1 + 2 * home, NULL), 1);
        assert_null(plan->groups);
        assert_int_equal(plan->node, 4 * home);
        assert_int_equal(plan->point_count, 3); /* half of six */
        for (size_t i = 0; i < plan->point_count; i++) {
            assert_true((plan->points[i].to < 3) == !home);
            assert_int_equal(plan->points[i].series, 1);
        }
        assert_int_equal(probe_next(&bench->task, &outcome, 2 + 2 * home, NULL), !home);
    }
    assert_int_equal(plan->series_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(without_two_pairs_that_share_no_core_nothing_is_side_by_side),
        BENCH_TEST(each_home_has_a_plan_of_its_own),
        BENCH_TEST(each_home_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
