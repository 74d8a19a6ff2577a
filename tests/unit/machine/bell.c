#include "machine/bell.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

/* Without a port there are none, and the reason is said. */
static void need(int code, struct error *error)
{
    if (code == 0)
        return;
    assert_int_equal(code, ERROR_IMPOSSIBLE);
    print_message("%s\n", error->text);
    skip();
}

static void a_bell_that_was_rung_before_ends_the_next_sleep(void **state)
{
    for (int kind = 0; kind < BELL_KINDS; kind++) {
        struct bell bell;
        struct error error;
        need(bell_open(&bell, (enum bell_kind)kind, &error), &error);
        for (int i = 0; i < 3; i++) {
            bell_ways[kind].ring(&bell);
            bell_ways[kind].await(&bell);
        }
        bell_close(&bell);
    }
}

struct sleeper {
    struct bell *bell;
    int kind, slept;
};

static void *sleep_once(void *argument)
{
    struct sleeper *sleeper = argument;
    bell_ways[sleeper->kind].await(sleeper->bell);
    __atomic_store_n(&sleeper->slept, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* A ring that nobody awaited is gone, so the next sleep lasts until the next ring. */
static void silence_takes_back_what_was_rung(void **state)
{
    for (int kind = 0; kind < BELL_KINDS; kind++) {
        struct bell bell;
        struct error error;
        need(bell_open(&bell, (enum bell_kind)kind, &error), &error);
        bell_ways[kind].ring(&bell);
        bell_silence(&bell);
        struct sleeper sleeper = {&bell, kind, 0};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, sleep_once, &sleeper), 0);
        usleep(5000);
        assert_int_equal(__atomic_load_n(&sleeper.slept, __ATOMIC_SEQ_CST), 0);
        bell_ways[kind].ring(&bell);
        pthread_join(thread, NULL);
        assert_int_equal(sleeper.slept, 1);
        bell_close(&bell);
    }
}

static void without_descriptors_it_says_what_to_do(void **state)
{
    struct bell bell;
    struct error error;
    struct rlimit before, none;
    need(bell_open(&bell, BELL_PIPE, &error), &error);
    bell_close(&bell);
    bell_close(&bell); /* does nothing */
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const int pipe_code = bell_open(&bell, BELL_PIPE, &error);
    const int eventfd_code = bell_open(&bell, BELL_EVENTFD, NULL);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(pipe_code, ERROR_IMPOSSIBLE);
    assert_int_equal(eventfd_code, ERROR_IMPOSSIBLE);
    assert_non_null(strstr(error.text, "ulimit -n"));
    bell_close(&bell);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bell_that_was_rung_before_ends_the_next_sleep),
        cmocka_unit_test(silence_takes_back_what_was_rung),
        cmocka_unit_test(without_descriptors_it_says_what_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
