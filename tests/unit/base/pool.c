#include "base/pool.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_aligned_and_apart(void **state)
{
    (void)state;
    struct pool pool = {0};
    unsigned char *pieces[600];
    for (size_t i = 0; i < 600; i++) {
        size_t size = i * 7 % 300 + 1;
        pieces[i] = pool_alloc(&pool, size, 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
        for (size_t j = 0; j < size; j++)
            assert_int_equal(pieces[i][j], 0);
        memset(pieces[i], (int)(i % 251) + 1, size);
    }
    for (size_t i = 0; i < 600; i++)
        for (size_t j = 0; j < i * 7 % 300 + 1; j++)
            assert_int_equal(pieces[i][j], i % 251 + 1);
    pool_free(&pool);
}

static void a_piece_larger_than_a_block_fits(void **state)
{
    (void)state;
    struct pool pool = {0};
    char *small = pool_strdup(&pool, "small");
    unsigned char *large = pool_alloc(&pool, 1000, 1000);
    assert_non_null(large);
    memset(large, 1, 1000000);
    assert_string_equal(small, "small");
    pool_free(&pool);
}

static void more_than_there_is_gives_null(void **state)
{
    (void)state;
    struct pool pool = {0};
    assert_null(pool_alloc(&pool, SIZE_MAX / 2, 3));
    assert_null(pool_alloc(&pool, SIZE_MAX, 1));
    assert_null(pool_alloc(&pool, SIZE_MAX - 64, 1));
    assert_non_null(pool_alloc(&pool, 1, 1));
    pool_free(&pool);
}

static void texts_are_copied(void **state)
{
    (void)state;
    struct pool pool = {0};
    char text[] = "depth";
    char *copy = pool_strdup(&pool, text);
    text[0] = 'x';
    assert_string_equal(copy, "depth");
    assert_string_equal(pool_strdup(&pool, ""), "");
    assert_null(pool_strdup(&pool, NULL));
    pool_free(&pool);
}

static void texts_are_printed_at_any_length(void **state)
{
    (void)state;
    struct pool pool = {0};
    assert_string_equal(pool_printf(&pool, "%d-%s", 7, "a"), "7-a");
    char *text = pool_printf(&pool, "%0*d", 50000, 3);
    assert_int_equal(strlen(text), 50000);
    assert_int_equal(text[49999], '3');
    pool_free(&pool);
}

struct element {
    int number;
    char rest[20];
};

static void arrays_grow_and_keep_what_they_held(void **state)
{
    (void)state;
    struct pool pool = {0};
    void *array = NULL;
    size_t count = 0;
    for (int i = 0; i < 3000; i++) {
        struct element *element = pool_append(&pool, &array, &count, sizeof *element);
        assert_non_null(element);
        assert_int_equal(element->number, 0);
        assert_string_equal(element->rest, "");
        element->number = i;
        memset(element->rest, 'x', sizeof element->rest);
    }
    assert_int_equal(count, 3000);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(((struct element *)array)[i].number, i);
    pool_free(&pool);
}

static void a_freed_pool_is_empty_and_usable(void **state)
{
    (void)state;
    struct pool pool = {0};
    pool_free(&pool);
    pool_strdup(&pool, "once");
    pool_free(&pool);
    assert_null(pool.blocks);
    assert_string_equal(pool_strdup(&pool, "again"), "again");
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(a_piece_larger_than_a_block_fits),
        cmocka_unit_test(more_than_there_is_gives_null),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(texts_are_printed_at_any_length),
        cmocka_unit_test(arrays_grow_and_keep_what_they_held),
        cmocka_unit_test(a_freed_pool_is_empty_and_usable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
