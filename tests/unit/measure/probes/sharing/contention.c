#include "support.h"

#include "measure/kernels/contention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct probe contention_probe;

static size_t points_of(const struct plan *plan, unsigned series)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->point_count; i++)
        count += plan->points[i].series == series;
    return count;
}

static void one_to_all_cpus_write(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &contention_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    assert_int_equal(plan->series_count, CONTENTION_OPS + 2);
    for (unsigned series = 0; series < plan->series_count; series++)
        assert_int_equal(points_of(plan, series), 5); /* CPUs, or distances */
    for (size_t i = 0; i < plan->point_count; i++) {
        const struct plan_point *point = &plan->points[i];
        bool by_distance = point->series >= CONTENTION_OPS;
        assert_int_equal(point->seat_count, by_distance ? 2 : point->x);
        for (size_t seat = 0; seat < point->seat_count; seat++)
            assert_int_equal(point->seats[seat].role, MEASURED);
    }
}

static void cores_are_filled_before_their_second_threads(void **state)
{
    struct bench *bench = *state;
    for (int i = 0; i < BENCH_CPUS; i++) {
        bench->places[i].core = i / 2;
        bench->places[i].sibling = i % 2;
    }
    assert_int_equal(bench_plan(bench, &contention_probe, NULL), 0);
    static const int wanted[] = {0, 2, 4, 1, 3};
    const struct plan_point *all = &bench->task.plan.points[4];
    assert_int_equal(all->seat_count, 5);
    for (int i = 0; i < 5; i++)
        assert_int_equal(all->seats[i].cpu, wanted[i]);
}

static void one_cpu_shows_what_is_left(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &contention_probe, "cpus", "3", NULL), 0);
    assert_int_equal(bench->task.plan.point_count, CONTENTION_OPS);
    assert_int_equal(bench_plan(bench, &contention_probe, "writers", "2", NULL), 0);
    assert_int_equal(bench->task.plan.point_count, 2 * CONTENTION_OPS + 2 * 5);
    assert_int_equal(bench_plan(bench, &contention_probe, "writers", "6", NULL), ERROR_USAGE);
    assert_non_null(strstr(bench->error.text, "at most 5"));
}

static void writers_share_a_word_or_are_as_far_apart_as_the_point_says(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(bench_plan(bench, &contention_probe, NULL), 0);
    const struct plan *plan = &bench->task.plan;
    bool moved = false;
    uint64_t *first_line = NULL;
    for (size_t i = 0; i < plan->point_count; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            bench_trial(bench, &plan->points[i], seed, 0);
            uint64_t *first = bench->workers[0].state;
            size_t apart = plan->points[i].series >= CONTENTION_OPS ? (size_t)plan->points[i].x : 0;
            for (size_t w = 0; w < plan->points[i].seat_count; w++) {
                unsigned char *word = bench->workers[w].state;
                assert_true(word == (unsigned char *)first + w * apart);
                assert_true(word >= bench->arena.memory &&
                            word + 8 <= bench->arena.memory + bench->arena.bytes);
                assert_ptr_equal(bench->workers[w].run,
                                 contention_of((enum contention_op)plan->points[i].index)->run);
            }
            assert_int_equal((uintptr_t)first % 128, 0);
            moved = moved || (first_line && first_line != first);
            first_line = first;
        }
    assert_true(moved); /* lines differ from trial to trial */
}

/* The first writer does 1000 repeats of 64 operations in 100 us a batch; the second did a quarter
 * of what the first did, and was at it a little longer: each counts by its own time. */
static void observe(struct bench *bench, const struct plan_point *point)
{
    struct batch batches[] = {{90e3, 3e9}, {110e3, 3e9}};
    static const struct seat_share alone[] = {{900, 90e3}, {1100, 110e3}};
    static const struct seat_share shares[] = {
        {900, 90e3}, {230, 92e3}, {1100, 110e3}, {280, 112e3}};
    contention_probe.observe(&bench->task,
                             &(struct observation){.trial = bench_trial(bench, point, 1, 0),
                                                   .batches = batches,
                                                   .batch_count = 2,
                                                   .shares = point->seat_count > 1 ? shares : alone,
                                                   .repeats = 1});
}

static double time_of(const struct bench *bench, const struct plan_point *point)
{
    if (point->series < CONTENTION_OPS)
        return 10 * point->x;
    return point->x < 64 ? 30 : point->x < 128 ? 6 : 2;
}

static void throughput_and_fairness_are_of_what_each_did_in_its_own_time(void **state)
{
    struct bench *bench = *state;
    struct stage_outcome outcome = {0};
    assert_int_equal(bench_plan(bench, &contention_probe, "cpus", "0-1", NULL), 0);
    for (size_t i = 0; i < bench->task.plan.point_count; i++)
        observe(bench, &bench->task.plan.points[i]);
    bench_measured(bench, time_of);
    assert_int_equal(conclude_twice(&bench->task, &outcome, NULL), 0);
    double alone = 10.0 * contention_steps / 1e3 * 1e9;
    for (int op = 0; op < CONTENTION_OPS; op++) {
        char name[64];
        static const struct {
            const char *what;
            double factor;
        } wanted[] = {{"throughput.1", 1}, {"throughput.all", 1.25}};
        for (int i = 0; i < 2; i++) {
            snprintf(name, sizeof name, "contention.%s.%s",
                     contention_of((enum contention_op)op)->name, wanted[i].what);
            assert_true(fabs(bench_finding(bench, name)->value / (wanted[i].factor * alone) - 1) <
                        1e-6);
        }
        snprintf(name, sizeof name, "contention.%s.fairness.all",
                 contention_of((enum contention_op)op)->name);
        assert_true(fabs(bench_finding(bench, name)->value - 0.25) < 1e-6);
        snprintf(name, sizeof name, "contention.%s.latency.all",
                 contention_of((enum contention_op)op)->name);
        assert_true(bench_finding(bench, name)->value == 20);
    }
    assert_true(bench_finding(bench, "contention.fetch-add.false-sharing")->value == 15);
    assert_true(bench_finding(bench, "contention.store.adjacent-lines")->value == 3);
    assert_non_null(
        strstr(bench_finding(bench, "contention.cas.throughput.all")->text, "more CPUs would"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        BENCH_TEST(one_to_all_cpus_write),
        BENCH_TEST(cores_are_filled_before_their_second_threads),
        BENCH_TEST(one_cpu_shows_what_is_left),
        BENCH_TEST(writers_share_a_word_or_are_as_far_apart_as_the_point_says),
        BENCH_TEST(throughput_and_fairness_are_of_what_each_did_in_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
