/* What the fault probe plans, what each trial means to do, and what its series say. */
#include "support.h"

#include "document/flag.h"
#include "measure/kernels/pages.h"

#include <stdlib.h>

extern const struct probe fault_probe;

static void plan(struct bench *bench, bool named)
{
    if (!pages_bytes(PAGES_OF_4K))
        skip();
    bench->task.named = named;
    assert_int_equal(bench_plan(bench, &fault_probe, NULL), 0);
}

static struct series *series_named(const struct bench *bench, const char *name)
{
    for (size_t i = 0; i < bench->task.plan.series_count; i++)
        if (strcmp(bench->task.plan.series[i].name, name) == 0)
            return &bench->task.plan.series[i];
    return NULL;
}

static const struct plan_point *planned(const struct bench *bench, const char *name, size_t at)
{
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++)
        if (strcmp(plan->series[plan->points[i].series].name, name) == 0 && at-- == 0)
            return &plan->points[i];
    return NULL;
}

static void every_kind_of_fault_is_a_series(void **state)
{
    struct bench *bench = *state;
    static const char *const small[] = {"first touch", "zeroing",       "minor fault", "first load",
                                        "populate",    "copy-on-write", "unmap",       "discard"};
    static const unsigned threads[] = {1, 2, 4, 5};
    struct stage_outcome outcome = {0};
    plan(bench, true);
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const struct plan_point *point = planned(bench, small[i], 0);
        assert_non_null(point);
        assert_true(point->x == (double)pages_bytes(PAGES_OF_4K));
        assert_int_equal(point->seat_count, 1);
        assert_int_equal(point->seats[0].cpu, 3); /* of the faster kind */
    }
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    assert_int_equal(bench->task.plan.point_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct plan_point *point = planned(bench, "unmap by threads", i);
        assert_int_equal(point->seat_count, threads[i]);
        for (unsigned seat = 0; seat < point->seat_count; seat++)
            assert_int_equal(point->seats[seat].role, seat ? BACKGROUND : MEASURED);
        assert_true(i == 0 || point->arena_bytes > 0);
    }
    plan(bench, false); /* one probe of many measures the first touch */
    assert_in_range(bench->task.plan.point_count, 1, 2);
    assert_non_null(planned(bench, "first touch", 0));
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 0);
}

static void sizes_and_cpus_that_are_not_there_are_refused(void **state)
{
    struct bench *bench = *state;
    if (!pages_bytes(PAGES_OF_4K))
        skip();
    if (sizeof(size_t) > 4) { /* a 32-bit program refuses such a size before there is a plan */
        assert_int_equal(bench_plan(bench, &fault_probe, "size", "5G", NULL), ERROR_USAGE);
        assert_non_null(strstr(bench->error.text, "--size"));
    }
    assert_int_equal(bench_plan(bench, &fault_probe, "cpu", "5", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "--cpu 5"));
    assert_int_equal(settings_set(&bench->settings, "size", "100", &bench->error), ERROR_USAGE);
}

/* As the engine would leave it: a trial of two batches at each point, and its value. Of copy-on-
 * write, the kernel counted `more` faults in the second batch and refused so many calls. */
static void measure(struct bench *bench, uint64_t more, unsigned refused)
{
    struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *at = &plan->points[i];
        struct series *series = &plan->series[at->series];
        const bool wrong = strcmp(series->name, "copy-on-write") == 0;
        const struct trial trial = *bench_trial(bench, at, i, 0);
        struct worker *workers = bench->workers;
        struct pages *pages = workers[0].state;
        assert_true(trial.operations > 0);
        assert_true(trial.faults == 0 || trial.faults == pages->bytes / pages->step);
        assert_int_equal(pages->bytes % pages->call_bytes, 0);
        for (unsigned seat = 0; seat < at->seat_count; seat++)
            assert_non_null(workers[seat].run);
        if (pages->kind == PAGES_OF_4K) {
            trial.restore(pages, 1);
            workers[0].run(pages, 1);
            assert_int_equal(pages->refused, 0);
        }
        pages->refused = wrong ? refused : 0;
        struct batch batches[2] = {{.faults = trial.faults},
                                   {.faults = trial.faults + (wrong ? more : 0)}};
        fault_probe.observe(
            &bench->task, &(struct observation){
                              .trial = &trial, .batches = batches, .batch_count = 2, .repeats = 1});
        *(struct point *)pool_append(&bench->pool, (void **)&series->points, &series->point_count,
                                     sizeof(struct point)) =
            (struct point){.x = at->x,
                           .flags = wrong && more ? FLAG_BIT(FLAG_PREEMPTED) : 0,
                           .y = {250, 245, 255, 0.97f, .n = 6}};
    }
    bench->result.series = plan->series;
    bench->result.series_count = plan->series_count;
}

static void conclude(struct bench *bench, uint64_t more, unsigned refused)
{
    struct stage_outcome outcome = {0};
    plan(bench, true);
    do
        measure(bench, more, refused);
    while (probe_next(&bench->task, &outcome, 1, &bench->error) == 1);
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void a_count_that_differs_is_flagged(void **state)
{
    struct bench *bench = *state;
    conclude(bench, 1, 0);
    assert_int_equal(series_named(bench, "copy-on-write")->points[0].flags,
                     FLAG_BIT(FLAG_MISCOUNTED));
    assert_int_equal(series_named(bench, "minor fault")->points[0].flags, 0);
    const struct finding *count = bench_finding(bench, "fault.count");
    assert_true(count->value > 1);
    assert_int_equal(count->flags, FLAG_BIT(FLAG_MISCOUNTED));
}

static void what_the_system_refused_has_no_value(void **state)
{
    struct bench *bench = *state;
    conclude(bench, 0, 3);
    assert_int_equal(series_named(bench, "copy-on-write")->points[0].y.n, 0);
    assert_non_null(series_named(bench, "copy-on-write")->points[0].failed);
    assert_int_equal(bench->result.status, PROBE_PARTIAL);
    for (size_t i = 0; i < bench->result.finding_count; i++)
        assert_null(strstr(bench->result.findings[i].name, "copy_on_write"));
}

/* Threads that got no time together are given more, and then nothing is said to lack. */
static void threads_that_got_no_time_are_measured_again(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {.points_failed = 1};
    plan(bench, true);
    measure(bench, 0, 0);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    measure(bench, 0, 0);
    series_named(bench, "unmap by threads")->points[1] =
        (struct point){.x = 2, .failed = "no time", .y = summary_of_nothing()};
    assert_int_equal(probe_next(&bench->task, &outcome, 2, &bench->error), 1);
    if (planned(bench, "first touch, reserved pages", 0)) { /* where there are pages of 1 GiB */
        measure(bench, 0, 0);
        assert_int_equal(probe_next(&bench->task, &outcome, 3, &bench->error), 1);
    }
    assert_int_equal(bench->task.plan.point_count, 1);
    assert_true(bench->task.plan.points[0].x == 2);
    measure(bench, 0, 0);
    assert_int_equal(series_named(bench, "unmap by threads")->point_count, 4);
    assert_int_equal(probe_next(&bench->task, &outcome, 4, &bench->error), 0);
    bench->result.status = PROBE_PARTIAL;
    bench->result.reason = "1 point failed";
    assert_int_equal(probe_conclude(&bench->task, &outcome, &bench->error), 0);
    assert_int_equal(bench->result.status, PROBE_OK);
    assert_null(bench->result.reason);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_kind_of_fault_is_a_series),
        BENCH_TEST(sizes_and_cpus_that_are_not_there_are_refused),
        BENCH_TEST(a_count_that_differs_is_flagged),
        BENCH_TEST(what_the_system_refused_has_no_value),
        BENCH_TEST(threads_that_got_no_time_are_measured_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
