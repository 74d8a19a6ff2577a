/* Tables of few sizes, through levels_find(): what they show, and what they don't. */
#include "conclude/levels/steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { SIZES_MOST = 40 };
static const double kib = 1024, mib = 1024 * 1024;

struct row {
    double kib, latency;
};

static struct levels levels_of(const struct row *rows, size_t n, enum level_pages pages)
{
    struct level_sample samples[SIZES_MOST];
    struct levels levels;
    for (size_t i = 0; i < n; i++)
        samples[i] = (struct level_sample){
            .bytes = rows[i].kib * kib, .latency = rows[i].latency, .low = NAN, .high = NAN};
    levels_find(&(struct pool){0}, pages, samples, n, NULL, 0, &levels);
    assert_true(levels.sparse);
    return levels;
}

#define LEVELS_OF(rows, pages) levels_of(rows, sizeof(rows) / sizeof *(rows), pages)

static void assert_near(double value, double expected, double relative)
{
    if (!(fabs(value / expected - 1) <= relative))
        fail_msg("%g is not %g", value, expected);
}

static void sizes_of_which_no_two_agree_have_no_level(void **state)
{
    static const struct row article[] = {{16, 6}, {128, 17}, {4096, 250}, {262144, 500}};
    struct levels levels = LEVELS_OF(article, LEVEL_PAGES_UNKNOWN);
    assert_int_equal(levels.count, 0);
    assert_int_equal(levels.gap_count, 1);
    assert_near(levels.gaps[0].from, 16 * kib, 1e-9);
    assert_near(levels.gaps[0].to, 256 * mib, 1e-9);
}

static void sizes_that_double_show_what_agrees_and_no_more(void **state)
{
    static const struct row doubling[] = {{1, 5},      {2, 5},      {4, 5},      {8, 5},
                                          {16, 5},     {32, 5},     {64, 16},    {128, 16},
                                          {256, 16},   {512, 17.6}, {1024, 21},  {2048, 69},
                                          {4096, 143}, {8192, 263}, {16384, 382}};
    struct levels levels = LEVELS_OF(doubling, LEVEL_PAGES_UNKNOWN);
    assert_int_equal(levels.count, 2);
    assert_near(levels.list[0].latency.value, 5, 1e-9);
    assert_near(levels.list[1].latency.value, 16, 1e-9);
    assert_true(levels.list[0].capacity.low <= 32 * kib &&
                levels.list[0].capacity.high <= 64 * kib);
    assert_true(levels.rising && !levels.proven);
    assert_int_equal(levels.gap_count, 1);
    assert_near(levels.gaps[0].to, 16 * mib, 1e-9);
    levels = levels_of(doubling + 4, 11, LEVEL_PAGES_UNKNOWN); /* from 16 KiB */
    assert_int_equal(levels.count, 2);
    assert_near(levels.list[0].latency.value, 5, 1e-9);
}

static const struct row atom[] = {{4, 0.89},    {8, 0.89},    {16, 0.89},   {32, 0.89},
                                  {64, 5.83},   {128, 5.9},   {256, 8.56},  {512, 8.65},
                                  {1024, 10.3}, {2048, 14.6}, {4096, 33.8}, {8192, 84},
                                  {16384, 144}, {32768, 158}, {65536, 155}, {131072, 160}};

static void a_small_step_that_fits_a_tlb_is_no_cache_where_pages_are_unknown(void **state)
{
    struct levels levels = LEVELS_OF(atom, LEVEL_PAGES_UNKNOWN);
    assert_int_equal(levels.count, 3);
    assert_near(levels.list[1].latency.value, 5.87, 0.01);
    assert_true(levels.list[1].translated > 128 * kib && levels.list[1].translated < 256 * kib);
    assert_near(levels.list[1].translation, 2.74, 0.02);
    assert_true(levels.list[1].capacity.low <= 2 * mib && levels.list[1].capacity.high >= 2 * mib);
    assert_true(isnan(levels.list[0].translated) && isnan(levels.list[2].translated));
    levels = LEVELS_OF(atom, LEVEL_PAGES_KNOWN);
    assert_int_equal(levels.count, 4);
    assert_near(levels.list[2].latency.value, 8.6, 0.01);
    assert_true(isnan(levels.list[1].translated));
}

static void a_step_between_the_reaches_of_tlbs_is_a_cache(void **state)
{
    static const struct row rows[] = {{64, 4},     {128, 4},    {256, 4},    {512, 4},
                                      {1024, 5.5}, {2048, 5.5}, {4096, 5.5}, {8192, 5.5}};
    assert_int_equal(LEVELS_OF(rows, LEVEL_PAGES_UNKNOWN).count, 2);
}

static void memory_is_proven_by_three_sizes_of_an_octave(void **state)
{
    assert_true(LEVELS_OF(atom, LEVEL_PAGES_UNKNOWN).proven);
    struct levels levels = levels_of(atom, 15, LEVEL_PAGES_UNKNOWN); /* two sizes */
    assert_int_equal(levels.count, 3);
    assert_false(levels.proven);
    assert_false(levels.rising);
    /* Three, but next to the cache. */
    static const struct row near[] = {{8, 4}, {16, 4}, {32, 4}, {40, 9}, {48, 9}, {56, 9}};
    assert_false(LEVELS_OF(near, LEVEL_PAGES_UNKNOWN).proven);
}

static void memory_that_grows_slower_and_slower_is_one_level(void **state)
{
    static const struct row rows[] = {{16, 4},     {32, 4},     {64, 60},     {128, 110},
                                      {256, 120},  {512, 121},  {1024, 122},  {2048, 128},
                                      {4096, 134}, {8192, 141}, {16384, 148}, {32768, 156}};
    struct levels levels = LEVELS_OF(rows, LEVEL_PAGES_KNOWN);
    assert_int_equal(levels.count, 2);
    assert_true(levels.proven && !levels.rising);
    assert_near(levels.list[1].latency.value, 121, 0.01);
    assert_true(isnan(levels.list[1].capacity.value));
}

static void one_size_is_no_level_and_two_that_agree_are(void **state)
{
    static const struct row three[] = {{1, 2}, {2, 4}, {4, 4.1}};
    struct levels levels = LEVELS_OF(three, LEVEL_PAGES_KNOWN);
    assert_int_equal(levels.count, 1);
    assert_int_equal(levels.gap_count, 1);
    assert_near(levels.list[0].latency.value, 4.05, 1e-6);
    assert_true(isnan(levels.list[0].capacity.value));
}

static void there_are_no_more_levels_than_the_list_holds(void **state)
{
    struct row rows[SIZES_MOST];
    for (int i = 0; i < SIZES_MOST; i++)
        rows[i] = (struct row){exp2(i), exp2(i / 2)};
    struct levels levels = LEVELS_OF(rows, LEVEL_PAGES_UNKNOWN);
    assert_int_equal(levels.count, CURVE_LEVELS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_of_which_no_two_agree_have_no_level),
        cmocka_unit_test(sizes_that_double_show_what_agrees_and_no_more),
        cmocka_unit_test(a_small_step_that_fits_a_tlb_is_no_cache_where_pages_are_unknown),
        cmocka_unit_test(a_step_between_the_reaches_of_tlbs_is_a_cache),
        cmocka_unit_test(memory_is_proven_by_three_sizes_of_an_octave),
        cmocka_unit_test(memory_that_grows_slower_and_slower_is_one_level),
        cmocka_unit_test(one_size_is_no_level_and_two_that_agree_are),
        cmocka_unit_test(there_are_no_more_levels_than_the_list_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
