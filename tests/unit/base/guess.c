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
    (void)state;
    for (size_t i = 0; i < LENGTH(pairs); i++) {
        assert_int_equal(guess_edits(pairs[i].a, pairs[i].b, 9), pairs[i].edits);
        assert_int_equal(guess_edits(pairs[i].b, pairs[i].a, 9), pairs[i].edits);
    }
}

static void edits_have_a_bound(void **state)
{
    char letters[1000];
    (void)state;
    memset(letters, 'x', sizeof letters);
    letters[sizeof letters - 1] = '\0';
    assert_int_equal(guess_edits("abcdef", "ghijkl", 2), 3);
    assert_int_equal(guess_edits(letters, letters, 2), 3); /* no word of ours is as long */
    assert_int_equal(guess_edits("x", letters, 2), 3);
    assert_int_equal(guess_edits("abcdef", "abcdef", 0), 0);
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

static void the_closest_word_is_offered(void **state)
{
    (void)state;
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

static void what_is_far_from_all_is_no_guess(void **state)
{
    (void)state;
    assert_null(guessed("frobnicate"));
    assert_null(guessed(""));
    assert_null(guessed("x"));
    assert_null(guessed("-x"));
    assert_null(guessed("cat"));
    assert_null(guessed("ba")); /* two letters begin too much */
}

static void a_refusal_names_what_was_typed_and_the_remedy(void **state)
{
    struct error error;
    struct guess guess = {.typed = "bandwith"};
    (void)state;
    assert_int_equal(guess_refuse(&guess, "probe", "'fathom list' shows them", &error),
                     ERROR_USAGE);
    assert_string_equal(error.text, "no probe is called 'bandwith'; 'fathom list' shows them");
    guess_offer(&guess, "bandwidth");
    assert_int_equal(guess_refuse(&guess, "probe", "'fathom list' shows them", &error),
                     ERROR_USAGE);
    assert_string_equal(error.text, "no probe is called 'bandwith'; did you mean 'bandwidth'?");
    assert_int_equal(guess_refuse(&guess, "probe", "", NULL), ERROR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edits_are_counted),
        cmocka_unit_test(edits_have_a_bound),
        cmocka_unit_test(the_closest_word_is_offered),
        cmocka_unit_test(what_is_far_from_all_is_no_guess),
        cmocka_unit_test(a_refusal_names_what_was_typed_and_the_remedy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
