#include "support.h"

#include "kernels/contention.h"

#include <stdlib.h>

static size_t states_possible(void)
{
    return line_flush_possible ? LINE_STATES : LINE_STATES - 2;
}

static void every_operation_meets_every_state(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "1,3-4", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, TOUCH_OPS * LINE_STATES);
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

static void a_trial_is_a_ring_that_all_workers_know(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0-2", "lines", "16", NULL), 0);
    const struct plan *plan = &bench->task.plan;
    struct arena arena = {.bytes = plan->points[0].arena_bytes};
    arena.memory = aligned_alloc(4096, (arena.bytes + 4095) / 4096 * 4096);
    assert_non_null(arena.memory);
    memset(arena.memory, 0x77, arena.bytes);
    for (size_t i = 0; i < plan->point_count; i++)
        for (unsigned number = 0; number < plan->trials_per_visit; number++) {
            struct worker workers[3];
            struct trial trial = {.plan = plan,
                                  .point = &plan->points[i],
                                  .arena = &arena,
                                  .seed = i,
                                  .number = number,
                                  .workers = workers,
                                  .probe_state = bench->task.state};
            coherence_probe.prepare(&trial);
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
    free(arena.memory);
}

static void with_two_cpus_the_measuring_one_has_a_copy_and_it_is_said(void **state)
{
    struct bench *bench = *state;
    struct sampled sampled = {0};
    struct point point = {.from = 0, .to = 1};
    double ns = 20;
    assert_int_equal(bench_plan(bench, &coherence_probe, "cpus", "0,1", NULL), 0);
    struct plan *plan = &bench->task.plan;
    summarize(&ns, 1, &ns, &point.y);
    size_t index = TOUCH_STORE * LINE_STATES + LINE_SHARED;
    plan->series[index].points = &point;
    plan->series[index].point_count = 1;
    bench->result.series = plan->series;
    bench->result.series_count = plan->series_count;
    assert_int_equal(coherence_probe.conclude(&bench->task, &sampled, NULL), 0);
    assert_int_equal(bench->result.finding_count, 1);
    const struct finding *finding = &bench->result.findings[0];
    assert_string_equal(finding->name, "coherence.store.shared");
    assert_string_equal(finding->cpus, "0,1");
    assert_true(finding->value == 20);
    assert_non_null(strstr(finding->text, "a third CPU would show"));
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
        BENCH_TEST(a_trial_is_a_ring_that_all_workers_know),
        BENCH_TEST(with_two_cpus_the_measuring_one_has_a_copy_and_it_is_said),
        BENCH_TEST(one_cpu_is_skipped_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
