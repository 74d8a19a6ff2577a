/* Threads on this machine: pinned and checked, or refused with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "machine/os.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

static struct cpulist allowed;

static int set_up(void **state)
{
    return os_affinity(&allowed, NULL) == 0 || allowed.count == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    cpulist_free(&allowed);
    return 0;
}

static void need_port(void)
{
    if (allowed.count == 0)
        skip(); /* no port for this system, or an emulator that knows no affinity */
}

static void the_mask_names_the_cpu_we_run_on(void **state)
{
    need_port();
    int cpu = os_current_cpu();
    if (cpu >= 0)
        assert_true(cpulist_has(&allowed, cpu));
}

struct pinning {
    int cpu, result, here;
    struct cpulist mask;
    struct error error;
};

static void *pin(void *argument)
{
    struct pinning *pinning = argument;
    pinning->result = os_pin_thread(pinning->cpu, &pinning->error);
    pinning->here = os_current_cpu();
    os_affinity(&pinning->mask, NULL);
    return NULL;
}

/* On a thread of its own, so that the next test isn't pinned too. */
static struct pinning pin_elsewhere(int cpu)
{
    struct pinning pinning = {.cpu = cpu};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, pin, &pinning), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return pinning;
}

static void a_thread_is_pinned_to_each_allowed_cpu(void **state)
{
    need_port();
    for (size_t i = 0; i < allowed.count; i++) {
        struct pinning pinning = pin_elsewhere(allowed.ids[i]);
        if (pinning.result < 0) { /* an emulator, or a sandbox that forbids it */
            assert_int_equal(pinning.error.code, ERROR_IMPOSSIBLE);
            print_message("# %s\n", pinning.error.text);
            cpulist_free(&pinning.mask);
            skip();
        }
        assert_true(pinning.here == -1 || pinning.here == allowed.ids[i]);
        assert_int_equal(pinning.mask.count, 1);
        assert_int_equal(pinning.mask.ids[0], allowed.ids[i]);
        cpulist_free(&pinning.mask);
    }
}

static void a_cpu_that_is_not_there_is_refused(void **state)
{
    static const int missing[] = {-1, 100000, CPU_ID_MAX, CPU_ID_MAX + 1, 1 << 30};
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++) {
        struct pinning pinning = pin_elsewhere(missing[i]);
        char number[16];
        snprintf(number, sizeof number, "%d", missing[i]);
        assert_int_equal(pinning.result, ERROR_IMPOSSIBLE);
        assert_int_equal(pinning.error.code, ERROR_IMPOSSIBLE);
        assert_non_null(strstr(pinning.error.text, number));
        cpulist_free(&pinning.mask);
    }
}

static void page_faults_are_counted(void **state)
{
    struct os_thread_events before, after;
    size_t bytes = (size_t)4 << 20;
    need_port();
    os_thread_events(&before);
    struct error error = {0};
    char *memory = os_map(bytes, PAGES_SMALL, -1, &error);
    if (!memory)
        fail_msg("%s", error.text);
    memset(memory, 1, bytes);
    os_thread_events(&after);
    os_unmap(memory, bytes);
    assert_true(after.page_faults > before.page_faults);
    assert_true(after.switches >= before.switches);
}

static void work_is_this_programs_and_others(void **state)
{
    struct os_work before, after;
    const bool known = os_work(&before);
    const uint64_t began = os_raw_ns();
    while (os_raw_ns() < began + 50000000u)
        ;
    assert_int_equal(os_work(&after), known);
    assert_true(after.own_ns >= before.own_ns && after.all_ns >= before.all_ns);
    if (known)
        assert_true(after.own_ns > before.own_ns && after.all_ns > 0);
}

/* --- sleeping --- */

static void a_sleep_lasts_as_long_as_it_may(void **state)
{
    atomic_uint word = 3;
    const uint64_t most_ns = 20 * 1000 * 1000, began_ns = os_raw_ns();
    while (!os_sleep_while(&word, 3, most_ns))
        ;
    assert_true(os_raw_ns() - began_ns > most_ns / 2); /* another clock */
}

static void nobody_sleeps_on_a_word_that_has_changed(void **state)
{
    atomic_uint word = 3;
    need_port();
    assert_false(os_sleep_while(&word, 2, UINT64_MAX));
}

static void *sleep_until_changed(void *argument)
{
    atomic_uint *words = argument;
    atomic_store(&words[1], 1);
    while (atomic_load(&words[0]) == 0)
        os_sleep_while(&words[0], 0, UINT64_MAX);
    return NULL;
}

/* Otherwise it would never end. */
static void who_sleeps_is_woken(void **state)
{
    for (int i = 0; i < 100; i++) {
        atomic_uint words[2] = {0, 0};
        pthread_t sleeper;
        assert_int_equal(pthread_create(&sleeper, NULL, sleep_until_changed, words), 0);
        while (i % 2 && atomic_load(&words[1]) == 0)
            sched_yield();
        atomic_store(&words[0], 1);
        os_wake(&words[0]);
        assert_int_equal(pthread_join(sleeper, NULL), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_mask_names_the_cpu_we_run_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_thread_is_pinned_to_each_allowed_cpu, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cpu_that_is_not_there_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(page_faults_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(work_is_this_programs_and_others, set_up, tear_down),
        cmocka_unit_test(a_sleep_lasts_as_long_as_it_may),
        cmocka_unit_test_setup_teardown(nobody_sleeps_on_a_word_that_has_changed, set_up,
                                        tear_down),
        cmocka_unit_test(who_sleeps_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
