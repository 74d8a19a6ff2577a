#include "measure/engine/team.h"

#include "machine/os.h"
#include "support.h"

#include <limits.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct note {
    atomic_int cpus[2];
    atomic_int runs;
    uint64_t began_ns, patience_ns;
};

static void note_cpu(void *argument, unsigned rank)
{
    struct note *note = argument;
    atomic_store(&note->cpus[rank], os_current_cpu());
    atomic_fetch_add(&note->runs, 1);
}

static void spin_for_ever(void *argument, unsigned rank)
{
    struct note *note = argument;
    atomic_fetch_add(&note->runs, 1);
    for (;;)
        atomic_load_explicit(&note->runs, memory_order_relaxed);
}

static bool waited_long_enough(void *argument)
{
    const struct note *note = argument; /* work that has not begun is not overdue */
    return atomic_load(&note->runs) && os_raw_ns() - note->began_ns > note->patience_ns;
}

static void work_runs_on_its_cpu(void **state)
{
    struct team *team;
    struct note note = {0};
    int cpu = allowed_cpu(0);
    assert_int_equal(team_create(&team, NULL, NULL), 0);
    for (int i = 1; i <= 20; i++) {
        assert_int_equal(team_run(team, &(struct team_job){&cpu, 1, note_cpu, &note, NULL}, NULL),
                         TEAM_DONE);
        assert_int_equal(atomic_load(&note.runs), i);
        assert_int_equal(atomic_load(&note.cpus[0]), cpu);
    }
    team_free(team);
}

static void endless_work_is_recalled_and_the_worker_works_on(void **state)
{
    struct team *team;
    int cpu = allowed_cpu(0);
    assert_int_equal(team_create(&team, NULL, NULL), 0);
    for (int i = 0; i < 3; i++) {
        struct note note = {.began_ns = os_raw_ns(), .patience_ns = 50 * 1000 * 1000};
        struct team_job job = {&cpu, 1, spin_for_ever, &note, waited_long_enough};
        assert_int_equal(team_run(team, &job, NULL), TEAM_RECALLED);
        assert_int_equal(atomic_load(&note.runs), 1);
        job = (struct team_job){&cpu, 1, note_cpu, &note, NULL};
        assert_int_equal(team_run(team, &job, NULL), TEAM_DONE);
        assert_int_equal(atomic_load(&note.runs), 2);
    }
    team_free(team);
}

static void *stop_soon(void *stop)
{
    usleep(100 * 1000);
    __atomic_store_n((volatile sig_atomic_t *)stop, SIGINT, __ATOMIC_RELAXED);
    return NULL;
}

/* What a lost worker may still touch stays; here, so that no sanitizer takes it for forgotten. */
static struct team *left_behind[5];

/* By itself it never would. */
static void a_stop_ends_endless_work(void **state)
{
    volatile sig_atomic_t stop = 0;
    struct note note = {0};
    struct error error = {0};
    int cpu = allowed_cpu(0);
    pthread_t stopper;
    assert_int_equal(team_create(&left_behind[4], &stop, NULL), 0);
    assert_int_equal(pthread_create(&stopper, NULL, stop_soon, (void *)&stop), 0);
    struct team_job job = {&cpu, 1, spin_for_ever, &note, NULL};
    assert_int_equal(team_run(left_behind[4], &job, &error), ERROR_INTERRUPTED);
    pthread_join(stopper, NULL);
    team_free(left_behind[4]);
}

static int pin_nowhere(int cpu, struct error *error)
{
    return cpu == 5 ? error_set(error, ERROR_IMPOSSIBLE, "CPU 5 is not to be had") : 0;
}

static void pinning_may_be_another(void **state)
{
    struct team *team;
    struct error error = {0};
    const int cpus[] = {4, 5}; /* which need not exist */
    struct note note = {0};
    assert_int_equal(team_create_pinned_by(&team, pin_nowhere, NULL, NULL), 0);
    assert_int_equal(team_ready(team, cpus, 1, &error), 0);
    assert_int_equal(team_ready(team, cpus, 2, &error), ERROR_IMPOSSIBLE);
    assert_string_equal(error.text, "CPU 5 is not to be had");
    struct team_job job = {cpus, 1, note_cpu, &note, NULL};
    assert_int_equal(team_run(team, &job, NULL), TEAM_DONE);
    assert_int_equal(atomic_load(&note.runs), 1);
    team_free(team);
}

static atomic_int pinned;

static int count_pin(int cpu, struct error *error)
{
    atomic_fetch_add(&pinned, 1);
    return os_pin_thread(cpu, error);
}

static void whoever_is_dismissed_is_pinned_anew(void **state)
{
    struct team *team;
    struct note note = {0};
    const int cpu = allowed_cpu(0);
    struct team_job job = {&cpu, 1, note_cpu, &note, NULL};
    atomic_store(&pinned, 0);
    assert_int_equal(team_create_pinned_by(&team, count_pin, NULL, NULL), 0);
    team_dismiss(team, cpu); /* who was never there */
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(team_run(team, &job, NULL), TEAM_DONE);
        assert_int_equal(team_run(team, &job, NULL), TEAM_DONE);
        assert_int_equal(atomic_load(&pinned), i);
        team_dismiss(team, cpu);
    }
    assert_int_equal(atomic_load(&note.runs), 6);
    team_free(team);
}

/* --- workers that get no time to run --- */

static atomic_bool held;
static atomic_int holding;
static pthread_t worker_of[2];

/* Stands in for a CPU that something of higher priority holds. */
static void hold(int signal_number)
{
    atomic_fetch_add(&holding, 1);
    while (atomic_load(&held))
        usleep(1000);
    atomic_fetch_sub(&holding, 1);
}

static int pin_when_let_go(int cpu, struct error *error)
{
    worker_of[cpu % 2] = pthread_self();
    hold(0);
    return 0;
}

/* Lets the held worker come to life, and gives it time to do what it then does. */
static void let_go(void)
{
    atomic_store(&held, false);
    while (atomic_load(&holding))
        usleep(1000);
    usleep(20 * 1000);
}

/* Holds an idle worker wherever it waits. */
static void hold_idle(pthread_t worker)
{
    struct sigaction action = {.sa_handler = hold};
    sigemptyset(&action.sa_mask);
    sigaction(SIGURG, &action, NULL);
    atomic_store(&held, true);
    pthread_kill(worker, SIGURG);
    while (!atomic_load(&holding))
        usleep(1000);
}

static void assert_no_time_on(struct team *team, int cpu)
{
    struct error error = {0};
    char who[32];
    snprintf(who, sizeof who, "on CPU %d gets no time", cpu);
    assert_int_equal(team_ready(team, &cpu, 1, &error), ERROR_SYSTEM);
    assert_non_null(strstr(error.text, who));
    assert_non_null(strstr(error.text, "--cpus"));
}

static void a_worker_that_can_not_start_is_given_up(void **state)
{
    struct team *team;
    const int cpus[] = {4, 5};
    atomic_store(&held, false);
    assert_int_equal(team_create_pinned_by(&team, pin_when_let_go, NULL, NULL), 0);
    left_behind[0] = team;
    assert_int_equal(team_ready(team, &cpus[1], 1, NULL), 0);
    team_set_patience(team, 2);
    atomic_store(&held, true);
    assert_no_time_on(team, 4);
    let_go();
    assert_no_time_on(team, 4); /* too late */
    struct note note = {0};
    struct team_job job = {&cpus[1], 1, note_cpu, &note, NULL};
    assert_int_equal(team_run(team, &job, NULL), TEAM_DONE);
    team_free(team);
}

static void a_stop_ends_the_wait_for_a_worker(void **state)
{
    volatile sig_atomic_t stop = 0;
    struct error error = {0};
    const int cpu = 4;
    pthread_t stopper;
    assert_int_equal(team_create_pinned_by(&left_behind[1], pin_when_let_go, &stop, NULL), 0);
    team_set_patience(left_behind[1], INT_MAX); /* by itself it would not end */
    atomic_store(&held, true);
    assert_int_equal(pthread_create(&stopper, NULL, stop_soon, (void *)&stop), 0);
    assert_int_equal(team_ready(left_behind[1], &cpu, 1, &error), ERROR_INTERRUPTED);
    pthread_join(stopper, NULL);
    team_free(left_behind[1]);
    let_go();
}

static void a_worker_that_can_not_end_is_left_behind(void **state)
{
    const int cpus[] = {4, 5};
    atomic_store(&held, false);
    assert_int_equal(team_create_pinned_by(&left_behind[2], pin_when_let_go, NULL, NULL), 0);
    assert_int_equal(team_ready(left_behind[2], cpus, 2, NULL), 0);
    team_set_patience(left_behind[2], 2);
    hold_idle(worker_of[0]);
    team_free(left_behind[2]);
    let_go();
}

static void a_worker_that_can_not_be_dismissed_is_given_up(void **state)
{
    const int cpus[] = {4, 5};
    atomic_store(&held, false);
    assert_int_equal(team_create_pinned_by(&left_behind[3], pin_when_let_go, NULL, NULL), 0);
    assert_int_equal(team_ready(left_behind[3], cpus, 2, NULL), 0);
    team_set_patience(left_behind[3], 2);
    hold_idle(worker_of[0]);
    team_dismiss(left_behind[3], 4);
    assert_no_time_on(left_behind[3], 4);
    assert_int_equal(team_ready(left_behind[3], &cpus[1], 1, NULL), 0);
    team_free(left_behind[3]);
    let_go();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_runs_on_its_cpu),
        cmocka_unit_test(endless_work_is_recalled_and_the_worker_works_on),
        cmocka_unit_test(a_stop_ends_endless_work),
        cmocka_unit_test(pinning_may_be_another),
        cmocka_unit_test(whoever_is_dismissed_is_pinned_anew),
        cmocka_unit_test(a_worker_that_can_not_start_is_given_up),
        cmocka_unit_test(a_stop_ends_the_wait_for_a_worker),
        cmocka_unit_test(a_worker_that_can_not_end_is_left_behind),
        cmocka_unit_test(a_worker_that_can_not_be_dismissed_is_given_up),
    };
    if (allowed_cpu(0) < 0) {
        puts("1..0 # SKIP this system can't pin a thread");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
