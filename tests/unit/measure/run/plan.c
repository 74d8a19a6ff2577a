#include "desk.h"

#include <math.h>

static const struct probe *probe_of(const struct desk *desk, size_t turn)
{
    return desk->run.turns[turn].task.probe;
}

static void a_run_without_names_has_all_that_weigh_something(void **state)
{
    struct desk *desk = *state;
    size_t count = 0;
    desk_plan_run(desk, NULL);
    for (size_t i = 0; probes[i]; i++)
        if (probes[i]->weight > 0)
            assert_ptr_equal(probe_of(desk, count++), probes[i]);
    assert_int_equal(desk->run.turn_count, count);
    assert_int_equal(desk->document.probe_count, 0); /* none was reached */
    assert_false(desk->run.turns[0].task.named);
}

static void a_thorough_run_has_more(void **state)
{
    struct desk *desk = *state;
    size_t count = 0, more = 0;
    desk_set(desk, "thorough", NULL);
    desk_plan_run(desk, NULL);
    for (size_t i = 0; probes[i]; i++)
        if (probes[i]->weight > 0 || probes[i]->thorough) {
            more += !(probes[i]->weight > 0);
            assert_ptr_equal(probe_of(desk, count++), probes[i]);
        }
    assert_int_equal(desk->run.turn_count, count);
    assert_true(more > 0);
    assert_true(desk->run.budget_s == 600);
}

static void a_quick_run_has_the_quick_ones(void **state)
{
    struct desk *desk = *state;
    desk_set(desk, "quick", NULL);
    desk_plan_run(desk, NULL);
    assert_true(desk->run.turn_count > 0);
    for (size_t i = 0; i < desk->run.turn_count; i++)
        assert_true(probe_of(desk, i)->quick);
    assert_true(desk->run.budget_s == 4);
}

static void named_probes_are_measured_in_their_order(void **state)
{
    static const struct probe *const list[] = {&desk_optional, &desk_short, NULL};
    struct desk *desk = *state;
    desk_set(desk, "quick", NULL); /* chooses nothing where names do */
    desk_plan_run(desk, list);
    assert_int_equal(desk->run.turn_count, 2);
    assert_ptr_equal(probe_of(desk, 0), &desk_optional);
    assert_ptr_equal(probe_of(desk, 1), &desk_short);
    assert_true(desk->run.turns[1].task.named);
}

/* A probe that measures in caches takes a quick curve first where none is declared. */
static void levels_come_first_where_none_is_declared(void **state)
{
    static const struct probe *const list[] = {&desk_by_found, NULL};
    struct desk *desk = *state;
    desk->machine.facts.cache_count = 0;
    desk_set(desk, "cpus", "2-3");
    desk_plan_run(desk, list);
    assert_int_equal(desk->run.turn_count, 2);
    assert_string_equal(probe_of(desk, 0)->name, "latency");
    assert_true(desk->run.turns[0].task.common.quick.has);
    assert_int_equal(desk->run.turns[0].task.cpus.ids[0], 2);
    assert_false(desk->run.turns[1].task.common.quick.has);
    assert_ptr_equal(probe_of(desk, 1), &desk_by_found);
    assert_true(desk->run.budget_s == 25); /* as for one probe that is named */
    assert_true(run_weight(&desk->run, 0) == 1);
}

static void declared_caches_need_no_curve_and_other_probes_none(void **state)
{
    static const struct probe *const by_found[] = {&desk_by_found, NULL}, *const plain[] = {
                                                                              &desk_short, NULL};
    struct desk *desk = *state;
    desk_plan_run(desk, by_found);
    assert_int_equal(desk->run.turn_count, 1);
    run_release(&desk->run);
    desk->machine.facts.cache_count = 0;
    desk_plan_run(desk, plain);
    assert_int_equal(desk->run.turn_count, 1);
}

static void the_numa_probe_needs_two_nodes_or_a_name(void **state)
{
    struct desk *desk = *state;
    desk_plan_run(desk, NULL);
    size_t numa = 0;
    while (strcmp(probe_of(desk, numa)->name, "numa") != 0)
        numa++;
    const struct probe_result *result = desk->run.turns[numa].task.result;
    assert_int_equal(result->status, PROBE_SKIPPED);
    assert_non_null(strstr(result->reason, "single NUMA node"));
    assert_true(run_share(&desk->run, numa) == 0);
}

static void a_budget_is_what_was_asked_for_or_what_the_probes_weigh(void **state)
{
    static const struct probe *const brief[] = {&desk_short, NULL},
                                     *const lengthy[] = {&desk_long, NULL},
                                     *const both[] = {&desk_short, &desk_optional, NULL};
    struct desk *desk = *state;
    desk_plan_run(desk, brief);
    assert_true(desk->run.budget_s == 25); /* alone */
    run_release(&desk->run);
    desk_plan_run(desk, lengthy);
    assert_true(desk->run.budget_s == 40);
    run_release(&desk->run);
    desk_plan_run(desk, both);
    assert_true(desk->run.budget_s ==
                1 + 25); /* what is only measured when named counts as alone */
    run_release(&desk->run);
    desk_set(desk, "thorough", NULL);
    desk_plan_run(desk, both);
    assert_true(desk->run.budget_s == 600);
    run_release(&desk->run);
    desk_set(desk, "budget", "7.5");
    desk_plan_run(desk, both);
    assert_true(desk->run.budget_s == 7.5);
    assert_true(desk->document.run.budget_s == 7.5);
}

static void what_is_skipped_takes_no_share_of_the_time(void **state)
{
    static const struct probe *const list[] = {&desk_short, &desk_of_pairs, &desk_long, NULL};
    struct desk *desk = *state;
    desk->machine.allowed.count = 1;
    desk_plan_run(desk, list);
    assert_true(run_share(&desk->run, 0) == 1.0 / 41);
    assert_true(run_share(&desk->run, 1) == 0);
    assert_true(run_share(&desk->run, 2) == 1);
}

static void options_reach_the_probes_that_have_them(void **state)
{
    static const struct probe *const list[] = {&desk_short, &desk_long, NULL};
    struct desk *desk = *state;
    assert_int_equal(settings_add(&desk->settings, desk_options, NULL), 0);
    desk_set(desk, "sizes", "16K,32K");
    desk_set(desk, "cpus", "2");
    desk_plan_run(desk, list);
    const struct settings *settings = &desk->run.turns[0].settings;
    const struct setting *sizes = settings_of(settings, &desk_options[1]);
    assert_int_equal(sizes->size_count, 2);
    assert_ptr_equal(sizes->sizes,
                     settings_of(&desk->settings, &desk_options[1])->sizes); /* parsed once */
    assert_true(settings_of(settings, &desk_options[0])->number == 4);
    assert_null(settings_of(&desk->run.turns[1].settings, &desk_options[1]));
    assert_int_equal(desk->run.turns[1].task.cpus.ids[0], 2);
}

static void a_probe_that_refuses_ends_the_planning(void **state)
{
    static const struct probe *const list[] = {&desk_short, &desk_refusing, &desk_long, NULL};
    struct desk *desk = *state;
    desk->run.probes = list;
    assert_int_equal(run_plan(&desk->run, &desk->error), ERROR_USAGE);
    assert_string_equal(desk->error.text, "nothing of the kind");
}

static void another_machine_is_not_measured(void **state)
{
    static const struct probe *const list[] = {&desk_short, NULL};
    struct desk *desk = *state;
    desk->run.probes = list;
    desk->run.model = NULL;
    assert_int_equal(run_plan(&desk->run, &desk->error), ERROR_IMPOSSIBLE);
    assert_non_null(strstr(desk->error.text, "another machine"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(a_run_without_names_has_all_that_weigh_something),
        DESK_TEST(a_thorough_run_has_more),
        DESK_TEST(a_quick_run_has_the_quick_ones),
        DESK_TEST(named_probes_are_measured_in_their_order),
        DESK_TEST(levels_come_first_where_none_is_declared),
        DESK_TEST(declared_caches_need_no_curve_and_other_probes_none),
        DESK_TEST(the_numa_probe_needs_two_nodes_or_a_name),
        DESK_TEST(a_budget_is_what_was_asked_for_or_what_the_probes_weigh),
        DESK_TEST(what_is_skipped_takes_no_share_of_the_time),
        DESK_TEST(options_reach_the_probes_that_have_them),
        DESK_TEST(a_probe_that_refuses_ends_the_planning),
        DESK_TEST(another_machine_is_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
