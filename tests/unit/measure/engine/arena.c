/* What the arena reports is what the kernel gave, whatever was asked for. */
#include "measure/engine/arena.h"

#include "document/flag.h"
#include "machine/pages.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { BYTES = (4 << 20) + 12345 };

static void check_policy(enum page_policy policy)
{
    struct arena arena;
    struct error error = {0};
    int code = arena_map(&arena, BYTES, policy, -1, &error);
    if (code < 0) { /* a machine may have none of these pages, but it must say so */
        assert_int_equal(code, ERROR_IMPOSSIBLE);
        assert_true(error.text[0]);
        assert_true(policy != PAGES_AUTO && policy != PAGES_SMALL);
        arena_unmap(&arena);
        return;
    }
    assert_true(arena.bytes >= BYTES);
    assert_int_equal((uintptr_t)arena.memory % (2 << 20), 0);
    arena_touch_part(&arena, 0, arena.bytes);
    arena_verify(&arena);
    double share = arena.placement.huge_share;
    assert_true(isnan(share) || (share >= 0 && share <= 1));
    if (policy == PAGES_SMALL && !isnan(share))
        assert_true(share == 0);
    bool small = arena_flags(&arena) & FLAG_BIT(FLAG_SMALL_PAGES);
    assert_int_equal(small, policy != PAGES_SMALL && !(share >= 0.9));
    arena_unmap(&arena);
    assert_null(arena.memory);
}

static void every_policy_is_had_or_refused(void **state)
{
    for (int policy = 0; policy < PAGES_COUNT; policy++)
        check_policy((enum page_policy)policy);
}

/* What the kernel's count of faults says of pages of 64 KiB, whatever pages this machine gave. */
static void faults_tell_the_pages(void **state)
{
    static const struct {
        uint64_t touched_bytes, faults, page_bytes;
        double least, most;
    } cases[] = {
        {1 << 20, 16, 65536, 1, 1},        /* a fault for each page */
        {1 << 20, 256, 4096, 0, 0},        /* for each small one */
        {1 << 20, 8 + 128, 0, 0.49, 0.51}, /* half of it */
        {1 << 20, 300, 4096, 0, 0},        /* pages were moved meanwhile */
        {1 << 20, 8, 0, NAN, NAN},         /* half was there before */
        {0, 0, 0, NAN, NAN},
    };
    if (pages_bytes(PAGES_OF_4K) != 4096)
        skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arena arena = {.used = PAGES_64K, .node = -1};
        arena.touched_bytes = cases[i].touched_bytes;
        arena.faults = cases[i].faults;
        arena_verify(&arena);
        const double share = arena.placement.huge_share;
        assert_int_equal(arena.placement.page_bytes, cases[i].page_bytes);
        assert_true(isnan(cases[i].least) ? isnan(share)
                                          : share >= cases[i].least && share <= cases[i].most);
    }
}

static void more_than_can_be_addressed_is_refused(void **state)
{
    struct arena arena;
    struct error error = {0};
    assert_true(arena_map(&arena, SIZE_MAX - 5, PAGES_THP, -1, &error) < 0);
    assert_true(error.text[0]);
    assert_true(arena_map(&arena, SIZE_MAX / 4, PAGES_AUTO, -1, &error) < 0);
    arena_unmap(&arena);
}

/* The numbers of the physical pages at the beginnings of an arena's huge pages; false: the kernel
 * tells them to root alone. */
static bool read_frames(const struct arena *arena, uint64_t *frames, size_t count)
{
    enum { SMALL = 4096, HUGE = 2 << 20 };
    FILE *file = fopen("/proc/self/pagemap", "rb");
    bool known = file != NULL;
    for (size_t i = 0; i < count && known; i++) {
        const uintptr_t page = (uintptr_t)(arena->memory + i * HUGE) / SMALL;
        known = fseeko(file, (off_t)(page * sizeof *frames), SEEK_SET) == 0 &&
                fread(&frames[i], sizeof *frames, 1, file) == 1;
        frames[i] &= (UINT64_C(1) << 55) - 1;
        known = known && frames[i] != 0;
    }
    if (file)
        fclose(file);
    return known;
}

/* Of a round's pages, those that the three rounds before it had as well. */
static size_t pages_again(size_t bytes_most)
{
    enum { PAGES = 4, ROUNDS = 10, BACK = 3 };
    uint64_t frames[ROUNDS][PAGES];
    struct attic attic = {.bytes_most = bytes_most};
    size_t again = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct arena arena;
        if (arena_map(&arena, (size_t)PAGES << 21, PAGES_THP, -1, NULL) < 0)
            skip();
        arena_touch_part(&arena, 0, arena.bytes);
        if (!read_frames(&arena, frames[round], PAGES))
            skip();
        for (int back = 1; back <= BACK && back <= round; back++)
            for (int i = 0; i < PAGES; i++)
                for (int j = 0; j < PAGES; j++)
                    again += frames[round][i] == frames[round - back][j];
        arena_keep(&arena, &attic);
        assert_null(arena.memory);
        assert_int_equal(attic.gave_back, bytes_most < (size_t)PAGES << 21);
        assert_true(attic.bytes <= bytes_most);
    }
    attic_clear(&attic);
    assert_int_equal(attic.bytes, 0);
    return again;
}

static void kept_arenas_make_the_next_one_take_other_pages(void **state)
{
    assert_int_equal(pages_again(64 << 20), 0);
}

/* What is given back may be had again: it counts as the same placement. */
static void an_arena_that_is_not_kept_whole_is_no_other_placement(void **state)
{
    struct attic attic = {.bytes_most = 2 << 20};
    struct arena arena;
    assert_int_equal(arena_map(&arena, 8 << 20, PAGES_SMALL, -1, NULL), 0);
    arena_keep(&arena, &attic);
    assert_true(attic.gave_back);
    attic.bytes_most = 64 << 20;
    assert_int_equal(arena_map(&arena, 8 << 20, PAGES_SMALL, -1, NULL), 0);
    arena_keep(&arena, &attic);
    assert_false(attic.gave_back);
    arena_keep(&arena, &attic); /* nothing is mapped: nothing changes */
    assert_false(attic.gave_back);
    attic_clear(&attic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_policy_is_had_or_refused),
        cmocka_unit_test(faults_tell_the_pages),
        cmocka_unit_test(more_than_can_be_addressed_is_refused),
        cmocka_unit_test(kept_arenas_make_the_next_one_take_other_pages),
        cmocka_unit_test(an_arena_that_is_not_kept_whole_is_no_other_placement),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
