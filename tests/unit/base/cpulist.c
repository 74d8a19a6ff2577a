#include "base/cpulist.h"
#include "base/clean.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static struct cpulist parsed(struct pool *pool, const char *text)
{
    struct cpulist list;
    assert_int_equal(cpulist_read(text, &list, pool, NULL), 0);
    for (size_t i = 1; i < list.count; i++)
        assert_true(list.ids[i - 1] < list.ids[i]);
    return list;
}

static void lists_are_read_and_written_in_their_shortest_form(void **state)
{
    static const char *const cases[][2] = {{"0", "0"},
                                           {"0-7,16-31:2", "0-7,16,18,20,22,24,26,28,30"},
                                           {"0-0", "0"},
                                           {"3-4", "3-4"},
                                           {"0,1,2,5", "0-2,5"},
                                           {"5,1,3,1,3", "1,3,5"},
                                           {"4-9,0-6", "0-9"},
                                           {"0-9:1", "0-9"},
                                           {"0-9:4", "0,4,8"},
                                           {"0-3:1048576", "0"},
                                           {"1048576", "1048576"},
                                           {"00012", "12"}};
    struct pool pool = {0};
    char text[100];
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct cpulist list = parsed(&pool, cases[i][0]);
        assert_string_equal(cpulist_format(&list, text, sizeof text), cases[i][1]);
    }
    pool_free(&pool);
}

static void what_is_no_list_is_refused_with_a_remedy(void **state)
{
    static const char *const bad[] = {
        "",           ",",          "1,,2",  "1,",      ",1",      "3-",        "-3",
        "7-3",        "1-2-3",      "0-7:0", "0-7:",    "0-7:-1",  "3:2",       ":",
        "1 2",        " 1",         "1 ",    "1, 2",    "a",       "1a",        "0x1",
        "1.5",        "1;2",        "all",   "0-7:2:2", "1048577", "0-1048577", "0-7:1048577",
        "2147483648", "4294967296", "\xb2",  "0-7,7-0", "\xd9\xa1"};
    struct pool pool = {0};
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct cpulist list;
        struct error error = {0};
        assert_int_equal(cpulist_read(bad[i], &list, &pool, &error), ERROR_USAGE);
        assert_int_equal(list.count, 0);
        assert_null(list.ids);
        char shown[CLEAN_TEXT];
        assert_non_null(strstr(error.text, clean_text(bad[i], shown, sizeof shown)));
        assert_non_null(strstr(error.text, "like 0-7,16-31:2"));
    }
    assert_int_equal(cpulist_read("99999999999999999999", &(struct cpulist){0}, &pool, NULL),
                     ERROR_USAGE);
    pool_free(&pool);
}

/* Ranges that overlap, or come in descending order, must not take quadratic time: with a million
 * ids that would be hours. */
static void whole_ranges_in_any_order_are_read_at_once(void **state)
{
    struct pool pool = {0};
    struct cpulist list = parsed(&pool, "524288-1048576,0-524287,0-1048576,0-1048576");
    assert_int_equal(list.count, CPU_ID_MAX + 1);
    assert_int_equal(list.ids[CPU_ID_MAX], CPU_ID_MAX);
    pool_free(&pool);
}

static void long_lists_survive_the_round_trip(void **state)
{
    struct random random = {1};
    struct pool pool = {0};
    struct cpulist list = {0};
    for (int i = 0; i < 3000; i++)
        assert_int_equal(cpulist_add(&list, (int)random_below(&random, 4096)), 0);
    char *text = malloc(32768);
    assert_non_null(text);
    cpulist_format(&list, text, 32768);
    struct cpulist again = parsed(&pool, text);
    assert_int_equal(again.count, list.count);
    assert_memory_equal(again.ids, list.ids, list.count * sizeof *list.ids);
    cpulist_free(&list);
    pool_free(&pool);
    free(text);
}

static void ids_added_in_any_order_are_kept_sorted_and_once(void **state)
{
    static const int order[] = {5, 1, 9, 1, 5, 0, 7, 9};
    struct cpulist list = {0};
    for (size_t i = 0; i < LENGTH(order); i++)
        assert_int_equal(cpulist_add(&list, order[i]), 0);
    static const int expected[] = {0, 1, 5, 7, 9};
    assert_int_equal(list.count, LENGTH(expected));
    assert_memory_equal(list.ids, expected, sizeof expected);
    cpulist_free(&list);
}

static void text_is_cut_at_the_buffer_and_no_byte_later(void **state)
{
    const char *whole = "0-7,100-200,1000,2000-3000";
    struct pool pool = {0};
    struct cpulist list = parsed(&pool, whole), none = {0};
    for (size_t size = 0; size <= strlen(whole) + 1; size++) {
        char *text =
            malloc(size + 1); /* exactly this size, so that the sanitizer notices a byte too many */
        assert_non_null(text);
        text[size] = '!';
        assert_ptr_equal(cpulist_format(&list, text, size), text);
        assert_int_equal(text[size], '!');
        if (size) {
            assert_int_equal(strlen(text), size - 1);
            assert_memory_equal(text, whole, size - 1);
        }
        free(text);
    }
    char text[4] = "xyz";
    assert_string_equal(cpulist_format(&none, text, sizeof text), "");
    pool_free(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_read_and_written_in_their_shortest_form),
        cmocka_unit_test(what_is_no_list_is_refused_with_a_remedy),
        cmocka_unit_test(whole_ranges_in_any_order_are_read_at_once),
        cmocka_unit_test(long_lists_survive_the_round_trip),
        cmocka_unit_test(ids_added_in_any_order_are_kept_sorted_and_once),
        cmocka_unit_test(text_is_cut_at_the_buffer_and_no_byte_later)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
