#include "cache.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { LINE = 128 };

/* Goes round a block of lines twice; how many of the second round were not there. */
static uint32_t lost(struct cache *cache, uint32_t first, uint32_t lines, uint32_t stride)
{
    uint32_t absent = 0;
    for (int round = 0; round < 2; round++)
        for (uint32_t i = 0; i < lines; i++) {
            bool away = cache_access(cache, first + i * stride, 1, false).absent != 0;
            absent += round && away;
        }
    return absent;
}

static void a_block_as_large_as_the_cache_stays(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {16, 128, 200, 256, 1000, 2048, 45056, 409600};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cache cache;
        assert_true(cache_create(&cache, (uint64_t)sizes[i] * LINE, LINE, 16));
        uint32_t lines = cache.sets * cache.ways;
        assert_true(lines <= sizes[i] && lines > sizes[i] - 16);
        assert_int_equal(lost(&cache, 0, lines, 1), 0);
        cache_free(&cache);
    }
}

static void a_block_that_begins_anywhere_has_a_sharp_edge(void **state)
{
    (void)state;
    struct random random = {7};
    struct cache cache;
    assert_true(cache_create(&cache, 2048 * LINE, LINE, 16));
    for (int i = 0; i < 50; i++) {
        uint32_t first = (uint32_t)random_below(&random, 1u << 30);
        cache_clear(&cache);
        assert_int_equal(lost(&cache, first, 2048 * 15 / 16, 1), 0);
        cache_clear(&cache);
        uint32_t beyond = 2048 * 18 / 16;
        assert_int_equal(lost(&cache, first, beyond, 1), beyond);
    }
    cache_free(&cache);
}

/* A plain index would leave all but a few sets empty. */
static void strides_fill_all_sets(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {64, 4096, 45056, 409600};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cache cache;
        assert_true(cache_create(&cache, (uint64_t)sizes[i] * LINE, LINE, 16));
        for (uint32_t stride = 1; stride < UINT32_MAX / sizes[i]; stride *= 2) {
            cache_clear(&cache);
            /* All of it fits where the sets are a power of two, else half of it does. */
            uint32_t lines = cache.odd == 1 ? sizes[i] : sizes[i] / 2;
            uint32_t share = lost(&cache, 0, lines, stride) * 100 / lines;
            if (share > (cache.odd == 1 ? 0 : 1))
                fail_msg("%u lines, stride %u: %u of 100 are lost", sizes[i], stride, share);
        }
        cache_free(&cache);
    }
}

/* Against the plainest list that there is. */
static void the_least_recently_used_line_goes(void **state)
{
    (void)state;
    for (uint32_t ways = 1; ways <= CACHE_WAYS; ways++) {
        struct cache cache;
        struct random random = {ways};
        uint32_t list[CACHE_WAYS + 1], count = 0;
        assert_true(cache_create(&cache, (uint64_t)ways * LINE, LINE, ways));
        assert_int_equal(cache.sets, 1);
        for (int i = 0; i < 5000; i++) {
            uint32_t line = (uint32_t)random_below(&random, ways + ways / 2 + 1), at = 0;
            while (at < count && list[at] != line)
                at++;
            bool there = at < count;
            assert_int_equal(cache_peek(&cache, line), there ? 1 : 0);
            assert_int_equal(cache_access(&cache, line, 1, false).absent, there ? 0 : 1);
            if (!there && count < ways)
                count++;
            if (!there)
                at = count - 1;
            memmove(&list[1], &list[0], at * sizeof *list);
            list[0] = line;
        }
        cache_free(&cache);
    }
}

static void sectors_come_one_by_one_and_go_together(void **state)
{
    (void)state;
    struct cache cache;
    assert_true(cache_create(&cache, 2 * LINE, LINE, 2));
    assert_int_equal(cache_access(&cache, 5, 1, false).absent, 1);
    assert_int_equal(cache_access(&cache, 5, 3, false).absent, 2);
    assert_int_equal(cache_access(&cache, 5, 8, true).absent, 8);
    assert_int_equal(cache_access(&cache, 5, 15, false).absent, 4);
    assert_int_equal(cache_peek(&cache, 5), 15);
    assert_int_equal(cache_access(&cache, 6, 2, true).written, 0);
    /* 5 goes: of its four sectors one was written to. */
    assert_int_equal(cache_access(&cache, 7, 1, false).written, 8);
    assert_int_equal(cache_peek(&cache, 5), 0);
    assert_int_equal(cache_access(&cache, 8, 1, false).written, 2);
    cache_free(&cache);
}

static void a_cache_takes_another_shape(void **state)
{
    (void)state;
    struct cache cache;
    assert_true(cache_create(&cache, 1024 * LINE, LINE, 16));
    assert_int_equal(lost(&cache, 0, 1024, 1), 0);
    cache_shape(&cache, 96 * LINE, LINE, 16);
    assert_int_equal(cache_peek(&cache, 0), 0);
    assert_int_equal(lost(&cache, 0, 96, 1), 0);
    assert_int_equal(lost(&cache, 0, 128, 1), 128);
    cache_shape(&cache, 3 * LINE, LINE, 16);
    assert_int_equal(lost(&cache, 0, 3, 1), 0);
    assert_int_equal(lost(&cache, 0, 4, 1), 4);
    cache_free(&cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_as_large_as_the_cache_stays),
        cmocka_unit_test(a_block_that_begins_anywhere_has_a_sharp_edge),
        cmocka_unit_test(strides_fill_all_sets),
        cmocka_unit_test(the_least_recently_used_line_goes),
        cmocka_unit_test(sectors_come_one_by_one_and_go_together),
        cmocka_unit_test(a_cache_takes_another_shape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
