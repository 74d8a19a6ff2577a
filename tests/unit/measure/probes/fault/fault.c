/* What the fault probe plans, what each trial does to its pages, and what its series say. */
#include "support.h"

#include "document/flag.h"
#include "measure/probes/fault/fault.h"

#include <math.h>
#include <stdlib.h>

extern const struct probe fault_probe;

static void plan(struct bench *bench, bool named)
{
    if (!pages_bytes(PAGES_OF_4K))
        skip();
    bench->task.named = named;
    assert_int_equal(bench_plan(bench, &fault_probe, NULL), 0);
}

static const struct plan_point *point_of(const struct bench *bench, enum fault_what what, size_t at)
{
    const struct fault_state *state = bench->task.state;
    for (size_t i = 0; i < bench->task.plan.point_count; i++)
        if ((int)bench->task.plan.points[i].series == state->series[what] && at-- == 0)
            return &bench->task.plan.points[i];
    return NULL;
}

static void every_kind_of_fault_is_a_series(void **state)
{
    struct bench *bench = *state;
    plan(bench, true);
    const double page = (double)pages_bytes(PAGES_OF_4K);
    const struct fault_state *fault = bench->task.state;
    static const enum fault_what small[] = {FAULT_TOUCH,    FAULT_ZERO, FAULT_MINOR, FAULT_LOOK,
                                            FAULT_POPULATE, FAULT_COPY, FAULT_UNMAP, FAULT_DISCARD};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++) {
        const struct plan_point *point = point_of(bench, small[i], 0);
        assert_non_null(point);
        assert_true(point->x == page);
        assert_int_equal(point->seat_count, 1);
        assert_int_equal(point->seats[0].cpu, 3); /* of the faster kind */
        assert_string_equal(bench->task.plan.series[point->series].name,
                            fault_series_names[small[i]]);
    }
    struct stage_outcome outcome = {0};
    assert_null(point_of(bench, FAULT_SHOOTDOWN, 0));
    assert_int_equal(fault->point_count, bench->task.plan.point_count);
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    /* 1, 2, 4 and all five CPUs; the first measures and the others use memory. */
    static const unsigned threads[] = {1, 2, 4, 5};
    for (size_t i = 0; i < 4; i++) {
        const struct plan_point *point = point_of(bench, FAULT_SHOOTDOWN, i);
        assert_non_null(point);
        assert_int_equal(point->seat_count, threads[i]);
        for (unsigned seat = 0; seat < point->seat_count; seat++)
            assert_int_equal(point->seats[seat].role, seat ? BACKGROUND : MEASURED);
        assert_true(i == 0 || point->arena_bytes > 0);
    }
    assert_null(point_of(bench, FAULT_SHOOTDOWN, 4));
}

static void one_probe_of_many_measures_the_first_touch(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    plan(bench, false);
    assert_in_range(bench->task.plan.point_count, 1, 2);
    assert_non_null(point_of(bench, FAULT_TOUCH, 0));
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 0);
}

static void trials_say_what_they_restore_and_mean(void **state)
{
    struct bench *bench = *state;
    plan(bench, true);
    const struct fault_state *fault = bench->task.state;
    unsigned char *memory = aligned_alloc(4096, 64 * pages_bytes(PAGES_OF_4K));
    struct arena arena = {.memory = memory};
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *point = &bench->task.plan.points[i];
        const struct fault_point *what = &fault->points[i];
        struct worker workers[BENCH_CPUS] = {{0}};
        struct trial trial = {.plan = &bench->task.plan,
                              .point = point,
                              .arena = &arena,
                              .workers = workers,
                              .probe_state = bench->task.state};
        fault_probe.prepare(&trial);
        const uint64_t pages = what->bytes / what->page;
        assert_non_null(trial.restore);
        assert_int_equal(trial.faults, fault_is_meant(what->what) ? pages : 0);
        assert_int_equal(what->bytes % what->call_bytes, 0);
        assert_true(trial.operations == (what->what == FAULT_SHOOTDOWN
                                             ? (double)(what->bytes / what->call_bytes)
                                             : (double)pages));
        for (unsigned seat = 0; seat < point->seat_count; seat++)
            assert_non_null(workers[seat].run);
        if (what->kind == PAGES_OF_4K) {
            trial.restore(workers[0].state, 1);
            workers[0].run(workers[0].state, 1);
            assert_int_equal(fault->pages.refused, 0);
        }
    }
    free(memory);
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
    assert_int_equal(settings_set(&bench->settings, "size", "0", &bench->error), ERROR_USAGE);
    assert_int_equal(settings_set(&bench->settings, "size", "100", &bench->error), ERROR_USAGE);
}

/* ns of an operation: such as make every ratio a round number. */
static double model(enum fault_what what, double x, double page)
{
    switch (what) {
    case FAULT_TOUCH:
        return x > page ? 25600 : 500;
    case FAULT_ZERO:
        return 100;
    case FAULT_UNMAP:
        return x > page ? 50 : 400;
    case FAULT_SHOOTDOWN:
        return 300 + 1000 * (x - 1);
    default:
        return 250;
    }
}

/* As the engine would leave it: a trial of two batches at each point, and its value. */
static void measure(struct bench *bench, enum fault_what wrong, uint64_t more, uint64_t refused)
{
    struct fault_state *fault = bench->task.state;
    const double page = (double)pages_bytes(PAGES_OF_4K);
    for (size_t i = 0; i < bench->task.plan.point_count; i++) {
        const struct plan_point *planned = &bench->task.plan.points[i];
        const enum fault_what what = fault->points[fault->first + i].what;
        struct series *series = &bench->task.plan.series[planned->series];
        struct point *point = pool_append(&bench->pool, (void **)&series->points,
                                          &series->point_count, sizeof *point);
        const float ns = (float)model(what, planned->x, page);
        *point = (struct point){.x = planned->x,
                                .flags = what == wrong && more ? FLAG_BIT(FLAG_PREEMPTED) : 0,
                                .y = {ns, ns * 0.99f, ns * 1.01f, 0.97f, .n = 6}};
        struct trial trial = {.plan = &bench->task.plan,
                              .point = planned,
                              .faults = fault_is_meant(what) ? 10 : 0,
                              .probe_state = fault};
        struct batch batches[2] = {{.faults = trial.faults},
                                   {.faults = trial.faults + (what == wrong ? more : 0)}};
        fault->pages.refused = what == wrong ? (unsigned)refused : 0;
        fault_probe.observe(
            &bench->task, &(struct observation){
                              .trial = &trial, .batches = batches, .batch_count = 2, .repeats = 1});
    }
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
}

static void conclude(struct bench *bench, enum fault_what wrong, uint64_t more, uint64_t refused)
{
    struct stage_outcome outcome = {0};
    plan(bench, true);
    do
        measure(bench, wrong, more, refused);
    while (probe_next(&bench->task, &outcome, 1, &bench->error) == 1);
    assert_int_equal(conclude_twice(&bench->task, &outcome, &bench->error), 0);
}

static void findings_are_read_off_the_series(void **state)
{
    struct bench *bench = *state;
    conclude(bench, FAULT_WHATS, 0, 0);
    if (pages_bytes(PAGES_OF_4K) != 4096)
        skip();
    assert_true(bench_finding(bench, "fault.touch.4K")->value == 500);
    assert_true(bench_finding(bench, "fault.zeroing.4K")->value == 100);
    assert_non_null(strstr(bench_finding(bench, "fault.zeroing.4K")->text, "20 %"));
    assert_true(bench_finding(bench, "fault.copy_on_write.4K")->value == 250);
    assert_true(bench_finding(bench, "fault.unmap.page")->value == 50);
    assert_true(bench_finding(bench, "fault.unmap.call")->value == 400);
    const struct finding *shootdown = bench_finding(bench, "fault.shootdown");
    assert_true(shootdown->value == 4000);
    assert_true(fabs(shootdown->low - (4300 * 0.99 - 300 * 1.01)) < 0.1);
    assert_non_null(strstr(shootdown->text, "4 other threads"));
    const struct finding *count = bench_finding(bench, "fault.count");
    assert_true(count->value == 1);
    assert_int_equal(count->flags, 0);
    if (pages_bytes(PAGES_OF_THP) == 2 << 20 && point_of(bench, FAULT_TOUCH, 1))
        assert_true(bench_finding(bench, "fault.huge_gain")->value == 512 * 500.0 / 25600);
}

static void a_count_that_differs_is_flagged(void **state)
{
    struct bench *bench = *state;
    conclude(bench, FAULT_COPY, 1, 0);
    const struct fault_state *fault = bench->task.state;
    const struct series *copy = &bench->result.series[fault->series[FAULT_COPY]],
                        *minor = &bench->result.series[fault->series[FAULT_MINOR]];
    assert_int_equal(copy->points[0].flags, FLAG_BIT(FLAG_MISCOUNTED));
    assert_int_equal(minor->points[0].flags, 0);
    const struct finding *count = bench_finding(bench, "fault.count");
    assert_true(count->value > 1);
    assert_int_equal(count->flags, FLAG_BIT(FLAG_MISCOUNTED));
}

static void what_the_system_refused_has_no_value(void **state)
{
    struct bench *bench = *state;
    conclude(bench, FAULT_COPY, 0, 3);
    const struct fault_state *fault = bench->task.state;
    const struct series *copy = &bench->result.series[fault->series[FAULT_COPY]];
    assert_int_equal(copy->points[0].y.n, 0);
    assert_non_null(copy->points[0].failed);
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
    measure(bench, FAULT_WHATS, 0, 0);
    struct fault_state *fault = bench->task.state;
    assert_int_equal(probe_next(&bench->task, &outcome, 1, &bench->error), 1);
    measure(bench, FAULT_WHATS, 0, 0);
    const size_t which = (size_t)fault->series[FAULT_SHOOTDOWN];
    struct series *threads = &bench->task.plan.series[which];
    const size_t before = threads->point_count;
    threads->points[1] = (struct point){.x = 2, .failed = "no time", .y = summary_of_nothing()};
    int more = probe_next(&bench->task, &outcome, 2, &bench->error);
    if (more == 1 && fault->stage == 2) { /* where there are pages of 1 GiB */
        measure(bench, FAULT_WHATS, 0, 0);
        more = probe_next(&bench->task, &outcome, 3, &bench->error);
    }
    threads = &bench->task.plan.series[which];
    assert_int_equal(more, 1);
    assert_int_equal(threads->point_count, before - 1);
    assert_int_equal(bench->task.plan.point_count, 1);
    assert_true(bench->task.plan.points[0].x == 2);
    measure(bench, FAULT_WHATS, 0, 0);
    assert_int_equal(threads->point_count, before);
    assert_int_equal(probe_next(&bench->task, &outcome, 4, &bench->error), 0);
    bench->result.series = bench->task.plan.series;
    bench->result.series_count = bench->task.plan.series_count;
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
        BENCH_TEST(one_probe_of_many_measures_the_first_touch),
        BENCH_TEST(trials_say_what_they_restore_and_mean),
        BENCH_TEST(sizes_and_cpus_that_are_not_there_are_refused),
        BENCH_TEST(findings_are_read_off_the_series),
        BENCH_TEST(a_count_that_differs_is_flagged),
        BENCH_TEST(what_the_system_refused_has_no_value),
        BENCH_TEST(threads_that_got_no_time_are_measured_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
