#include "show/report/series.h"

#include "conclude/registry/factors.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

static void factors_that_tell_a_headline_from_another_come_first(void **state)
{
    (void)state;
    struct factor one[] = {{"pages", "huge2m", NAN}, {"order", "random", NAN}};
    struct factor other[] = {{"pages", "huge2m", NAN}, {"order", "forward", NAN}};
    struct series series[] = {
        {.name = "latency", .headline = true, .factors = one, .factor_count = 2},
        {.name = "latency", .headline = true, .factors = other, .factor_count = 2}};
    const struct probe_result probe = {.name = "latency", .series = series, .series_count = 2};
    const struct factor *ordered[FACTORS_SEEN];
    size_t telling;
    assert_int_equal(series_order_factors(&probe, series, ordered, &telling, true), 2);
    assert_int_equal(telling, 1);
    assert_ptr_equal(ordered[0], &one[1]);
    assert_int_equal(series_order_factors(&probe, series, ordered, &telling, false), 2);
    assert_int_equal(telling, 2);
    assert_ptr_equal(ordered[0], &one[0]);
}

static void a_matrix_of_the_same_kind_is_measured_again(void **state)
{
    (void)state;
    struct series series[] = {
        {.name = "a", .matrix = true, .point_count = 4, .y = {"latency", "ns"}},
        {.name = "b", .matrix = true, .point_count = 2, .y = {"latency", "ns"}},
        {.name = "c", .matrix = true, .point_count = 2, .y = {"rate", "B/s"}}};
    const struct probe_result probe = {.name = "cores", .series = series, .series_count = 3};
    assert_false(matrix_is_repeated(&probe, &series[0]));
    assert_true(matrix_is_repeated(&probe, &series[1]));
    assert_false(matrix_is_repeated(&probe, &series[2]));
}

static void only_names_tell_some_series_apart(void **state)
{
    (void)state;
    struct series series[] = {{.name = "all", .y = {"bandwidth", "B/s"}},
                              {.name = "one", .y = {"bandwidth", "B/s"}},
                              {.name = "time", .y = {"latency", "ns"}}};
    const struct probe_result probe = {.name = "width", .series = series, .series_count = 3};
    assert_true(series_is_taken_for(&series[0], &series[1]));
    assert_false(series_is_taken_for(&series[0], &series[2]));
    assert_true(series_needs_name(&probe, &series[0]));
    assert_false(series_needs_name(&probe, &series[2]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_that_tell_a_headline_from_another_come_first),
        cmocka_unit_test(a_matrix_of_the_same_kind_is_measured_again),
        cmocka_unit_test(only_names_tell_some_series_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
