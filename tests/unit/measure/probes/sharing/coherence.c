#include "support.h"

#include "measure/kernels/contention.h"

#include <stdlib.h>

extern const struct probe coherence_probe;

static size_t states_possible(void)
{
    return line_flush_possible() ? LINE_STATES : LINE_STATES - 2;
}

static void every_operation_meets_every_state(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "1,3-4", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, (size_t)TOUCH_OPS * LINE_STATES);
    assert_int_equal(plan->point_count, TOUCH_OPS * states_possible() * 2);
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        bool shared = point->series % LINE_STATES == LINE_SHARED;
        assert_int_equal(point->from, 1);
        assert_true(point->to == 3 || point->to == 4);
        assert_int_equal(point->seats[0].role, MEASURED);
        assert_int_equal(point->seats[1].cpu, point->to);
        assert_int_equal(point->seat_count, shared ? 3 : 2);
        for (unsigned seat = 1; seat < point->seat_count; seat++)
            assert_int_equal(point->seats[seat].role, PARTNER);
        if (shared)
            assert_int_equal(point->seats[2].cpu, 7 - point->to);
    }
    /* One untimed repeat to prepare, one that is timed. */
    assert_true(plan->warm_repeats == 1 && plan->repeats == 1 && plan->batches == 1);
}

static void without_a_list_there_is_one_helper_of_each_nearness(void **state)
{
    struct bench *bench = *state;
    static const int cores[] = {0, 0, 1, 1, 2, 2}, packages[] = {0, 0, 0, 0, 1, 1};
    for (int i = 0; i < BENCH_CPUS; i++) {
        bench->places[i].core = cores[i];
        bench->places[i].package = packages[i];
    }
    assert_int_equal(bench_plan(bench, &coherence_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->point_count, TOUCH_OPS * states_possible() * 3);
    static const int wanted[] = {1, 2, 4};
    for (int i = 0; i < 3; i++)
        assert_int_equal(plan->points[i].to, wanted[i]);
}

/* Who shares the lines with that holder; -1: the measuring CPU itself. */
static int sharer_of(const struct plan *plan, int holder)
{
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        if (point->series % LINE_STATES == LINE_SHARED && point->to == holder)
            return point->seat_count > 2 ? point->seats[2].cpu : -1;
    }
    fail_msg("no point is shared with CPU %d", holder);
    return -1;
}

/* Two threads of one core have one copy of a line between them, so they can't share it. */
static void lines_are_shared_with_a_third_core_or_none(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < BENCH_CPUS; i++)
        bench->places[i].core = i / 2;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0-3", NULL), 0);
    assert_int_equal(sharer_of(&bench->task.plan, 1), 3);
    assert_int_equal(sharer_of(&bench->task.plan, 2), -1); /* 3 is of its core */
    assert_int_equal(sharer_of(&bench->task.plan, 3), -1);
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0-2", NULL), 0);
    assert_int_equal(sharer_of(&bench->task.plan, 2), -1); /* 1 is of the measuring core */
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0,3-4", NULL), 0);
    assert_int_equal(sharer_of(&bench->task.plan, 3), 4);
    for (int i = 0; i < BENCH_CPUS; i++)
        bench->places[i].core = -1; /* unknown: each is taken for a core of its own */
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0-2", NULL), 0);
    assert_int_equal(sharer_of(&bench->task.plan, 1), 2);
}

static void a_trial_is_a_ring_that_all_workers_know(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0-2", "lines", "16", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    for (size_t i = 0; i < plan->point_count; i++)
        for (unsigned number = 0; number < plan->trials_per_visit; number++) {
            const struct trial trial = *bench_trial(bench, &plan->points[i], i, number);
            const struct arena arena = bench->arena;
            const struct worker *workers = bench->workers;
            const struct line_ring *first = workers[0].state;
            assert_true(trial.operations == 16 && first->lines == 16 && *first->stage == 0);
            assert_true((unsigned char *)first->stage >= arena.memory);
            void **line = first->first;
            for (int step = 0; step < 16; step++, line = *line) {
                assert_true((unsigned char *)line > (unsigned char *)first->stage);
                assert_true((unsigned char *)(line + 2) <= arena.memory + arena.bytes);
                assert_null(line[1]);
                assert_true(step == 0 || line != first->first);
            }
            assert_ptr_equal(line, first->first);
            unsigned turns = 0;
            for (unsigned w = 0; w < trial.point->seat_count; w++) {
                const struct line_ring *part = workers[w].state;
                assert_ptr_equal(part->first, first->first);
                assert_ptr_equal(part->stage, first->stage);
                assert_int_equal(part->step, trial.point->seat_count);
                turns |= 1u << part->turn;
                assert_true((workers[w].run == line_helper_run) == (w > 0));
            }
            assert_int_equal(turns, (1u << trial.point->seat_count) - 1);
            /* The helpers' work, and then twice the measuring worker's: nothing waits for ever. */
            for (unsigned w = 1; w < trial.point->seat_count; w++)
                workers[w].run(workers[w].state, 2);
            workers[0].run(workers[0].state, 1);
            workers[0].run(workers[0].state, 1);
            assert_int_equal(*first->stage, trial.point->seat_count);
        }
}

/* What is said of a store of CPU 0 to a line that is shared with CPU 1. */
static const struct finding *find_shared(struct bench *bench, const char *cpus)
{
    struct stage_outcome outcome = {0};
    struct point point = {.from = 0, .to = 1};
    double ns = 20;
    bench->result.finding_count = 0;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", cpus, NULL), 0);
    struct plan *plan = &bench->task.plan;
    summarize(&ns, 1, &ns, &point.y);
    size_t index = (size_t)TOUCH_STORE * LINE_STATES + LINE_SHARED;
    plan->series[index].points = &point;
    plan->series[index].point_count = 1;
    bench->result.series = plan->series;
    bench->result.series_count = plan->series_count;
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    assert_int_equal(bench->result.finding_count, 1);
    const struct finding *finding = &bench->result.findings[0];
    assert_string_equal(finding->name, "coherence.store.shared");
    assert_string_equal(finding->cpus, "0,1");
    assert_true(finding->value == 20);
    return finding;
}

static void it_is_said_who_has_the_copies(void **state)
{
    struct bench *bench = *state;
    assert_non_null(strstr(find_shared(bench, "0-2")->text, "shared by CPUs 1 and 2"));
    assert_non_null(strstr(find_shared(bench, "0,1")->text,
                           "shared by CPU 1 and the measuring CPU itself: a CPU of a third core "
                           "would show"));
    bench->places[1].core = bench->places[0].core;
    assert_non_null(strstr(find_shared(bench, "0,1")->text, "threads of one core"));
    assert_non_null(strstr(find_shared(bench, "0-2")->text, "shared by CPUs 1 and 2"));
}

static void one_cpu_is_skipped_with_a_reason(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "2", NULL), 0);
    assert_int_equal(bench->result.status, PROBE_SKIPPED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(every_operation_meets_every_state),
        BENCH_TEST(without_a_list_there_is_one_helper_of_each_nearness),
        BENCH_TEST(lines_are_shared_with_a_third_core_or_none),
        BENCH_TEST(a_trial_is_a_ring_that_all_workers_know),
        BENCH_TEST(it_is_said_who_has_the_copies),
        BENCH_TEST(one_cpu_is_skipped_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
