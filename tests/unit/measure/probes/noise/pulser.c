/*
 * A pulser of known period and length, found: a real-time thread takes a CPU at regular times for
 * as long as it says itself, and the probe must find it. It needs the right to real-time
 * scheduling; who has none sees the reason. Where another real-time thread of its priority never
 * sleeps, the pulser gets no time, and nothing can be judged. What is compared with is what the
 * pulser itself saw, so nothing depends on how fast this machine is or what else runs on it.
 *
 * The pulser is a thread of this process and ends with it however that ends; this process ends with
 * the one that started it; and a pulse that never sleeps again is ended by the kernel.
 */
#include "base/random.h"
#include "machine/machine.h"
#include "measure/probes/kit/probe.h"
#include "measure/run/run.h"
#include "stats/order.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct probe noise_probe;

enum { PULSES_MOST = 1000, TRIES = 4 };
/* Of a real-time thread that runs without sleeping, in us: a hundred times as long as a pulse. */
enum { REAL_TIME_MOST_US = 1000000, OUTLIVED_S = 120 };
static const double period_s = 0.04, length_s = 0.01;

struct pulser {
    pthread_t thread;
    int cpu;
    atomic_bool stop, started;
    bool not_pinned; /* known once it is started */
    double lengths[PULSES_MOST];
    unsigned late; /* pulses that something else delayed or interrupted */
    size_t count;
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void pulse(struct pulser *pulser, double at_s)
{
    const struct timespec until = {(time_t)at_s, (long)((at_s - floor(at_s)) * 1e9)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    const double began_s = now_s();
    double ended_s = began_s;
    while (ended_s - began_s < length_s)
        ended_s = now_s();
    /* Its timer has the CPU from when it is due. */
    pulser->lengths[pulser->count++] = ended_s - at_s;
    pulser->late += ended_s - at_s > 1.01 * length_s;
}

static void *work(void *argument)
{
    struct pulser *pulser = argument;
    struct error error;
    pulser->not_pinned = os_pin_thread(pulser->cpu, &error) < 0;
    atomic_store(&pulser->started, true);
    for (double at_s = now_s() + period_s;
         !pulser->not_pinned && !atomic_load(&pulser->stop) && pulser->count < PULSES_MOST;
         at_s += period_s)
        pulse(pulser, at_s);
    return NULL;
}

/* From outside, so that a thread which gets no time any more as a real-time one can be given it
 * back. */
static int set_real_time(const struct pulser *pulser, bool on)
{
    const struct sched_param priority = {.sched_priority = on ? 50 : 0};
    return pthread_setschedparam(pulser->thread, on ? SCHED_FIFO : SCHED_OTHER, &priority);
}

static void watch(const struct machine *machine, struct settings *settings,
                  struct document *document)
{
    static const struct probe *const list[] = {&noise_probe, NULL};
    struct error error;
    struct run run = {
        .machine = machine, .settings = settings, .probes = list, .document = document};
    assert_int_equal(run_plan(&run, &error), 0);
    assert_int_equal(run_measure(&run, &error), 0);
    run_release(&run);
    assert_int_equal(document->probes[0].status, PROBE_OK);
}

/* The period nearest to the pulser's, of those that were found; INFINITY: none was. */
static double nearest(const struct document *document, double wanted_us)
{
    double near = INFINITY;
    for (unsigned i = 1; i < 10; i++) {
        char name[32];
        snprintf(name, sizeof name, "noise.period.%u", i);
        const struct finding *period = document_finding(document, name);
        if (period && fabs(period->value - wanted_us) < fabs(near - wanted_us))
            near = period->value;
    }
    return near;
}

/* Whether the lengths of interruptions by threads have one near to `wanted_us`: the points of
 * p50 to p99 of the CPU, or the text of the period. */
static double length_of_period(const struct document *document, double near_us)
{
    for (unsigned i = 1; i < 10; i++) {
        char name[32];
        double each_us;
        snprintf(name, sizeof name, "noise.period.%u", i);
        const struct finding *period = document_finding(document, name);
        if (period && period->value == near_us &&
            sscanf(period->text, "%*g times a second, %lg us each", &each_us) == 1)
            return each_us;
    }
    return NAN;
}

static void a_pulser_is_found(void **state)
{
    struct machine machine;
    struct settings settings = {0};
    struct error error;
    assert_int_equal(machine_read(&machine, &(struct machine_source){0}, &error), 0);
    const int cpu = machine.allowed.ids[machine.allowed.count - 1];
    char cpu_text[16];
    snprintf(cpu_text, sizeof cpu_text, "%d", cpu);
    assert_int_equal(settings_add(&settings, noise_probe.help->options, NULL), 0);
    assert_int_equal(settings_add(&settings, probe_common_options, NULL), 0);
    assert_int_equal(settings_set(&settings, "for", "1", &error), 0);
    assert_int_equal(settings_set(&settings, "cpus", cpu_text, &error), 0);
    bool found = false;
    const char *refused = NULL;
    for (int attempt = 0; attempt < TRIES && !found && !refused; attempt++) {
        static struct pulser pulser;
        pulser = (struct pulser){.cpu = cpu};
        struct document document = {0};
        assert_int_equal(pthread_create(&pulser.thread, NULL, work, &pulser), 0);
        while (!atomic_load(&pulser.started))
            sched_yield();
        const int reason = pulser.not_pinned ? EINVAL : set_real_time(&pulser, true);
        if (!reason)
            watch(&machine, &settings, &document);
        atomic_store(&pulser.stop, true);
        set_real_time(&pulser, false);
        pthread_join(pulser.thread, NULL);
        if (reason) {
            refused = strerror(reason);
        } else {
            sort_ascending(pulser.lengths, pulser.count);
            const double length_us = median(pulser.lengths, pulser.count) * 1e6;
            const double near_us = nearest(&document, period_s * 1e6);
            const double each_us = length_of_period(&document, near_us);
            print_message("period %g us of %g, length %g us of %g, %u of %zu pulses late\n",
                          near_us, period_s * 1e6, each_us, length_us, pulser.late, pulser.count);
            found =
                fabs(near_us / (period_s * 1e6) - 1) < 0.02 && fabs(each_us / length_us - 1) < 0.02;
            /* Once more only where others ran as well, beside which most pulses take the CPU from
             * those and are not seen, or where the pulser itself says that it was not on time. */
            const double taken = document_finding(&document, "noise.share.threads")->value;
            assert_true(found || pulser.late * 10 > pulser.count || pulser.count < 20 ||
                        taken > 110 * length_s / period_s);
        }
        document_free(&document);
    }
    settings_free(&settings);
    machine_free(&machine);
    if (refused) {
        print_message("no real-time scheduling here: %s\n", refused);
        skip();
    }
    if (!found) {
        print_message("something else ran on this CPU all the time\n");
        skip();
    }
}

/* What else would be left of a real-time thread if this process were stopped in the middle. */
static void leave_nothing_behind(void)
{
    const struct rlimit most = {REAL_TIME_MOST_US, REAL_TIME_MOST_US};
    setrlimit(RLIMIT_RTTIME, &most);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(OUTLIVED_S);
}

int main(void)
{
    leave_nothing_behind();
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_pulser_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
