/* How many repeats fill a batch: of made-up work, whose time is exact. */
#include "measure/engine/repeats.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

enum { RUNS_MAX = 64 };

struct work {
    double repeat_ns;
    uint64_t interrupted, fails; /* bits: the runs to which that happens */
    double waits_ns;             /* for another thread, in every run, whatever it does */
    uint64_t alone;              /* bits: the runs that wait for nobody */
    unsigned runs;
    uint64_t repeats[RUNS_MAX];
};

static int run(void *self, uint64_t repeats, double *took_ns)
{
    struct work *work = self;
    const unsigned at = work->runs++;
    assert_true(at < RUNS_MAX);
    work->repeats[at] = repeats;
    *took_ns = work->repeat_ns * (double)repeats + (work->interrupted >> at & 1 ? 1e6 : 0) +
               (work->alone >> at & 1 ? 0 : work->waits_ns);
    return work->fails >> at & 1 ? ERROR_IMPOSSIBLE : 0;
}

static uint64_t find(struct work *work, double wanted_ns)
{
    uint64_t repeats = 0;
    struct repeats_search search = {wanted_ns, run, work};
    assert_int_equal(repeats_find(&search, &repeats), 0);
    return repeats;
}

/* An eighth of the batch tells: 125 repeats. */
static void repeats_fill_a_batch(void **state)
{
    (void)state;
    struct work work = {.repeat_ns = 10};
    assert_int_equal(find(&work, 10000), 1000);
    assert_int_equal(work.runs, 11); /* 1, 2, ... 128, that once more, and twice as many twice */
    assert_int_equal(work.repeats[8], 128);
    assert_int_equal(work.repeats[10], 256);
}

static void a_repeat_may_be_more_than_a_batch(void **state)
{
    (void)state;
    struct work work = {.repeat_ns = 50000};
    assert_int_equal(find(&work, 10000), 1);
    assert_int_equal(work.runs, 4);
}

/* Another thread lets every run wait for longer than the batch is to take: one repeat seems to fill
 * it. */
static void waiting_for_another_thread_is_no_work(void **state)
{
    (void)state;
    struct work work = {.repeat_ns = 10, .waits_ns = 40000};
    const uint64_t repeats = find(&work, 10000);
    assert_in_range(repeats, 250, 1000);
}

/* Some runs find it there, by chance the second of two. */
static void runs_that_need_not_wait_tell_what_the_work_takes(void **state)
{
    (void)state;
    for (unsigned every = 2; every <= 3; every++) {
        struct work work = {.repeat_ns = 10, .waits_ns = 40000};
        for (unsigned at = every - 1; at < 64; at += every)
            work.alone |= UINT64_C(1) << at;
        assert_in_range(find(&work, 10000), 250, 1000);
    }
}

static void one_run_that_was_interrupted_changes_nothing(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 11; at++) {
        struct work work = {.repeat_ns = 10, .interrupted = UINT64_C(1) << at};
        assert_int_equal(find(&work, 10000), 1000);
    }
}

static void work_without_an_end_in_sight_is_cut_off(void **state)
{
    (void)state;
    struct work work = {.repeat_ns = 0};
    assert_true(find(&work, 10000) >= UINT64_C(1) << 40);
    assert_true(work.runs < RUNS_MAX);
}

static void a_failure_ends_the_search(void **state)
{
    (void)state;
    for (unsigned at = 0; at < 11; at++) {
        struct work work = {.repeat_ns = 10, .fails = UINT64_C(1) << at};
        struct repeats_search search = {10000, run, &work};
        uint64_t repeats = 7;
        assert_int_equal(repeats_find(&search, &repeats), ERROR_IMPOSSIBLE);
        assert_int_equal(work.runs, at + 1);
        assert_int_equal(repeats, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_fill_a_batch),
        cmocka_unit_test(a_repeat_may_be_more_than_a_batch),
        cmocka_unit_test(waiting_for_another_thread_is_no_work),
        cmocka_unit_test(runs_that_need_not_wait_tell_what_the_work_takes),
        cmocka_unit_test(one_run_that_was_interrupted_changes_nothing),
        cmocka_unit_test(work_without_an_end_in_sight_is_cut_off),
        cmocka_unit_test(a_failure_ends_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
