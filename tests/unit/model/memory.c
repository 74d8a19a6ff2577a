#include "memory.h"

#include "support.h"

static struct memory memory;
static struct model_machine machine;

static int set_up(void **state)
{
    (void)state;
    machine = plain_machine();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    memory_free(&memory);
    return 0;
}

static void renew(enum model_pages pages, uint64_t seed)
{
    if (!memory.machine)
        assert_true(memory_create(&memory, &machine, 8 * MIB));
    memory_renew(&memory, pages, seed);
    memory_set_pace(&memory, machine.core_hz, 1, 1);
}

/* Mean nanoseconds of the second of two walks over `lines` lines, `stride` lines apart. */
static double walk(uint32_t lines, int64_t stride, uint32_t first)
{
    uint64_t ps = 0;
    for (int round = 0; round < 2; round++) {
        ps = 0;
        for (uint32_t i = 0; i < lines; i++)
            ps += memory_access(&memory, (uint32_t)(first + i * stride));
    }
    return (double)ps * 1e-3 / lines;
}

static void levels_hold_what_they_hold(void **state)
{
    (void)state;
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(64, 1, 0) == 2); /* 4 KiB */
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(80, 1, 0) == 10); /* one line more in every set, and LRU keeps none */
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(1024, 1, 0) == 10); /* 64 KiB */
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(1152, 1, 0) >= 60);
}

static void an_exclusive_level_adds_to_the_one_above(void **state)
{
    (void)state;
    /* All lines of one set of the second level, and of one of the first: 8 and 4 ways. */
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(8 + 4, 128, 0) >= 60);
    machine.caches[1].filling = MODEL_EXCLUSIVE;
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(8 + 4, 128, 0) == 10);
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(8 + 4 + 1, 128, 0) >= 60);
}

static void what_an_inclusive_level_loses_is_lost_above(void **state)
{
    (void)state;
    /* Nine lines of one set of the second level; the first is used all the time, which only the
     * first level sees. */
    for (int inclusive = 0; inclusive < 2; inclusive++) {
        machine.caches[1].filling = inclusive ? MODEL_INCLUSIVE : MODEL_INDEPENDENT;
        memory_free(&memory);
        renew(MODEL_HUGE_PAGES, 1);
        uint64_t ps = 0;
        for (uint32_t i = 0; i < 9; i++) {
            memory_access(&memory, i * 128 + 1);
            ps = memory_access(&memory, 1);
        }
        assert_true((ps == 2000) == !inclusive);
    }
}

static void pages_beyond_the_tlbs_cost(void **state)
{
    (void)state;
    /* A line on each page: of the first level's sixteen sets each page has another, so that the
     * caches hold them all. */
    renew(MODEL_SMALL_PAGES, 1);
    double in_first = walk(16, 65, 0);
    renew(MODEL_SMALL_PAGES, 1);
    double in_second = walk(17, 65, 0);
    renew(MODEL_SMALL_PAGES, 1);
    double walked = walk(80, 65, 0);
    assert_true(in_first == 2);
    assert_true(in_second == 2 + 7);
    assert_true(walked >= 30 + 2);
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(17, 65, 0) == 2);
}

static void a_missing_second_tlb_is_a_walk(void **state)
{
    (void)state;
    machine.tlbs[MODEL_SMALL_PAGES][1].entries = 0;
    renew(MODEL_SMALL_PAGES, 1);
    assert_true(walk(17, 65, 0) == 2 + 30);
}

static void small_pages_fall_unevenly_on_physical_sets(void **state)
{
    (void)state;
    machine.caches[1] = (struct model_cache){
        .bytes = 256 * KIB, .ways = 8, .cycles = 10, .physical = true}; /* eight colours */
    machine.tlbs[MODEL_SMALL_PAGES][0].entries = 64;
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(4096, 1, 0) == 10);
    renew(MODEL_SMALL_PAGES, 1);
    assert_true(walk(4096, 1, 0) > 12);
    double one = walk(4096, 1, 0);
    renew(MODEL_SMALL_PAGES, 2);
    assert_true(walk(4096, 1, 0) != one); /* other frames */
    renew(MODEL_SMALL_PAGES, 1);
    walk(4096, 1, 0);
    assert_true(walk(4096, 1, 0) == one); /* the same again */
}

static void an_open_row_is_faster(void **state)
{
    (void)state;
    renew(MODEL_HUGE_PAGES, 1);
    memory_access(&memory, 0);
    assert_int_equal(memory_access(&memory, 1), 60000);
    assert_int_equal(memory_access(&memory, 16 * 16), 100000); /* the bank's next row */
    assert_int_equal(memory_access(&memory, 2), 100000);       /* which closed this one */
}

static void streams_are_fetched_ahead(void **state)
{
    (void)state;
    machine.prefetch_depth = 4;
    machine.prefetch_lines = 2;
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(8192, 1, 0) < 3);
    assert_true(walk(8192, 2, 0) < 3);
    assert_true(walk(8192, 3, 0) > 50);
    assert_true(walk(8192, -1, 8191) > 50);
    memory_free(&memory);
    machine.prefetch_backward = true;
    renew(MODEL_HUGE_PAGES, 1);
    assert_true(walk(8192, -1, 8191) < 3);
    /* Small pages end a stream unless it crosses them. */
    renew(MODEL_SMALL_PAGES, 1);
    double stops = walk(8192, 1, 0);
    memory_free(&memory);
    machine.prefetch_across_pages = true;
    renew(MODEL_SMALL_PAGES, 1);
    assert_true(walk(8192, 1, 0) < stops);
}

static void a_slower_clock_slows_the_core_only(void **state)
{
    (void)state;
    renew(MODEL_HUGE_PAGES, 1);
    memory_set_pace(&memory, 0.5e9, 1, 1.5);
    assert_int_equal(memory_access(&memory, 0), 150000 + 20 * 2000); /* and a walk */
    assert_int_equal(memory_access(&memory, 0), 4000);
}

static void a_neighbour_halves_the_last_level(void **state)
{
    (void)state;
    renew(MODEL_HUGE_PAGES, 1);
    memory_share_last_level(&memory, true);
    assert_true(walk(512, 1, 0) == 10);
    renew(MODEL_HUGE_PAGES, 1);
    memory_share_last_level(&memory, true);
    assert_true(walk(1024, 1, 0) >= 60);
}

#define MEMORY_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(levels_hold_what_they_hold),
        MEMORY_TEST(an_exclusive_level_adds_to_the_one_above),
        MEMORY_TEST(what_an_inclusive_level_loses_is_lost_above),
        MEMORY_TEST(pages_beyond_the_tlbs_cost),
        MEMORY_TEST(a_missing_second_tlb_is_a_walk),
        MEMORY_TEST(small_pages_fall_unevenly_on_physical_sets),
        MEMORY_TEST(an_open_row_is_faster),
        MEMORY_TEST(streams_are_fetched_ahead),
        MEMORY_TEST(a_slower_clock_slows_the_core_only),
        MEMORY_TEST(a_neighbour_halves_the_last_level),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
