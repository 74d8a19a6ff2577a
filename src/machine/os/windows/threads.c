#include "machine/os.h"

#include "arch.h"

#include <windows.h>

/* A CPU's number counts all places of the groups before its own, as hwloc does. */
enum { GROUP_CPUS = 64 };

static KAFFINITY mask_of_group(const struct cpulist *cpus, int group)
{
    KAFFINITY mask = 0;
    for (size_t i = 0; i < cpus->count; i++)
        if (cpus->ids[i] / GROUP_CPUS == group)
            mask |= (KAFFINITY)1 << (cpus->ids[i] % GROUP_CPUS);
    return mask;
}

static int refuse(const struct cpulist *cpus, struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE,
                     "this thread can't be kept to %zu CPUs, of which the first is %d: Windows "
                     "error %lu; see the affinity in Task Manager, or choose others with --cpus",
                     cpus->count, cpus->ids[0], GetLastError());
}

/* Where the process was given no mask of one group, it may use all groups. */
int os_affinity(struct cpulist *cpus, struct error *error)
{
    GROUP_AFFINITY own;
    *cpus = (struct cpulist){0};
    if (!GetThreadGroupAffinity(GetCurrentThread(), &own))
        return error_set(error, ERROR_IMPOSSIBLE,
                         "the affinity mask can't be read: Windows error %lu", GetLastError());
    int code = 0;
    for (int bit = 0; bit < GROUP_CPUS && code == 0; bit++)
        if (own.Mask >> bit & 1)
            code = cpulist_add(cpus, own.Group * GROUP_CPUS + bit);
    const bool whole_group = cpus->count == GetActiveProcessorCount(own.Group);
    for (WORD group = 0; group < GetActiveProcessorGroupCount() && whole_group; group++)
        for (DWORD bit = 0; bit < GetActiveProcessorCount(group) && code == 0; bit++)
            if (group != own.Group)
                code = cpulist_add(cpus, group * GROUP_CPUS + (int)bit);
    if (code == 0)
        return 0;
    cpulist_free(cpus);
    return error_set(error, code, "out of memory while the affinity mask was read");
}

/* A thread is in one group at a time: in that of the first CPU. */
int os_set_affinity(const struct cpulist *cpus, struct error *error)
{
    const int group = cpus->count ? cpus->ids[0] / GROUP_CPUS : 0;
    const GROUP_AFFINITY wanted = {.Mask = mask_of_group(cpus, group), .Group = (WORD)group};
    return SetThreadGroupAffinity(GetCurrentThread(), &wanted, NULL) ? 0 : refuse(cpus, error);
}

int os_pin_thread(int cpu, struct error *error)
{
    const struct cpulist alone = {.ids = &cpu, .count = 1};
    const int code = os_set_affinity(&alone, error);
    if (code < 0)
        return code;
    Sleep(0); /* the thread goes to its CPU when it is scheduled next */
    return os_current_cpu() == cpu
               ? 0
               : error_set(error, ERROR_IMPOSSIBLE,
                           "this thread was pinned to CPU %d but runs on CPU %d: the system does "
                           "not honour affinity",
                           cpu, os_current_cpu());
}

int os_current_cpu(void)
{
    PROCESSOR_NUMBER here;
    GetCurrentProcessorNumberEx(&here);
    return here.Group * GROUP_CPUS + here.Number;
}

/* Windows tells a thread neither its context switches nor its page faults. */
void os_thread_events(struct os_thread_events *events)
{
    *events = (struct os_thread_events){0};
}

bool os_sleep_while(atomic_uint *word, unsigned value, uint64_t at_most_ns)
{
    const uint64_t ms = (at_most_ns + 999999) / 1000000;
    const bool bounded = at_most_ns != UINT64_MAX;
    return !WaitOnAddress((volatile void *)word, &value, sizeof value,
                          bounded ? (DWORD)(ms < INFINITE ? ms : INFINITE - 1) : INFINITE) &&
           GetLastError() == ERROR_TIMEOUT;
}

void os_wake(atomic_uint *word)
{
    WakeByAddressAll((void *)word);
}

struct os_identity os_identity(void)
{
    static const char key[] = "HARDWARE\\DESCRIPTION\\System\\CentralProcessor\\0";
    struct os_identity found = {0};
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    DWORD size = sizeof found.processor;
    RegGetValueA(HKEY_LOCAL_MACHINE, key, "ProcessorNameString", RRF_RT_REG_SZ, NULL,
                 found.processor, &size);
    arch_hypervisor(found.hypervisor);
    found.memory_bytes = GlobalMemoryStatusEx(&memory) ? memory.ullTotalPhys : 0;
    return found;
}

bool os_stolen_ns(uint64_t *of_cpu, size_t count)
{
    memset(of_cpu, 0, count * sizeof *of_cpu);
    return false;
}

static uint64_t time_ns(const FILETIME *time)
{
    return ((uint64_t)time->dwHighDateTime << 32 | time->dwLowDateTime) * 100;
}

/* The kernel's time contains the idle time. */
bool os_work(struct os_work *work)
{
    FILETIME idle, kernel, user, created, ended, own_kernel, own_user;
    *work = (struct os_work){0};
    if (!GetSystemTimes(&idle, &kernel, &user) ||
        !GetProcessTimes(GetCurrentProcess(), &created, &ended, &own_kernel, &own_user))
        return false;
    work->all_ns = time_ns(&kernel) + time_ns(&user) - time_ns(&idle);
    work->own_ns = time_ns(&own_kernel) + time_ns(&own_user);
    return true;
}

uint64_t os_raw_ns(void)
{
    static atomic_llong frequency;
    LARGE_INTEGER value;
    if (!atomic_load(&frequency)) {
        QueryPerformanceFrequency(&value);
        atomic_store(&frequency, value.QuadPart);
    }
    QueryPerformanceCounter(&value);
    const uint64_t count = (uint64_t)value.QuadPart, each = (uint64_t)atomic_load(&frequency);
    return count / each * 1000000000u + count % each * 1000000000u / each;
}
