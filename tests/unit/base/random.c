#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* The first outputs of Vigna's splitmix64.c for the seed 1234567, as Rosetta Code prints them. */
static void numbers_are_those_of_splitmix64(void **state)
{
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
                                        9817491932198370423u, 4593380528125082431u,
                                        16408922859458223821u};
    struct random random = {1234567};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_true(random_next(&random) == expected[i]);
}

/* Chi-squared over ten equal bins: one uniform generator in a thousand exceeds 27.9, and the seed
 * is fixed. */
static void check_even(const unsigned bins[10], unsigned total)
{
    double expected = total / 10.0, chi_squared = 0;
    for (int i = 0; i < 10; i++)
        chi_squared += (bins[i] - expected) * (bins[i] - expected) / expected;
    assert_true(chi_squared < 27.9);
}

static void numbers_below_a_bound_are_even(void **state)
{
    struct random random = {1};
    unsigned bins[10] = {0};
    for (unsigned i = 0; i < 100000; i++) {
        uint64_t number = random_below(&random, 10);
        assert_true(number < 10);
        bins[number]++;
    }
    check_even(bins, 100000);
}

static void every_bound_is_kept(void **state)
{
    struct random random = {2};
    static const uint64_t bounds[] = {1, 2, 3, (UINT64_C(1) << 32) + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int j = 0; j < 1000; j++)
            assert_true(random_below(&random, bounds[i]) < bounds[i]);
}

/* Products whose upper halves are known, with the factors in either order. */
static void numbers_are_the_same_without_a_wide_type(void **state)
{
    assert_true(random_upper(UINT64_MAX, UINT64_MAX) == UINT64_MAX - 1);
    assert_true(random_upper(UINT64_MAX, 1) == 0);
    assert_true(random_upper(UINT64_C(1) << 63, 6) == 3);
    assert_true(random_upper(UINT64_C(0x123456789abcdef0), UINT64_C(0xfedcba9876543210)) ==
                UINT64_C(0x121fa00ad77d7422));
    struct random one = {4}, other = {4}, bounds = {5};
    for (int i = 0; i < 100000; i++) {
        uint64_t bound = random_next(&bounds) >> i % 64 | 1;
        assert_true(random_below(&one, bound) == random_upper(random_next(&other), bound));
    }
}

static void units_are_even_and_below_one(void **state)
{
    struct random random = {3};
    unsigned bins[10] = {0};
    for (unsigned i = 0; i < 100000; i++) {
        double unit = random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
        bins[(int)(unit * 10)]++;
    }
    check_even(bins, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_those_of_splitmix64),
        cmocka_unit_test(numbers_below_a_bound_are_even),
        cmocka_unit_test(every_bound_is_kept),
        cmocka_unit_test(numbers_are_the_same_without_a_wide_type),
        cmocka_unit_test(units_are_even_and_below_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
