#include "base/guess.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define LENGTH(array) (sizeof(array) / sizeof *(array))

static void edits_are_counted(void **state)
{
    static const struct {
        const char *a, *b;
        unsigned edits;
    } pairs[] = {
        {"", "", 0},
        {"run", "run", 0},
        {"Run", "rUN", 0},
        {"", "run", 3},
        {"rn", "run", 1},
        {"runs", "run", 1},
        {"ran", "run", 1},
        {"urn", "run", 1},
        {"markdwon", "markdown", 1},
        {"bandwith", "bandwidth", 1},
        {"latancy", "latency", 1},
        {"ca", "abc", 3},
        {"kitten", "sitting", 3},
        {"abcdef", "ghijkl", 6},
    };
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        assert_int_equal(guess_edits(pairs[i].a, pairs[i].b, 9), pairs[i].edits);
        assert_int_equal(guess_edits(pairs[i].b, pairs[i].a, 9), pairs[i].edits);
    }
}

static const char *guessed(const char *typed)
{
    static const char *const words[] = {"run",     "report", "diff",      "check",
                                        "latency", "list",   "bandwidth", "--quick"};
    struct guess guess = {.typed = typed};
    for (size_t i = 0; i < LENGTH(words); i++)
        guess_offer(&guess, words[i]);
    return guess.word;
}

/* A typing error makes no other number of one. */
static void numbers_are_kept(void **state)
{
    static const char *const words[] = {"huge2m", "huge1g", "64K", "1M", "L3.latency"};
    static const char *const typed[][2] = {
        {"2M", "huge2m"},   {"1G", "huge1g"},     {"64k", "64K"},
        {"4K", NULL},       {"3M", NULL},         {"1m", "1M"},
        {"huge", "huge2m"}, {"L4.latency", NULL}, {"L3.latncy", "L3.latency"}};
    for (size_t i = 0; i < LENGTH(typed); i++) {
        struct guess guess = {.typed = typed[i][0]};
        for (size_t w = 0; w < LENGTH(words); w++)
            guess_offer(&guess, words[w]);
        if (typed[i][1])
            assert_string_equal(guess.word, typed[i][1]);
        else
            assert_null(guess.word);
    }
}

static void the_closest_word_is_offered(void **state)
{
    assert_string_equal(guessed("bandwith"), "bandwidth");
    assert_string_equal(guessed("latancy"), "latency");
    assert_string_equal(guessed("Latency"), "latency");
    assert_string_equal(guessed("LATENCY"), "latency");
    assert_string_equal(guessed("rnu"), "run");
    assert_string_equal(guessed("--quik"), "--quick");
    assert_string_equal(guessed("--quickly"), "--quick");
    assert_string_equal(guessed("band"), "bandwidth"); /* how it begins */
    assert_string_equal(guessed("lits"), "list");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(the_closest_word_is_offered),
        cmocka_unit_test(numbers_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
