/* What the kernel notes; its loop is asserted by tests/kernels/loops. */
#include "measure/kernels/gaps.h"

#include "arch.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

enum { ROOM = 64, READINGS = 20000 };

/* ThreadSanitizer holds signals back until a call that it knows, and the kernel makes none. */
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SIGNALS_ARE_LATE 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define SIGNALS_ARE_LATE 1
#endif
#ifndef SIGNALS_ARE_LATE
#define SIGNALS_ARE_LATE 0
#endif

static struct gap log_room[ROOM];

static struct gaps fresh(uint64_t over)
{
    return (struct gaps){.over = over, .log = log_room, .room = ROOM};
}

static void every_reading_is_a_gap_where_any_distance_is(void **state)
{
    /* A counter that stands still between two readings has a distance of 0. */
    struct gaps gaps = fresh(0);
    gaps_run(&gaps, READINGS);
    assert_true(gaps.over > 0);
    const uint64_t chosen = gaps.over;
    assert_true(gaps.shortest < chosen);
    gaps = fresh(1);
    gaps_run(&gaps, READINGS);
    assert_int_equal(gaps.readings, READINGS);
    assert_int_equal(gaps.used, ROOM);
    assert_true(gaps.missed > 0 && gaps.used + gaps.missed <= READINGS);
    assert_true(gaps.missed_ticks >= gaps.missed_longest && gaps.missed_longest > 0);
    uint64_t sum = gaps.missed_ticks;
    for (size_t i = 0; i < ROOM; i++) {
        sum += log_room[i].ticks;
        assert_true(i == 0 || log_room[i].at >= log_room[i - 1].at + log_room[i - 1].ticks);
    }
    /* What noting them took was not watched. */
    assert_true(gaps.watched >= sum && gaps.watched <= gaps.last_ticks);
    assert_int_equal(gaps.backwards, 0);
    assert_true(chosen > 1);
}

static void calls_add_up_until_someone_takes_what_was_seen(void **state)
{
    struct gaps gaps = fresh(UINT64_MAX / 4);
    gaps_run(&gaps, READINGS);
    const uint64_t watched = gaps.watched;
    assert_int_equal(gaps.used, 0);
    assert_true(watched > 0 && watched == gaps.last_ticks);
    gaps_run(&gaps, 1);
    assert_int_equal(gaps.readings, READINGS + 1);
    assert_int_equal(gaps.watched, watched + gaps.last_ticks);
}

static struct gap_counts counted;
static unsigned times_counted;

static void count(struct gap_counts *counts)
{
    times_counted++;
    counted.switches += 2;
    counted.faults += 3;
    *counts = counted;
}

static void each_gap_has_what_was_counted_since_the_one_before(void **state)
{
    struct gaps gaps = fresh(1);
    gaps.count = count;
    gaps_run(&gaps, READINGS);
    assert_true(gaps.used == ROOM);
    for (size_t i = 0; i < ROOM; i++) {
        assert_int_equal(log_room[i].switches, 2);
        assert_int_equal(log_room[i].faults, 3);
    }
    assert_int_equal(times_counted, 1 + gaps.used + gaps.missed); /* once at the beginning */
}

static volatile sig_atomic_t handled;
static volatile uint64_t handler_began, handler_ended;

static void stay_away(int signal_number)
{
    handler_began = arch_counter();
    for (unsigned i = 0; i < 20000; i++)
        handler_ended = arch_counter();
    handled = 1;
}

/* A signal's handler is as good an interruption as any, and tells how long it was. */
static void an_interruption_is_found_with_its_length(void **state)
{
    const struct sigaction action = {.sa_handler = stay_away};
    const struct itimerval soon = {.it_value = {.tv_usec = 2000}};
    struct gaps gaps = fresh(0);
    if (SIGNALS_ARE_LATE)
        skip();
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
    bool found = false;
    while (!found) {
        const bool last = handled;
        gaps.used = 0;
        gaps_run(&gaps, READINGS);
        for (size_t i = 0; i < gaps.used; i++)
            found = found || (log_room[i].at <= handler_began &&
                              log_room[i].at + log_room[i].ticks >= handler_ended && handled);
        /* Between two calls nobody watches. */
        if (!found && last) {
            handled = 0;
            assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
        }
    }
    assert_true(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_reading_is_a_gap_where_any_distance_is),
        cmocka_unit_test(calls_add_up_until_someone_takes_what_was_seen),
        cmocka_unit_test(each_gap_has_what_was_counted_since_the_one_before),
        cmocka_unit_test(an_interruption_is_found_with_its_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
