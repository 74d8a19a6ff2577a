#include "base/settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static const char *const colours[] = {"red", "green", "blue", NULL};

static const struct option_spec table[] = {
    {"flag", 'f', OPTION_FLAG, NULL, NULL, 0, 0, NULL, 0, "a flag"},
    {"integer", 'i', OPTION_INTEGER, "N", "5", 1, 10, NULL, 0, "a count"},
    {"open", 0, OPTION_INTEGER, "N", NULL, 3, 0, NULL, 0, "no upper bound"},
    {"real", 0, OPTION_REAL, "X", "0.5", 0.01, 100, NULL, 0, "a number"},
    {"size", 0, OPTION_SIZE, "SIZE", "16K", 8, 1048576, NULL, 0, "a size"},
    {"least", 0, OPTION_SIZE, "SIZE", NULL, 8, 0, NULL, 0, "a size with no upper bound"},
    {"sizes", 0, OPTION_SIZES, "SIZE,...", "1K,2K", 1024, 1048576, NULL, 0, "sizes"},
    {"cpus", 0, OPTION_CPUS, "LIST", "0-3", 0, 0, NULL, 0, "CPUs"},
    {"colour", 0, OPTION_CHOICE, "NAME", "green", 0, 0, colours, 0, "a choice"},
    {"text", 0, OPTION_TEXT, "FILE", NULL, 0, 0, NULL, 0, "a name"},
    {"texts", 0, OPTION_TEXTS, "NAME", NULL, 0, 0, NULL, 0, "names"},
    {NULL, 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, 0, NULL},
};

static const struct setting *named(const struct settings *settings, const char *name)
{
    return settings_of(settings, &(struct option_spec){.name = name});
}

static int setup(void **state)
{
    static struct settings settings;
    settings = (struct settings){0};
    *state = &settings;
    return settings_add(&settings, table, NULL);
}

static int teardown(void **state)
{
    settings_free(*state);
    return 0;
}

static void defaults_hold_until_a_person_speaks(void **state)
{
    struct settings *settings = *state;
    assert_false(named(settings, "flag")->has);
    assert_true(named(settings, "integer")->number == 5);
    assert_true(named(settings, "real")->number == 0.5);
    assert_int_equal(named(settings, "size")->bytes, 16384);
    assert_int_equal(named(settings, "sizes")->size_count, 2);
    assert_int_equal(named(settings, "sizes")->sizes[1], 2048);
    assert_int_equal(named(settings, "cpus")->cpus.count, 4);
    assert_int_equal(named(settings, "colour")->choice, 1);
    assert_string_equal(named(settings, "size")->text, "16K");
    for (size_t i = 0; settings_at(settings, i); i++) {
        const struct setting *setting = settings_at(settings, i);
        assert_ptr_equal(setting->spec, &table[i]);
        assert_int_equal(setting->has, table[i].fallback != NULL);
        assert_false(setting->given);
    }
}

static void a_size_must_have_an_address_in_this_program(void **state)
{
    const bool small = sizeof(size_t) < sizeof(uint64_t);
    struct error error;
    assert_int_equal(settings_set(*state, "least", "4G", &error), small ? ERROR_USAGE : 0);
    if (small)
        assert_string_equal(error.text, "--least '4G': give a size from 8 B to 2.00 GiB");
    else
        assert_true(named(*state, "least")->bytes == UINT64_C(4) << 30);
}

static void a_wrong_value_is_reported_with_option_text_and_remedy(void **state)
{
    static const char *const cases[][3] = {
        {"integer", "0", "--integer '0': give a whole number from 1 to 10"},
        {"integer", "11", "--integer '11': give a whole number from 1 to 10"},
        {"integer", "2.5", "--integer '2.5': give a whole number from 1 to 10"},
        {"integer", "two", "--integer: 'two' is not a number: write it like 12 or 0.5"},
        {"integer", "", "--integer: '' is not a number: write it like 12 or 0.5"},
        {"open", "2", "--open '2': give a whole number of at least 3"},
        {"real", "0", "--real '0': give a number from 0.01 to 100"},
        {"real", "100.1", "--real '100.1': give a number from 0.01 to 100"},
        {"real", "1%", "--real: '1%' is not a number: write it like 12 or 0.5"},
        {"size", "7", "--size '7': give a size from 8 B to 1 MiB"},
        {"size", "2M", "--size '2M': give a size from 8 B to 1 MiB"},
        {"size", "64X",
         "--size: size '64X': write a whole number of bytes, from 1, like 512, 16K, "
         "1.5M or 2G"},
        {"least", "7",
         sizeof(size_t) < 8 ? "--least '7': give a size from 8 B to 2.00 GiB"
                            : "--least '7': give a size of at least 8 B"},
        {"sizes", "1K,1", "--sizes '1': give a size from 1 KiB to 1 MiB"},
        {"sizes", "1K,,2K",
         "--sizes: size '': write a whole number of bytes, from 1, like 512, "
         "16K, 1.5M or 2G"},
        {"sizes", "",
         "--sizes: size '': write a whole number of bytes, from 1, like 512, 16K, "
         "1.5M or 2G"},
        {"cpus", "7-3",
         "--cpus: CPU list '7-3': write ascending ids, ranges and strides, like "
         "0-7,16-31:2"},
        {"colour", "pink", "--colour 'pink': choose one of red, green, blue"},
        {"colour", "gree",
         "--colour 'gree': choose one of red, green, blue; did you mean 'green'?"},
        {"colour", "", "--colour '': choose one of red, green, blue"},
        {"text", "", "--text '': give a name, not an empty text"},
        {"depth", "1", "unknown option '--depth'"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct error error = {0};
        assert_int_equal(settings_set(*state, cases[i][0], cases[i][1], &error), ERROR_USAGE);
        assert_int_equal(error.code, ERROR_USAGE);
        assert_string_equal(error.text, cases[i][2]);
        assert_int_equal(settings_set(*state, cases[i][0], cases[i][1], NULL), ERROR_USAGE);
    }
}

static void hostile_values_stay_one_short_line(void **state)
{
    char text[5000];
    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    for (size_t i = 0; table[i].name; i++) {
        if (table[i].type == OPTION_FLAG || table[i].type == OPTION_TEXT ||
            table[i].type == OPTION_TEXTS)
            continue;
        struct error error = {0};
        assert_int_equal(settings_set(*state, table[i].name, text, &error), ERROR_USAGE);
        assert_null(strchr(error.text, '\n'));
        assert_non_null(strstr(error.text, table[i].name));
    }
}

static void what_was_given_elsewhere_holds_without_being_parsed_again(void **state)
{
    struct settings *given = *state;
    struct settings settings = {.given = given};
    assert_int_equal(settings_add(&settings, table, NULL), 0);
    assert_int_equal(settings_set(given, "sizes", "3K", NULL), 0);
    assert_int_equal(named(&settings, "sizes")->size_count, 1);
    assert_ptr_equal(named(&settings, "sizes")->sizes, named(given, "sizes")->sizes);
    assert_true(named(&settings, "sizes")->given);
    /* Defaults of the original are defaults of the copy. */
    assert_false(named(&settings, "integer")->given);
    assert_int_equal(settings_set(&settings, "integer", "7", NULL), 0);
    assert_true(named(&settings, "integer")->number == 7);
    assert_true(named(given, "integer")->number == 5);
    settings_free(&settings);
}

static void a_struct_is_filled_where_its_table_says(void **state)
{
    struct filled {
        struct setting least, absent, real;
    } filled = {.absent = {.has = true}};
    static const struct option_spec some[] = {
        {"real", 0, OPTION_REAL, "X", NULL, 0, 0, NULL, offsetof(struct filled, real), ""},
        {"least", 0, OPTION_SIZE, "SIZE", NULL, 0, 0, NULL, offsetof(struct filled, least), ""},
        {"depth", 0, OPTION_FLAG, NULL, NULL, 0, 0, NULL, offsetof(struct filled, absent), ""},
        {.name = NULL}};
    const struct setting *const both[] = {&filled.real, &filled.least, NULL};
    settings_fill(*state, some, &filled);
    assert_true(filled.real.has && filled.real.number == 0.5);
    assert_false(filled.least.has || filled.absent.has);
    assert_null(settings_first_given(both));
    assert_int_equal(settings_set(*state, "least", "64", NULL), 0);
    settings_fill(*state, some, &filled);
    assert_int_equal(filled.least.bytes, 64);
    assert_string_equal(settings_first_given(both), "least");
}

static void a_choice_that_is_refused_leaves_the_one_before(void **state)
{
    struct settings *settings = *state;
    assert_int_equal(settings_set(settings, "colour", "pink", NULL), ERROR_USAGE);
    assert_int_equal(named(settings, "colour")->choice, 1);
}

static void words_of_a_list_are_chosen_one_by_one(void **state)
{
    struct error error;
    const char *list = "blue,rd";
    assert_int_equal(option_choose("colours", colours, list, 4, &error), 2);
    assert_int_equal(option_choose("colours", colours, list + 5, 2, &error), ERROR_USAGE);
    assert_string_equal(error.text, "--colours 'rd': choose one of red, green, blue; did you mean "
                                    "'red'?");
    assert_int_equal(option_choose("colours", colours, list, 0, &error), ERROR_USAGE);
    assert_int_equal(option_choose("colours", colours, list, 3, NULL), ERROR_USAGE);
}

static void texts_that_are_given_again_are_joined(void **state)
{
    assert_int_equal(settings_set(*state, "text", "a", NULL), 0);
    assert_int_equal(settings_set(*state, "text", "b", NULL), 0);
    assert_string_equal(named(*state, "text")->text, "b");
    assert_int_equal(settings_set(*state, "texts", "a", NULL), 0);
    assert_string_equal(named(*state, "texts")->text, "a");
    assert_int_equal(settings_set(*state, "texts", "b", NULL), 0);
    assert_string_equal(named(*state, "texts")->text, "a b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(defaults_hold_until_a_person_speaks, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_value_is_reported_with_option_text_and_remedy,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(a_size_must_have_an_address_in_this_program, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(hostile_values_stay_one_short_line, setup, teardown),
        cmocka_unit_test_setup_teardown(a_struct_is_filled_where_its_table_says, setup, teardown),
        cmocka_unit_test_setup_teardown(a_choice_that_is_refused_leaves_the_one_before, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(texts_that_are_given_again_are_joined, setup, teardown),
        cmocka_unit_test(words_of_a_list_are_chosen_one_by_one),
        cmocka_unit_test_setup_teardown(what_was_given_elsewhere_holds_without_being_parsed_again,
                                        setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
