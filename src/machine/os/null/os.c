/* For a system that fathom has no port for: plain memory and a monotonic clock by POSIX; all else
 * returns ERROR_IMPOSSIBLE. */
#include "machine/os.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

static const size_t alignment_bytes = (size_t)2 << 20;
/* Some allocators abort the program instead of refusing larger sizes. */
static const uint64_t bytes_max = (uint64_t)1 << 40;
static const uint64_t nap_ns = 1000000;

int os_affinity(struct cpulist *cpus, struct error *error)
{
    *cpus = (struct cpulist){0};
    return error_set(error, ERROR_IMPOSSIBLE,
                     "this system's affinity mask can't be read: fathom has no port for it");
}

int os_pin_thread(int cpu, struct error *error)
{
    return error_set(
        error, ERROR_IMPOSSIBLE,
        "threads can't be pinned (to CPU %d) on this system: fathom has no port for it", cpu);
}

int os_set_affinity(const struct cpulist *cpus, struct error *error)
{
    return error_set(error, ERROR_IMPOSSIBLE,
                     "threads can't be kept to %zu CPUs on this system: fathom has no port for it",
                     cpus->count);
}

int os_current_cpu(void)
{
    return -1;
}

void os_thread_events(struct os_thread_events *events)
{
    *events = (struct os_thread_events){0};
}

/* Threads can't be woken, so a sleeper checks the word every millisecond. */
bool os_sleep_while(atomic_uint *word, unsigned value, uint64_t at_most_ns)
{
    uint64_t left_ns = at_most_ns;
    while (atomic_load(word) == value) {
        if (left_ns == 0)
            return true;
        const uint64_t here_ns = left_ns < nap_ns ? left_ns : nap_ns;
        const struct timespec nap = {.tv_nsec = (long)here_ns};
        nanosleep(&nap, NULL);
        left_ns -= here_ns;
    }
    return false;
}

void os_wake(atomic_uint *word) {}

struct os_identity os_identity(void)
{
    return (struct os_identity){0};
}

bool os_stolen_ns(uint64_t *of_cpu, size_t count)
{
    for (size_t i = 0; i < count; i++)
        of_cpu[i] = 0;
    return false;
}

bool os_work(struct os_work *work)
{
    *work = (struct os_work){0};
    return false;
}

void *os_map(size_t bytes, enum page_policy policy, int node, struct error *error)
{
    void *memory = NULL;
    if (policy != PAGES_SMALL || node >= 0)
        error_set(error, ERROR_IMPOSSIBLE,
                  "huge pages and NUMA nodes can't be had on this system: use --pages small");
    else if (bytes == 0 || bytes > bytes_max ||
             posix_memalign(&memory, alignment_bytes, bytes) != 0)
        error_set(error, ERROR_IMPOSSIBLE, "%zu bytes can't be mapped: ask for less", bytes);
    return memory;
}

void os_unmap(void *memory, size_t bytes)
{
    free(memory);
}

uint64_t os_memory_free(void)
{
    return 0;
}

void os_verify(const void *memory, size_t bytes, int wanted_node, struct os_placement *placement)
{
    *placement =
        (struct os_placement){.page_bytes = 0, .huge_share = NAN, .node = -1, .node_share = NAN};
}

uint64_t os_raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
