#include "measure/engine/barrier.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const double patient_ns = 60e9, impatient_ns = 20e6;
enum { MEETINGS = 30 };

struct meeting {
    struct barrier barrier;
    atomic_int arrived;
};

static void *meet(void *argument)
{
    struct meeting *meeting = argument;
    for (int i = 1; i <= MEETINGS; i++) {
        atomic_fetch_add(&meeting->arrived, 1);
        if (!barrier_wait(&meeting->barrier, patient_ns) || atomic_load(&meeting->arrived) < 2 * i)
            return meeting;
    }
    return NULL;
}

static void nobody_leaves_before_all_have_come(void **state)
{
    (void)state;
    struct clock clock;
    struct meeting meeting = {0};
    pthread_t other;
    clock_calibrate(&clock);
    barrier_init(&meeting.barrier, 2, &clock);
    assert_int_equal(pthread_create(&other, NULL, meet, &meeting), 0);
    assert_null(meet(&meeting));
    void *failed;
    pthread_join(other, &failed);
    assert_null(failed);
    assert_int_equal(atomic_load(&meeting.arrived), 2 * MEETINGS);
}

static void who_waits_in_vain_gives_up_and_so_do_all_after(void **state)
{
    (void)state;
    struct clock clock;
    struct barrier barrier;
    clock_calibrate(&clock);
    barrier_init(&barrier, 2, &clock);
    uint64_t before = os_raw_ns();
    assert_false(barrier_wait(&barrier, impatient_ns));
    assert_true((double)(os_raw_ns() - before) >= impatient_ns * 0.9);
    assert_false(barrier_wait(&barrier, patient_ns));
}

static void one_member_never_waits(void **state)
{
    (void)state;
    struct clock clock;
    struct barrier barrier;
    clock_calibrate(&clock);
    barrier_init(&barrier, 1, &clock);
    for (int i = 0; i < 3; i++)
        assert_true(barrier_wait(&barrier, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_leaves_before_all_have_come),
        cmocka_unit_test(who_waits_in_vain_gives_up_and_so_do_all_after),
        cmocka_unit_test(one_member_never_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
