#include "measure/engine/forecast.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { POINTS = 100 };

static struct plan_point points[POINTS];

/* 100 points of ten trials of ten batches of 1 ms: ten seconds at the very least. */
static const struct plan plan = {.points = points,
                                 .point_count = POINTS,
                                 .trials_min = 10,
                                 .trials_max = 40,
                                 .trials_per_visit = 1,
                                 .batches = 10,
                                 .batch_ns = 1e6,
                                 .budget_s = 1000};

static void the_plan_tells_before_anything_is_measured(void **state)
{
    (void)state;
    struct forecast forecast = forecast_of(&plan);
    double left_s = forecast_left_s(&forecast, 0);
    assert_true(left_s > 10 && left_s < 11.5);

    const unsigned groups[POINTS / 4] = {[0 ... POINTS / 4 - 1] = 4};
    struct plan together = plan;
    together.groups = groups;
    together.group_count = POINTS / 4;
    forecast = forecast_of(&together);
    assert_true(fabs(forecast_left_s(&forecast, 0) / left_s - 0.25) < 1e-9);

    struct plan spread = plan;
    spread.span_s = 60;
    forecast = forecast_of(&spread);
    assert_true(forecast_left_s(&forecast, 0) == 60);

    struct plan large = plan;
    points[3].arena_bytes = (size_t)1 << 30;
    forecast = forecast_of(&large);
    points[3].arena_bytes = 0;
    assert_true(forecast_left_s(&forecast, 0) > left_s + 3); /* ten arenas */
}

static void the_budget_bounds_it(void **state)
{
    (void)state;
    struct plan hasty = plan;
    hasty.budget_s = 3;
    struct forecast forecast = forecast_of(&hasty);
    assert_true(forecast_left_s(&forecast, 0) == 3);
    assert_true(forecast_left_s(&forecast, 2.5) == 0.5);
    assert_true(forecast_left_s(&forecast, 4) == 0);
}

static void visits_tell_better_than_the_plan(void **state)
{
    (void)state;
    struct forecast forecast = forecast_of(&plan);
    for (unsigned trial = 0; trial < 5; trial++) /* twice as long as planned */
        for (int i = 0; i < POINTS; i++)
            forecast_add(&forecast, trial, trial + 1);
    forecast.busy_s = 10;
    double left_s = forecast_left_s(&forecast, 10);
    assert_true(left_s > 9.8 && left_s < 10.2);
}

static void points_that_go_on_need_their_most_and_points_that_are_done_none(void **state)
{
    (void)state;
    struct forecast forecast = forecast_of(&plan);
    for (int i = 0; i < POINTS; i++)
        forecast_add(&forecast, 0, 10);
    assert_true(forecast.trials_left == POINTS * 30);
    for (int i = 1; i < POINTS; i++)
        forecast_leave(&forecast, 10);
    assert_true(forecast.trials_left == 30);
    forecast_add(&forecast, 10, 40);
    forecast_leave(&forecast, 40);
    assert_true(forecast.trials_left == 0);
    assert_true(forecast_left_s(&forecast, 12) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plan_tells_before_anything_is_measured),
        cmocka_unit_test(the_budget_bounds_it),
        cmocka_unit_test(visits_tell_better_than_the_plan),
        cmocka_unit_test(points_that_go_on_need_their_most_and_points_that_are_done_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
