#include "measure/engine/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { POINTS = 200 };

static void a_round_comes_to_every_unit_once_in_random_order(void **state)
{
    (void)state;
    const struct plan plan = {.point_count = POINTS};
    struct schedule schedule;
    struct visit_group group;
    size_t orders[3][POINTS];
    assert_int_equal(schedule_create(&schedule, &plan, 5, NULL), 0);
    for (int round = 0; round < 3; round++) {
        bool seen[POINTS] = {0};
        size_t count = 0;
        assert_true(schedule_begin_round(&schedule, false));
        while (schedule_next(&schedule, &group)) {
            assert_int_equal(group.count, 1);
            assert_false(seen[group.first]);
            seen[group.first] = true;
            orders[round][count++] = group.first;
            schedule_keep(&schedule, 1);
        }
        assert_int_equal(count, POINTS);
    }
    size_t in_place = 0;
    for (size_t i = 0; i < POINTS; i++)
        in_place += orders[0][i] == i;
    assert_true(in_place < 10); /* one is to be expected */
    assert_memory_not_equal(orders[0], orders[1], sizeof orders[0]);
    assert_memory_not_equal(orders[1], orders[2], sizeof orders[0]);
    schedule_free(&schedule);
}

static void a_unit_that_is_not_kept_is_left(void **state)
{
    (void)state;
    const struct plan plan = {.point_count = POINTS};
    struct schedule schedule;
    struct visit_group group;
    assert_int_equal(schedule_create(&schedule, &plan, 5, NULL), 0);
    for (size_t round = 0; round < 4; round++) {
        size_t count = 0;
        assert_true(schedule_begin_round(&schedule, false));
        for (size_t i = 0; i < schedule.open; i++)
            assert_true(round == 0 || schedule_group(&schedule, i).first % 4 >= round);
        while (schedule_next(&schedule, &group)) {
            assert_true(group.first % 4 >= round);
            if (group.first % 4 > round)
                schedule_keep(&schedule, 1);
            count++;
        }
        assert_int_equal(count, POINTS / 4 * (4 - round));
    }
    assert_false(schedule_begin_round(&schedule, false));
    schedule_free(&schedule);
}

static void a_group_is_visited_as_one(void **state)
{
    (void)state;
    const unsigned groups[] = {3, 1, 4};
    const struct plan plan = {.point_count = 8, .groups = groups, .group_count = 3};
    struct schedule schedule;
    struct visit_group group;
    bool seen[8] = {0};
    assert_int_equal(schedule_create(&schedule, &plan, 1, NULL), 0);
    assert_int_equal(schedule.largest, 4);
    assert_true(schedule_begin_round(&schedule, false));
    for (int i = 0; i < 3; i++) {
        assert_true(schedule_next(&schedule, &group));
        assert_int_equal(group.count, group.first == 0 ? 3 : group.first == 3 ? 1 : 4);
        seen[group.first] = true;
    }
    assert_true(seen[0] && seen[3] && seen[4]);
    assert_false(schedule_next(&schedule, &group));
    schedule_free(&schedule);
}

static void groups_that_miss_points_are_refused(void **state)
{
    (void)state;
    const unsigned groups[] = {3, 1};
    const struct plan plan = {.point_count = 5, .groups = groups, .group_count = 2};
    struct schedule schedule;
    struct error error = {0};
    assert_int_equal(schedule_create(&schedule, &plan, 1, &error), ERROR_USAGE);
    assert_non_null(strstr(error.text, "4 of 5"));
    schedule_free(&schedule);
}

/* Points of 3, 6, 12 and 24 MiB in turn. */
static void small_sets_come_before_large_ones(void **state)
{
    (void)state;
    struct plan_point points[POINTS] = {{.seat_count = 1}};
    for (size_t i = 0; i < POINTS; i++)
        points[i].arena_bytes = (size_t)3 << 20 << i % 4;
    const struct plan plan = {.points = points, .point_count = POINTS};
    struct schedule schedule;
    struct visit_group group;
    size_t first[2][POINTS / 4];
    assert_int_equal(schedule_create(&schedule, &plan, 5, NULL), 0);
    for (int round = 0; round < 2; round++) {
        assert_true(schedule_begin_round(&schedule, false));
        for (size_t i = 0; i < POINTS; i++) {
            assert_true(schedule_next(&schedule, &group));
            assert_int_equal(group.first % 4, i / (POINTS / 4));
            assert_int_equal(schedule_tier_bytes(&schedule), (size_t)4 << 20 << group.first % 4);
            if (i < POINTS / 4)
                first[round][i] = group.first;
            schedule_keep(&schedule, 1);
        }
        assert_false(schedule_next(&schedule, &group));
    }
    assert_memory_not_equal(first[0], first[1], sizeof first[0]); /* random among themselves */
    schedule_free(&schedule);
}

static void what_was_put_back_or_not_come_to_is_in_the_next_round(void **state)
{
    (void)state;
    const struct plan plan = {.point_count = POINTS};
    struct schedule schedule;
    struct visit_group group;
    bool seen[POINTS] = {0};
    assert_int_equal(schedule_create(&schedule, &plan, 5, NULL), 0);
    assert_true(schedule_begin_round(&schedule, false));
    for (int i = 0; i < 10; i++) { /* five are done, four go on, one is put back */
        assert_true(schedule_next(&schedule, &group));
        if (i % 2 && i < 9)
            schedule_keep(&schedule, 1);
        else if (i < 9)
            seen[group.first] = true;
    }
    schedule_put_back(&schedule);
    assert_true(schedule_is_open(&schedule));
    assert_true(schedule_begin_round(&schedule, false));
    size_t count = 0;
    for (; schedule_next(&schedule, &group); count++) {
        assert_false(seen[group.first]);
        seen[group.first] = true;
    }
    assert_int_equal(count, POINTS - 5);
    assert_false(schedule_is_open(&schedule));
    schedule_free(&schedule);
}

/* Where time is scarce, every other round comes to the wider half, and none is forgotten. */
static void scarce_time_goes_to_the_widest(void **state)
{
    (void)state;
    const struct plan plan = {.point_count = POINTS};
    struct schedule schedule;
    struct visit_group group;
    assert_int_equal(schedule_create(&schedule, &plan, 5, NULL), 0);
    assert_true(schedule_begin_round(&schedule, true)); /* none has an interval: all */
    assert_int_equal(schedule.open, POINTS);
    while (schedule_next(&schedule, &group))
        schedule_keep(&schedule, (double)group.first);
    for (int round = 0; round < 2; round++) {
        assert_true(schedule_begin_round(&schedule, true));
        size_t count = 0;
        for (; schedule_next(&schedule, &group); count++) {
            assert_true(group.first >= POINTS / 2);
            schedule_keep(&schedule, (double)group.first);
        }
        assert_int_equal(count, POINTS / 2);
    }
    assert_true(schedule_begin_round(&schedule, false));
    assert_int_equal(schedule.open, POINTS);
    while (schedule_next(&schedule, &group))
        schedule_keep(&schedule, 1);
    assert_true(schedule_begin_round(&schedule, true)); /* all are as wide: all */
    assert_int_equal(schedule.open, POINTS);
    schedule_free(&schedule);
}

static void no_points_no_round(void **state)
{
    (void)state;
    const struct plan plan = {.point_count = 0};
    struct schedule schedule;
    assert_int_equal(schedule_create(&schedule, &plan, 1, NULL), 0);
    assert_false(schedule_begin_round(&schedule, false));
    schedule_free(&schedule);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_comes_to_every_unit_once_in_random_order),
        cmocka_unit_test(a_unit_that_is_not_kept_is_left),
        cmocka_unit_test(a_group_is_visited_as_one),
        cmocka_unit_test(groups_that_miss_points_are_refused),
        cmocka_unit_test(small_sets_come_before_large_ones),
        cmocka_unit_test(what_was_put_back_or_not_come_to_is_in_the_next_round),
        cmocka_unit_test(scarce_time_goes_to_the_widest),
        cmocka_unit_test(no_points_no_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
