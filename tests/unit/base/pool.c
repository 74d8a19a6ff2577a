#include "base/pool.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_aligned_and_apart(void **state)
{
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
    struct pool pool = {0};
    assert_null(pool_alloc(&pool, SIZE_MAX / 2, 3));
    assert_null(pool_alloc(&pool, SIZE_MAX, 1));
    assert_null(pool_alloc(&pool, SIZE_MAX - 64, 1));
    assert_non_null(pool_alloc(&pool, 1, 1));
    pool_free(&pool);
}

static void texts_are_copied(void **state)
{
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

static void an_array_is_extended_at_once_and_still_grows(void **state)
{
    struct pool pool = {0};
    void *array = NULL;
    size_t count = 0;
    *(struct element *)pool_append(&pool, &array, &count, sizeof(struct element)) =
        (struct element){.number = 7};
    struct element *first = pool_extend(&pool, &array, &count, 1000, sizeof *first);
    assert_non_null(first);
    assert_ptr_equal(first, (struct element *)array + 1);
    assert_int_equal(count, 1001);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(first[i].number, 0);
        first[i].number = i;
    }
    for (int i = 1000; i < 3000; i++) {
        struct element *element = pool_append(&pool, &array, &count, sizeof *element);
        assert_int_equal(element->number, 0);
        element->number = i;
    }
    assert_int_equal(((struct element *)array)[0].number, 7);
    for (int i = 0; i < 3000; i++)
        assert_int_equal(((struct element *)array)[i + 1].number, i);
    const size_t before = count;
    assert_null(pool_extend(&pool, &array, &count, SIZE_MAX, sizeof *first));
    assert_null(pool_extend(&pool, &array, &count, SIZE_MAX / 8, sizeof *first));
    assert_int_equal(count, before);
    pool_free(&pool);
}

static size_t large_count(const struct pool *pool)
{
    const struct stub {
        const struct stub *next;
    } *block = (const void *)pool->large;
    size_t count = 0;
    for (; block; block = block->next)
        count++;
    return count;
}

static void large_arrays_are_given_back_and_others_stay(void **state)
{
    struct pool pool = {0};
    char *small = pool_strdup(&pool, "small");
    unsigned char *large[3];
    for (int i = 0; i < 3; i++) {
        large[i] = pool_alloc(&pool, 100000, 1);
        memset(large[i], 1 + i, 100000);
    }
    const size_t before = large_count(&pool);
    pool_give_back(&pool, NULL);
    assert_int_equal(large_count(&pool), before);
    pool_give_back(&pool, large[1]);
    assert_int_equal(large_count(&pool), before - 1);
    pool_give_back(&pool, large[2]);
    assert_int_equal(large_count(&pool), before - 2);
    assert_int_equal(large[0][99999], 1);
    assert_non_null(pool_alloc(&pool, 100000, 1));
    assert_string_equal(small, "small");
    pool_give_back(&pool, small); /* stays, but under AddressSanitizer */
    pool_free(&pool);
}

struct borrowing {
    struct pool *pool;
    char *kept;
};

static void borrow(struct pool *scratch, void *with)
{
    struct borrowing *borrowing = with;
    memset(pool_alloc(scratch, 100000, 1), 1, 100000);
    borrowing->kept = pool_strdup(borrowing->pool, "kept");
}

static void borrow_and_leave(struct pool *scratch, void *with)
{
    struct borrowing *borrowing = with;
    pool_alloc(scratch, 100000, 1);
    pool_leave(borrowing->pool, ERROR_USAGE, "enough");
}

static int borrow_twice(void *with)
{
    struct borrowing *borrowing = with;
    pool_scratch(borrowing->pool, borrow, borrowing);
    pool_scratch(borrowing->pool, borrow_and_leave, borrowing);
    return 0;
}

/* That the scratch is freed is for the sanitizers to say. */
static void what_leaves_either_pool_leaves_the_step(void **state)
{
    struct pool pool = {0};
    struct borrowing borrowing = {.pool = &pool};
    struct error error;
    assert_int_equal(pool_enter(&pool, borrow_twice, &borrowing, &error), ERROR_USAGE);
    assert_string_equal(error.text, "enough");
    assert_string_equal(borrowing.kept, "kept");
    assert_null(pool.exit);
    pool_free(&pool);
}

static int want_too_much(void *with, struct error *error)
{
    struct pool *pool = with;
    assert_null(pool->exit);
    assert_null(pool_alloc(pool, SIZE_MAX, 2));
    return error_set(error, ERROR_SYSTEM, "too much");
}

static int step_out(void *with)
{
    struct pool *pool = with;
    pool_check(pool, pool_outside(pool, want_too_much, pool));
    return 0;
}

/* Without memory the pool returns NULL there, and the step is left by the code alone. */
static void nothing_outside_of_the_step_leaves_it(void **state)
{
    struct pool pool = {0};
    struct error error;
    assert_int_equal(pool_enter(&pool, step_out, &pool, &error), ERROR_SYSTEM);
    assert_string_equal(error.text, "too much");
    assert_null(pool.exit);
    pool_free(&pool);
}

static void takes_what_another_holds(void **state)
{
    struct pool one = {0}, other = {0};
    char *first = pool_strdup(&one, "first"), *second = pool_strdup(&other, "second");
    pool_take(&one, &other);
    assert_null(other.blocks);
    pool_free(&other);
    assert_string_equal(first, "first");
    assert_string_equal(second, "second");
    pool_free(&one);
    pool_take(&one, &other); /* nothing from nothing */
    assert_null(one.blocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leaves_either_pool_leaves_the_step),
        cmocka_unit_test(nothing_outside_of_the_step_leaves_it),
        cmocka_unit_test(takes_what_another_holds),
        cmocka_unit_test(memory_is_zeroed_aligned_and_apart),
        cmocka_unit_test(a_piece_larger_than_a_block_fits),
        cmocka_unit_test(more_than_there_is_gives_null),
        cmocka_unit_test(texts_are_copied),
        cmocka_unit_test(texts_are_printed_at_any_length),
        cmocka_unit_test(arrays_grow_and_keep_what_they_held),
        cmocka_unit_test(an_array_is_extended_at_once_and_still_grows),
        cmocka_unit_test(large_arrays_are_given_back_and_others_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
