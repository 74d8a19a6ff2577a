#include "stats/histogram.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct histogram histogram;

static int set_up(void **state)
{
    memset(&histogram, 0, sizeof histogram);
    return 0;
}

static void a_number_is_known_to_half_a_percent(void **state)
{
    for (uint64_t number = 1; number < UINT64_C(1) << HISTOGRAM_BITS; number += number / 7 + 1) {
        set_up(NULL);
        histogram_add(&histogram, number);
        double found = histogram_ranked(&histogram, 0, 1);
        assert_true(fabs(found / (double)number - 1) < 0.005);
        assert_true(number >= 256 || found == (double)number);
    }
}

static void what_is_too_large_counts_all_the_same(void **state)
{
    histogram_add(&histogram, UINT64_MAX);
    histogram_add(&histogram, UINT64_C(1) << HISTOGRAM_BITS);
    assert_int_equal(histogram_count(&histogram, 0), 2);
    assert_true(histogram_ranked(&histogram, 0, 2) > 2e14);
}

static void quantiles_are_those_of_the_numbers(void **state)
{
    for (unsigned i = 1; i <= 10000; i++)
        histogram_add(&histogram, 1000 * i);
    struct interval found = histogram_quantile(&histogram, 0, 0.5);
    assert_true(fabs(found.value / 5e6 - 1) < 0.01);
    /* Ranks 4902 to 5098. */
    assert_true(fabs(found.low / 4.902e6 - 1) < 0.01 && fabs(found.high / 5.098e6 - 1) < 0.01);
    found = histogram_quantile(&histogram, 0, 0.99);
    assert_true(fabs(found.value / 9.9e6 - 1) < 0.01);
    assert_true(found.low <= found.value && found.high >= found.value);
    /* One in twenty thousand of them is the least. */
    assert_true(histogram_quantile(&histogram, 0, 0.5e-4).value ==
                histogram_ranked(&histogram, 0, 1));
}

/* Of a hundred, ranks 40 to 61 hold the median (np +- 1.96 sqrt(np(1 - p)), and one more above). */
static void an_interval_has_the_ranks_of_a_binomial(void **state)
{
    for (unsigned i = 1; i <= 100; i++)
        histogram_add(&histogram, 1000 * i);
    const struct interval found = histogram_quantile(&histogram, 0, 0.5);
    assert_true(fabs(found.low / 4e4 - 1) < 0.006 && fabs(found.high / 6.1e4 - 1) < 0.006);
}

static void beyond_the_largest_there_is_no_end(void **state)
{
    assert_true(isnan(histogram_quantile(&histogram, 0, 0.5).value));
    for (unsigned i = 1; i <= 100; i++)
        histogram_add(&histogram, i);
    struct interval found = histogram_quantile(&histogram, 0, 0.9999);
    assert_true(found.value == 100);
    assert_true(isnan(found.high) && !isnan(found.low));
}

static void merged_are_the_numbers_of_both(void **state)
{
    static struct histogram other;
    histogram_add(&histogram, 7);
    histogram_add(&other, 9);
    other.bins[3] = UINT32_MAX;
    histogram.bins[3] = 5;
    histogram_merge(&histogram, &other);
    assert_int_equal(histogram.bins[3], UINT32_MAX); /* it does not start again from 0 */
    assert_int_equal(histogram.bins[7], 1);
    assert_int_equal(histogram.bins[9], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_number_is_known_to_half_a_percent, set_up),
        cmocka_unit_test_setup(what_is_too_large_counts_all_the_same, set_up),
        cmocka_unit_test_setup(quantiles_are_those_of_the_numbers, set_up),
        cmocka_unit_test_setup(an_interval_has_the_ranks_of_a_binomial, set_up),
        cmocka_unit_test_setup(beyond_the_largest_there_is_no_end, set_up),
        cmocka_unit_test_setup(merged_are_the_numbers_of_both, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
