#include "stats/vote.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT(values, vote)                                                                        \
    vote_count(values, sizeof(values) / sizeof *(values), vote,                                    \
               (double[sizeof(values) / sizeof *(values)]){0})

static void one_voice_is_one_number(void **state)
{
    (void)state;
    const double values[] = {64, 64, 64, 64, 64, 64, 64};
    struct vote vote;
    assert_true(COUNT(values, &vote));
    assert_true(vote.value == 64 && vote.low == 64 && vote.high == 64);
    assert_int_equal(vote.agreeing, 7);
}

static void a_majority_carries_and_the_interval_shows_the_others(void **state)
{
    (void)state;
    const double values[] = {64, 63, 64, 57, 64, 64, 64, 60, 64};
    struct vote vote;
    assert_true(COUNT(values, &vote));
    assert_true(vote.value == 64 && vote.low == 60 && vote.high == 64);
    assert_int_equal(vote.agreeing, 6);
    assert_int_equal(vote.voted, 9);
}

static void no_majority_no_number(void **state)
{
    (void)state;
    const double values[] = {64, 63, 64, 57, 62, 64, 61, 60, 64};
    struct vote vote;
    assert_false(COUNT(values, &vote));
    assert_int_equal(vote.agreeing, 4);
}

static void who_abstains_does_not_count_but_half_must_vote(void **state)
{
    (void)state;
    const double nine[] = {64, NAN, 64, 64, NAN, 64, 64, NAN, NAN};
    const double eleven[] = {64, NAN, 64, 64, NAN, 64, 64, NAN, NAN, NAN, NAN};
    const double four[] = {64, 64, 64, 64};
    const double none[] = {NAN, NAN};
    struct vote vote;
    assert_true(COUNT(nine, &vote));
    assert_int_equal(vote.voted, 5);
    assert_false(COUNT(eleven, &vote));
    assert_false(COUNT(four, &vote));
    assert_false(COUNT(none, &vote));
    assert_true(isnan(vote.value) && vote.voted == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_voice_is_one_number),
        cmocka_unit_test(a_majority_carries_and_the_interval_shows_the_others),
        cmocka_unit_test(no_majority_no_number),
        cmocka_unit_test(who_abstains_does_not_count_but_half_must_vote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
