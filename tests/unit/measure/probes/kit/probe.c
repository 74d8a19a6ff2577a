/* What becomes of a probe whose points fail or are never come to. */
#include "measure/probes/kit/probe.h"

#include "support.h"

enum { NO_CPU = 1 << 19 };

struct failing {
    struct seat seats[2];
    struct plan_point points[2];
    struct series series;
    bool concluded;
    enum page_policy second_pages;
    struct stage_outcome outcome;
};

static struct failing failing;

static void plan_points(struct probe_task *task, double first_x)
{
    for (int i = 0; i < 2; i++)
        failing.points[i] =
            (struct plan_point){.x = first_x + i, .seats = &failing.seats[i], .seat_count = 1};
    task->plan.points = failing.points;
    task->plan.point_count = 2;
    task->plan.kernel_timed = true;
    task->plan.repeats = 1;
    task->plan.span_s = 0;
}

static void plan(struct probe_task *task)
{
    failing.series = (struct series){.name = "values", .x = {"x", ""}, .y = {"y", "ns"}};
    task->plan.series = &failing.series;
    task->plan.series_count = 1;
    plan_points(task, 0);
}

static uint64_t take_a_nanosecond(void *state, uint64_t repeats)
{
    return 1000 * repeats;
}

static void prepare(struct trial *trial)
{
    trial->workers[0] = (struct worker){.run = take_a_nanosecond};
}

static void conclude(struct probe_task *task)
{
    failing.concluded = true;
}

static const struct option_spec no_options[] = {{.name = NULL}};
static const struct probe_help help = {.title = "Points that fail", .options = no_options},
                               other = {.title = "A stage on other pages", .options = no_options};
static const struct probe probe = {
    .name = "failing", .help = &help, .plan = plan, .prepare = prepare, .conclude = conclude};

static void plan_memory(struct probe_task *task, enum page_policy pages)
{
    for (int i = 0; i < 2; i++)
        failing.points[i].arena_bytes = 1;
    task->plan.pages = pages;
    task->plan.touch_cpu = failing.seats[0].cpu;
}

/* A stage on small pages, and a second one on pages that it asks for itself. */
static void plan_small(struct probe_task *task)
{
    plan(task);
    plan_memory(task, PAGES_SMALL);
}

static bool next_on_other_pages(struct probe_task *task)
{
    if (task->stage > 1)
        return false;
    probe_plan_clear(task);
    plan_points(task, 2);
    plan_memory(task, failing.second_pages);
    return true;
}

static const struct probe two_stages = {.name = "two stages",
                                        .help = &other,
                                        .plan = plan_small,
                                        .prepare = prepare,
                                        .next = next_on_other_pages,
                                        .conclude = conclude};

/* Measures what that probe plans on those CPUs. Returns the result. */
static const struct probe_result *measure_by(const struct probe *measured, struct bench *bench,
                                             int first, int second, double budget_s)
{
    struct clock clock;
    struct engine engine = {.machine = &bench->machine, .clock = &clock, .seed = 1};
    failing.seats[0] = (struct seat){first, MEASURED};
    failing.seats[1] = (struct seat){second, MEASURED};
    failing.concluded = false;
    clock_calibrate_below(&clock, NULL);
    assert_int_equal(team_create(&engine.team, NULL, NULL), 0);
    assert_int_equal(bench_plan(bench, measured, NULL), 0);
    assert_int_equal(stages_measure(&bench->task, &engine, budget_s, &failing.outcome, NULL), 0);
    team_free(engine.team);
    return &bench->result;
}

static const struct probe_result *measure(struct bench *bench, int first, int second,
                                          double budget_s)
{
    return measure_by(&probe, bench, first, second, budget_s);
}

/* A CPU that can be pinned to; -1 where none can. */
static int usable_cpu(void)
{
    struct cpulist list;
    int cpu = os_affinity(&list, NULL) == 0 && list.count ? list.ids[0] : -1;
    cpulist_free(&list);
    return cpu;
}

static void points_that_fail_leave_a_partial_result_with_the_reason(void **state)
{
    if (usable_cpu() < 0)
        skip();
    const struct probe_result *result = measure(*state, usable_cpu(), NO_CPU, 60);
    assert_int_equal(result->status, PROBE_PARTIAL);
    assert_non_null(strstr(result->reason, "1 of 2 points failed: "));
    assert_non_null(strstr(result->reason, "524288"));
    assert_true(failing.concluded);
    assert_int_equal(result->series[0].point_count, 2);
    assert_int_equal(result->series[0].points[0].y.n, 6);
    assert_null(result->series[0].points[0].failed);
    assert_non_null(result->series[0].points[1].failed);
}

static void a_probe_of_which_all_points_fail_has_failed(void **state)
{
    const struct probe_result *result = measure(*state, NO_CPU, NO_CPU + 1, 60);
    assert_int_equal(result->status, PROBE_FAILED);
    assert_non_null(strstr(result->reason, "2 of 2 points failed: "));
    assert_false(failing.concluded);
    assert_int_equal(result->series[0].point_count, 2);
}

static void without_time_it_has_failed_and_says_what_to_do(void **state)
{
    const struct probe_result *result = measure(*state, NO_CPU, NO_CPU, -1);
    assert_int_equal(result->status, PROBE_FAILED);
    assert_non_null(strstr(result->reason, "--budget"));
    assert_int_equal(result->series[0].point_count, 0);
}

static void all_is_well_where_every_point_has_a_value(void **state)
{
    if (usable_cpu() < 0)
        skip();
    const struct probe_result *result = measure(*state, usable_cpu(), usable_cpu(), 60);
    assert_int_equal(result->status, PROBE_OK);
    assert_null(result->reason);
    assert_true(failing.concluded);
    assert_int_equal(failing.outcome.points_failed + failing.outcome.points_missing, 0);
}

static const char *parameter(const struct probe_result *result, const char *name)
{
    for (size_t i = 0; i < result->parameter_count; i++)
        if (strcmp(result->parameters[i].name, name) == 0)
            return result->parameters[i].text;
    return NULL;
}

static void pages_of_a_later_stage_are_not_those_of_the_first(void **state)
{
    const int cpu = usable_cpu();
    if (cpu < 0)
        skip();
    failing.second_pages = PAGES_AUTO;
    const struct probe_result *result = measure_by(&two_stages, *state, cpu, cpu, 60);
    assert_int_equal(result->status, PROBE_OK);
    assert_int_equal(result->series[0].point_count, 4);
    assert_non_null(parameter(result, "pages_obtained"));
    assert_memory_equal(parameter(result, "pages_obtained"), "small", 5);
    assert_non_null(parameter(result, "other_pages_obtained"));
    assert_int_equal(failing.outcome.pages_used, PAGES_SMALL);
}

static void stages_on_the_same_pages_have_one_word_for_them(void **state)
{
    const int cpu = usable_cpu();
    if (cpu < 0)
        skip();
    failing.second_pages = PAGES_SMALL;
    const struct probe_result *result = measure_by(&two_stages, *state, cpu, cpu, 60);
    assert_non_null(parameter(result, "pages_obtained"));
    assert_null(parameter(result, "other_pages_obtained"));
}

static void plan_too_large(struct probe_task *task)
{
    plan(task);
    pool_leave(task->pool, ERROR_IMPOSSIBLE, "that takes more memory than is free");
}

/* Nobody asked for it by its name, so the others go on. */
static void what_a_whole_run_cannot_plan_is_skipped_with_its_reason(void **state)
{
    struct bench *bench = *state;
    static const struct probe large = {
        .name = "large", .help = &help, .plan = plan_too_large, .prepare = prepare};
    bench->task.named = true;
    assert_int_equal(bench_plan(bench, &large, NULL), ERROR_IMPOSSIBLE);
    settings_free(&bench->settings);
    bench->task.named = false;
    assert_int_equal(bench_plan(bench, &large, NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
    assert_string_equal(bench->result.reason, "that takes more memory than is free");
    assert_int_equal(bench->task.plan.point_count, 0);
}

/* Each option's line says where the probe's struct has it: two in one place would be one option. */
static void every_option_has_a_place_of_its_own(void **state)
{
    for (size_t i = 0; probes[i]; i++) {
        const struct option_spec *table = probes[i]->help->options;
        for (size_t a = 0; probes[i]->help->options_bytes && table[a].name; a++) {
            if (table[a].at + sizeof(struct setting) > probes[i]->help->options_bytes)
                fail_msg("%s --%s lies outside of its struct", probes[i]->name, table[a].name);
            for (size_t b = 0; b < a; b++)
                if (table[a].at == table[b].at)
                    fail_msg("%s: --%s and --%s lie in one place", probes[i]->name, table[a].name,
                             table[b].name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(points_that_fail_leave_a_partial_result_with_the_reason),
        BENCH_TEST(a_probe_of_which_all_points_fail_has_failed),
        BENCH_TEST(without_time_it_has_failed_and_says_what_to_do),
        BENCH_TEST(all_is_well_where_every_point_has_a_value),
        BENCH_TEST(pages_of_a_later_stage_are_not_those_of_the_first),
        BENCH_TEST(stages_on_the_same_pages_have_one_word_for_them),
        BENCH_TEST(what_a_whole_run_cannot_plan_is_skipped_with_its_reason),
        cmocka_unit_test(every_option_has_a_place_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
