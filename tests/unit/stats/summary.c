#include "stats/summary.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const double values[] = {9, 2, 7, 4, 10, 1, 8, 3, 6, 5};

static void ten_values_are_summarised(void **state)
{
    (void)state;
    double scratch[LENGTH(values)];
    struct summary summary;
    summarize(values, LENGTH(values), scratch, &summary);
    assert_int_equal(summary.n, 10);
    assert_true(summary.median == 5.5);
    assert_true(summary.low == 2 && summary.high == 9);
    assert_true(fabs(summary.coverage - 0.978515625) < 1e-12);
    assert_true(summary.min == 1 && summary.max == 10);
    assert_true(summary.p25 == 3.25 && summary.p75 == 7.75);
    assert_true(fabs(summary_half_width(&summary) - 3.5 / 5.5) < 1e-12);
}

static void the_values_stay_as_they_are_unless_they_are_the_scratch(void **state)
{
    (void)state;
    double own[LENGTH(values)], scratch[LENGTH(values)];
    struct summary apart, within;
    memcpy(own, values, sizeof own);
    summarize(own, LENGTH(own), scratch, &apart);
    assert_memory_equal(own, values, sizeof own);
    summarize(own, LENGTH(own), own, &within);
    assert_memory_equal(&apart, &within, sizeof apart);
    for (size_t i = 0; i < LENGTH(own); i++)
        assert_true(own[i] == (double)(i + 1));
}

static void nothing_measured_is_no_number(void **state)
{
    (void)state;
    struct summary summary = {.n = 9};
    summarize(NULL, 0, NULL, &summary);
    const double all[] = {summary.median, summary.low, summary.high, summary.coverage,
                          summary.min,    summary.p25, summary.p75,  summary.max};
    assert_int_equal(summary.n, 0);
    for (size_t i = 0; i < LENGTH(all); i++)
        assert_true(isnan(all[i]));
    assert_true(isinf(summary_half_width(&summary)));
}

static void few_trials_admit_their_coverage(void **state)
{
    (void)state;
    double scratch[LENGTH(values)];
    for (size_t n = 1; n <= LENGTH(values); n++) {
        struct summary summary;
        summarize(values, n, scratch, &summary);
        assert_true((summary.coverage >= 0.95) == (n >= 6));
        assert_true(summary.low <= summary.median && summary.median <= summary.high);
        assert_true(isinf(summary_half_width(&summary)) == (n < 2));
    }
}

static void equal_trials_have_no_width(void **state)
{
    (void)state;
    const double equal[] = {5, 5, 5, 5, 5, 5};
    double scratch[LENGTH(equal)];
    struct summary summary;
    summarize(equal, LENGTH(equal), scratch, &summary);
    assert_true(summary_half_width(&summary) == 0);
}

static void a_median_of_zero_is_never_precise(void **state)
{
    (void)state;
    const double zeros[] = {0, 0, 0, 0, 0, 0};
    double scratch[LENGTH(zeros)];
    struct summary summary;
    summarize(zeros, LENGTH(zeros), scratch, &summary);
    assert_true(isinf(summary_half_width(&summary)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_values_are_summarised),
        cmocka_unit_test(the_values_stay_as_they_are_unless_they_are_the_scratch),
        cmocka_unit_test(nothing_measured_is_no_number),
        cmocka_unit_test(few_trials_admit_their_coverage),
        cmocka_unit_test(equal_trials_have_no_width),
        cmocka_unit_test(a_median_of_zero_is_never_precise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
