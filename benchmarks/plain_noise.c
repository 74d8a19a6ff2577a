/*
 * Noise as one would look for it by hand: a thread on each CPU reads the clock again and again, and
 * counts how long it was not able to. fathom's figures are compared with it. With a pulser: a
 * real-time thread takes the last CPU at regular times, and says how often and for how long.
 *
 * usage: plain_noise SECONDS          prints "share PERCENT" and "longest US"
 *        plain_noise SECONDS PERIOD_MS LENGTH_MS   only the pulser; prints "period US", "length
 * US"; status 3 where real-time scheduling can't be had
 */
#include "machine/os.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { CPUS_MOST = 1024, PULSES_MOST = 100000 };
static const double over_ns = 500;

struct watcher {
    pthread_t thread;
    int cpu;
    double for_ns, lost_ns, watched_ns, longest_ns;
};

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static void *watch(void *argument)
{
    struct watcher *watcher = argument;
    struct error error;
    if (os_pin_thread(watcher->cpu, &error) < 0)
        exit(1);
    const double began_ns = now_ns();
    double last_ns = began_ns;
    while (last_ns - began_ns < watcher->for_ns) {
        const double at_ns = now_ns(), gap_ns = at_ns - last_ns;
        if (gap_ns > over_ns)
            watcher->lost_ns += gap_ns;
        if (gap_ns > watcher->longest_ns)
            watcher->longest_ns = gap_ns;
        last_ns = at_ns;
    }
    watcher->watched_ns = last_ns - began_ns;
    return NULL;
}

static int watch_all(double seconds)
{
    static struct watcher watchers[CPUS_MOST];
    cpu_set_t allowed;
    int count = 0;
    double lost_ns = 0, watched_ns = 0, longest_ns = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return 1;
    for (int cpu = 0; cpu < CPUS_MOST; cpu++)
        if (CPU_ISSET((unsigned)cpu, &allowed)) {
            watchers[count] = (struct watcher){.cpu = cpu, .for_ns = seconds * 1e9};
            if (pthread_create(&watchers[count].thread, NULL, watch, &watchers[count]))
                return 1;
            count++;
        }
    for (int i = 0; i < count; i++) {
        pthread_join(watchers[i].thread, NULL);
        lost_ns += watchers[i].lost_ns;
        watched_ns += watchers[i].watched_ns;
        if (watchers[i].longest_ns > longest_ns)
            longest_ns = watchers[i].longest_ns;
    }
    printf("share %.4f\nlongest %.1f\n", 100 * lost_ns / watched_ns, longest_ns * 1e-3);
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A loop that never slept would be ended by the kernel after a second. */
static int become_real_time(void)
{
    const struct rlimit most = {1000000, 1000000};
    const struct sched_param priority = {.sched_priority = 50};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return setrlimit(RLIMIT_RTTIME, &most) < 0 ||
                   sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority) < 0
               ? -1
               : 0;
}

static int pulse_for(double seconds, double period_ns, double length_ns)
{
    static double lengths_ns[PULSES_MOST];
    struct error error;
    cpu_set_t allowed;
    int last = 0, count = 0;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0)
        return 1;
    for (int cpu = 0; cpu < CPUS_MOST; cpu++)
        last = CPU_ISSET((unsigned)cpu, &allowed) ? cpu : last;
    if (os_pin_thread(last, &error) < 0)
        return 1;
    if (length_ns * 2 > period_ns || become_real_time() < 0)
        return 3;
    const double began_ns = now_ns();
    for (double at_ns = began_ns + period_ns;
         at_ns < began_ns + seconds * 1e9 && count < PULSES_MOST; at_ns += period_ns) {
        const long long whole = (long long)at_ns;
        const struct timespec until = {(time_t)(whole / 1000000000), (long)(whole % 1000000000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        const double woke_ns = now_ns();
        while (now_ns() - woke_ns < length_ns)
            ;
        lengths_ns[count++] = now_ns() - at_ns; /* its timer has the CPU from when it is due */
    }
    if (!count)
        return 1;
    qsort(lengths_ns, (size_t)count, sizeof *lengths_ns, compare);
    printf("period %.1f\nlength %.2f\n", period_ns * 1e-3, lengths_ns[count / 2] * 1e-3);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 4)
        return 2;
    const double seconds = atof(argv[1]);
    return argc == 2 ? watch_all(seconds)
                     : pulse_for(seconds, 1e6 * atof(argv[2]), 1e6 * atof(argv[3]));
}
