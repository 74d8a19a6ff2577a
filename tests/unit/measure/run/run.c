#include "measure/run/run.h"

#include "desk.h"

#include <math.h>
#include <unistd.h>

static const struct probe *const two[] = {&desk_short, &desk_long, NULL};

static void the_document_is_saved_at_the_beginning_and_after_every_probe(void **state)
{
    struct desk *desk = *state;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_int_equal(desk->saves, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(desk->probes_saved[i], i);
        assert_int_equal(desk->complete_saved[i], i == 2);
    }
    assert_int_equal(desk->document.probes[1].status, PROBE_OK);
    assert_int_equal(desk->document.probes[1].series[0].point_count, 1);
}

static void what_earlier_probes_found_sizes_those_that_ask_for_it(void **state)
{
    static const struct probe *const list[] = {&desk_by_found, &desk_short, &desk_by_found, NULL};
    struct desk *desk = *state;
    desk_plan_run(desk, list);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_true(desk->document.probes[0].series[0].points[0].x == 0);
    assert_true(desk->document.probes[1].series[0].points[0].x == 1);
    assert_true(desk->document.probes[2].series[0].points[0].x == 2);
    assert_int_equal(desk->document.probes[2].series_count, 1);
}

/* Whose trials came in which order: 's' of the probe with two stages, 'o' of the one that is looked
 * at often. */
static char came[4096];
static size_t came_count;

static void note(struct trial *trial, char who)
{
    if (came_count < sizeof came - 1)
        came[came_count++] = who;
    desk_prepare(trial);
}

static void prepare_staged(struct trial *trial)
{
    note(trial, 's');
}

static void prepare_often(struct trial *trial)
{
    usleep(2000);
    note(trial, 'o');
}

static bool next_stage(struct probe_task *task)
{
    if (task->stage > 1)
        return false;
    struct series *series = task->plan.series;
    desk_plan(task);
    task->plan.series = series;
    task->plan.points[0].x = 2;
    return true;
}

static void plan_often(struct probe_task *task)
{
    static const uint32_t first = 0;
    desk_plan(task);
    task->plan.points[0].arena_bytes = 4096;
    task->plan.arena_life = ARENA_WHOLE_STAGE;
    task->plan.pages = PAGES_SMALL;
    task->plan.look = &first;
    task->plan.look_count = 1;
    task->plan.look_trials = 2;
}

/* A neighbour that stays for a second is then met by some of its trials only. */
static void what_is_looked_at_often_has_trials_between_others_stages(void **state)
{
    static const struct probe staged = {.name = "staged",
                                        .help = &desk_plain,
                                        .weight = 10,
                                        .plan = desk_plan,
                                        .prepare = prepare_staged,
                                        .next = next_stage},
                              often = {.name = "often",
                                       .help = &desk_plain,
                                       .weight = 10,
                                       .plan = plan_often,
                                       .prepare = prepare_often};
    static const struct probe *const list[] = {&staged, &often, NULL};
    struct desk *desk = *state;
    came_count = 0;
    memset(came, 0, sizeof came);
    desk_plan_run(desk, list);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    const char *first = strchr(came, 's'), *last = strrchr(came, 's');
    assert_non_null(first);
    assert_true(first > came);                                   /* the first look */
    assert_non_null(memchr(first, 'o', (size_t)(last - first))); /* another */
    assert_non_null(strchr(last, 'o'));                          /* and its own turn */
    assert_int_equal(desk->document.probes[1].series[0].point_count, 1);
    /* That time is its own. */
    const double staged_s = desk->document.probes[0].elapsed_s,
                 often_s = desk->document.probes[1].elapsed_s;
    assert_true(staged_s > 0 && often_s > 0.004);
    assert_true(staged_s + often_s <= desk->document.run.elapsed_s);
}

static void progress_names_the_probe_at_work(void **state)
{
    struct desk *desk = *state;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_string_equal(desk->shown, "long");
}

static void a_document_that_cannot_be_saved_ends_the_run(void **state)
{
    struct desk *desk = *state;
    desk->fails_at = 2;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), ERROR_USAGE);
    assert_string_equal(desk->error.text, "no room for it");
    assert_int_equal(desk->document.probe_count, 1); /* what was measured is there all the same */
}

static void nothing_is_measured_for_a_document_that_cannot_begin(void **state)
{
    struct desk *desk = *state;
    desk->fails_at = 1;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), ERROR_USAGE);
    assert_int_equal(desk->document.probe_count, 0);
}

static void a_run_that_is_stopped_keeps_what_it_reached(void **state)
{
    struct desk *desk = *state;
    desk_plan_run(desk, two);
    desk->stop = SIGTERM;
    assert_int_equal(run_measure(&desk->run, &desk->error), ERROR_INTERRUPTED);
    assert_int_equal(desk->document.probe_count, 1);
    assert_false(desk->document.run.complete);
    assert_int_equal(desk->saves, 2);
}

static void a_second_run_adds_to_the_document(void **state)
{
    static const struct probe *const another[] = {&desk_optional, NULL};
    struct desk *desk = *state;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    run_release(&desk->run);
    desk_plan_run(desk, another);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_int_equal(desk->document.probe_count, 3);
    assert_string_equal(desk->document.probes[0].name, "short");
    assert_string_equal(desk->document.probes[2].name, "optional");
}

/* As if others had used two CPUs for the second before it was planned, whatever it then takes. */
static void what_others_used_is_a_condition(void **state)
{
    static const uint64_t second_ns = 1000000000;
    struct desk *desk = *state;
    struct os_work work;
    desk_plan_run(desk, two);
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_true(isnan(desk->document.conditions.others_cpus)); /* a model has no others */
    if (!os_work(&work) || work.all_ns < 2 * second_ns)
        skip();
    run_release(&desk->run);
    desk_plan_run(desk, two);
    desk->run.planned_ns = os_raw_ns() - second_ns;
    desk->run.planned_work = (struct os_work){work.all_ns - 2 * second_ns, work.own_ns};
    assert_int_equal(run_measure(&desk->run, &desk->error), 0);
    assert_true(desk->document.conditions.others_cpus > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DESK_TEST(the_document_is_saved_at_the_beginning_and_after_every_probe),
        DESK_TEST(what_earlier_probes_found_sizes_those_that_ask_for_it),
        DESK_TEST(what_is_looked_at_often_has_trials_between_others_stages),
        DESK_TEST(progress_names_the_probe_at_work),
        DESK_TEST(a_document_that_cannot_be_saved_ends_the_run),
        DESK_TEST(nothing_is_measured_for_a_document_that_cannot_begin),
        DESK_TEST(a_run_that_is_stopped_keeps_what_it_reached),
        DESK_TEST(a_second_run_adds_to_the_document),
        DESK_TEST(what_others_used_is_a_condition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
