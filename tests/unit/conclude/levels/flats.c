#include "conclude/levels/flats.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double five_percent = 0.0488;

static size_t bins_of(const double *latencies, size_t n, double octaves, struct curve_bin *bins)
{
    for (size_t i = 0; i < n; i++)
        bins[i] = (struct curve_bin){
            .x = 10 + octaves * (double)i, .y = log(latencies[i]), .deviation = 0.02};
    return n;
}

static void what_agrees_is_flat_and_what_rises_is_not(void **state)
{
    (void)state;
    static const double latencies[] = {4, 4.1, 4, 14, 14.2, 50, 90, 130, 160, 161};
    struct curve_bin bins[10];
    struct flat flats[FLATS_MOST];
    size_t n = bins_of(latencies, 10, 1, bins);
    assert_int_equal(flats_find(bins, n, five_percent, 0.25, flats), 3);
    assert_int_equal(flats[0].first, 0);
    assert_int_equal(flats[0].last, 2);
    assert_int_equal(flats[0].sizes, 3);
    assert_true(fabs(exp(flats[0].middle) - 4) < 1e-9);
    assert_int_equal(flats[1].first, 3);
    assert_int_equal(flats[1].last, 4);
    assert_true(fabs(flats[1].octaves - 1) < 1e-9);
    assert_int_equal(flats[2].first, 8);
}

static void one_that_is_off_does_not_split_a_flat_and_two_do(void **state)
{
    (void)state;
    double latencies[] = {40, 40, 41, 55, 40, 40.5, 41};
    struct curve_bin bins[7];
    struct flat flats[FLATS_MOST];
    bins_of(latencies, 7, 0.5, bins);
    assert_int_equal(flats_find(bins, 7, five_percent, 0.25, flats), 1);
    assert_int_equal(flats[0].sizes, 6);
    assert_false(flat_holds(&flats[0], bins, 3));
    assert_true(flat_holds(&flats[0], bins, 4));
    bins[4].y = log(56);
    assert_int_equal(flats_find(bins, 7, five_percent, 0.25, flats), 3);
}

static void a_flat_is_as_long_as_was_asked(void **state)
{
    (void)state;
    static const double latencies[] = {10, 10, 10, 10};
    struct curve_bin bins[4];
    struct flat flats[FLATS_MOST];
    bins_of(latencies, 4, 0.1, bins);
    assert_int_equal(flats_find(bins, 4, five_percent, 0.29, flats), 1);
    assert_int_equal(flats_find(bins, 4, five_percent, 0.31, flats), 0);
    assert_int_equal(flats_find(bins, 1, five_percent, 0, flats), 0);
    assert_int_equal(flats_find(bins, 0, five_percent, 0, flats), 0);
}

static void there_are_no_more_than_the_list_holds(void **state)
{
    (void)state;
    enum { STEPS = FLATS_MOST + 5 };
    double latencies[2 * STEPS];
    struct curve_bin bins[2 * STEPS];
    struct flat flats[FLATS_MOST];
    for (int i = 0; i < 2 * STEPS; i++)
        latencies[i] = exp2(i / 2);
    bins_of(latencies, 2 * STEPS, 1, bins);
    assert_int_equal(flats_find(bins, 2 * STEPS, five_percent, 0.25, flats), FLATS_MOST);
    for (int i = 1; i < FLATS_MOST; i++)
        assert_true(flats[i].first > flats[i - 1].last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_agrees_is_flat_and_what_rises_is_not),
        cmocka_unit_test(one_that_is_off_does_not_split_a_flat_and_two_do),
        cmocka_unit_test(a_flat_is_as_long_as_was_asked),
        cmocka_unit_test(there_are_no_more_than_the_list_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
