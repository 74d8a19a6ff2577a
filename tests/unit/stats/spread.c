#include "stats/spread.h"

#include "base/random.h"
#include "sample.h"
#include "stats/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* --- spread --- */

/* mad(c(1:9)) in the reference manual of R's mad(), and its neighbour with an outlier. */
static void deviations_are_those_of_r(void **state)
{
    static const double values[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const double wild[] = {1, 2, 3, 4, 5, 6, 7, 8, 100};
    double scratch[9];
    assert_true(fabs(robust_deviation(values, 9, scratch) - 2.9652) < 1e-12);
    assert_true(fabs(robust_deviation(wild, 9, scratch) - 2.9652) < 1e-12);
    assert_true(robust_deviation(values, 1, scratch) == 0);
}

static void the_deviation_of_a_normal_sample_is_its_standard_deviation(void **state)
{
    enum { N = 20000 };
    static double values[N], scratch[N];
    struct random random = {1};
    for (size_t i = 0; i < N; i++)
        values[i] = 50 + 3 * sample_normal(&random);
    sort_ascending(values, N);
    assert_true(fabs(robust_deviation(values, N, scratch) - 3) < 0.1);
}

/* Two groups of `lower` and `n - lower` values, each of range 1, with a gap between them. */
static size_t groups_of(size_t lower, size_t n, double gap)
{
    double values[200];
    for (size_t i = 0; i < lower; i++)
        values[i] = lower > 1 ? (double)i / (double)(lower - 1) : 0;
    for (size_t i = lower; i < n; i++)
        values[i] = 1 + gap + (n - lower > 1 ? (double)(i - lower) / (double)(n - lower - 1) : 0);
    return spread_groups(values, n);
}

static void two_groups_need_a_fifth_and_three_values_each(void **state)
{
    for (size_t n = 1; n <= 100; n++)
        for (size_t lower = 1; lower < n; lower++) {
            size_t fewer = lower < n - lower ? lower : n - lower;
            assert_int_equal(groups_of(lower, n, 10), fewer >= 3 && 5 * fewer >= n ? lower : 0);
        }
}

static void the_gap_is_three_times_the_wider_range(void **state)
{
    for (size_t n = 8; n <= 60; n++) {
        assert_int_equal(groups_of(n / 2, n, 3.01), n / 2);
        assert_int_equal(groups_of(n / 2, n, 2.99), 0);
    }
}

static void one_value_many_times_is_one_group(void **state)
{
    double values[40];
    for (size_t i = 0; i < LENGTH(values); i++)
        values[i] = 5;
    for (size_t n = 1; n <= LENGTH(values); n++)
        assert_int_equal(spread_groups(values, n), 0);
}

static double uniform(struct random *random)
{
    return random_unit(random);
}

/* The share of samples of n values that pass as two groups; REPEATS and the seeds leave a standard
 * error below 0.0008 about one in a hundred. */
enum { REPEATS = 16000 };

static double share_in_two(double (*draw)(struct random *), double apart, size_t n, uint64_t seed)
{
    struct random random = {seed};
    int found = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double values[60];
        for (size_t i = 0; i < n; i++)
            values[i] = draw(&random) + (i % 2 ? apart : 0);
        sort_ascending(values, n);
        found += spread_groups(values, n) != 0;
    }
    return (double)found / (double)REPEATS;
}

static const size_t counts[] = {8, 9, 10, 11, 12, 15, 20, 30, 60};

static void one_group_is_seldom_taken_for_two(void **state)
{
    for (size_t i = 0; i < LENGTH(counts); i++) {
        assert_true(share_in_two(sample_normal, 0, counts[i], i) < 0.01);
        assert_true(share_in_two(uniform, 0, counts[i], i) < 0.01);
    }
}

/* Normal groups 24 deviations apart: of 30 values a side the range is about four. */
static void two_groups_are_found(void **state)
{
    for (size_t i = 0; i < LENGTH(counts); i++) {
        assert_true(share_in_two(sample_normal, 24, counts[i], i) > 0.99);
        assert_true(share_in_two(uniform, 4.1, counts[i], i) == 1);
    }
}

/* --- vote --- */

#define COUNT(values, vote)                                                                        \
    vote_count(values, sizeof(values) / sizeof *(values), vote,                                    \
               (double[sizeof(values) / sizeof *(values)]){0})

static void one_voice_is_one_number(void **state)
{
    const double values[] = {64, 64, 64, 64, 64, 64, 64};
    struct vote vote;
    assert_true(COUNT(values, &vote));
    assert_true(vote.value == 64 && vote.low == 64 && vote.high == 64);
    assert_int_equal(vote.agreeing, 7);
}

static void a_majority_carries_and_the_interval_shows_the_others(void **state)
{
    const double values[] = {64, 63, 64, 57, 64, 64, 64, 60, 64};
    struct vote vote;
    assert_true(COUNT(values, &vote));
    assert_true(vote.value == 64 && vote.low == 60 && vote.high == 64);
    assert_int_equal(vote.agreeing, 6);
    assert_int_equal(vote.voted, 9);
}

static void no_majority_no_number(void **state)
{
    const double values[] = {64, 63, 64, 57, 62, 64, 61, 60, 64};
    struct vote vote;
    assert_false(COUNT(values, &vote));
    assert_int_equal(vote.agreeing, 4);
}

static void who_abstains_does_not_count_but_half_must_vote(void **state)
{
    const double nine[] = {64, NAN, 64, 64, NAN, 64, 64, NAN, NAN};
    const double eleven[] = {64, NAN, 64, 64, NAN, 64, 64, NAN, NAN, NAN, NAN};
    const double four[] = {64, 64, 64, 64};
    const double none[] = {NAN, NAN};
    struct vote vote;
    assert_true(COUNT(nine, &vote));
    assert_int_equal(vote.voted, 5);
    assert_false(COUNT(eleven, &vote));
    assert_false(COUNT(four, &vote));
    assert_false(COUNT(none, &vote));
    assert_true(isnan(vote.value) && vote.voted == 0);
}

/* --- scatter --- */

static void assert_near(double value, double wanted, double tolerance)
{
    if (!(fabs(value - wanted) <= tolerance))
        fail_msg("%g is not within %g of %g", value, tolerance, wanted);
}

/* By hand: items 10, 12, 20 and 11, 15, 19 in one block. Means of items 10.5, 13.5, 19.5, of times
 * 14 and 15, of all 14.5. MS item = 2 (16 + 1 + 25) / 2 = 42; MS time = 3 (0.25 + 0.25) / 1 = 1.5;
 * what is left after both: 0, -1, 1 for the first time and 0, 1, -1 for the second, so MS rest =
 * 4 / 2 = 2. */
static void one_block_is_the_table_of_the_book(void **state)
{
    const float values[] = {10, 12, 20, 11, 15, 19};
    struct scatter_parts parts;
    assert_true(scatter_split(values, 3, 3, &parts));
    assert_near(parts.mean, 14.5, 1e-9);
    assert_near(parts.rest, sqrt(2), 1e-9);
    assert_near(parts.item, sqrt((42 - 2) / 2.0), 1e-9);
    assert_near(parts.time, 0, 1e-9); /* (1.5 - 2) / 3 is below zero */
}

static void each_part_is_found_alone(void **state)
{
    const float items[] = {1, 2, 3, 4, 1, 2, 3, 4}, times[] = {5, 5, 5, 5, 7, 7, 7, 7};
    const float same[] = {5, 5, 5, 5, 5, 5, 5, 5};
    struct scatter_parts parts;
    assert_true(scatter_split(items, 4, 2, &parts));
    assert_near(parts.item, sqrt(0.5), 1e-9); /* blocks of 1, 2 and 3, 4 */
    assert_near(parts.time + parts.rest, 0, 1e-9);
    assert_true(scatter_split(times, 4, 4, &parts));
    assert_near(parts.time, sqrt(2), 1e-9);
    assert_near(parts.item + parts.rest, 0, 1e-9);
    assert_true(scatter_split(same, 4, 4, &parts));
    assert_near(parts.item + parts.time + parts.rest, 0, 1e-9);
}

static void an_item_alone_in_its_block_has_no_scatter(void **state)
{
    const float values[] = {1, 2, 1, 2};
    struct scatter_parts parts;
    assert_false(scatter_split(values, 1, 1, &parts));
    assert_false(scatter_split(values, 2, 1, &parts));
    assert_true(scatter_split(values, 2, 2, &parts));
}

/* Approximately normal: the sum of twelve uniform numbers. */
static double normal(struct random *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_unit(random);
    return sum;
}

enum { ITEMS = 64 };

static void simulate(struct random *random, size_t per_visit, double item, double time, double rest,
                     float *values)
{
    double of_unit[ITEMS], of_time = 0;
    for (size_t i = 0; i < ITEMS; i++)
        of_unit[i] = item * normal(random);
    for (size_t i = 0; i < 2 * ITEMS; i++) {
        if (i % per_visit == 0)
            of_time = time * normal(random);
        values[i] = (float)(100 + of_unit[i % ITEMS] + of_time + rest * normal(random));
    }
}

static void assert_recovered(size_t per_visit, double item, double time, double rest)
{
    enum { RUNS = 400 };
    struct random random = {per_visit};
    double squares[3] = {0};
    float values[2 * ITEMS];
    for (int run = 0; run < RUNS; run++) {
        struct scatter_parts parts;
        simulate(&random, per_visit, item, time, rest, values);
        assert_true(scatter_split(values, ITEMS, per_visit, &parts));
        squares[0] += parts.item * parts.item / (double)RUNS;
        squares[1] += parts.time * parts.time / (double)RUNS;
        squares[2] += parts.rest * parts.rest / (double)RUNS;
    }
    assert_near(sqrt(squares[0]), item, 0.05 * item + 0.1);
    /* There are few blocks to estimate the times from, and a result below zero counts as zero. */
    assert_near(sqrt(squares[1]), time, 0.15 * time + 0.2 * rest);
    assert_near(sqrt(squares[2]), rest, 0.05 * rest + 0.1);
}

static void simulated_parts_are_recovered(void **state)
{
    assert_recovered(16, 10, 2, 1);
    assert_recovered(16, 1, 6, 2);
    assert_recovered(8, 3, 0, 3);
    assert_recovered(20, 5, 5,
                     2); /* a visit that covers the end of one pass and the next's start */
    assert_recovered(64, 4, 0, 1);
}

static void a_slope_is_that_of_the_outer_thirds(void **state)
{
    double pairs[12][2], scratch[4];
    for (int i = 0; i < 12; i++) { /* in no order, and the middle one is far off */
        const double x = (i * 5) % 12;
        pairs[i][0] = x;
        pairs[i][1] = i == 1 ? 1000 : 3 - 2 * x;
    }
    assert_near(resistant_slope(pairs, 12, scratch), -2, 1e-9);
    assert_true(isnan(resistant_slope(pairs, 8, scratch)));
    for (int i = 0; i < 12; i++)
        pairs[i][0] = 1;
    assert_true(isnan(resistant_slope(pairs, 12, scratch)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deviations_are_those_of_r),
        cmocka_unit_test(the_deviation_of_a_normal_sample_is_its_standard_deviation),
        cmocka_unit_test(two_groups_need_a_fifth_and_three_values_each),
        cmocka_unit_test(the_gap_is_three_times_the_wider_range),
        cmocka_unit_test(one_value_many_times_is_one_group),
        cmocka_unit_test(one_group_is_seldom_taken_for_two),
        cmocka_unit_test(two_groups_are_found),
        cmocka_unit_test(one_voice_is_one_number),
        cmocka_unit_test(a_majority_carries_and_the_interval_shows_the_others),
        cmocka_unit_test(no_majority_no_number),
        cmocka_unit_test(who_abstains_does_not_count_but_half_must_vote),
        cmocka_unit_test(one_block_is_the_table_of_the_book),
        cmocka_unit_test(each_part_is_found_alone),
        cmocka_unit_test(an_item_alone_in_its_block_has_no_scatter),
        cmocka_unit_test(simulated_parts_are_recovered),
        cmocka_unit_test(a_slope_is_that_of_the_outer_thirds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
