#include "stats/scatter.h"

#include "base/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
    assert_recovered(16, 10, 2, 1);
    assert_recovered(16, 1, 6, 2);
    assert_recovered(8, 3, 0, 3);
    assert_recovered(20, 5, 5,
                     2); /* a visit that covers the end of one pass and the next's start */
    assert_recovered(64, 4, 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_block_is_the_table_of_the_book),
        cmocka_unit_test(each_part_is_found_alone),
        cmocka_unit_test(an_item_alone_in_its_block_has_no_scatter),
        cmocka_unit_test(simulated_parts_are_recovered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
