#include "machine/files.h"
#include "machine/os.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The kernel refuses (EINVAL) a set that is smaller than its own and doesn't report its size, so
 * this tries larger and larger ones. */
static cpu_set_t *read_mask(size_t *bytes)
{
    for (int cpus = 1024; cpus <= CPU_ID_MAX; cpus *= 2) {
        cpu_set_t *set = CPU_ALLOC((size_t)cpus);
        *bytes = CPU_ALLOC_SIZE((size_t)cpus);
        if (!set)
            return NULL;
        CPU_ZERO_S(*bytes, set);
        if (sched_getaffinity(0, *bytes, set) == 0)
            return set;
        int reason = errno;
        CPU_FREE(set);
        errno = reason;
        if (reason != EINVAL)
            return NULL;
    }
    return NULL;
}

int os_affinity(struct cpulist *cpus, struct error *error)
{
    *cpus = (struct cpulist){0};
    size_t bytes;
    cpu_set_t *set = read_mask(&bytes);
    if (!set)
        return error_set(error, ERROR_IMPOSSIBLE, "the affinity mask can't be read: %s",
                         strerror(errno));
    int result = 0;
    for (size_t id = 0; result == 0 && id < bytes * 8; id++)
        if (CPU_ISSET_S(id, bytes, set))
            result = cpulist_add(cpus, (int)id);
    CPU_FREE(set);
    if (result < 0) {
        cpulist_free(cpus);
        return error_set(error, result, "out of memory while the affinity mask was read");
    }
    return 0;
}

/* 0, or -1 with errno. */
static int set_mask(const struct cpulist *cpus)
{
    const int largest = cpus->count ? cpus->ids[cpus->count - 1] : 0;
    const size_t bytes = CPU_ALLOC_SIZE((size_t)largest + 1);
    cpu_set_t *set = CPU_ALLOC((size_t)largest + 1);
    if (!set)
        return -1;
    CPU_ZERO_S(bytes, set);
    for (size_t i = 0; i < cpus->count; i++)
        CPU_SET_S((size_t)cpus->ids[i], bytes, set);
    const int result = sched_setaffinity(0, bytes, set), reason = errno;
    CPU_FREE(set);
    errno = reason;
    return result;
}

int os_set_affinity(const struct cpulist *cpus, struct error *error)
{
    return set_mask(cpus) == 0 ? 0
                               : error_set(error, ERROR_IMPOSSIBLE,
                                           "this thread can't be kept to %zu CPUs: %s; see taskset "
                                           "-p and the cgroup's cpuset",
                                           cpus->count, strerror(errno));
}

int os_pin_thread(int cpu, struct error *error)
{
    if (cpu < 0 || cpu > CPU_ID_MAX)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "CPU %d can't be used: no system has a CPU of that number", cpu);
    const int refused = set_mask(&(struct cpulist){&cpu, 1}) == 0 ? 0 : errno;
    if (refused == EINVAL)
        return error_set(
            error, ERROR_IMPOSSIBLE,
            "CPU %d is offline or out of this process's cpuset: bring it back (echo 1 > "
            "/sys/devices/system/cpu/cpu%d/online, the cgroup's cpuset.cpus), or choose "
            "others with --cpus",
            cpu, cpu);
    if (refused)
        return error_set(error, ERROR_IMPOSSIBLE,
                         "this thread can't be pinned to CPU %d: %s; see taskset -p and the "
                         "cgroup's cpuset",
                         cpu, strerror(refused));
    /* Success is no proof: emulators and some sandboxes accept the call and ignore it. */
    struct cpulist now;
    int result = os_affinity(&now, error);
    bool alone = result == 0 && now.count == 1 && now.ids[0] == cpu;
    cpulist_free(&now);
    if (result < 0)
        return result;
    int here = os_current_cpu();
    if (!alone || (here >= 0 && here != cpu))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "this thread was pinned to CPU %d but runs on CPU %d: the system does not "
                         "honour affinity",
                         cpu, here);
    return 0;
}

int os_current_cpu(void)
{
    return sched_getcpu();
}

void os_thread_events(struct os_thread_events *events)
{
    struct rusage usage;
    *events = (struct os_thread_events){0};
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return;
    events->switches = (uint64_t)usage.ru_nivcsw + (uint64_t)usage.ru_nvcsw;
    events->page_faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* The system call's timespec is two longs, also if the C library's time_t is longer. */
bool os_sleep_while(atomic_uint *word, unsigned value, uint64_t at_most_ns)
{
    const long most[] = {(long)(at_most_ns / 1000000000u), (long)(at_most_ns % 1000000000u)};
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
                   at_most_ns == UINT64_MAX ? NULL : most, NULL, 0) < 0 &&
           errno == ETIMEDOUT;
}

void os_wake(atomic_uint *word)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

struct os_identity os_identity(void)
{
    return (struct os_identity){0};
}

/* The unit in which the kernel counts CPU time. */
static uint64_t tick_ns(void)
{
    const long ticks = sysconf(_SC_CLK_TCK);
    return 1000000000u / (uint64_t)(ticks > 0 ? ticks : 100);
}

bool os_stolen_ns(uint64_t *of_cpu, size_t count)
{
    memset(of_cpu, 0, count * sizeof *of_cpu);
    char *text = files_text(NULL, "/proc/stat");
    bool known = false;
    for (const char *line = text; line && (line = strstr(line, "\ncpu")); line++) {
        unsigned cpu;
        unsigned long long stolen;
        if (sscanf(line, "\ncpu%u %*u %*u %*u %*u %*u %*u %*u %llu", &cpu, &stolen) == 2 &&
            cpu < count) {
            of_cpu[cpu] = stolen * tick_ns();
            known = true;
        }
    }
    free(text);
    return known;
}

static uint64_t used_ns(int who)
{
    struct rusage usage;
    if (getrusage(who, &usage) != 0)
        return 0;
    const long seconds = (long)usage.ru_utime.tv_sec + (long)usage.ru_stime.tv_sec,
               micros = (long)usage.ru_utime.tv_usec + (long)usage.ru_stime.tv_usec;
    return (uint64_t)seconds * 1000000000u + (uint64_t)micros * 1000u;
}

/* "cpu  user nice system idle iowait irq softirq steal ...": user time includes that of guests. In
 * sandboxes all numbers are 0. */
bool os_work(struct os_work *work)
{
    char *text = files_text(NULL, "/proc/stat");
    unsigned long long user = 0, nice = 0, system = 0, irq = 0, softirq = 0;
    const bool known = text && sscanf(text, "cpu %llu %llu %llu %*u %*u %llu %llu", &user, &nice,
                                      &system, &irq, &softirq) == 5;
    free(text);
    work->all_ns = (user + nice + system + irq + softirq) * tick_ns();
    work->own_ns = used_ns(RUSAGE_SELF) + used_ns(RUSAGE_CHILDREN);
    return known && work->all_ns > 0;
}

uint64_t os_raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
