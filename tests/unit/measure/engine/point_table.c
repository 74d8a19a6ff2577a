#include "measure/engine/point_table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { POINTS = 9 };

struct bench {
    struct series series[2];
    struct plan_point points[POINTS];
    struct plan plan;
    struct pool pool;
    struct point_table table;
};

/* Points of two series in turn, of which the second holds a point already. */
static int set_up(void **state)
{
    static struct bench bench;
    bench = (struct bench){.plan = {.series = bench.series,
                                    .series_count = 2,
                                    .points = bench.points,
                                    .point_count = POINTS,
                                    .trials_max = 4,
                                    .trials_per_visit = 1,
                                    .batches = 1,
                                    .precision = 1}};
    for (int i = 0; i < POINTS; i++)
        bench.points[i] = (struct plan_point){.x = i, .series = (unsigned)i % 2};
    struct point *old = pool_append(&bench.pool, (void **)&bench.series[1].points,
                                    &bench.series[1].point_count, sizeof *old);
    old->x = -1;
    old->y.n = 3;
    *state = &bench;
    return point_table_open(&bench.table, &bench.plan, &bench.pool, NULL);
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    point_table_free(&bench->table);
    pool_free(&bench->pool);
    return 0;
}

static void add(struct bench *bench, size_t point, double ns)
{
    struct batch batch = {ns, NAN};
    struct trial trial = {.operations = 1};
    struct visit visit = {.plan = &bench->plan,
                          .trials = &trial,
                          .trial_count = 1,
                          .repeats = 1,
                          .batches = &batch,
                          .batch_count = 1};
    assert_int_equal(record_add(point_table_record(&bench->table, point), &visit,
                                (struct drift){1, 1}, bench->table.scratch, NULL),
                     0);
}

static void points_take_their_places_whenever_they_are_done(void **state)
{
    struct bench *bench = *state;
    const char *failure = NULL;
    size_t missing, failed;
    for (int i = POINTS - 1; i >= 0; i--) {
        assert_int_equal(point_table_trials(&bench->table, (size_t)i), 0);
        add(bench, (size_t)i, 10 + i);
        assert_int_equal(point_table_trials(&bench->table, (size_t)i), 1);
        assert_false(point_table_is_done(&bench->table, (size_t)i));
        if (i % 3) /* the others stay open to the end */
            point_table_finish(&bench->table, (size_t)i);
        assert_int_equal(point_table_is_done(&bench->table, (size_t)i), i % 3 != 0);
    }
    point_table_close(&bench->table, &missing, &failed, &failure);
    assert_int_equal(missing, 0);
    assert_int_equal(failed, 0);
    assert_null(failure);
    assert_int_equal(bench->series[0].point_count, 5);
    assert_int_equal(bench->series[1].point_count, 5);
    assert_true(bench->series[1].points[0].x == -1);
    for (int i = 0; i < POINTS; i++) {
        const struct point *point = &bench->series[i % 2].points[i / 2 + i % 2];
        assert_true(point->x == i);
        assert_int_equal(point->y.n, 1);
        assert_true(fabs((double)point->y.median - (10 + i)) < 1e-6);
    }
}

static void records_serve_one_point_after_another(void **state)
{
    struct bench *bench = *state;
    for (size_t i = 0; i < POINTS; i++) {
        add(bench, i, 1);
        add(bench, i, 1);
        assert_int_equal(point_table_trials(&bench->table, i), 2);
        point_table_finish(&bench->table, i);
    }
    assert_int_equal(bench->table.record_count, 1);
}

static void points_without_a_trial_leave_no_gap_and_failed_ones_stay(void **state)
{
    struct bench *bench = *state;
    const char *failure = NULL;
    size_t missing, failed;
    add(bench, 2, 5);
    point_table_record(&bench->table, 3); /* was come to, and gave nothing */
    point_table_record(&bench->table, 6)->failed = "the CPU is gone";
    point_table_finish(&bench->table, 6);
    add(bench, 7, 5);
    point_table_close(&bench->table, &missing, &failed, &failure);
    assert_int_equal(missing, 6);
    assert_int_equal(failed, 1);
    assert_string_equal(failure, "the CPU is gone");
    assert_int_equal(bench->series[0].point_count, 2);
    assert_true(bench->series[0].points[0].x == 2 && bench->series[0].points[1].x == 6);
    assert_string_equal(bench->series[0].points[1].failed, "the CPU is gone");
    assert_int_equal(bench->series[0].points[1].y.n, 0);
    assert_true(isnan(bench->series[0].points[1].y.median));
    assert_int_equal(bench->series[1].point_count, 2);
    assert_true(bench->series[1].points[1].x == 7);
    /* A stage is summed up more than once, and each time its reason is asked for. */
    failure = NULL;
    point_table_close(&bench->table, &missing, &failed, &failure);
    assert_int_equal(failed, 1);
    assert_string_equal(failure, "the CPU is gone");
    /* The series goes on growing, and what it grows by is zeroed. */
    struct series *series = &bench->series[0];
    struct point *next =
        pool_append(&bench->pool, (void **)&series->points, &series->point_count, sizeof *next);
    assert_true(next->x == 0 && next->y.n == 0 && !next->failed);
}

#define LEDGER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LEDGER_TEST(points_take_their_places_whenever_they_are_done),
        LEDGER_TEST(records_serve_one_point_after_another),
        LEDGER_TEST(points_without_a_trial_leave_no_gap_and_failed_ones_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
