/* Two threads wake each other, by every bell there is. */
#include "measure/kernels/wake.h"

#include "machine/bell.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* Few: on one CPU every turn of a spinning pair lasts until the scheduler ends it. */
enum { ROUND_TRIPS = 20 };

struct job {
    kernel_function *run;
    void *state;
    uint64_t result;
};

static void *follow(void *argument)
{
    struct job *job = argument;
    job->result = job->run(job->state, ROUND_TRIPS);
    return NULL;
}

static void run_both(struct job *first, struct job *second)
{
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, follow, second), 0);
    /* In two calls: they go on where they stopped. */
    first->run(first->state, ROUND_TRIPS / 2);
    first->result = first->run(first->state, ROUND_TRIPS / 2);
    pthread_join(thread, NULL);
}

static _Thread_local uint64_t switches;

static uint64_t count_switches(void)
{
    return switches += 10;
}

static void both_sides_have_their_turns(void **state)
{
    for (int kind = 0; kind < BELL_KINDS; kind++) {
        struct bell bells[2];
        const struct wake_bells ways = {bell_ways[kind].ring, bell_ways[kind].await,
                                        count_switches};
        if (bell_open(&bells[0], (enum bell_kind)kind, NULL) < 0)
            continue; /* this system has none: tests/unit/machine/bell.c says so */
        assert_int_equal(bell_open(&bells[1], (enum bell_kind)kind, NULL), 0);
        struct wake_turns sides[2] = {{&ways, &bells[0], &bells[1], true, {0}},
                                      {&ways, &bells[1], &bells[0], false, {0}}};
        struct job first = {wake_turns_run, &sides[0], 0}, second = {wake_turns_run, &sides[1], 0};
        run_both(&first, &second);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(sides[side].done.repeats, ROUND_TRIPS);
            assert_true(sides[side].done.last_ticks > 0);
        }
        assert_int_equal(sides[0].done.switches, 20); /* 10 a call */
        assert_int_equal(sides[1].done.switches, 10);
        bell_close(&bells[0]);
        bell_close(&bells[1]);
    }
}

static void a_sleeper_is_woken_once_a_repeat(void **state)
{
    for (int kind = 0; kind < BELL_KINDS; kind++) {
        struct bell bell;
        struct wake_shared shared = {0};
        const struct wake_bells ways = {bell_ways[kind].ring, bell_ways[kind].await, NULL};
        if (bell_open(&bell, (enum bell_kind)kind, NULL) < 0)
            continue;
        struct wake_sleep waker = {.bells = &ways,
                                   .bell = &bell,
                                   .shared = &shared,
                                   .turn = 1,
                                   .pause_ticks = 100,
                                   .ps_per_tick = 1000};
        struct wake_sleep sleeper = waker;
        struct job first = {wake_waker_run, &waker, 0}, second = {wake_sleeper_run, &sleeper, 0};
        run_both(&first, &second);
        assert_int_equal(shared.asleep, ROUND_TRIPS);
        assert_int_equal(shared.awake, ROUND_TRIPS);
        assert_int_equal(waker.done.repeats, ROUND_TRIPS);
        /* What is reported is without the pauses, and at most the whole call. */
        assert_true(first.result % 1000 == 0 && first.result / 1000 <= waker.done.last_ticks);
        bell_close(&bell);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_sides_have_their_turns),
        cmocka_unit_test(a_sleeper_is_woken_once_a_repeat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
