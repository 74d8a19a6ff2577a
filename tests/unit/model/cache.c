#include "cache.h"

#include "support.h"

#include <stdlib.h>

enum { LINES = 4096 };

static uint8_t places[LINES][CACHE_PLACES];

static struct cache make(uint32_t sets, uint32_t ways, enum model_replacement replacement,
                         bool hashed)
{
    struct cache cache;
    assert_true(cache_create(&cache, sets, ways, replacement, hashed, places[0]));
    return cache;
}

static void discard(struct cache *cache)
{
    cache_clear(cache, 0, LINES);
    cache_free(cache);
}

static bool use(struct cache *cache, uint32_t line)
{
    bool hit = cache_hit(cache, line, line);
    if (!hit)
        cache_insert(cache, line, line);
    return hit;
}

static void the_least_recently_used_goes(void **state)
{
    (void)state;
    struct cache cache = make(1, 4, MODEL_LRU, false);
    for (uint32_t line = 0; line < 4; line++)
        assert_false(use(&cache, line));
    assert_true(use(&cache, 0));
    assert_int_equal(cache_insert(&cache, 9, 9), 1 + 1); /* line 1, for 0 was used since */
    assert_false(cache_hit(&cache, 1, 1));
    assert_true(cache_hit(&cache, 0, 0));
    discard(&cache);
}

static void lru_of_sixteen_ways_keeps_its_order(void **state)
{
    (void)state;
    struct cache cache = make(1, 16, MODEL_LRU, false);
    for (uint32_t line = 0; line < 16; line++)
        use(&cache, line);
    for (uint32_t line = 16; line-- > 0;)
        assert_true(use(&cache, line)); /* now 15 is the oldest */
    for (uint32_t line = 0; line < 16; line++)
        assert_int_equal(cache_insert(&cache, 100 + line, 0), 15 - line + 1);
    discard(&cache);
}

static void a_cycle_one_line_too_long_always_misses_lru(void **state)
{
    (void)state;
    struct cache cache = make(4, 8, MODEL_LRU, false);
    for (int round = 0; round < 5; round++)
        for (uint32_t i = 0; i < 9; i++)
            assert_false(use(&cache, 4 * i));
    discard(&cache);
}

static void a_tree_points_away_from_what_was_used(void **state)
{
    (void)state;
    struct cache cache = make(1, 4, MODEL_TREE_PLRU, false);
    for (uint32_t line = 0; line < 4; line++)
        use(&cache, line);
    /* The last use was on the right side's right: the left side's left is next. */
    assert_int_equal(cache_insert(&cache, 10, 10), 0 + 1);
    /* The left side was used: on the right, 3 was used after 2. */
    assert_int_equal(cache_insert(&cache, 11, 11), 2 + 1);
    assert_int_equal(cache_insert(&cache, 12, 12), 1 + 1);
    assert_int_equal(cache_insert(&cache, 13, 13), 3 + 1);
    discard(&cache);
}

static unsigned hits_of_long_cycle(uint64_t seed)
{
    struct cache cache = make(1, 8, MODEL_RANDOM, false);
    cache.random = (struct random){seed};
    unsigned hits = 0;
    for (int round = 0; round < 1000; round++)
        for (uint32_t line = 0; line < 9; line++)
            hits += use(&cache, line);
    discard(&cache);
    return hits;
}

static void random_replacement_keeps_some_of_a_long_cycle_and_can_be_repeated(void **state)
{
    (void)state;
    unsigned hits = hits_of_long_cycle(7);
    assert_true(hits >= 5000 && hits <= 8500); /* of 9000; LRU would have none */
    assert_int_equal(hits_of_long_cycle(7), hits);
    assert_int_not_equal(hits_of_long_cycle(8), hits);
}

static void a_hash_spreads_an_aligned_block_evenly(void **state)
{
    (void)state;
    struct cache cache = make(64, 4, MODEL_LRU, true);
    for (uint32_t block = 0; block < LINES; block += 256) {
        unsigned lines[64] = {0};
        for (uint32_t i = 0; i < 256; i++)
            lines[cache_set(&cache, 77 * 256 + block + i)]++;
        for (unsigned set = 0; set < 64; set++)
            assert_int_equal(lines[set], 4);
    }
    /* Strides that all fall on one set of a plain index do not. */
    unsigned first = cache_set(&cache, 0), same = 0;
    for (uint32_t i = 0; i < 64; i++)
        same += cache_set(&cache, i * 64) == first;
    assert_true(same < 4);
    discard(&cache);
}

static void a_neighbour_takes_ways(void **state)
{
    (void)state;
    struct cache cache = make(1, 8, MODEL_LRU, false);
    cache.ways_now = 4;
    for (uint32_t line = 0; line < 5; line++)
        use(&cache, line);
    assert_false(cache_hit(&cache, 0, 0));
    assert_true(cache_hit(&cache, 1, 1));
    discard(&cache);
}

static void what_was_removed_leaves_room(void **state)
{
    (void)state;
    static const enum model_replacement all[] = {MODEL_LRU, MODEL_TREE_PLRU, MODEL_RANDOM};
    for (size_t i = 0; i < 3; i++) {
        struct cache cache = make(1, 4, all[i], false);
        for (uint32_t line = 0; line < 4; line++)
            use(&cache, line);
        cache_remove(&cache, 3, 3);
        cache_remove(&cache, 3, 3);
        assert_false(cache_hit(&cache, 3, 3));
        assert_int_equal(cache_insert(&cache, 20, 20), 0);
        assert_int_not_equal(cache_insert(&cache, 21, 21), 0);
        discard(&cache);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_goes),
        cmocka_unit_test(lru_of_sixteen_ways_keeps_its_order),
        cmocka_unit_test(a_cycle_one_line_too_long_always_misses_lru),
        cmocka_unit_test(a_tree_points_away_from_what_was_used),
        cmocka_unit_test(random_replacement_keeps_some_of_a_long_cycle_and_can_be_repeated),
        cmocka_unit_test(a_hash_spreads_an_aligned_block_evenly),
        cmocka_unit_test(a_neighbour_takes_ways),
        cmocka_unit_test(what_was_removed_leaves_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
